"""Proves weighted reciprocal rank fusion against exact fractions and by properties that hold for all rankings."""

from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mambomeme_tui.retrieval.fusion import reciprocal_rank_fusion

positions = st.lists(st.integers(0, 30), unique=True, max_size=20)
two_routes = st.fixed_dictionaries({"lexical": positions, "dense": positions})
weights = st.fixed_dictionaries({name: st.integers(1, 8).map(lambda n: n / 4) for name in ("lexical", "dense")})
constants = st.integers(1, 100)

Rankings = dict[str, list[int]]
thorough = settings(deadline=None, max_examples=300)


def exact(rankings: Rankings, weighing: dict[str, float], k: int) -> dict[int, Fraction]:
    """The definition, asked position by position, without rounding."""
    everything = {position for ranking in rankings.values() for position in ranking}
    return {
        position: sum(
            (
                Fraction(weighing[name]) / (k + 1 + ranking.index(position))
                for name, ranking in rankings.items()
                if position in ranking
            ),
            Fraction(),
        )
        for position in everything
    }


def best_rank(rankings: Rankings, position: int) -> int:
    return min(ranking.index(position) for ranking in rankings.values() if position in ranking)


@thorough
@given(two_routes, weights, constants)
def test_scores_are_exact_and_every_position_comes_once(rankings: Rankings, weighing: dict[str, float], k: int) -> None:
    fused = reciprocal_rank_fusion(rankings, weighing, k)
    expected = exact(rankings, weighing, k)
    assert len(fused) == len(expected)
    assert dict(fused) == pytest.approx({position: float(score) for position, score in expected.items()}, rel=1e-12)


@thorough
@given(two_routes, weights, constants)
def test_order_is_by_score_then_best_rank_then_position(rankings: Rankings, weighing: dict[str, float], k: int) -> None:
    fused = reciprocal_rank_fusion(rankings, weighing, k)
    expected = exact(rankings, weighing, k)
    for (before, score), (after, other) in pairwise(fused):
        assert expected[before] > expected[after] - Fraction(1, 10**12)
        if score == other:
            assert (best_rank(rankings, before), before) < (best_rank(rankings, after), after)


@thorough
@given(two_routes, weights, constants)
def test_the_order_in_which_routes_are_named_changes_nothing(
    rankings: Rankings, weighing: dict[str, float], k: int
) -> None:
    backwards = dict(reversed(rankings.items()))
    assert reciprocal_rank_fusion(backwards, weighing, k) == reciprocal_rank_fusion(rankings, weighing, k)


@thorough
@given(two_routes, weights, constants, st.data())
def test_a_better_rank_in_one_route_never_lowers_a_position(
    rankings: Rankings, weighing: dict[str, float], k: int, data: st.DataObject
) -> None:
    ranking = rankings["dense"]
    if not ranking:
        ranking.append(3)
    at = data.draw(st.integers(0, len(ranking) - 1))
    target = data.draw(st.integers(0, at))
    moved = ranking[at]
    better = [*ranking[:at], *ranking[at + 1 :]]
    better.insert(target, moved)
    before = [position for position, _ in reciprocal_rank_fusion(rankings, weighing, k)]
    after = [position for position, _ in reciprocal_rank_fusion({**rankings, "dense": better}, weighing, k)]
    assert after.index(moved) <= before.index(moved)


@thorough
@given(positions, constants)
def test_one_route_alone_keeps_its_order(ranking: list[int], k: int) -> None:
    fused = reciprocal_rank_fusion({"lexical": ranking, "dense": []}, {"lexical": 1.0, "dense": 1.0}, k)
    assert [position for position, _ in fused] == ranking


def test_two_routes_that_agree_beat_one_that_is_sure() -> None:
    rankings = {"lexical": [1, 2], "dense": [3, 2]}
    fused = reciprocal_rank_fusion(rankings, {"lexical": 1.0, "dense": 1.0}, 60)
    assert fused == [(2, 2 / 62), (1, 1 / 61), (3, 1 / 61)]


def test_a_tie_goes_to_the_better_best_rank_before_the_lower_position() -> None:
    """With k = 0 two second places weigh what one first place does; 5 is the lowest, 6 and 8 have the better rank."""
    tied = reciprocal_rank_fusion({"lexical": [8, 5], "dense": [6, 5]}, {"lexical": 1.0, "dense": 1.0}, 0)
    assert tied == [(6, 1.0), (8, 1.0), (5, 1.0)]


def test_a_heavier_route_decides() -> None:
    rankings = {"lexical": [1], "dense": [2]}
    assert [p for p, _ in reciprocal_rank_fusion(rankings, {"lexical": 1.0, "dense": 1.5}, 60)] == [2, 1]
    assert [p for p, _ in reciprocal_rank_fusion(rankings, {"lexical": 1.5, "dense": 1.0}, 60)] == [1, 2]


def test_no_route_gives_nothing() -> None:
    assert reciprocal_rank_fusion({}, {}, 60) == []
