"""Proves the fusion of scores against exact fractions, and by properties that hold for all candidates."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mambomeme_tui.index.structure import Structure
from mambomeme_tui.parameters import Parameters
from mambomeme_tui.retrieval.fusion import FAMILIES, MEMBERS, fuse, normalise
from mambomeme_tui.retrieval.results import Candidate

MEMES = 24
PLAIN = replace(Parameters(), depth=50, family_share=0.0, name_bonus=0.0)
"""Nothing but the routes' scores."""
CLOSE = 1e-9
thorough = settings(deadline=None, max_examples=300)

Found = dict[str, list[Candidate]]
Fused = list[tuple[int, float]]


def structure_of(numbers: Sequence[int], count: int = 7) -> Structure:
    """The structure of memes in these families, each a group of its own, member by member."""
    members = sorted(range(len(numbers)), key=lambda position: (numbers[position], position))
    starts = [sum(number < family for number in numbers) for family in range(count + 1)]
    groups = np.arange(len(numbers), dtype=np.int32)
    return Structure(np.array(numbers, np.int32), groups, np.array(members, np.int64), np.array(starts, np.int64))


scores = st.integers(-40, 40).map(lambda n: n / 8)
rankings = st.lists(st.tuples(st.integers(0, MEMES - 1), scores), max_size=15, unique_by=lambda pair: pair[0])
candidates = rankings.map(lambda pairs: listed(sorted(pairs, key=lambda pair: (-pair[1], pair[0]))))
two_routes = st.fixed_dictionaries({"lexical": candidates, "dense": candidates})
weights = st.fixed_dictionaries({name: st.integers(1, 8).map(lambda n: n / 4) for name in ("lexical", "dense")})
families = st.lists(st.integers(0, 6), min_size=MEMES, max_size=MEMES).map(structure_of)
namings = st.dictionaries(st.integers(0, 6), st.integers(0, 8).map(lambda n: n / 8), max_size=3)
numbers = st.builds(
    lambda depth, share, bonus: replace(Parameters(), depth=depth, family_share=share / 4, name_bonus=bonus / 4),
    st.integers(15, 20),
    st.integers(0, 8),
    st.integers(0, 8),
)


def listed(pairs: Sequence[tuple[int, float]]) -> list[Candidate]:
    return [Candidate(position, score) for position, score in pairs]


def alone(memes: int) -> Structure:
    """Every meme in a family of its own."""
    return structure_of(range(memes), memes)


def exact(
    found: Found, weighing: Mapping[str, float], named: Mapping[int, float], structure: Structure, told: Parameters
) -> dict[int, Fraction]:
    """The definition, asked position by position, without rounding; for no more families than hand on their share."""
    own: dict[int, Fraction] = {}
    for route, ranked in found.items():
        if not ranked:
            continue
        values = [Fraction(one.score) for one in ranked]
        low = values[told.depth - 1] if len(values) >= told.depth else min(Fraction(), values[-1])
        for one, value in zip(ranked, values, strict=True):
            share = (value - low) / (values[0] - low) if values[0] != low else Fraction(1)
            own[one.position] = own.get(one.position, Fraction()) + Fraction(weighing[route]) * share
    of = structure.families.tolist()
    asked = {of[position] for position in own} | set(named)
    total: dict[int, Fraction] = {}
    for position in range(len(of)):
        if of[position] in asked:
            best = max((score for other, score in own.items() if of[other] == of[position]), default=Fraction())
            bonus = Fraction(told.name_bonus) * Fraction(named.get(of[position], 0))
            total[position] = own.get(position, Fraction()) + Fraction(told.family_share) * best + bonus
    return total


@thorough
@given(two_routes, weights, namings, families, numbers)
def test_scores_are_exact_and_every_member_of_a_family_that_was_found_or_named_comes_once(
    found: Found, weighing: dict[str, float], named: dict[int, float], structure: Structure, told: Parameters
) -> None:
    fused = fuse(found, weighing, named, structure, told)
    expected = exact(found, weighing, named, structure, told)
    assert len(fused) == len(expected)
    assert dict(fused) == pytest.approx({position: float(score) for position, score in expected.items()}, abs=CLOSE)


@thorough
@given(two_routes, weights, namings, families, numbers)
def test_order_is_by_score_then_position(
    found: Found, weighing: dict[str, float], named: dict[int, float], structure: Structure, told: Parameters
) -> None:
    fused = fuse(found, weighing, named, structure, told)
    expected = exact(found, weighing, named, structure, told)
    for (before, score), (after, other) in pairwise(fused):
        assert expected[before] > expected[after] - Fraction(1, 10**9)
        assert (-score, before) < (-other, after)


@thorough
@given(two_routes, weights, namings, families, numbers)
def test_memes_that_both_routes_score_alike_come_by_position(
    found: Found, weighing: dict[str, float], named: dict[int, float], structure: Structure, told: Parameters
) -> None:
    """Whatever is added where: what is equal must stay equal to the last bit."""
    own = {route: {one.position: one.score for one in ranked} for route, ranked in found.items()}
    of = structure.families.tolist()
    place = {position: at for at, (position, _) in enumerate(fuse(found, weighing, named, structure, told))}
    alike: dict[tuple[object, ...], list[int]] = {}
    for position in sorted(place):
        alike.setdefault((of[position], *(routes.get(position) for routes in own.values())), []).append(position)
    for same in alike.values():
        assert [place[position] for position in same] == sorted(place[position] for position in same)


@thorough
@given(two_routes, weights, namings, families, numbers, st.sampled_from([0.25, 2.0, 1024.0]))
def test_neither_the_order_of_the_routes_nor_the_scale_of_their_scores_changes_anything(
    found: Found,
    weighing: dict[str, float],
    named: dict[int, float],
    structure: Structure,
    told: Parameters,
    scale: float,
) -> None:
    other = {
        "dense": found["dense"],
        "lexical": [replace(one, score=one.score * scale) for one in found["lexical"]],
    }
    assert fuse(other, weighing, named, structure, told) == fuse(found, weighing, named, structure, told)


@thorough
@given(two_routes, weights, namings, families, numbers, st.integers(0, 6))
def test_to_be_named_never_lowers_a_family(
    found: Found,
    weighing: dict[str, float],
    named: dict[int, float],
    structure: Structure,
    told: Parameters,
    family: int,
) -> None:
    def first(naming: dict[int, float]) -> int:
        ranked = [structure.families[position] for position, _ in fuse(found, weighing, naming, structure, told)]
        return ranked.index(family) if family in ranked else len(ranked)

    unnamed = {number: share for number, share in named.items() if number != family}
    assert first(unnamed | {family: 1.0}) <= first(unnamed)


@thorough
@given(candidates)
def test_one_route_alone_keeps_its_order(ranked: list[Candidate]) -> None:
    fused = fuse({"lexical": ranked}, {"lexical": 1.0}, {}, alone(MEMES), PLAIN)
    assert [position for position, _ in fused] == [one.position for one in ranked]


@pytest.mark.parametrize(
    ("given_scores", "depth", "expected"),
    [
        ([], 3, []),
        ([7.0], 3, [1.0]),
        ([7.0], 1, [1.0]),
        ([0.0], 3, [1.0]),
        ([-7.0], 3, [1.0]),
        ([4.0, 1.0], 3, [1.0, 0.25]),
        ([4.0, 2.0, 1.0], 3, [1.0, 1 / 3, 0.0]),
        ([4.0, -4.0], 3, [1.0, 0.0]),
        ([-1.0, -2.0, -5.0], 4, [1.0, 0.75, 0.0]),
        ([5.0, 5.0], 3, [1.0, 1.0]),
        ([5.0, 5.0, 5.0], 3, [1.0, 1.0, 1.0]),
        ([5.0, 5.0, 4.0], 3, [1.0, 1.0, 0.0]),
    ],
)
def test_scores_are_brought_to_one_scale(given_scores: list[float], depth: int, expected: list[float]) -> None:
    assert normalise(np.array(given_scores, np.float64), depth).tolist() == pytest.approx(expected, abs=1e-15)


@thorough
@given(st.lists(st.floats(-1e6, 1e6), max_size=20), st.integers(20, 30))
def test_what_is_brought_to_one_scale_falls_from_one_and_never_below_nothing(
    given_scores: list[float], depth: int
) -> None:
    brought = normalise(np.array(sorted(given_scores, reverse=True), np.float64), depth).tolist()
    assert len(brought) == len(given_scores)
    assert brought == sorted(brought, reverse=True)
    assert not brought or (brought[0] == 1.0 and brought[-1] >= 0.0)


def test_two_routes_that_agree_beat_one_that_is_sure() -> None:
    found = {"lexical": listed([(1, 4.0), (2, 3.0)]), "dense": listed([(3, 0.8), (2, 0.6)])}
    fused = fuse(found, {"lexical": 1.0, "dense": 1.0}, {}, alone(4), PLAIN)
    assert fused == [(2, pytest.approx(1.5)), (1, 1.0), (3, 1.0)]


def test_a_heavier_route_decides() -> None:
    found = {"lexical": listed([(1, 4.0)]), "dense": listed([(2, 0.8)])}
    assert fuse(found, {"lexical": 1.0, "dense": 1.5}, {}, alone(3), PLAIN) == [(2, 1.5), (1, 1.0)]
    assert fuse(found, {"lexical": 1.5, "dense": 1.0}, {}, alone(3), PLAIN) == [(1, 1.5), (2, 1.0)]


def test_a_family_hands_its_share_to_members_that_no_route_found() -> None:
    """0 and 3 are of one family; 0 was found by nobody, yet stands above 2, which is worse than a share of 3."""
    structure = structure_of([0, 1, 2, 0], 3)
    found = {"lexical": listed([(3, 8.0), (1, 6.0), (2, 1.0)])}
    told = replace(PLAIN, family_share=0.5)
    assert fuse(found, {"lexical": 1.0}, {}, structure, told) == [
        (3, 1.5),
        (1, 0.75 * 1.5),
        (0, 0.5),
        (2, 0.125 * 1.5),
    ]


def test_a_named_family_comes_even_where_no_route_found_any_of_it() -> None:
    structure = structure_of([0, 1, 1, 2], 3)
    told = replace(PLAIN, name_bonus=3.0)
    assert fuse({"dense": listed([(3, 0.5)])}, {"dense": 1.0}, {1: 0.5}, structure, told) == [
        (1, 1.5),
        (2, 1.5),
        (3, 1.0),
    ]
    assert fuse({}, {}, {1: 1.0}, structure, told) == [(1, 3.0), (2, 3.0)]


def test_only_the_best_families_bring_members_that_no_route_found() -> None:
    """Each family has two memes, of which the second was found; the first twenty by score bring their first too."""
    many = FAMILIES + 5
    structure = structure_of([number // 2 for number in range(2 * many)], many)
    ranked = listed([(2 * number + 1, 100.0 - number) for number in range(many)])
    told = replace(PLAIN, family_share=0.5)
    fused = dict(fuse({"lexical": ranked}, {"lexical": 1.0}, {}, structure, told))
    found = {one.position for one in ranked}
    assert found <= fused.keys()
    assert fused.keys() - found == {2 * number for number in range(FAMILIES)}
    worst = many - 1
    own = (100.0 - worst) / 100.0
    assert fused[2 * worst + 1] == pytest.approx(1.5 * own), "its own share it has all the same"


def test_of_families_that_are_equally_good_the_first_bring_their_members() -> None:
    many = FAMILIES + 3
    structure = structure_of([number // 2 for number in range(2 * many)], many)
    ranked = listed([(2 * number + 1, 1.0) for number in range(many)])
    fused = fuse({"lexical": ranked}, {"lexical": 1.0}, {}, structure, replace(PLAIN, family_share=0.5))
    assert [position for position, score in fused if score == 0.5] == [2 * number for number in range(FAMILIES)]


def test_a_family_of_very_many_brings_its_first_members_and_those_that_were_found() -> None:
    structure = structure_of([0] * (MEMBERS + 9), 1)
    last = MEMBERS + 8
    fused = fuse({"dense": listed([(last, 0.5)])}, {"dense": 1.0}, {}, structure, replace(PLAIN, family_share=0.25))
    assert fused == [(last, 1.25), *((position, 0.25) for position in range(MEMBERS))]


def test_no_route_and_no_candidate_give_nothing() -> None:
    assert fuse({}, {}, {}, alone(3), PLAIN) == []
    assert fuse({"lexical": [], "dense": []}, {"lexical": 1.0, "dense": 1.0}, {}, alone(3), PLAIN) == []
