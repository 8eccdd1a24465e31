"""Proves the decision about the dense route on constructed cases whose answer is known, and the two tests beside it."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mambomeme_eval import acceptance
from mambomeme_eval.acceptance import DROP, KEEP, Acceptance, Claim, Contender, accept, sign_flip
from mambomeme_eval.bootstrap import Draws, draw, resample
from mambomeme_eval.gates import Gate, Verdict, decide
from mambomeme_eval.truth import ANSWERABLE_SLICES, Topic, Unscorable
from tests.eval.scoring import flat, unhurried

TOPICS = [
    Topic(f"{name or 'none'}-{number}", name, f"family-{name}-{number}", safety=number == 0)
    for name in (*ANSWERABLE_SLICES, "")
    for number in range(8)
]
DRAWS = draw(TOPICS, seed=3, resamples=400)
BASE = 0.6
Changes = Mapping[str, Callable[[int], float]]
PASSED = decide(80.0, [], {})


def contender(changes: Changes, verdict: Verdict = PASSED, draws: Draws = DRAWS) -> Contender:
    """Every query has an nDCG of `BASE`, and of that plus what `changes` gives for its number in its slice."""
    values = {}
    for topic in TOPICS:
        change = changes[topic.slice](int(topic.id.rpartition("-")[2])) if topic.slice in changes else 0.0
        values[topic.id] = flat(BASE + change)
    times = {topic.id: [100.0] for topic in TOPICS}
    return Contender(values, resample(draws, TOPICS, values, times), verdict)


def decided(changes: Changes, claim: Claim, before: Verdict = PASSED, after: Verdict = PASSED) -> Acceptance:
    """The decision about these changes to a level BM25."""
    return accept(TOPICS, contender({}, before), contender(changes, after), claim)


def everywhere(change: float) -> Changes:
    return {name: lambda _: change for name in ANSWERABLE_SLICES}


def failing(*names: str) -> Verdict:
    return decide(80.0, [Gate(name, "", Fraction(0), False) for name in names], {})


def test_an_even_gain_that_is_large_enough_keeps_the_dense_route() -> None:
    found = decided(everywhere(0.04), Claim.OVERALL)
    assert found.verdict == KEEP
    assert found.improvements[Claim.OVERALL].difference == pytest.approx(0.04, abs=1e-12)
    assert found.improvements[Claim.OVERALL].low == pytest.approx(0.04, abs=1e-12)
    assert len(found.reasons) == 5
    assert found.reasons[0] == "overall nDCG@10 changes by +0.0400 (needed: +0.03)"


@pytest.mark.parametrize(("gain", "verdict"), [(0.029, DROP), (0.031, KEEP)])
def test_the_overall_claim_needs_three_hundredths(gain: float, verdict: str) -> None:
    found = decided(everywhere(gain), Claim.OVERALL)
    assert found.verdict == verdict
    assert verdict == KEEP or found.reasons == ("overall nDCG@10 changes by +0.0290 (needed: +0.03)",)


@pytest.mark.parametrize(("gain", "verdict"), [(0.049, DROP), (0.051, KEEP)])
def test_the_semantic_claim_needs_five_hundredths_of_its_slice(gain: float, verdict: str) -> None:
    assert decided({"semantic": lambda _: gain}, Claim.SEMANTIC).verdict == verdict


def test_the_claim_that_was_made_decides_and_both_are_reported() -> None:
    semantic = decided({"semantic": lambda _: 0.1}, Claim.SEMANTIC)
    overall = decided({"semantic": lambda _: 0.1}, Claim.OVERALL)
    assert (semantic.verdict, overall.verdict) == (KEEP, DROP)
    assert semantic.improvements == overall.improvements
    assert semantic.improvements[Claim.OVERALL].difference == pytest.approx(0.1 / 6, abs=1e-12)
    assert semantic.improvements[Claim.SEMANTIC].difference == pytest.approx(0.1, abs=1e-12)
    visual = {"visual": lambda _: 0.3}
    assert (decided(visual, Claim.OVERALL).verdict, decided(visual, Claim.SEMANTIC).verdict) == (KEEP, DROP)


def test_a_gain_that_rests_on_one_family_is_not_proven() -> None:
    found = decided({"semantic": lambda number: 0.4 * (number == 1)}, Claim.SEMANTIC)
    assert found.improvements[Claim.SEMANTIC].difference == pytest.approx(0.05, abs=1e-12)
    assert found.improvements[Claim.SEMANTIC].low == 0
    assert found.verdict == DROP
    assert "its paired 95 % interval begins at +0.0000 (needed: above 0)" in found.reasons


def test_no_change_at_all_ships_bm25() -> None:
    found = decided({}, Claim.OVERALL)
    assert (found.verdict, len(found.reasons)) == (DROP, 2)
    assert found.improvements[Claim.OVERALL].p == 1


@pytest.mark.parametrize("name", ["name", "quote"])
@pytest.mark.parametrize(("loss", "verdict"), [(-0.019, KEEP), (-0.021, DROP)])
def test_names_and_quotes_may_lose_two_hundredths_and_no_more(name: str, loss: float, verdict: str) -> None:
    found = decided({**everywhere(0.2), name: lambda _: loss}, Claim.OVERALL)
    assert found.verdict == verdict
    assert verdict == KEEP or found.reasons == (f"{name} nDCG@10 changes by -0.0210 (at worst: -0.02)",)
    assert found.slices[name] == pytest.approx(loss, abs=1e-12)


def test_other_slices_may_lose_more() -> None:
    assert decided({**everywhere(0.2), "noisy": lambda _: -0.3}, Claim.OVERALL).verdict == KEEP


def test_a_gate_that_bm25_passes_and_hybrid_fails_drops_the_dense_route() -> None:
    found = decided(everywhere(0.1), Claim.OVERALL, failing("hit10"), failing("hit10", "p95-ms"))
    assert (found.verdict, found.gates_lost) == (DROP, ("p95-ms",))
    assert found.reasons == ("gates lost against BM25: p95-ms",)


def test_a_gate_that_both_fail_or_that_hybrid_wins_is_no_regression() -> None:
    assert decided(everywhere(0.1), Claim.OVERALL, failing("hit10", "p95-ms"), failing("hit10")).verdict == KEEP


def test_a_critical_violation_of_hybrid_alone_is_a_regression() -> None:
    critical = decide(80.0, [], {"blocked-shown": ["q i"]})
    assert decided(everywhere(0.1), Claim.OVERALL, PASSED, critical).gates_lost == ("blocked-shown",)


def test_every_condition_that_is_not_met_is_told() -> None:
    found = decided(everywhere(-0.1), Claim.SEMANTIC, PASSED, failing("hit10"))
    assert len(found.reasons) == 5


def test_systems_that_do_not_share_their_draws_are_not_compared() -> None:
    other = draw(TOPICS, seed=4, resamples=400)
    with pytest.raises(Unscorable, match="share their bootstrap draws"):
        accept(TOPICS, contender({}), contender({}, draws=other), Claim.OVERALL)


def test_the_interval_is_paired_and_that_of_a_plain_loop() -> None:
    changes: Changes = {
        "semantic": lambda number: (-1) ** number * 0.05 * number,
        "visual": lambda number: 0.01 * number,
    }
    place = {family: at for at, family in enumerate(DRAWS.families)}
    before, after = contender({}), contender(changes)
    differences: dict[Claim, list[float]] = {claim: [] for claim in Claim}
    for counts in DRAWS.counts:
        means = []
        for name in ANSWERABLE_SLICES:
            drawn = [topic for topic in TOPICS if topic.slice == name for _ in range(counts[place[topic.family]])]
            means.append(sum(after.values[one.id].ndcg - before.values[one.id].ndcg for one in drawn) / len(drawn))
        differences[Claim.OVERALL].append(sum(means) / 6)
        differences[Claim.SEMANTIC].append(means[ANSWERABLE_SLICES.index("semantic")])
    found = accept(TOPICS, before, after, Claim.OVERALL)
    for claim, values in differences.items():
        one, ordered = found.improvements[claim], sorted(values)
        assert (one.low, one.high) == pytest.approx((ordered[9], ordered[389]), abs=1e-12)


def test_contributions_of_families_add_up_to_the_difference() -> None:
    grouped = [replace(topic, family=f"{topic.slice}-{int(topic.id[-1]) // 3}") for topic in TOPICS]
    before, after = contender({}).values, contender({"semantic": lambda number: 0.03 * number}).values
    parts = acceptance.contributions(Claim.SEMANTIC, grouped, before, after)
    assert parts == pytest.approx(np.array([0.09, 0.36, 0.39]) / 8, abs=1e-12)
    overall = acceptance.contributions(Claim.OVERALL, grouped, before, after)
    assert len(overall) == 18
    assert overall.sum() == pytest.approx(parts.sum() / 6, abs=1e-12)


@pytest.mark.parametrize(
    ("parts", "p"),
    [([0.1], 1), ([0.1, 0.1], 0.5), ([0.1] * 3, 0.25), ([0.1, -0.1], 1), ([0.0, 0.0], 1), ([0.3, 0.1, 0.1, -0.1], 0.5)],
)
def test_sign_flips_of_few_families_are_exact(parts: list[float], p: float) -> None:
    assert sign_flip(np.array(parts), seed=1) == p


@unhurried
@given(st.lists(st.integers(-20, 20), min_size=1, max_size=9))
def test_sign_flips_are_those_of_every_pattern(parts: list[int]) -> None:
    patterns = [
        abs(sum(sign * part for sign, part in zip(signs, parts, strict=True)))
        for signs in product((1, -1), repeat=len(parts))
    ]
    expected = Fraction(sum(one >= abs(sum(parts)) for one in patterns), len(patterns))
    assert sign_flip(np.array(parts) / 64, seed=1) == expected


def test_drawn_sign_flips_are_near_the_exact_ones_and_of_their_seed() -> None:
    parts = np.array([3, 1, 4, 1, -5, 9, 2, 6, -5, 3, 5, -8, 9, 7, 9, -3]) / 1000
    signs = np.array(list(product((1, -1), repeat=16)))
    exact = float(np.mean(np.abs(signs @ parts) >= abs(parts.sum()) - 1e-12))
    assert sign_flip(parts, seed=5) == pytest.approx(exact, abs=0.02)
    assert sign_flip(parts, seed=5) == sign_flip(parts, seed=5) != sign_flip(parts, seed=6)


def test_drawn_sign_flips_are_never_zero() -> None:
    assert sign_flip(np.full(40, 0.1), seed=1) == 1 / 10_001
