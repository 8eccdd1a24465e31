"""Proves that the dense route finds what a search over all stored vectors finds, whichever way it goes about it."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from annoy import AnnoyIndex
from numpy.typing import NDArray

from mambomeme_tui.encoder import DIMENSION, Vectors
from mambomeme_tui.index import vectors
from mambomeme_tui.index.store import model_folder
from mambomeme_tui.index.vectors import ANNOY_FILE, LINKS_FILE, VECTORS_FILE
from mambomeme_tui.index.views import DENSE_KINDS
from mambomeme_tui.retrieval.dense import DenseRoute
from mambomeme_tui.retrieval.engine import Engine
from mambomeme_tui.retrieval.query import understand
from mambomeme_tui.retrieval.results import Candidate

QUERIES = (
    "john cena",
    "guy looking back at another girl",
    "dog in a burning room saying everything is ok",
    "when the code works and nobody knows why",
    "sad frog",
    "日本語",
    "zxqvwk",
)
NOISE = 1e-6
ALL = 10**9
SITUATIONS = DENSE_KINDS.index("situations")
Link = tuple[int, int, int]
Mask = NDArray[np.bool_]


class Exhaustive:
    """Every meme's nearest cosine in every kind, straight from the version's files and in double precision."""

    def __init__(self, rows: Vectors, links: NDArray[np.int32], memes: int) -> None:
        self.links = links
        self._linked = rows.astype(np.float64)[links[:, 2]]
        self._memes = memes

    def table(self, vector: Vectors) -> NDArray[np.float64]:
        """An array of shape (memes, kinds); NaN where a meme has no text of a kind."""
        table = np.full((self._memes, len(DENSE_KINDS)), np.nan)
        np.fmax.at(table, (self.links[:, 0], self.links[:, 1]), self._linked @ vector.astype(np.float64))
        return table

    def scores(self, vector: Vectors, share: float = 0.0) -> dict[int, float]:
        """By position: the mean of the nearest of all, and the mean over the kinds of the nearest of each; and so much
        of its nearest four situations, where it has any."""
        found = {}
        near = self._linked @ vector.astype(np.float64)
        for position, row in enumerate(self.table(vector)):
            known = row[~np.isnan(row)]
            if len(known):
                score = float((known.max() + known.mean()) / 2)
                for_what = sorted(near[(self.links[:, 0] == position) & (self.links[:, 1] == SITUATIONS)])[-4:]
                top = sum(for_what) / len(for_what) if for_what else score
                found[position] = (score + share * top) / (1 + share)
        return found


@pytest.fixture(scope="module")
def exhaustive(engine: Engine) -> Exhaustive:
    folder = engine.version.folder
    return Exhaustive(np.load(folder / VECTORS_FILE), np.load(folder / LINKS_FILE), engine.size)


def opened(engine: Engine, **changed: Any) -> DenseRoute:
    model = model_folder(engine.version.folder.parents[1], engine.version.manifest)
    return DenseRoute(engine.version.folder, model, engine.size, replace(engine.version.parameters, **changed))


@pytest.fixture(scope="module")
def whole(engine: Engine) -> DenseRoute:
    """Compares all vectors, and cuts nothing off."""
    return opened(engine, exact_rows=ALL, depth=engine.size)


def unit(vector: NDArray[np.float64]) -> NDArray[np.float64]:
    return vector / np.linalg.norm(vector)


def synthetic(
    engine: Engine, folder: Path, rows: Vectors, links: Sequence[Link], memes: int, **changed: Any
) -> DenseRoute:
    """A route over vectors made up here, stored as a build stores them."""
    parameters = replace(engine.version.parameters, **changed)
    vectors.save(folder, rows, np.array(links, np.int32).reshape(-1, 3), parameters)
    model = model_folder(engine.version.folder.parents[1], engine.version.manifest)
    return DenseRoute(folder, model, memes, parameters)


def some(generator: np.random.Generator, count: int) -> Vectors:
    return np.array([unit(generator.standard_normal(DIMENSION)) for _ in range(count)], np.float32)


def check(found: Sequence[Candidate], expected: dict[int, float], depth: int) -> None:
    """That these are the best of what is expected, as many as the depth, in order."""
    assert len({one.position for one in found}) == len(found) == min(depth, len(expected))
    assert [one.score for one in found] == pytest.approx(sorted(expected.values())[::-1][:depth], abs=NOISE)
    assert [one.score for one in found] == pytest.approx([expected[one.position] for one in found], abs=NOISE)
    keys = [(-one.score, one.position) for one in found]
    assert keys == sorted(keys)


@pytest.mark.parametrize("depth", [1, 50, 200])
@pytest.mark.parametrize("typed", QUERIES)
def test_what_is_found_is_what_an_exhaustive_search_finds(
    engine: Engine, exhaustive: Exhaustive, typed: str, depth: int
) -> None:
    route = opened(engine, exact_rows=ALL, depth=depth)
    vector = route.encode(understand(typed))
    check(route.search(vector), exhaustive.scores(vector), depth)


@pytest.mark.parametrize(("covered", "share"), [(1.0, 0.0), (0.8, 0.0), (0.6, 0.4), (0.0, 1.6)])
@pytest.mark.parametrize("exact_rows", [ALL, 2000])
def test_the_less_the_words_find_the_more_situations_count(
    engine: Engine, exhaustive: Exhaustive, exact_rows: int, covered: float, share: float
) -> None:
    """The share is twice what is missing to four fifths; some of these memes have no situations, most have many."""
    route = opened(engine, exact_rows=exact_rows, depth=engine.size, situations_share=2.0)
    vector = route.encode(understand("when the code works and nobody knows why"))
    mask = np.arange(engine.size) % 7 == 0
    expected = {position: one for position, one in exhaustive.scores(vector, share).items() if mask[position]}
    assert (
        len({sum(exhaustive.links[exhaustive.links[:, 0] == position, 1] == SITUATIONS) for position in expected}) > 2
    )
    if exact_rows == ALL:
        check(route.search(vector, mask, covered), expected, engine.size)
    else:
        for one in route.search(vector, mask, covered):
            assert one.score == pytest.approx(expected[one.position], abs=NOISE)


@pytest.mark.parametrize("typed", QUERIES)
def test_the_basis_names_the_kind_of_the_nearest_vector_and_the_cosine_is_its_own(
    whole: DenseRoute, exhaustive: Exhaustive, typed: str
) -> None:
    vector = whole.encode(understand(typed))
    table = exhaustive.table(vector)
    kinds = set()
    for one in whole.search(vector):
        nearest = np.nanmax(table[one.position])
        assert one.cosine == pytest.approx(nearest, abs=NOISE)
        assert table[one.position, DENSE_KINDS.index(one.basis)] == pytest.approx(nearest, abs=NOISE)
        assert one.score <= one.cosine + NOISE
        kinds.add(one.basis)
    assert len(kinds) > 3, "or any name would do"


@pytest.mark.parametrize("typed", QUERIES)
def test_memes_with_the_same_vectors_tie_to_the_last_bit_and_come_by_position(
    engine: Engine, whole: DenseRoute, typed: str
) -> None:
    """A true copy has all the texts of its original."""
    vector = whole.encode(understand(typed))
    found = {one.position: one.score for one in whole.search(vector)}
    memes = engine.version.catalogue.at(range(engine.size))
    places = {meme.id: position for position, meme in enumerate(memes)}
    copies = [(places[meme.group], position) for position, meme in enumerate(memes) if meme.change]
    assert len(copies) > 50
    assert all(found[original] == found[copy] for original, copy in copies)
    order = list(found)
    assert all(before < after for before, after in pairwise(order) if found[before] == found[after])


def test_memes_of_equal_vectors_tie_wherever_their_rows_stand(engine: Engine, tmp_path: Path) -> None:
    """A row's product may depend on where it stands in a matrix; so each way is asked for very many pairs."""
    generator = np.random.default_rng(7)
    rows = some(generator, 301)
    twins = [(int(one), int(other)) for one, other in generator.permutation(300).reshape(-1, 2)]
    links = sorted((meme, kind, row) for pair, memes in enumerate(twins) for meme in memes for kind, row in pairs(pair))
    for number, exact_rows in enumerate((ALL, 0)):
        folder = tmp_path / str(number)
        folder.mkdir()
        route = synthetic(engine, folder, rows, links, 300, exact_rows=exact_rows, depth=300, annoy_search=100)
        for query in some(generator, 5):
            found = route.search(query)
            score = {one.position: one.score for one in found}
            assert len(score) == 300
            assert all(score[one] == score[other] for one, other in twins)
            assert [one.position for one in found] == sorted(score, key=lambda position: (-score[position], position))


def pairs(number: int) -> list[tuple[int, int]]:
    """Kinds and rows of a pair: one row that all have, and two of its own, of which a kind has both."""
    return [(0, 300), (1, 2 * number), (1, 2 * number + 1)]


def test_several_vectors_of_a_kind_count_as_the_nearest_of_them(engine: Engine, tmp_path: Path) -> None:
    """Both have cosines of 0.8 and 0 in one kind and 0.6 in another, the second by one vector the less."""
    rows = np.zeros((4, DIMENSION), np.float32)
    rows[0, :2], rows[1, 1], rows[2, :2], rows[3, :2] = (0.8, 0.6), 1.0, (0.6, 0.8), (-0.6, 0.8)
    links = [(0, 1, 0), (0, 1, 1), (0, 4, 2), (1, 1, 0), (1, 4, 2), (2, 4, 3), (4, 1, 0)]
    route = synthetic(engine, tmp_path, rows, links, 6)
    found = route.search(np.eye(DIMENSION, dtype=np.float32)[0])
    assert [one.position for one in found] == [4, 0, 1, 2], "neither 3 nor 5 has a vector"
    assert [one.score for one in found] == pytest.approx([0.8, 0.75, 0.75, -0.6])
    assert [one.cosine for one in found] == pytest.approx([0.8, 0.8, 0.8, -0.6])
    assert [one.basis for one in found] == ["quote", "quote", "quote", "whole"]


def test_what_has_no_vector_is_not_found_even_where_nothing_else_is_allowed(engine: Engine, tmp_path: Path) -> None:
    rows = some(np.random.default_rng(1), 3)
    for number, exact_rows in enumerate((ALL, 0)):
        folder = tmp_path / str(number)
        folder.mkdir()
        route = synthetic(engine, folder, rows, [(1, 0, 0), (3, 2, 1), (3, 5, 2)], 6, exact_rows=exact_rows)
        assert {one.position for one in route.search(rows[0])} == {1, 3}
        assert route.search(rows[0], np.array([True, False, True, False, True, True])) == []
        assert [one.position for one in route.search(rows[0], np.array([True, False, True, True, True, True]))] == [3]
        assert route.search(rows[0], np.zeros(6, bool)) == []


@pytest.mark.parametrize("exact_rows", [ALL, 0])
def test_a_version_without_vectors_finds_nothing(engine: Engine, tmp_path: Path, exact_rows: int) -> None:
    route = synthetic(engine, tmp_path, some(np.random.default_rng(1), 1), [], 4, exact_rows=exact_rows)
    query = np.eye(DIMENSION, dtype=np.float32)[0]
    assert route.search(query) == route.search(query, np.ones(4, bool)) == []


def masks(engine: Engine) -> list[Mask]:
    generator = np.random.default_rng(5)
    every_other = np.arange(engine.size) % 2 == 0
    few = np.zeros(engine.size, bool)
    few[generator.choice(engine.size, 30, replace=False)] = True
    return [every_other, few, ~few, np.zeros(engine.size, bool), np.ones(engine.size, bool)]


@pytest.mark.parametrize("exact_rows", [ALL, 2000])
@pytest.mark.parametrize("typed", QUERIES[:4])
def test_only_what_is_allowed_is_found_and_all_of_it(
    engine: Engine, exhaustive: Exhaustive, typed: str, exact_rows: int
) -> None:
    """Where Annoy is asked for all, what is few enough is compared in full; no answer leaves anything to the next."""
    route = opened(engine, exact_rows=exact_rows, depth=engine.size)
    vector = route.encode(understand(typed))
    expected = exhaustive.scores(vector)
    for mask in [*masks(engine), *masks(engine)[::-1]]:
        left = {position: score for position, score in expected.items() if mask[position]}
        linked = int(mask[exhaustive.links[:, 0]].sum())
        if linked <= exact_rows:
            check(route.search(vector, mask), left, engine.size)
            if exact_rows == ALL:
                check(route.search(vector), expected, engine.size)
        else:
            assert {one.position for one in route.search(vector, mask)} <= left.keys()


@pytest.mark.parametrize("typed", QUERIES)
def test_beyond_the_exact_rows_those_that_annoy_finds_are_scored_exactly(
    engine: Engine, exhaustive: Exhaustive, typed: str
) -> None:
    depth, search = 20, 3
    route = opened(engine, exact_rows=0, depth=depth, annoy_search=search)
    vector = route.encode(understand(typed))
    tree = AnnoyIndex(DIMENSION, "angular")
    tree.load(str(engine.version.folder / ANNOY_FILE))
    asked = depth * len(DENSE_KINDS)
    near = set(tree.get_nns_by_vector(vector, asked, asked * search))
    memes = {meme for meme, _, row in exhaustive.links.tolist() if row in near}
    expected = {position: score for position, score in exhaustive.scores(vector).items() if position in memes}
    assert len(expected) < engine.size, "or Annoy has no say here"
    check(route.search(vector), expected, depth)
    for mask in masks(engine):
        left = {position: score for position, score in expected.items() if mask[position]}
        check(route.search(vector, mask), left, depth)


def test_as_many_memes_as_the_depth_are_found_where_each_has_a_vector_of_every_kind(
    engine: Engine, tmp_path: Path
) -> None:
    """All vectors of a meme are nearer than any of the next: so many rows must be asked of Annoy."""
    memes, depth = 150, 20
    angles = np.linspace(0.05, 1.3, memes * len(DENSE_KINDS))
    away = np.random.default_rng(3).standard_normal((len(angles), DIMENSION))
    away[:, 0] = 0
    away /= np.linalg.norm(away, axis=1, keepdims=True)
    rows = (np.sin(angles)[:, None] * away).astype(np.float32)
    rows[:, 0] = np.cos(angles)
    links = [(row // len(DENSE_KINDS), row % len(DENSE_KINDS), row) for row in range(len(rows))]
    route = synthetic(engine, tmp_path, rows, links, memes, depth=depth, exact_rows=0)
    found = route.search(np.eye(DIMENSION, dtype=np.float32)[0])
    assert [one.position for one in found] == list(range(depth))
    nearest = np.cos(angles).reshape(memes, -1)[:depth]
    assert [one.score for one in found] == pytest.approx((nearest[:, 0] + nearest.mean(axis=1)) / 2, abs=NOISE)
    assert [one.cosine for one in found] == pytest.approx(nearest[:, 0], abs=NOISE)


def test_the_depth_limits_the_candidates_and_not_their_order(engine: Engine, whole: DenseRoute) -> None:
    vector = whole.encode(understand("john cena"))
    shallow = opened(engine, exact_rows=ALL, depth=7)
    assert shallow.search(vector) == whole.search(vector)[:7]


def test_what_the_query_says_is_what_is_encoded(whole: DenseRoute) -> None:
    """Control codes, blanks and filters around a query are no part of its meaning."""
    typed = ("john cena", " john\x00\n\tcena \x1b", 'john "cena" tag:office -cat')
    plain, *dressed = (whole.encode(understand(one)) for one in typed)
    assert plain.shape == (384,)
    assert all(np.array_equal(plain, one) for one in dressed)
    mended = understand("jhon cena", lambda _: "john cena")
    assert np.array_equal(plain, whole.encode(mended))
    assert not np.array_equal(plain, whole.encode(understand("jhon cena")))
