"""The dense route: candidates from Annoy, re-scored exactly from the stored vectors.

A meme has several vectors and counts once, by its best. Memes of one family share rows and so tie often; a tie goes to
the meme whose other vectors are nearer, then to the lower position.
"""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mambomeme_tui.encoder import QueryEncoder, Vectors
from mambomeme_tui.index import vectors
from mambomeme_tui.index.views import DENSE_KINDS
from mambomeme_tui.parameters import Parameters
from mambomeme_tui.retrieval.query import Query
from mambomeme_tui.retrieval.results import Candidate


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
        self._encoder.encode(["warm"])  # the first run allocates; no person should wait for it

    def encode(self, query: Query) -> Vectors:
        """The query's unit vector, of shape (384,)."""
        vector: Vectors = self._encoder.encode([query.meant])[0]
        return vector

    def search(self, vector: Vectors, alone: bool, extra: int = 0) -> list[Candidate]:
        """As many candidates as the depth, and `extra` more, by descending cosine, down to a floor.

        The floor is higher where the route answers alone. Their `basis` is the kind of their best vector.
        """
        store, wanted = self._store, self._parameters
        depth = wanted.depth + extra
        rows = store.neighbours(vector, depth * len(DENSE_KINDS), wanted.annoy_search)
        memes = store.memes_of(rows)
        links = store.links_of(memes)
        # one product a row: the same row elsewhere in a matrix may differ in its last bit, which would break ties
        used, place = np.unique(store.rows[links], return_inverse=True)
        cosines = (np.asarray(store.vectors[used]) @ vector)[place]
        bounds = np.cumsum([0, *(store.starts[memes + 1] - store.starts[memes])[:-1]])
        best = np.maximum.reduceat(cosines, bounds)
        total = np.add.reduceat(cosines, bounds)
        order = np.lexsort((memes, -total, -best))[:depth]
        floor = wanted.dense_alone_floor if alone else wanted.dense_floor
        return [
            Candidate(int(memes[at]), float(best[at]), self._kind(links, cosines, bounds, int(at)))
            for at in order
            if best[at] >= floor
        ]

    def _kind(self, links: NDArray[np.int64], cosines: Vectors, bounds: NDArray[np.int64], at: int) -> str:
        end = bounds[at + 1] if at + 1 < len(bounds) else len(links)
        nearest = int(bounds[at]) + int(np.argmax(cosines[bounds[at] : end]))
        return DENSE_KINDS[self._store.kinds[links[nearest]]]
