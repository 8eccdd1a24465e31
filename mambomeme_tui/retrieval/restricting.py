"""What a query's filters, exact phrases and exclusions leave to be searched.

A restriction only takes away. Words that must stand together are looked up by their terms, then read in the records
themselves, so that a phrase is found only where a person can see it, and wherever it is.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from mambomeme_tui.index.catalogue import Catalogue
from mambomeme_tui.index.facets import Facets
from mambomeme_tui.index.impacts import Impacts
from mambomeme_tui.index.views import lexical_fields, lexical_parts
from mambomeme_tui.records import Meme
from mambomeme_tui.retrieval.repair import spell_out
from mambomeme_tui.retrieval.syntax import Syntax
from mambomeme_tui.text import STOP_WORDS, pictographs, terms, words

BATCH = 500
"""Records that are read before it is asked again whether anybody still waits for them."""
MOST_KEPT = 20_000
"""Records whose texts are kept once they were read: small words alone have all of them read."""

Mask = NDArray[np.bool_]


def _never() -> None:
    """Whoever asks waits for the answer."""


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
        self._texts: dict[int, tuple[str, ...]] = {}

    def allowed(self, syntax: Syntax, phrases: bool = True, stop: Callable[[], None] = _never) -> Mask:
        """The memes that are left, (memes,).

        Args:
            syntax: of the query.
            phrases: if it is off, exact phrases are taken for words.
            stop: called while records are read; raises what ends it.
        """
        if not (syntax.filters or syntax.excluded or (phrases and syntax.phrases)):
            return self._shown
        left = self._shown.copy()
        for one in syntax.filters:
            fitting = self._mask(self._facets.positions(one.name, one.value))
            left &= ~fitting if one.negated else fitting
        for text in syntax.excluded:
            left &= ~self._having(text, left, stop)
        for text in syntax.phrases if phrases else ():
            left &= self._having(text, left, stop)
        return left

    def _mask(self, positions: NDArray[np.integer]) -> Mask:
        mask = np.zeros(len(self._shown), bool)
        mask[positions] = True
        return mask

    def _having(self, text: str, among: Mask, stop: Callable[[], None]) -> Mask:
        """Which of these memes have a text's words in sequence in one of their texts; of one word, any form of it."""
        sought = words(text)
        if not sought:
            return self._pictured(text, among, stop)
        indexed = (
            terms(text) if any(word not in STOP_WORDS for word in sought) else []
        )  # a field of more leaves them out
        rows = [self._impacts.row(term)[0] for term in dict.fromkeys(indexed)]
        common = among.copy()
        for row in rows:
            common &= self._mask(row)
        if len(sought) == 1 and rows:
            return common
        wanted, positions, found = _padded(sought), np.flatnonzero(common).tolist(), np.zeros(len(common), bool)
        for start in range(0, len(positions), BATCH):
            stop()
            batch = positions[start : start + BATCH]
            found[batch] = [any(wanted in text for text in texts) for texts in self._read(batch)]
        return found

    def _pictured(self, text: str, among: Mask, stop: Callable[[], None]) -> Mask:
        """Which of these memes have all of a text's pictographs, or what they are called as words."""
        signs, called = pictographs(text), spell_out(text)
        found = self._having(called, among, stop) if words(called) else np.zeros(len(among), bool)
        positions = [at for at in self._catalogue.spelt(signs[0]) if among[at]] if signs else []
        for at, meme in zip(positions, self._catalogue.at(positions), strict=True):
            seen = " ".join(lexical_fields(meme).values())
            found[at] |= all(sign in seen for sign in signs)
        return found

    def _read(self, positions: Sequence[int]) -> list[tuple[str, ...]]:
        """What stands in these memes, in their order: their distinct texts as padded words."""
        fresh = [at for at in positions if at not in self._texts]
        read = dict(zip(fresh, map(_texts_of, self._catalogue.at(fresh)), strict=True))
        if len(self._texts) + len(read) <= MOST_KEPT:
            self._texts |= read
        return [read[at] if at in read else self._texts[at] for at in positions]


def _texts_of(meme: Meme) -> tuple[str, ...]:
    return tuple(_folded(text) for parts in lexical_parts(meme).values() for text in parts)


@lru_cache(maxsize=65536)
def _folded(text: str) -> str:
    """A text's words as they are sought; most texts are shared by a family."""
    return _padded(words(text))


def _padded(found: Sequence[str]) -> str:
    return f" {' '.join(found)} "
