"""What a query's filters, exact phrases and exclusions leave to be searched.

A restriction only takes away. Words that must stand together are looked up by their terms, then read in the records
themselves, so that a phrase is found only where a person can see it.
"""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from mambomeme_tui.index.catalogue import Catalogue
from mambomeme_tui.index.facets import Facets
from mambomeme_tui.index.impacts import Impacts
from mambomeme_tui.index.views import lexical_fields
from mambomeme_tui.retrieval.syntax import Syntax
from mambomeme_tui.text import STOP_WORDS, terms, words

MOST_READ = 2000
"""Records that are read for one phrase; a phrase of words that more have in common stands for nothing in particular."""

Mask = NDArray[np.bool_]


class Restrictions:
    """Answers which memes of a version a query leaves. One caller at a time.

    Args:
        shown: (memes,), what policy may show.
    """

    def __init__(self, shown: Mask, facets: Facets, impacts: Impacts, catalogue: Catalogue) -> None:
        self._shown = shown
        self._facets = facets
        self._impacts = impacts
        self._catalogue = catalogue

    def allowed(self, syntax: Syntax, phrases: bool = True) -> Mask:
        """The memes that are left, (memes,); with `phrases` off, exact phrases are taken for words."""
        if not (syntax.filters or syntax.excluded or (phrases and syntax.phrases)):
            return self._shown
        left = self._shown.copy()
        for one in syntax.filters:
            fitting = self._mask(self._facets.positions(one.name, one.value))
            left &= ~fitting if one.negated else fitting
        for text in syntax.excluded:
            left &= ~self._having(text, left)
        for text in syntax.phrases if phrases else ():
            left &= self._having(text, left)
        return left

    def _mask(self, positions: NDArray[np.integer]) -> Mask:
        mask = np.zeros(len(self._shown), bool)
        mask[positions] = True
        return mask

    def _having(self, text: str, among: Mask) -> Mask:
        """Which of these memes have a text's words in sequence in one of their fields; of one word, any form of it."""
        sought = words(text)
        indexed = (
            terms(text) if any(word not in STOP_WORDS for word in sought) else []
        )  # a field of more leaves them out
        rows = [self._impacts.row(term)[0] for term in dict.fromkeys(indexed)]
        common = among.copy()
        for row in rows:
            common &= self._mask(row)
        if len(sought) == 1 and rows:
            return common
        positions = np.flatnonzero(common)[:MOST_READ].tolist()
        memes = self._catalogue.at(positions)
        found = [at for at, meme in zip(positions, memes, strict=True) if _reads(lexical_fields(meme).values(), sought)]
        return self._mask(np.array(found, np.int64))


def _reads(texts: Iterable[str], sought: list[str]) -> bool:
    wanted = f" {' '.join(sought)} "
    return any(wanted in f" {' '.join(words(text))} " for text in texts)
