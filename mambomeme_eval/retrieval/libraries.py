"""Other libraries on the same terms and vectors: tantivy and bm25s beside the lexical route, faiss beside the dense.

None of them is needed to measure: one that is not installed is told as such. All are asked for as many results as a
route hands to fusion, one query at a time. What they rank by differs:

    tantivy   BM25 over one field without weights, k1 1.2 and b 0.75, which it does not let choose
    bm25s     BM25 with Lucene's idf; a term is repeated by its field's weight and k1 grows alike, which is the
              formula of pooled BM25F but for its constant factor
    faiss     inner product of the query with every vector, exact; the dense route goes on to join a meme's vectors
"""

import importlib
from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from importlib.metadata import PackageNotFoundError, version
from itertools import chain
from math import lcm
from types import ModuleType
from typing import Any, Final, Protocol

import numpy as np

from mambomeme_tui.encoder import DIMENSION, Vectors
from mambomeme_tui.index.vectors import VectorStore
from mambomeme_tui.parameters import Parameters
from mambomeme_tui.text import terms

NOT_INSTALLED: Final = "not installed"
PACKAGES: Final = {"tantivy": "tantivy", "bm25s": "bm25s", "faiss": "faiss-cpu"}
"""The modules that are imported, and the packages that hold them."""
_HEAP: Final = 256_000_000  # bytes that tantivy may collect before it writes a segment

Document = Mapping[str, Sequence[str]]
"""The terms of each lexical field of a meme."""


def versions() -> dict[str, str]:
    """The version of each package, or that it is not installed."""
    return {package: _version(package) for package in PACKAGES.values()}


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return NOT_INSTALLED


def module(name: str) -> ModuleType | None:
    """The library, or None where it is not there or can't be loaded."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


class Searcher(Protocol):
    """Answers queries; only `find` is timed."""

    def find(self, query: Any, /) -> Any:
        """What the library returns, the best first."""

    def positions(self, found: Any, /) -> list[int]:
        """Positions of the memes in what was returned, as many as are compared."""


class Tantivy:
    """An index in memory, over the terms of all fields.

    Args:
        tantivy: the library.
        documents: the memes by position.
        parameters: whose fields of a weight above 0 are indexed.
        compared: how many positions are told.
    """

    def __init__(
        self, tantivy: ModuleType, documents: Sequence[Document], parameters: Parameters, compared: int
    ) -> None:
        builder = tantivy.SchemaBuilder()
        builder.add_text_field("body", tokenizer_name="whitespace", index_option="freq")
        builder.add_unsigned_field("position", stored=True)
        self._library, self._schema = tantivy, builder.build()
        self._depth, self._compared = parameters.depth, compared
        index = tantivy.Index(self._schema)
        writer = index.writer(heap_size=_HEAP, num_threads=1)
        kept = [name for name, weight in parameters.field_weights.items() if weight > 0]
        for position, fields in enumerate(documents):
            body = " ".join(chain.from_iterable(fields.get(name, ()) for name in kept))
            writer.add_document(tantivy.Document(body=body, position=position))
        writer.commit()
        writer.wait_merging_threads()
        index.reload()
        self._searcher = index.searcher()

    def find(self, text: str) -> Any:
        """Scores and addresses of documents."""
        library, field = self._library, (self._schema, "body")
        asked = [(library.Occur.Should, library.Query.term_query(*field, one, "freq")) for one in _distinct(text)]
        return self._searcher.search(library.Query.boolean_query(asked), self._depth).hits

    def positions(self, found: Any) -> list[int]:
        """The positions that stand in the documents."""
        return [int(self._searcher.doc(address)["position"][0]) for _, address in found[: self._compared]]


class Bm25s:
    """Eager sparse scores with numpy.

    Args:
        bm25s: the library.
        documents: the memes by position, at least one.
        parameters: weights, k1 and b.
        compared: how many positions are told.
    """

    def __init__(self, bm25s: ModuleType, documents: Sequence[Document], parameters: Parameters, compared: int) -> None:
        repeats, scale = repetitions(parameters.field_weights)
        numbers: dict[str, int] = {}
        ids = [
            [
                numbers.setdefault(term, len(numbers))
                for name, times in repeats.items()
                for term, count in Counter(fields.get(name, ())).items()
                for _ in range(times * count)
            ]
            for fields in documents
        ]
        self._retriever = bm25s.BM25(method="lucene", k1=parameters.bm25_k1 * scale, b=parameters.bm25_b)
        self._retriever.index(bm25s.tokenization.Tokenized(ids=ids, vocab=numbers), show_progress=False)
        self._depth, self._compared = min(parameters.depth, len(documents)), compared

    def find(self, text: str) -> Any:
        """Positions and scores, each of shape (1, depth)."""
        asked = [list(_distinct(text))]
        options = {"k": self._depth, "show_progress": False, "n_threads": 0, "backend_selection": "numpy"}
        return self._retriever.retrieve(asked, **options)

    def positions(self, found: Any) -> list[int]:
        """Without what has no term of the query: it fills a list up to its depth."""
        documents, scores = found.documents[0], found.scores[0]
        return [int(one) for one in documents[scores > 0][: self._compared]]


class Faiss:
    """All vectors of a version, compared exactly; a meme is as near as the nearest of its vectors.

    Args:
        faiss: the library.
        store: unit vectors and the memes that use them, at least one.
        depth: how many vectors are asked for.
        compared: how many positions are told.
    """

    def __init__(self, faiss: ModuleType, store: VectorStore, depth: int, compared: int) -> None:
        self._index = faiss.IndexFlatIP(DIMENSION)
        self._index.add(np.ascontiguousarray(store.vectors, np.float32))
        self._store, self._depth, self._compared = store, min(depth, len(store.vectors)), compared

    def find(self, vector: Vectors) -> Any:
        """Cosines and rows, each of shape (1, depth)."""
        return self._index.search(vector[np.newaxis], self._depth)

    def positions(self, found: Any) -> list[int]:
        """Memes by their nearest vector, ties by position."""
        memes: dict[int, None] = {}
        for place in found[1][0]:
            memes |= dict.fromkeys(self._store.memes_of(np.array([place], np.int64)).tolist())
            if len(memes) >= self._compared:
                break
        return list(memes)[: self._compared]


def repetitions(weights: Mapping[str, float]) -> tuple[dict[str, int], int]:
    """How often to repeat the terms of each field, and by how much k1 has to grow with that.

    Weights are taken as the decimal fractions that they are written as, so that the ratios are theirs exactly.
    """
    exact = {name: Fraction(str(weight)) for name, weight in weights.items() if weight > 0}
    scale = lcm(*(weight.denominator for weight in exact.values()))
    return {name: int(weight * scale) for name, weight in exact.items()}, scale


def _distinct(text: str) -> dict[str, None]:
    return dict.fromkeys(terms(text))
