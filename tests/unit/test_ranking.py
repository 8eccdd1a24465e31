"""Candidates become one list of what is allowed, and what speaks for an answer is what its definition says."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from mambomeme_tui.index.vocabulary import Vocabulary
from mambomeme_tui.parameters import Parameters
from mambomeme_tui.retrieval.fusion import fuse
from mambomeme_tui.retrieval.lexical import LexicalRoute
from mambomeme_tui.retrieval.query import understand
from mambomeme_tui.retrieval.ranking import FIRST, Ranking
from mambomeme_tui.retrieval.results import Candidate
from mambomeme_tui.retrieval.threshold import Evidence
from tests.unit.test_fusion import structure_of

MEMES = 200
NAMED = {("doge",): (3,), ("grumpy", "cat"): (4,)}
KNOWN = cast(Vocabulary, SimpleNamespace(named=NAMED, rarity=lambda _: 1.0))
NUMBERS = replace(
    Parameters(),
    depth=30,
    family_share=0.5,
    name_bonus=0.5,
    route_weights={"lexical": 0.25, "dense": 0.75},
    thresholds={
        "lexical": {"bias": -1.0, "coverage": 2.0, "least": 0.5},
        "dense": {"bias": -1.0, "cosine": 2.0, "least": 0.5},
        "hybrid": {"bias": -1.0, "agreement": 2.0, "least": 0.5},
    },
)
EVERYTHING = np.ones(MEMES, bool)
FAMILIES = structure_of([position // 5 for position in range(MEMES)], MEMES // 5)
"""Families of five memes each."""


@dataclass
class Holding:
    """Stands for the lexical route: says which memes have which term."""

    held: dict[str, set[int]] = field(default_factory=dict)

    def holds(self, term: str, positions: NDArray[np.integer]) -> NDArray[np.bool_]:
        return np.isin(positions, list(self.held.get(term, ())))


def ranking(holding: Holding | None = None, told: Parameters = NUMBERS) -> Ranking:
    return Ranking(told, FAMILIES, KNOWN, cast(LexicalRoute, holding or Holding()))


def listed(positions: Sequence[int], cosines: Sequence[float] = ()) -> list[Candidate]:
    """Candidates of these positions, the best first."""
    nearest = [*cosines, *[0.0] * len(positions)]
    return [Candidate(position, 100.0 - at, "quote", nearest[at]) for at, position in enumerate(positions)]


positions = st.lists(st.integers(0, MEMES - 1), unique=True, max_size=30)
masks = st.lists(st.booleans(), min_size=MEMES, max_size=MEMES).map(lambda told: np.array(told, bool))


@settings(deadline=None, max_examples=60)
@given(positions, positions, masks, st.sampled_from(["some words", "doge", "a grumpy cat"]))
def test_two_routes_are_fused_by_weight_and_nothing_comes_that_is_not_allowed(
    lexical: list[int], dense: list[int], allowed: NDArray[np.bool_], typed: str
) -> None:
    found = {
        "lexical": [one for one in listed(lexical) if allowed[one.position]],
        "dense": [one for one in listed(dense) if allowed[one.position]],
    }
    named = {"some words": {}, "doge": {3: 1.0}, "a grumpy cat": {4: 0.9}}[typed]
    expected = fuse(found, NUMBERS.route_weights, named, FAMILIES, NUMBERS)
    ranked = ranking().rank(understand(typed), found, allowed)
    assert ranked == [(position, score) for position, score in expected if allowed[position]]


def test_a_route_that_answers_alone_has_the_whole_weight() -> None:
    ranked = ranking().rank(understand("some words"), {"dense": listed([7])}, EVERYTHING)
    assert ranked[0] == (7, 1.5), "its own score and the share of its family's best"
    assert {position for position, _ in ranked} == {5, 6, 7, 8, 9}


def test_a_name_counts_only_where_words_are_asked_for() -> None:
    """Position 0 is of no family that is called so; 15 to 19 are."""
    for found, first in (
        ({"lexical": listed([0])}, [0, 15, 16]),
        ({"lexical": [], "dense": listed([0])}, [0, 15, 16]),
        ({"dense": listed([0])}, [0, 1, 2]),
    ):
        ranked = ranking().rank(understand("doge"), found, EVERYTHING)
        best = [position for position, score in ranked if position in (0, *range(15, 20)) or not first.count(15)]
        assert best[:3] == first
        assert ranking().evidence(understand("doge"), found, EVERYTHING).named == (1.0 if "lexical" in found else 0.0)


def test_a_name_speaks_only_for_a_family_of_which_something_is_allowed() -> None:
    """Family 3, positions 15 to 19, is called doge."""
    found = {"lexical": listed([0])}
    for left, share in (([0, *range(15, 20)], 1.0), ([0, 19], 1.0), ([0, 14, 20], 0.0), ([], 0.0)):
        allowed = ~EVERYTHING
        allowed[left] = True
        assert ranking().evidence(understand("doge"), found, allowed).named == share
        scores = dict(ranking().rank(understand("doge"), found, allowed))
        assert scores.keys() == set(left) - {14, 20}
        assert scores.get(0, 1.5) == 1.5, "a name of others gives it nothing"
        assert scores.get(19, NUMBERS.name_bonus) == NUMBERS.name_bonus


def test_filters_alone_leave_all_that_is_allowed_in_order_as_deep_as_candidates_go() -> None:
    few = np.zeros(MEMES, bool)
    few[[150, 3, 77]] = True
    query = understand("tag:office")
    assert ranking().rank(query, {}, few) == [(3, 0.0), (77, 0.0), (150, 0.0)]
    assert ranking().rank(query, {}, EVERYTHING) == [(position, 0.0) for position in range(NUMBERS.depth)]
    assert ranking().rank(query, {}, ~EVERYTHING) == []


def test_what_no_route_found_comes_last_where_all_is_asked_for_as_deep_as_candidates_go() -> None:
    found = {"lexical": listed([7])}
    allowed = ~EVERYTHING
    allowed[[150, 3, 7, 9]] = True
    query = understand('"some words"')
    assert ranking().rank(query, found, allowed) == [(7, 1.5), (9, 0.5)]
    assert ranking().rank(query, found, allowed, whole=True) == [(7, 1.5), (9, 0.5), (3, 0.0), (150, 0.0)]
    assert ranking().rank(query, {"lexical": []}, allowed, whole=True) == [(at, 0.0) for at in (3, 7, 9, 150)]
    assert len(ranking().rank(query, found, EVERYTHING, whole=True)) == NUMBERS.depth


def test_the_evidence_is_that_of_the_best_candidates() -> None:
    holding = Holding({"cat": {7, 3}, "grumpi": {7}, "such": {199, 3}})
    near = listed([100, 101, 3], [0.3, 0.8, 0.5])
    told = ranking(holding).evidence(
        understand("such grumpy cat"), {"lexical": listed(range(20)), "dense": near}, EVERYTHING
    )
    assert told == Evidence(coverage=pytest.approx(2 / 3), cosine=0.8, named=pytest.approx(9 / 13), agreement=0.5)
    assert ranking().evidence(understand("x"), {}, EVERYTHING) == Evidence(0.0, 0.0, 0.0, 0.0)
    assert ranking().evidence(understand("x"), {"lexical": [], "dense": []}, EVERYTHING) == Evidence(0.0, 0.0, 0.0, 0.0)


@settings(deadline=None, max_examples=100)
@given(positions, positions)
def test_the_routes_agree_in_the_families_that_dense_finds_first(lexical: list[int], dense: list[int]) -> None:
    first = {position // 5 for position in dense[:FIRST]}
    shared = {family for family in first if family in [position // 5 for position in lexical[:FIRST]]}
    told = ranking().evidence(understand("x"), {"lexical": listed(lexical), "dense": listed(dense)}, EVERYTHING)
    assert told.agreement == (pytest.approx(len(shared) / len(first)) if first else 0.0)


@pytest.mark.parametrize(
    ("found", "typed", "fits"),
    [
        ({"lexical": listed([7])}, "x odd odder", False),
        ({"lexical": listed([7])}, "x odd", True),
        ({"lexical": listed([8])}, "x", False),
        ({"dense": listed([7], [0.49])}, "x", False),
        ({"dense": listed([7], [0.5])}, "odd", True),
        ({"lexical": listed([7]), "dense": listed([17], [1.0])}, "x", False),
        ({"lexical": listed([7]), "dense": listed([8], [0.0])}, "odd", True),
        ({"lexical": listed([7, 15]), "dense": listed([17, 29], [0.0])}, "odd", True),
        ({"lexical": [], "dense": listed([17], [1.0])}, "odd", False),
    ],
)
def test_whether_anything_fits_is_told_by_the_model_of_the_routes_that_answered(
    found: dict[str, list[Candidate]], typed: str, fits: bool
) -> None:
    """Each model here has one piece of evidence, and reaches what is least at one half of it."""
    told = ranking(Holding({"x": {7}}))
    assert told.fits(told.evidence(understand(typed), found, EVERYTHING), found) is fits


@pytest.mark.parametrize(("least", "fits"), [(0.0, True), (1.1, False)])
@pytest.mark.parametrize("routes", [("lexical",), ("dense",), ("lexical", "dense")])
def test_where_nothing_is_least_all_fits_and_where_too_much_is_nothing_does(
    routes: tuple[str, ...], least: float, fits: bool
) -> None:
    told = replace(NUMBERS, thresholds={name: {"bias": 0.0, "least": least} for name in NUMBERS.thresholds})
    found = {name: listed([7, 8], [1.0]) for name in routes}
    judging = ranking(told=told)
    assert judging.fits(judging.evidence(understand("doge"), found, EVERYTHING), found) is fits
