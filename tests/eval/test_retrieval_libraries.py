"""Proves that other libraries get the terms, weights and vectors of the product, and that rows say what was done."""

import json
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from mambomeme_eval.retrieval import rows
from mambomeme_eval.retrieval.libraries import Bm25s, Faiss, Tantivy, module, repetitions, versions
from mambomeme_eval.retrieval.rows import Measured, beside, overlap, row, timed
from mambomeme_tui.encoder import DIMENSION
from mambomeme_tui.index import impacts, postings, vectors
from mambomeme_tui.index.vectors import VectorStore
from mambomeme_tui.index.views import lexical_fields
from mambomeme_tui.parameters import Parameters
from mambomeme_tui.retrieval.lexical import LexicalRoute
from mambomeme_tui.retrieval.query import understand
from mambomeme_tui.text import terms
from tests.eval.partitions import bundled_world

PARAMETERS = Parameters()
FIELDS = [
    {"names": ["cat"], "quote": ["dog", "sit"]},
    {"names": [], "quote": ["dog"]},
    {"names": ["cat"], "quote": ["cat", "fun"]},
    {"names": [], "quote": []},
]


class Echo:
    """A searcher that answers a number with itself and counts."""

    def __init__(self) -> None:
        self.asked: list[int] = []

    def find(self, number: int) -> int:
        self.asked.append(number)
        return number

    def positions(self, found: int) -> list[int]:
        return [found]


def library(name: str) -> ModuleType:
    """The library, which comes with the tools of development."""
    found = module(name)
    assert found is not None
    return found


@pytest.fixture(scope="module")
def route(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LexicalRoute]:
    """The lexical route on sixty memes of the bundled corpus."""
    folder = tmp_path_factory.mktemp("version")
    (folder / "whoosh").mkdir()
    postings.create(folder / "whoosh", bundled_world().corpus.memes[:60], lambda _: None)
    weights = PARAMETERS.field_weights, PARAMETERS.bm25_k1, PARAMETERS.bm25_b
    impacts.create(folder / impacts.IMPACTS_FOLDER, folder / "whoosh", *weights)
    opened = LexicalRoute(folder, PARAMETERS)
    yield opened
    opened.close()


def test_repetitions_keep_the_ratio_of_the_weights_and_leave_out_what_has_none() -> None:
    assert repetitions({"a": 3.0, "b": 1.2, "c": 0.5, "d": 0.0}) == ({"a": 30, "b": 12, "c": 5}, 10)
    assert repetitions({"a": 2.0, "b": 1.0}) == ({"a": 2, "b": 1}, 1)


def test_bm25s_has_the_scores_of_the_route_but_for_the_constant_factor(route: LexicalRoute) -> None:
    memes = bundled_world().corpus.memes[:60]
    documents = [{name: terms(text) for name, text in lexical_fields(meme).items()} for meme in memes]
    other = Bm25s(library("bm25s"), documents, PARAMETERS, 10)
    compared = 0
    for meme in memes[::7]:
        query = " ".join(meme.quote.split()[:3])
        own = {one.position: one.score for one in route.search(understand(query))}
        found = other.find(query)
        theirs = dict(zip(found.documents[0].tolist(), found.scores[0].tolist(), strict=True))
        assert {at for at, score in theirs.items() if score > 0} == own.keys()
        for at, score in own.items():
            assert theirs[at] * (PARAMETERS.bm25_k1 + 1) == pytest.approx(score, rel=1e-4)
        compared += len(own)
    assert compared > 20


@pytest.mark.parametrize("name", ["tantivy", "bm25s"])
def test_a_library_ranks_what_has_the_term_more_often_first_and_nothing_that_has_it_not(name: str) -> None:
    made = (Tantivy if name == "tantivy" else Bm25s)(library(name), FIELDS, PARAMETERS, 10)
    assert made.positions(made.find("cats")) == [2, 0]
    assert made.positions(made.find("a dog")) == [1, 0]
    assert sorted(made.positions(made.find("fun sit"))) == [0, 2]
    assert made.positions(made.find("zebra")) == []
    assert made.positions(made.find("!?")) == []
    fewer = (Tantivy if name == "tantivy" else Bm25s)(library(name), FIELDS, PARAMETERS, 1)
    assert fewer.positions(fewer.find("cats")) == [2]


def test_fields_without_a_weight_are_not_searched() -> None:
    parameters = Parameters(field_weights={"names": 1.0, "quote": 0.0})
    for name, kind in (("tantivy", Tantivy), ("bm25s", Bm25s)):
        if (found := module(name)) is not None:
            made = kind(found, FIELDS, parameters, 10)
            assert made.positions(made.find("dog")) == []
            assert sorted(made.positions(made.find("cat"))) == [0, 2]


def store(folder: Path) -> VectorStore:
    """Three memes: the first has rows 0 and 1, the second row 1, the third row 2; rows are axes."""
    axes = np.eye(3, DIMENSION, dtype=np.float32)
    links = np.array([[0, 0, 0], [0, 1, 1], [1, 0, 1], [2, 0, 2]], np.int32)
    vectors.save(folder, axes, links, PARAMETERS)
    return vectors.load(folder, 3)


def test_faiss_ranks_memes_by_their_nearest_vector(tmp_path: Path) -> None:
    made = Faiss(library("faiss"), store(tmp_path), 200, 10)
    query = np.zeros(DIMENSION, np.float32)
    query[:3] = 0.1, 0.2, 0.9
    cosines, found = made.find(query)
    assert found.tolist() == [[2, 1, 0]]
    assert cosines[0].tolist() == pytest.approx([0.9, 0.2, 0.1])
    assert made.positions((cosines, found)) == [2, 0, 1]
    fewer = Faiss(library("faiss"), store_again(tmp_path), 2, 2)
    assert fewer.find(query)[1].tolist() == [[2, 1]]
    assert fewer.positions(fewer.find(query)) == [2, 0]


def store_again(folder: Path) -> VectorStore:
    """What `store` wrote."""
    return vectors.load(folder, 3)


def test_each_query_is_asked_once_after_one_that_warms_up() -> None:
    searcher = Echo()
    measured = timed(searcher, [7, 8, 9])
    assert searcher.asked == [7, 7, 8, 9]
    assert measured.positions == [[7], [8], [9]]
    assert len(measured.milliseconds) == 3
    assert min(measured.milliseconds) >= 0


def test_overlap_is_the_mean_share_of_the_longer_list() -> None:
    assert overlap([[1, 2], [3], []], [[2, 5], [], []]) == 0.25
    assert overlap([[1, 2, 3, 4]], [[4]]) == 0.25
    assert overlap([[1]], [[1]]) == 1.0
    assert overlap([[], []], [[], []]) is None
    assert overlap([], []) is None


def test_a_row_holds_the_spread_of_what_was_measured() -> None:
    told = row("route", Measured([float(one) for one in range(1, 101)], []), "1.0", 2.5, 0.5)
    assert told["milliseconds"] == {"count": 100, "p50": 50.0, "p95": 95.0, "p99": 99.0, "max": 100.0}
    assert (told["version"], told["build_seconds"], told["overlap"]) == ("1.0", 2.5, 0.5)
    assert json.loads(json.dumps(told)) == told
    assert row("route", Measured([], []))["milliseconds"] is None


def test_a_library_stands_beside_the_route(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "module", lambda _: ModuleType("tantivy"))
    told = beside("tantivy", lambda _: Echo(), [1, 2], Measured([1.0, 1.0], [[1], [3]]))
    assert told["overlap"] == 0.5
    assert told["build_seconds"] >= 0
    assert told["milliseconds"]["count"] == 2
    assert told["version"] == versions()["tantivy"]


def test_a_library_that_is_not_there_says_so() -> None:
    told = beside("no_such_library", lambda _: Echo(), [1], Measured([1.0], [[1]]))
    assert told == {
        "system": "no_such_library",
        "version": "not installed",
        "milliseconds": None,
        "build_seconds": None,
        "overlap": None,
    }
