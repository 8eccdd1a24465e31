"""Proves that the dense route finds what a search over all stored vectors finds, ties and floors included."""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from mambomeme_tui.encoder import DIMENSION, Vectors
from mambomeme_tui.index import vectors
from mambomeme_tui.index.store import model_folder
from mambomeme_tui.index.vectors import LINKS_FILE, VECTORS_FILE
from mambomeme_tui.index.views import DENSE_KINDS
from mambomeme_tui.retrieval.dense import DenseRoute
from mambomeme_tui.retrieval.engine import Engine
from mambomeme_tui.retrieval.query import understand

QUERIES = (
    "john cena",
    "guy looking back at another girl",
    "dog in a burning room saying everything is ok",
    "when the code works and nobody knows why",
    "sad frog",
    "wrestling",
    "日本語",
    "zxqvwk",
)
NOISE = 1e-6
TOP = 50


class Exhaustive:
    """Every meme's cosine in every kind, straight from the version's files and in double precision."""

    def __init__(self, engine: Engine) -> None:
        stored = np.load(engine.version.folder / VECTORS_FILE).astype(np.float64)
        self.links = np.load(engine.version.folder / LINKS_FILE)
        self.linked = stored[self.links[:, 2]]
        self.size = engine.size

    def cosines(self, vector: Vectors) -> NDArray[np.float64]:
        """An array of shape (memes, kinds); minus infinity where a meme has no text of a kind."""
        table = np.full((self.size, len(DENSE_KINDS)), -np.inf)
        table[self.links[:, 0], self.links[:, 1]] = self.linked @ vector.astype(np.float64)
        return table


@pytest.fixture(scope="module")
def exhaustive(engine: Engine) -> Exhaustive:
    return Exhaustive(engine)


def opened(engine: Engine, **changed: object) -> DenseRoute:
    model = model_folder(engine.version.folder.parents[1], engine.version.manifest)
    parameters = replace(engine.version.parameters, **changed)
    return DenseRoute(engine.version.folder, model, engine.size, parameters)


def unit(vector: NDArray[np.float64]) -> NDArray[np.float64]:
    return vector / np.linalg.norm(vector)


def synthetic(
    engine: Engine,
    folder: Path,
    rows: Vectors,
    links: list[tuple[int, int, int]],
    memes: int,
    **changed: object,
) -> DenseRoute:
    """A route over vectors made up here, stored as a build stores them."""
    parameters = replace(engine.version.parameters, dense_floor=-1.0, dense_alone_floor=-1.0, **changed)
    vectors.save(folder, rows, np.array(links, np.int32), parameters)
    return DenseRoute(
        folder, model_folder(engine.version.folder.parents[1], engine.version.manifest), memes, parameters
    )


@pytest.fixture(scope="module")
def floorless(engine: Engine) -> DenseRoute:
    return opened(engine, dense_floor=-1.0, dense_alone_floor=-1.0)


@pytest.mark.parametrize("typed", QUERIES)
def test_the_first_fifty_are_those_of_an_exhaustive_search(
    floorless: DenseRoute, exhaustive: Exhaustive, typed: str
) -> None:
    vector = floorless.encode(understand(typed))
    best = exhaustive.cosines(vector).max(axis=1)
    found = floorless.search(vector, alone=False)[:TOP]
    assert [one.score for one in found] == pytest.approx(np.sort(best)[::-1][:TOP].tolist(), abs=NOISE)
    assert [one.score for one in found] == pytest.approx([best[one.position] for one in found], abs=NOISE)
    assert len({one.position for one in found}) == TOP


@pytest.mark.parametrize("typed", QUERIES)
def test_ties_go_to_the_meme_whose_other_vectors_are_nearer_then_to_the_lower_position(
    floorless: DenseRoute, exhaustive: Exhaustive, typed: str
) -> None:
    vector = floorless.encode(understand(typed))
    table = exhaustive.cosines(vector)
    best, total = table.max(axis=1), np.where(np.isinf(table), 0, table).sum(axis=1)
    found = [one.position for one in floorless.search(vector, alone=False)]
    ties = 0
    for before, after in pairwise(found):
        if best[before] != best[after]:  # the same row gives the same double, so a tie is exact here
            assert best[before] > best[after] - NOISE
            continue
        ties += 1
        assert total[before] > total[after] - NOISE
        if total[before] == total[after]:
            assert before < after
    assert ties, "memes of one family share rows, so ties there must be"


@pytest.mark.parametrize("typed", QUERIES)
def test_the_basis_names_the_kind_of_the_nearest_vector(
    floorless: DenseRoute, exhaustive: Exhaustive, typed: str
) -> None:
    vector = floorless.encode(understand(typed))
    table = exhaustive.cosines(vector)
    for one in floorless.search(vector, alone=False):
        kind = DENSE_KINDS.index(one.basis)
        assert table[one.position, kind] == pytest.approx(table[one.position].max(), abs=NOISE)


@pytest.mark.parametrize("memes", range(2, 14))
def test_memes_that_share_a_row_tie_to_the_last_bit_however_many_they_are(
    engine: Engine, tmp_path: Path, memes: int
) -> None:
    """A row's product may depend on where it stands in a matrix; all but `names` fall with the position here."""
    generator = np.random.default_rng(7)
    shared, *own = (unit(generator.standard_normal(DIMENSION)) for _ in range(memes + 1))
    query = unit(shared + 0.5 * unit(generator.standard_normal(DIMENSION)))
    own.sort(key=lambda row: float(row @ query))
    rows = np.array([shared, *own], np.float32)
    links = [link for meme in range(memes) for link in ((meme, 0, 0), (meme, 1, meme + 1))]
    found = synthetic(engine, tmp_path, rows, links, memes).search(query.astype(np.float32), alone=True)
    assert len({one.score for one in found}) == 1
    assert [one.position for one in found] == list(range(memes))[::-1]
    assert {one.basis for one in found} == {"names"}


def test_memes_with_the_same_vectors_come_by_position(engine: Engine, tmp_path: Path) -> None:
    rows = np.array([unit(np.eye(DIMENSION)[kind] + 1) for kind in range(2)], np.float32)
    links = [(meme, kind, kind) for meme in range(9) for kind in range(2)]
    found = synthetic(engine, tmp_path, rows, links, 9).search(rows[1], alone=False)
    assert [one.position for one in found] == list(range(9))
    assert {one.basis for one in found} == {"quote"}


def test_as_many_memes_as_the_depth_are_found_where_each_has_a_vector_of_every_kind(
    engine: Engine, tmp_path: Path
) -> None:
    """All four vectors of a meme are nearer than any of the next: so many rows must be asked for."""
    memes, depth = 150, 20
    angles = np.linspace(0.05, 1.3, memes * len(DENSE_KINDS))
    away = np.random.default_rng(3).standard_normal((len(angles), DIMENSION))
    away[:, 0] = 0
    away /= np.linalg.norm(away, axis=1, keepdims=True)
    rows = (np.sin(angles)[:, None] * away).astype(np.float32)
    rows[:, 0] = np.cos(angles)
    links = [(row // len(DENSE_KINDS), row % len(DENSE_KINDS), row) for row in range(len(rows))]
    route = synthetic(engine, tmp_path, rows, links, memes, depth=depth)
    found = route.search(np.eye(DIMENSION, dtype=np.float32)[0], alone=False)
    assert [one.position for one in found] == list(range(depth))
    assert [one.score for one in found] == pytest.approx(np.cos(angles[:: len(DENSE_KINDS)][:depth]), abs=NOISE)


def test_each_floor_cuts_exactly_what_lies_below_it(engine: Engine, floorless: DenseRoute) -> None:
    vector = floorless.encode(understand("guy looking back at another girl"))
    everything = floorless.search(vector, alone=False)
    low, high = everything[40].score, everything[15].score
    strict = opened(engine, dense_floor=low, dense_alone_floor=high)
    beside = strict.search(vector, alone=False)
    alone = strict.search(vector, alone=True)
    assert beside == [one for one in everything if one.score >= low]
    assert alone == [one for one in everything if one.score >= high]
    assert 0 < len(alone) < len(beside) < len(everything)


def test_the_depth_limits_the_candidates_and_not_their_order(engine: Engine, floorless: DenseRoute) -> None:
    vector = floorless.encode(understand("john cena"))
    shallow = opened(engine, depth=7, annoy_search=10_000, dense_floor=-1.0)
    found = shallow.search(vector, alone=False)
    assert [one.position for one in found] == [one.position for one in floorless.search(vector, alone=False)[:7]]


def test_what_the_query_says_is_what_is_encoded(engine: Engine, floorless: DenseRoute) -> None:
    """Control codes and blanks around a query are no part of its meaning."""
    plain, dressed = (floorless.encode(understand(typed)) for typed in ("john cena", " john\x00\n\tcena \x1b"))
    assert plain.shape == (384,)
    assert np.array_equal(plain, dressed)
