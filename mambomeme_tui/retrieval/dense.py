"""The dense route: exact cosines of every vector, or beyond `exact_rows` of those that Annoy finds.

A meme has vectors of several kinds. Its score is the mean of two: the cosine of its nearest vector, and the mean over
its kinds of the nearest of each, so that a meme near in every way stands above one that is near by chance. Its
situations have a share on top, the mean of the nearest few: they say in many ways what it is for, and the less of a
query its words can find, the more they count. Equal scores go by position.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from mambomeme_tui.encoder import QueryEncoder, Vectors
from mambomeme_tui.index import vectors
from mambomeme_tui.index.views import DENSE_KINDS
from mambomeme_tui.parameters import Parameters
from mambomeme_tui.retrieval.query import Query
from mambomeme_tui.retrieval.results import Candidate

Mask = NDArray[np.bool_]

SITUATIONS = DENSE_KINDS.index("situations")
NEAREST = 4
"""So many of a meme's situations count for what it is for; of 2 to 8 all find much the same."""
COVERED = 0.8
"""A query of which its words find so much is not asked for what it means."""


class DenseRoute:
    """Checked vectors and the query encoder, opened. One caller at a time.

    Args:
        folder: the version's folder.
        model: the folder of the encoder's export, checked.
        memes: how many memes the version holds.
        parameters: of the version.
    """

    def __init__(self, folder: Path, model: Path, memes: int, parameters: Parameters) -> None:
        self._store = vectors.load(folder, memes)
        self._encoder = QueryEncoder(model)
        self._parameters = parameters
        self._last: tuple[Mask | None, _Compared] | None = None
        self._encoder.encode(["warm"])  # the first run allocates; no person should wait for it

    def encode(self, query: Query) -> Vectors:
        """The query's unit vector, of shape (384,)."""
        vector: Vectors = self._encoder.encode([query.meant])[0]
        return vector

    def search(self, vector: Vectors, allowed: Mask | None = None, covered: float = 1.0) -> list[Candidate]:
        """As many candidates as the depth, by descending score.

        Their `basis` is the kind of their nearest vector, `cosine` its cosine.

        Args:
            vector: the query's.
            allowed: (memes,), which of them may be candidates; all, if it is None.
            covered: how much of the query its words find, from 0 to 1; 1 where nobody asked.
        """
        compared, cosines = self._compare(vector, allowed)
        if not len(compared.memes):
            return []
        nearest = np.maximum.reduceat(cosines, compared.kind_starts)
        best = np.maximum.reduceat(nearest, compared.meme_starts)
        scores = (best + np.add.reduceat(nearest, compared.meme_starts) / compared.counts) / 2
        if (share := self._parameters.situations_share * (COVERED - covered)) > 0:
            scores = (scores + share * compared.situations(cosines, scores)) / (1 + share)
        order = _highest(scores, compared.memes, self._parameters.depth)
        return [
            Candidate(int(compared.memes[at]), float(scores[at]), compared.basis(nearest, int(at)), float(best[at]))
            for at in order
        ]

    def _compare(self, vector: Vectors, allowed: Mask | None) -> tuple["_Compared", Vectors]:
        """What is compared with a vector, and the cosine of each link."""
        store, wanted = self._store, self._parameters
        compared = self._compared(allowed)
        if len(store.vectors) <= wanted.exact_rows:
            return compared, (store.vectors @ vector)[store.rows[compared.links]]
        if len(compared.links) > wanted.exact_rows:
            rows = store.neighbours(vector, wanted.depth * len(DENSE_KINDS), wanted.annoy_search)
            compared = _Compared.of(np.intersect1d(store.memes_of(rows), compared.memes), store)
        # one product a row: the same row elsewhere in a matrix may differ in its last bit, which would break ties
        used, place = np.unique(store.rows[compared.links], return_inverse=True)
        return compared, (np.asarray(store.vectors[used]) @ vector)[place]

    def _compared(self, allowed: Mask | None) -> "_Compared":
        """All that is allowed; kept for the next search, for most have no restriction but the policy's."""
        if self._last is None or self._last[0] is not allowed:
            linked = self._store.linked
            self._last = allowed, _Compared.of(linked if allowed is None else linked[allowed[linked]], self._store)
        return self._last[1]


@dataclass(frozen=True, slots=True)
class _Compared:
    """Memes that a query is compared with.

    Attributes:
        memes: (memes,), positions, ascending.
        links: (links,), numbers of all their links, those of one meme together and ordered by kind.
        kind_starts: (kinds,), where each kind of each meme starts among the links.
        meme_starts: (memes,), where each meme starts among those kinds.
        counts: (memes,), how many kinds each has.
        kinds: (kinds,), the number of each kind.
    """

    memes: NDArray[np.int64]
    links: NDArray[np.int64]
    kind_starts: NDArray[np.int64]
    meme_starts: NDArray[np.int64]
    counts: NDArray[np.int64]
    kinds: NDArray[np.int32]

    @classmethod
    def of(cls, memes: NDArray[np.int64], store: vectors.VectorStore) -> Self:
        """What these memes, each with a vector, are compared by."""
        links = store.links_of(memes)
        owners = np.repeat(np.arange(len(memes)), store.starts[memes + 1] - store.starts[memes])
        kind_starts = np.flatnonzero(np.diff(owners * len(DENSE_KINDS) + store.kinds[links], prepend=-1))
        meme_starts = np.flatnonzero(np.diff(owners[kind_starts], prepend=-1))
        counts = np.diff(meme_starts, append=len(kind_starts))
        return cls(memes, links, kind_starts, meme_starts, counts, store.kinds[links[kind_starts]])

    def situations(self, cosines: Vectors, scores: NDArray[np.floating]) -> NDArray[np.floating]:
        """The mean cosine of the nearest situations of each meme, (memes,); of one that has none its own score."""
        found = scores.copy()
        at = np.flatnonzero(self.kinds == SITUATIONS)
        ends = np.append(self.kind_starts[1:], len(cosines))
        starts, counts = self.kind_starts[at], ends[at] - self.kind_starts[at]
        owners = np.searchsorted(self.meme_starts, at, side="right") - 1
        for count in np.unique(counts).tolist():
            same = counts == count
            near = cosines[starts[same][:, None] + np.arange(count)]
            kept = min(count, NEAREST)
            found[owners[same]] = np.partition(near, count - kept, axis=1)[:, count - kept :].mean(axis=1)
        return found

    def basis(self, nearest: Vectors, at: int) -> str:
        """The name of the kind in which a meme is nearest."""
        start = int(self.meme_starts[at])
        return DENSE_KINDS[self.kinds[start + int(np.argmax(nearest[start : start + int(self.counts[at])]))]]


def _highest(scores: NDArray[np.floating], memes: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """Places of the highest scores, descending, ties by position."""
    places = np.arange(len(scores))
    if len(scores) > count:
        least = np.partition(scores, len(scores) - count)[len(scores) - count]
        places = np.flatnonzero(scores >= least)
    return places[np.lexsort((memes[places], -scores[places]))][:count]
