"""One size of the measurement at scale: the product's routes beside other libraries, on so many captions.

How far the first results agree is told and is no quality: there are no judgements here, equal scores are many, and the
libraries rank by other formulas. No text of a caption is in what is returned.
"""

import random
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from mambomeme_eval.pipeline_captions import queries
from mambomeme_eval.pipeline_measures import tell
from mambomeme_eval.pipeline_process import Report
from mambomeme_eval.retrieval.indexes import corpus_of, published
from mambomeme_eval.retrieval.libraries import Bm25s, Faiss, Tantivy
from mambomeme_eval.retrieval.rows import COMPARED, beside, row, timed
from mambomeme_tui.corpus import Corpus
from mambomeme_tui.index import vectors
from mambomeme_tui.index.store import Version, model_folder
from mambomeme_tui.index.views import lexical_fields
from mambomeme_tui.records import Meme
from mambomeme_tui.retrieval.dense import DenseRoute
from mambomeme_tui.retrieval.engine import Engine
from mambomeme_tui.retrieval.lexical import LexicalRoute
from mambomeme_tui.retrieval.query import understand
from mambomeme_tui.retrieval.results import Candidate, SearchResult
from mambomeme_tui.text import terms

QUERIES: Final = 200


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is measured at every size: all records, how many of them get vectors at most, and the seed of choices."""

    corpus: Corpus
    dense_items: int
    seed: int


def chosen(memes: Sequence[Meme], size: int, seed: int) -> list[Meme]:
    """So many records, picked at random; a larger size holds all of a smaller one with the same seed."""
    order = random.Random(seed).sample(range(len(memes)), len(memes))  # noqa: S311  # an order, no secret
    return [memes[at] for at in sorted(order[:size])]


def measure(data: Path, wanted: Wanted, size: int) -> Report:
    """Publish so many captions in a scratch folder, and ask queries that are made of them.

    Returns:
        `items`, `queries`, `dense_items`, `stages`, the rows of `lexical` and `dense` (see `rows.row`), and what the
        manifest says of Annoy under `annoy`, with `asked`: whether the dense route asks it at this size at all.
    """
    corpus = corpus_of(chosen(wanted.corpus.memes, size, wanted.seed), wanted.corpus)
    asked = queries(corpus.memes, QUERIES, wanted.seed)
    dense_items = min(wanted.dense_items, size)
    with published(data, corpus, dense_items) as (engine, stages):
        tell(f"  {len(asked)} queries")
        return {
            "items": size,
            "queries": len(asked),
            "dense_items": dense_items,
            "depth": engine.version.parameters.depth,
            "stages": stages,
            "lexical": _lexical(engine, corpus.memes, asked),
            "dense": _dense(data, engine, asked),
            "annoy": _annoy(engine.version),
        }


def _annoy(version: Version) -> Report:
    embedding = version.manifest.embedding
    return {
        "rows": embedding["rows"],
        "recall_at_100": embedding["annoy_recall_at_100"],
        "sample": embedding["annoy_recall_sample"],
        "asked": min(embedding["rows"], embedding["links"]) > version.parameters.exact_rows,
    }


def _lexical(engine: Engine, memes: Sequence[Meme], asked: Sequence[str]) -> list[Report]:
    parameters = engine.version.parameters
    whole = timed(_Whole(engine, "lexical"), asked)
    with closing(LexicalRoute(engine.version.folder, parameters)) as route:
        own = timed(_Route(lambda text: route.search(understand(text))), asked)
    documents = [{name: terms(text) for name, text in lexical_fields(meme).items()} for meme in memes]

    def tantivy(library: ModuleType) -> Tantivy:
        return Tantivy(library, documents, parameters, COMPARED)

    def bm25s(library: ModuleType) -> Bm25s:
        return Bm25s(library, documents, parameters, COMPARED)

    return [
        row("engine, lexical, whole search", whole),
        row("lexical route", own),
        beside("tantivy", tantivy, asked, own),
        beside("bm25s", bm25s, asked, own),
    ]


def _dense(data: Path, engine: Engine, asked: Sequence[str]) -> list[Report]:
    version = engine.version
    whole, both = timed(_Whole(engine, "dense"), asked), timed(_Whole(engine, "hybrid"), asked)
    route = DenseRoute(version.folder, model_folder(data, version.manifest), engine.size, version.parameters)
    encoded = [route.encode(understand(text)) for text in asked]
    own = timed(_Route(route.search), encoded)
    store = vectors.load(version.folder, engine.size)

    def faiss(library: ModuleType) -> Faiss:
        return Faiss(library, store, version.parameters.depth, COMPARED)

    return [
        row("engine, hybrid, whole search", both),
        row("engine, dense, whole search", whole),
        row("dense route", own),
        beside("faiss", faiss, encoded, own),
    ]


@dataclass(frozen=True, slots=True)
class _Whole:
    """The engine's search with all that it does before and after a route."""

    engine: Engine
    route: str

    def find(self, text: str) -> SearchResult:
        return self.engine.search(text, self.route)

    def positions(self, found: SearchResult) -> list[int]:
        return []  # its list is no route's: families, names and copies have a say in it


@dataclass(frozen=True, slots=True)
class _Route:
    """A route by itself, from what it is asked with to its candidates."""

    search: Callable[[Any], list[Candidate]]

    def find(self, asked: Any) -> list[Candidate]:
        return self.search(asked)

    def positions(self, found: list[Candidate]) -> list[int]:
        return [one.position for one in found[:COMPARED]]
