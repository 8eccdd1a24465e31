"""Proves the score: its inputs and sum by known values and a second computation, its bands, and the p95 beside it."""

import math
import random
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mambomeme_eval import score
from mambomeme_eval.score import Components
from mambomeme_eval.truth import Unscorable
from tests.eval.scoring import Case, naive_score, perfect, unhurried

FULL = Components(*[Fraction(1)] * 6)
RATE = st.fractions(0, 1, max_denominator=1000)
COMPONENTS = st.builds(Components, st.floats(0, 1), RATE, RATE, RATE, RATE, RATE)


def damaged(seed: int) -> Case:
    """A case with lists, errors and latencies of chance."""
    chance, case = random.Random(seed), perfect(per_slice=5)
    for query, repeats in case.lists.items():
        for at in range(len(repeats)):
            judged = sorted(case.qrels[query])
            repeats[at] = chance.sample(judged, k=chance.randint(0, len(judged)))
            case.times[query][at] = chance.uniform(50, 1100)
            if chance.random() < 0.003:
                case.fail(query, at)
        if chance.random() < 0.5 and query.startswith("none"):
            case.answer(query)
    return case


def test_everything_right_is_exactly_one_hundred() -> None:
    assert score.mmts(FULL) == 100.0
    row = perfect().card().rows[0]
    assert row.verdict.raw == row.verdict.score == 100.0
    assert sum(score.WEIGHTS.values()) == 1


@pytest.mark.parametrize("seed", range(25))
def test_the_score_of_a_whole_run_is_that_of_the_second_computation(seed: int) -> None:
    case = damaged(seed)
    row = case.card(resamples=1).rows[0]
    assert row.verdict.raw == pytest.approx(naive_score(case, case.truth.topics), abs=1e-12, rel=1e-13)


@pytest.mark.parametrize(("name", "points"), [("Q", 55), ("E", 15), ("C", 10), ("S", 10), ("L", 5), ("R", 5)])
def test_each_component_is_worth_its_points(name: str, points: int) -> None:
    assert score.mmts(replace(FULL, **{name: Fraction(0)})) == 100 - points


@unhurried
@given(COMPONENTS, COMPONENTS)
def test_the_score_lies_between_bounds_and_rises_with_every_component(one: Components, other: Components) -> None:
    best = Components(*(max(getattr(one, name), getattr(other, name)) for name in score.WEIGHTS))
    assert 0 <= score.mmts(one) <= score.mmts(best) <= 100


@pytest.mark.parametrize("wrong", [float("nan"), -0.01, 1.01, float("inf")])
@pytest.mark.parametrize("name", list("QECSLR"))
def test_a_component_that_is_no_proportion_is_refused(name: str, wrong: float) -> None:
    with pytest.raises(Unscorable) as caught:
        score.mmts(replace(FULL, **{name: wrong}))
    assert str(caught.value) == f"Component {name} is no number from 0 to 1."


@pytest.mark.parametrize(
    ("p95", "credit"),
    [(0, 1), (200, 1), (200.8, Fraction(999, 1000)), (600, Fraction(1, 2)), (1000, 0), (5000, 0)],
)
def test_latency_has_full_credit_at_200_ms_and_none_at_1000(p95: float, credit: Fraction) -> None:
    assert score.latency_credit(p95) == pytest.approx(credit, abs=1e-12)


@pytest.mark.parametrize(
    ("rate", "credit"),
    [((0, 1), 1), ((1, 200), Fraction(1, 2)), ((1, 100), 0), ((1, 2), 0), ((3, 1080), Fraction(13, 18))],
)
def test_reliability_has_full_credit_without_errors_and_none_at_one_percent(
    rate: tuple[int, int], credit: Fraction
) -> None:
    assert score.reliability_credit(Fraction(*rate)) == credit


def test_safety_is_the_mean_of_two_rates_whatever_their_sizes() -> None:
    assert score.safe_list_rate(Fraction(1), Fraction(1, 2)) == Fraction(3, 4)
    case = perfect()
    case.answer(case.queries("", safety=True)[0], "common.sensitive")
    row = case.card().rows[0]
    assert Fraction(1, 2) + Fraction(6, 7) / 2 == row.inputs.S


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (100.0, "excellent"),
        (90.0, "excellent"),
        (math.nextafter(90, 0), "strong"),
        (80.0, "strong"),
        (math.nextafter(80, 0), "good"),
        (70.0, "good"),
        (math.nextafter(70, 0), "usable"),
        (60.0, "usable"),
        (math.nextafter(60, 0), "valid, but not of release quality"),
        (0.0, "valid, but not of release quality"),
    ],
)
def test_a_band_begins_at_its_lower_bound_and_nothing_is_rounded_into_it(value: float, name: str) -> None:
    assert score.reading(value) == name


@unhurried
@given(st.lists(st.floats(0, 5000), min_size=1, max_size=200))
def test_p95_is_the_nearest_rank(values: list[float]) -> None:
    assert score.p95(values) == np.quantile(values, 0.95, method="inverted_cdf")


@pytest.mark.parametrize("wrong", [[], [float("nan")], [1.0, float("inf")]])
def test_a_p95_of_nothing_or_of_no_number_is_refused(wrong: list[float]) -> None:
    with pytest.raises(Unscorable, match=r"^A p95 needs latencies that are all finite numbers\.$"):
        score.p95(wrong)
    with pytest.raises(Unscorable, match=r"^The p95 is no number of milliseconds\.$"):
        score.components({}, float("nan"))


def test_a_quick_crash_improves_no_percentile() -> None:
    slow, crashed = perfect(), perfect()
    for query in slow.queries("visual"):
        slow.times[query] = [900.0] * 3
        for repeat in range(3):
            crashed.fail(query, repeat)
    assert slow.card().rows[0].p95 == 900
    assert crashed.card().rows[0].p95 == 5000


@unhurried
@given(st.integers(1, 1300))
def test_the_interval_of_p95_is_the_narrowest_pair_of_ranks_within_both_tails(count: int) -> None:
    from scipy.stats import binom

    low, high = score.p95_interval([float(one) for one in range(1, count + 1)])
    tail = 0.025 + 1e-12
    lower = 0 if low is None else int(low)
    upper = count + 1 if high is None else int(high)
    assert lower == 0 or binom.cdf(lower - 1, count, 0.95) <= tail
    assert binom.cdf(lower, count, 0.95) > 0.025 - 1e-12
    assert high is None or binom.sf(upper - 1, count, 0.95) <= tail
    assert upper == 1 or binom.sf(upper - 2, count, 0.95) > 0.025 - 1e-12


@pytest.mark.parametrize("count", [100, 1080, 1200])
def test_the_interval_of_p95_is_that_of_scipy(count: int) -> None:
    from scipy.stats import quantile_test

    values = [float(one) for one in range(count, 0, -1)]
    oracle = quantile_test(values, p=0.95).confidence_interval(0.95)
    assert score.p95_interval(values) == (oracle.low, oracle.high)


def test_too_few_values_bound_p95_on_no_side_or_from_below_only() -> None:
    assert score.p95_interval([1.0]) == (None, None)
    assert score.p95_interval([float(one) for one in range(20)]) == (16.0, None)


@pytest.mark.parametrize("safety", [True, False])
@pytest.mark.parametrize("name", ["name", "semantic", ""])
def test_an_error_never_scores_more_than_an_empty_list(name: str, safety: bool) -> None:
    failed, empty = perfect(), perfect()
    query = failed.queries(name, safety=safety)[0]
    failed.fail(query)
    empty.lists[query][0] = []
    assert failed.card().rows[0].verdict.raw < empty.card().rows[0].verdict.raw
