"""The lexical route: pooled BM25F, any term in any field, as a sum of rows of the version's impacts.

Rows are added in the order of the query's terms, so that a query's scores are the same to the last bit every time.
"""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mambomeme_tui.index import impacts
from mambomeme_tui.index.impacts import Docs, Impacts, Values
from mambomeme_tui.parameters import Parameters
from mambomeme_tui.retrieval.query import Query
from mambomeme_tui.retrieval.results import Candidate

FEW = 64
"""Where the rows hold less than one in so many memes, the memes are collected from them, not from all sums."""


class LexicalRoute:
    """A checked version's impacts, opened. One caller at a time.

    Args:
        folder: the version's folder.
        parameters: of the version; the weights and numbers of BM25F went into the impacts when it was built.
    """

    def __init__(self, folder: Path, parameters: Parameters) -> None:
        self._depth = parameters.depth
        self._opened: Impacts | None = impacts.load(folder / impacts.IMPACTS_FOLDER)
        self._sums = np.zeros(self._opened.size)  # all 0 between two searches; to make it anew takes longer than to add

    @property
    def impacts(self) -> Impacts:
        """The version's impacts."""
        if self._opened is None:
            raise ValueError("The lexical route is closed.")
        return self._opened

    def search(self, query: Query, allowed: NDArray[np.bool_] | None = None) -> list[Candidate]:
        """As many candidates as the depth, by descending BM25F, ties by position.

        Args:
            query: its terms are looked up.
            allowed: (memes,), which of them may be candidates; all, if it is None.
        """
        rows = [row for term in query.terms if len((row := self.impacts.row(term))[0])]
        wanted = self._depth
        if not rows:
            return []
        positions, scores = self._add(rows)
        if allowed is not None:
            kept = np.flatnonzero(allowed[positions])
            positions, scores = positions[kept], scores[kept]
        if len(scores) > wanted:
            kept = np.flatnonzero(scores >= np.partition(scores, len(scores) - wanted)[len(scores) - wanted])
            positions, scores = positions[kept], scores[kept]
        best = np.argsort(-scores, kind="stable")[:wanted]
        return list(map(Candidate, positions[best].tolist(), scores[best].tolist()))

    def _add(self, rows: list[tuple[Docs, Values]]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Positions of the memes that have any of the terms, ascending, and their scores."""
        held = [docs.astype(np.int64) for docs, _ in rows]
        try:
            for docs, (_, values) in zip(held, rows, strict=True):
                self._sums[docs] += values
            few = sum(map(len, held)) * FEW < len(self._sums)
            positions = np.unique(np.concatenate(held)) if few else np.flatnonzero(self._sums)
            return positions, self._sums[positions]
        finally:
            for docs in held:
                self._sums[docs] = 0

    def holds(self, term: str, positions: NDArray[np.integer]) -> NDArray[np.bool_]:
        """Which of these memes, (n,), have a term; a position that no meme has holds nothing."""
        docs = self.impacts.row(term)[0]
        if not len(docs):
            return np.zeros(len(positions), np.bool_)
        inside = (positions >= 0) & (positions < self.impacts.size)
        # of the rows' own type, or the row would be converted as a whole
        asked = np.where(inside, positions, -1).astype(np.int32)
        found: NDArray[np.bool_] = docs[np.minimum(np.searchsorted(docs, asked), len(docs) - 1)] == asked
        return found

    def close(self) -> None:
        """Let go of the version's files; a second time it does nothing."""
        self._opened = None
