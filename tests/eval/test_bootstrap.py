"""Proves the interval: its draws, every resample against a slow second computation, and what is published of it."""

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mambomeme_eval import bootstrap, gates, metrics
from mambomeme_eval.bootstrap import Draws, Resampled, Spread, draw, resample, spread, strata, summarise
from mambomeme_eval.settling import settle
from mambomeme_eval.truth import ANSWERABLE_SLICES, Topic, Unscorable, answer_keys
from tests.eval.scoring import Case, naive_score, unhurried
from tests.eval.test_score import damaged


def paraphrased(seed: int) -> Case:
    """A case of chance whose families have one to three queries each."""
    case = damaged(seed)
    grouped = [
        replace(topic, family=f"{topic.slice or 'none'}-{'s' if topic.safety else 'o'}-{number % 5 // 2}")
        for number, topic in enumerate(case.truth.topics)
    ]
    case.truth = replace(case.truth, topics=grouped)
    return case


def resampled(case: Case, draws: Draws) -> Resampled:
    """The resamples of a case."""
    keys = answer_keys(case.truth)
    settled = settle(case.lists, keys, case.manifest, case.times)
    return resample(draws, case.truth.topics, metrics.measure(settled.lists, keys), settled.milliseconds or {})


def redrawn(case: Case, draws: Draws, at: int) -> list[Topic]:
    """The queries of one resample, each as often as its family was drawn."""
    times = dict(zip(draws.families, draws.counts[at].tolist(), strict=True))
    return [topic for topic in case.truth.topics for _ in range(times[topic.family])]


@pytest.mark.parametrize("make", [damaged, paraphrased])
@pytest.mark.parametrize("seed", range(3))
def test_every_resample_has_the_score_of_the_slow_computation(make: Any, seed: int) -> None:
    case = make(seed)
    draws = draw(case.truth.topics, seed, resamples=60)
    fast = resampled(case, draws).raw
    slow = [naive_score(case, redrawn(case, draws, at)) for at in range(60)]
    assert fast == pytest.approx(slow, abs=1e-11, rel=0)
    assert len(set(slow)) > 30


def test_the_published_interval_is_that_of_a_slow_bootstrap() -> None:
    case = paraphrased(7)
    draws = draw(case.truth.topics, 11, resamples=200)
    slow = sorted(naive_score(case, redrawn(case, draws, at)) for at in range(200))
    found = summarise(resampled(case, draws), released=True, critical=False).raw
    assert (found.p2_5, found.p97_5) == pytest.approx((slow[4], slow[194]), abs=1e-11)


@pytest.mark.parametrize("seed", range(3))
def test_figures_of_a_resample_are_those_of_its_queries(seed: int) -> None:
    case = paraphrased(seed)
    draws = draw(case.truth.topics, seed, resamples=20)
    keys = answer_keys(case.truth)
    values = metrics.measure(settle(case.lists, keys, case.manifest).lists, keys)
    fast = resampled(case, draws)
    for at in range(20):
        topics = redrawn(case, draws, at)
        for name, figure in metrics.aggregate((topic, values[topic.id]) for topic in topics).items():
            assert fast.figures[name][at] == pytest.approx(float(figure), abs=1e-12)
        charged = [one if one is not None else 5000.0 for topic in topics for one in case.times[topic.id]]
        assert fast.figures["p95-ms"][at] == np.quantile(charged, 0.95, method="inverted_cdf")


def test_drawing_every_family_once_gives_the_point_estimate() -> None:
    case = damaged(3)
    families = draw(case.truth.topics, 1, resamples=1).families
    once = Draws(1, families, np.ones((1, len(families)), dtype=np.int64))
    verdict = case.card(resamples=1).rows[0].verdict
    assert resampled(case, once).raw[0] == pytest.approx(verdict.raw, abs=1e-12)
    figures = case.card(resamples=1).rows[0].figures
    assert {name: float(one[0]) for name, one in resampled(case, once).figures.items() if name in figures} == (
        pytest.approx({name: float(one) for name, one in figures.items()}, abs=1e-12)
    )


def test_draws_are_those_of_a_plain_loop_over_pcg64() -> None:
    topics = paraphrased(1).truth.topics
    draws, generator = draw(topics, 42, resamples=30), np.random.PCG64(42)
    assert draws.seed == 42
    at = 0
    for families in strata(topics).values():
        for counts in draws.counts[:, at : at + len(families)]:
            drawn = Counter(families[int(generator.random_raw()) % len(families)] for _ in families)
            assert counts.tolist() == [drawn[family] for family in families]
        assert draws.families[at : at + len(families)] == tuple(families)
        at += len(families)
    assert draws.counts.shape == (30, at)


def test_every_stratum_keeps_its_size_in_every_resample() -> None:
    topics = damaged(1).truth.topics
    draws = draw(topics, 5, resamples=300)
    place = {family: at for at, family in enumerate(draws.families)}
    assert len(strata(topics)) == 14
    for families in strata(topics).values():
        assert (draws.counts[:, [place[one] for one in families]].sum(axis=1) == len(families)).all()


def test_families_are_drawn_equally_often() -> None:
    topics = [Topic(f"q{number}", "name", f"f{number}") for number in range(12)]
    shares = draw(topics, 9).counts.mean(axis=0)
    assert shares == pytest.approx(np.ones(12), abs=0.05)  # five standard errors
    assert draw(topics, 9).counts.var(axis=0) == pytest.approx(np.full(12, 11 / 12), abs=0.1)


def test_the_same_seed_draws_the_same_and_another_one_others() -> None:
    topics = damaged(1).truth.topics
    assert (draw(topics, 8).counts == draw(topics[::-1], 8).counts).all()  # whatever the order of the queries
    assert (draw(topics, 8).counts != draw(topics, 9).counts).any()


def test_a_family_with_one_marked_query_is_drawn_with_the_marked_and_two_slices_are_refused() -> None:
    family = [Topic("a", "name", "f", True), Topic("b", "name", "f"), Topic("c", "name", "g")]
    assert strata(family) == {("name", False): ["g"], ("name", True): ["f"]}
    with pytest.raises(Unscorable, match="Query family f lies in two slices"):
        strata([*family, Topic("d", "", "f")])


def test_a_partition_without_a_stratum_that_a_figure_needs_is_refused() -> None:
    case = damaged(1)
    case.truth = replace(case.truth, topics=[replace(topic, safety=False) for topic in case.truth.topics])
    with pytest.raises(Unscorable, match="a stratum is missing"):
        resampled(case, draw(case.truth.topics, 1, resamples=3))


def constant(raw: list[float], **figures: list[float]) -> Resampled:
    """Resamples with these scores that pass every gate but where a figure is given."""
    passing = {rule.name: 0.0 if rule.below else 1.0 for rule in gates.RULES}
    arrays = {name: np.full(len(raw), value) for name, value in passing.items()}
    arrays |= {name.replace("_", "-"): np.array(values) for name, values in figures.items()}
    return Resampled(Draws(1, (), np.zeros((len(raw), 0), dtype=np.int64)), arrays, np.array(raw))


def test_the_raw_score_has_the_interval_and_the_capped_one_its_own_distribution() -> None:
    found = summarise(constant([90.0, 80.0, 70.0, 50.0], hit10=[0.7, 0.69, 0.69, 0.69]), released=True, critical=False)
    assert found.raw == Spread(50.0, 50.0, 70.0, 80.0, 90.0)
    assert found.capped == Spread(50.0, 50.0, 59.0, 59.0, 90.0)
    assert found.passing == Fraction(1, 4)


def test_release_gates_and_critical_violations_hold_in_every_resample() -> None:
    scores = constant([90.0, 40.0])
    failed = summarise(scores, released=False, critical=False)
    assert (failed.raw.p97_5, failed.capped.p97_5, failed.capped.p2_5, failed.passing) == (90.0, 59.0, 40.0, 0)
    critical = summarise(scores, released=True, critical=True)
    assert (critical.raw.p97_5, critical.capped.p97_5, critical.passing) == (90.0, 0.0, 0)
    assert summarise(scores, released=True, critical=False).passing == 1


@pytest.mark.parametrize("rule", gates.RULES, ids=lambda rule: rule.name)
def test_every_gate_is_looked_at_in_every_resample(rule: gates.Rule) -> None:
    bound = float(rule.bound)
    scores = constant([80.0] * 3, **{rule.name.replace("-", "_"): [bound - 1e-9, bound, bound + 1e-9]})
    expected = [True, False, False] if rule.below else [False, True, True]
    assert bootstrap.passing(scores).tolist() == expected


@unhurried
@given(st.lists(st.floats(0, 100), min_size=1, max_size=300))
def test_percentiles_are_those_of_numpy_by_nearest_rank(values: list[float]) -> None:
    found = spread(np.array(values))
    ordered = sorted(values)
    exact = [ordered[max(1, -(-len(values) * per_mille // 1000)) - 1] for per_mille in (25, 250, 500, 750, 975)]
    assert [found.p2_5, found.p25, found.p50, found.p75, found.p97_5] == exact
    assert (found.p25, found.p50, found.p75) == tuple(np.quantile(values, [0.25, 0.5, 0.75], method="inverted_cdf"))


def test_ten_thousand_resamples_are_what_is_published() -> None:
    assert bootstrap.RESAMPLES == 10_000
    assert draw([Topic(name, name, name) for name in ANSWERABLE_SLICES], 1).counts.shape == (10_000, 6)
