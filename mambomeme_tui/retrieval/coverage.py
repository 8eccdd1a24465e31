"""How much of what a person typed the first candidates have, by what each word tells.

A word tells the more the fewer people use it in any language that is known, whether a meme has it or not: a name that
no meme has weighs as much as one that some has, and the small words of an everyday sentence weigh next to nothing.
"""

from collections.abc import Sequence

import numpy as np

from mambomeme_tui.index.vocabulary import Vocabulary
from mambomeme_tui.retrieval.lexical import LexicalRoute
from mambomeme_tui.retrieval.query import MAX_TERMS, Query
from mambomeme_tui.retrieval.results import Candidate
from mambomeme_tui.text import STOP_WORDS, stem, words

LOOKED_AT = 10
"""So many of the best candidates are looked at: as many as a person sees."""


def coverage(query: Query, found: Sequence[Candidate], lexical: LexicalRoute, known: Vocabulary) -> float:
    """The share, from 0 to 1, of the query's rarity (`Vocabulary.rarity`) in words that any of the best candidates has.

    Args:
        query: its words count once each, stop words only where there is nothing else; 0 where none is left.
        found: candidates of the lexical route, the best first.
        lexical: knows which of them has which term.
        known: knows how rare each word is.
    """
    typed = list(dict.fromkeys(words(query.meant)))
    told = [word for word in typed if word not in STOP_WORDS] or typed
    positions = np.array([one.position for one in found[:LOOKED_AT]], np.int64)
    covered, total = 0.0, 0.0
    for word in told[:MAX_TERMS]:
        rarity = known.rarity(word)
        total += rarity
        if lexical.holds(stem(word), positions):
            covered += rarity
    return covered / total if total else 0.0
