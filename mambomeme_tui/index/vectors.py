"""The vectors of a version: unique rows, which meme uses which rows, and the Annoy tree over the rows.

A row is one text's unit vector; memes of one family share most of theirs. `links` says for every meme and kind which
row it uses, sorted by meme. Files are mapped, never written again.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from annoy import AnnoyIndex
from numpy.typing import NDArray

from mambomeme_tui.encoder import DIMENSION, Vectors
from mambomeme_tui.index.arrays import save_array
from mambomeme_tui.index.views import DENSE_KINDS, dense_texts
from mambomeme_tui.parameters import Parameters
from mambomeme_tui.records import Meme

VECTORS_FILE = "vectors.npy"
LINKS_FILE = "links.npy"
ANNOY_FILE = "annoy.ann"
ANNOY_SEED = 20170816
RECALL_DEPTH = 100
RECALL_SAMPLE = 256

Links = NDArray[np.int32]


def collect_texts(memes: Iterable[Meme]) -> tuple[list[str], Links]:
    """Unique texts in order of first use, and links of shape (n, 3): position of the meme, number of the kind, row."""
    rows: dict[str, int] = {}
    links = [
        (position, DENSE_KINDS.index(kind), rows.setdefault(text, len(rows)))
        for position, meme in enumerate(memes)
        for kind, texts in dense_texts(meme).items()
        for text in texts
    ]
    return list(rows), np.array(links, np.int32).reshape(-1, 3)


def save(folder: Path, vectors: Vectors, links: Links, parameters: Parameters) -> None:
    """Write vectors, links and the tree. One job and a fixed seed: with two jobs every build differs."""
    save_array(folder / VECTORS_FILE, vectors)
    save_array(folder / LINKS_FILE, links)
    tree = AnnoyIndex(DIMENSION, "angular")
    tree.set_seed(ANNOY_SEED)
    for row, vector in enumerate(vectors):
        tree.add_item(row, vector)
    tree.build(parameters.annoy_trees, n_jobs=1)
    tree.save(str(folder / ANNOY_FILE))


@dataclass(frozen=True, slots=True)
class VectorStore:
    """Checked vectors, opened.

    Attributes:
        vectors: (rows, 384), float32, mapped.
        kinds: (links,), the kind's number of each link.
        rows: (links,), the row of each link.
        starts: (memes + 1,), where each meme's links start; the last is the number of links.
        linked: positions of the memes that have a vector, ascending.
        users: (links,), the memes' positions, sorted by row.
        user_starts: (rows + 1,), where each row's users start.
        tree: the Annoy index over the rows.
    """

    vectors: Vectors
    kinds: NDArray[np.int32]
    rows: NDArray[np.int32]
    starts: NDArray[np.int64]
    linked: NDArray[np.int64]
    users: NDArray[np.int32]
    user_starts: NDArray[np.int64]
    tree: AnnoyIndex

    def neighbours(self, query: Vectors, count: int, search: int) -> NDArray[np.int64]:
        """Rows that Annoy finds nearest to one vector of shape (384,); `search` nodes are looked at for each."""
        count = min(count, len(self.vectors))
        return np.array(self.tree.get_nns_by_vector(query, count, search * count), np.int64)

    def memes_of(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Positions of the memes that use any of these rows, ascending, each once."""
        return np.unique(self.users[_ranges(self.user_starts, rows)]).astype(np.int64)

    def links_of(self, positions: NDArray[np.int64]) -> NDArray[np.int64]:
        """Numbers of the links of these memes, in the memes' order."""
        return _ranges(self.starts, positions)


def _ranges(starts: NDArray[np.int64], groups: NDArray[np.int64]) -> NDArray[np.int64]:
    """The numbers starts[g] to starts[g + 1] - 1 for every group g, one after the other."""
    lengths = starts[groups + 1] - starts[groups]
    offsets = np.repeat(starts[groups] - np.concatenate(([0], np.cumsum(lengths)[:-1])), lengths)
    return np.arange(lengths.sum()) + offsets


def load(folder: Path, memes: int) -> VectorStore:
    """Open the checked files of a version that holds so many memes."""
    vectors = np.load(folder / VECTORS_FILE, mmap_mode="r")
    links = np.load(folder / LINKS_FILE)
    tree = AnnoyIndex(DIMENSION, "angular")
    tree.load(str(folder / ANNOY_FILE))
    positions, kinds, rows = (np.ascontiguousarray(column) for column in links.T)
    by_row = np.argsort(rows, kind="stable")
    return VectorStore(
        vectors=vectors,
        kinds=kinds,
        rows=rows,
        starts=np.searchsorted(positions, np.arange(memes + 1)),
        linked=np.unique(positions).astype(np.int64),
        users=positions[by_row],
        user_starts=np.searchsorted(rows[by_row], np.arange(len(vectors) + 1)),
        tree=tree,
    )


def recall(store: VectorStore, parameters: Parameters) -> float:
    """Share of the exact 100 nearest rows among those that the engine asks of Annoy, over sampled rows."""
    exact = np.asarray(store.vectors)
    sample = np.linspace(0, len(exact) - 1, min(RECALL_SAMPLE, len(exact))).astype(int)
    depth = min(RECALL_DEPTH, len(exact))
    found = 0
    for query in exact[sample]:
        best = np.argsort(-(exact @ query), kind="stable")[:depth]
        asked = store.neighbours(query, parameters.depth * len(DENSE_KINDS), parameters.annoy_search)
        found += len(np.intersect1d(best, asked))
    return found / (depth * len(sample))
