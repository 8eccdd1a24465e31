"""How much of what a person typed one of the first candidates has, by what each word tells.

A word tells the more the fewer people use it in any language that is known, whether a meme has it or not: a name that
no meme has weighs as much as one that some has, and the small words of an everyday sentence weigh next to nothing.
"""

import math
from collections.abc import Sequence

import numpy as np

from mambomeme_tui.index.vocabulary import Vocabulary
from mambomeme_tui.retrieval.lexical import LexicalRoute
from mambomeme_tui.retrieval.query import MAX_TERMS, Query
from mambomeme_tui.retrieval.results import Candidate
from mambomeme_tui.text import STOP_WORDS, stem, words

LOOKED_AT = 50
"""So many of the best candidates are looked at."""


def coverage(query: Query, found: Sequence[Candidate], lexical: LexicalRoute, known: Vocabulary) -> float:
    """The largest share, from 0 to 1, of the query's rarity (`Vocabulary.rarity`) that one of the best candidates has.

    Args:
        query: its words count once each, stop words only where there is nothing else; 0 where none is left.
        found: candidates of the lexical route, the best first.
        lexical: knows which of them has which term.
        known: knows how rare each word is.
    """
    typed = list(dict.fromkeys(words(query.meant)))
    told = ([word for word in typed if word not in STOP_WORDS] or typed)[:MAX_TERMS]
    positions = np.array([one.position for one in found[:LOOKED_AT]], np.int64)
    covered = np.zeros(len(positions))
    for word in told:
        covered[lexical.holds(stem(word), positions)] += known.rarity(word)
    total = math.fsum(map(known.rarity, told))
    return min(1.0, float(covered.max(initial=0.0)) / total) if total else 0.0
