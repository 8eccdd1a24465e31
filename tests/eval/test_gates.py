"""Proves that each hard gate alone makes a FAIL of at most 59, and each critical violation a 0."""

import math
import tomllib
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import pytest

from mambomeme_eval import gates
from mambomeme_eval.gates import Critical, Gate, Rule
from mambomeme_eval.truth import Item, Unscorable
from mambomeme_tui.paths import bundled
from tests.eval.scoring import SAFE_RELEASE, Case, perfect

Damage = Callable[[Case], None]


def low_ndcg(name: str) -> Damage:
    """The slice returns its grade-1 items alone, which are exact targets too."""

    def damage(case: Case) -> None:
        for query in case.queries(name):
            case.answer(query, f"{query}.minor")

    return damage


def late_target(case: Case) -> None:
    for query in (*case.queries("name"), *case.queries("quote")):
        case.targets[query] = {f"{query}.minor"}


def few_hits(case: Case) -> None:
    for name in ("name", "quote", "topic", "semantic", "visual", "noisy"):
        for query in case.queries(name, safety=False)[:2]:
            case.answer(query, f"{query}.minor")


def answered_no_match(case: Case) -> None:
    for query in case.queries("")[:2]:
        case.answer(query, f"{query}.bad")


def few_safety_hits(case: Case) -> None:
    for name in ("topic", "visual"):
        for query in case.queries(name, safety=True):
            case.answer(query, f"{query}.minor")


def unsafe_list(safety: bool) -> Damage:
    def damage(case: Case) -> None:
        query = case.queries("topic", safety=safety)[0]
        case.answer(query, *(f"{query}.{item}" for item in ("best", "good", "half", "minor")), "common.sensitive")

    return damage


def slow(case: Case) -> None:
    case.times.update({query: [1000.0] * len(times) for query, times in case.times.items()})


def one_error(case: Case) -> None:
    case.fail("topic-1")


ALONE: dict[str, Damage] = {
    **{f"ndcg-{name}": low_ndcg(name) for name in ("name", "quote", "topic", "semantic", "visual", "noisy")},
    "exact-mrr": late_target,
    "hit10": few_hits,
    "correct-empty": answered_no_match,
    "safety-hit10": few_safety_hits,
    "safe-ordinary": unsafe_list(False),
    "safe-adversarial": unsafe_list(True),
    "p95-ms": slow,
    "error-rate": one_error,
}


def test_nothing_wrong_passes_every_gate() -> None:
    verdict = perfect().card().rows[0].verdict
    assert (verdict.passed, verdict.score, verdict.reading, verdict.failed()) == (True, 100.0, "excellent", frozenset())
    assert [gate.name for gate in verdict.gates] == [*ALONE, *gates.RELEASE_GATES]


@pytest.mark.parametrize("name", ALONE)
def test_each_gate_alone_caps_the_score(name: str) -> None:
    case = perfect()
    ALONE[name](case)
    verdict = case.card().rows[0].verdict
    assert verdict.failed() == {name}
    assert verdict.raw > 59
    assert (verdict.score, verdict.passed, verdict.reading) == (59.0, False, "FAIL")


@pytest.mark.parametrize("passed", [{}, False, None, 1])
@pytest.mark.parametrize("name", gates.RELEASE_GATES)
def test_each_release_test_that_did_not_pass_or_was_not_run_caps_the_score(name: str, passed: object) -> None:
    release = {key: value for key, value in SAFE_RELEASE.items() if key != name}
    verdict = perfect().card(release=release if passed == {} else release | {name: passed}).rows[0].verdict
    assert verdict.failed() == {name}
    assert (verdict.raw, verdict.score, verdict.reading) == (100.0, 59.0, "FAIL")


def test_a_failed_score_below_the_cap_stays_what_it_is() -> None:
    gate = Gate("hit10", ">= 0.7", Fraction(1, 10), False)
    assert gates.decide(12.5, [gate], {}).score == 12.5
    assert gates.decide(59.5, [gate], {}).score == 59.0


def test_a_passed_score_is_not_capped_however_low() -> None:
    verdict = gates.decide(55.0, [], {})
    assert (verdict.score, verdict.passed, verdict.reading) == (55.0, True, "valid, but not of release quality")


@pytest.mark.parametrize("violation", list(Critical))
def test_each_critical_violation_makes_zero_of_the_best_score(violation: Critical) -> None:
    verdict = perfect().card(critical={violation: ["seen"]}).rows[0].verdict
    assert (verdict.raw, verdict.score, verdict.passed, verdict.reading) == (100.0, 0.0, False, "FAIL")
    assert verdict.critical == {violation: ("seen",)}
    assert verdict.failed() == {violation}


def test_a_violation_of_which_nothing_was_seen_is_none_and_an_unknown_one_is_refused() -> None:
    assert gates.decide(80.0, [], {Critical.WRONG_ARTEFACT: []}).passed
    with pytest.raises(Unscorable, match="knows no critical violation"):
        gates.decide(80.0, [], {"other": ["seen"]})


def test_the_violations_are_those_of_the_policy_file() -> None:
    policy = tomllib.loads((bundled("corpus") / "policy.toml").read_text(encoding="utf-8"))
    assert set(policy["critical"]) == set(Critical)


def blocked_by_the_corpus(case: Case) -> None:
    case.lists["topic-1"][2] = ["topic-1.best", "common.blocked"]


def blocked_by_the_judges(case: Case) -> None:
    case.safety["topic-1"]["topic-1.bad"] = "blocked"
    case.lists["topic-1"][2] = ["topic-1.best", "topic-1.bad"]


def blocked_in_a_faulty_list(case: Case) -> None:
    case.lists["topic-1"][0] = ["common.blocked", "common.blocked"]


@pytest.mark.parametrize("damage", [blocked_by_the_corpus, blocked_by_the_judges, blocked_in_a_faulty_list])
def test_a_blocked_item_shown_once_in_any_list_is_critical(damage: Damage) -> None:
    case = perfect()
    damage(case)
    verdict = case.card().rows[0].verdict
    assert verdict.critical.keys() == {"blocked-shown"}
    assert verdict.score == 0


def test_an_item_whose_rights_are_not_cleared_is_critical_and_nothing_else() -> None:
    case = perfect()
    case.manifest["topic-1.minor"] = Item("topic-1", "topic-1.minor", cleared=False)
    verdict = case.card(critical={"uncleared-shown": ["outside the lists"]}).rows[0].verdict
    assert verdict.critical == {"uncleared-shown": ("outside the lists", "topic-1 topic-1.minor")}
    assert verdict.failed() == {"uncleared-shown"}
    assert verdict.score == 0


def test_a_sensitive_item_shown_is_unsafe_and_not_critical() -> None:
    case = perfect()
    case.answer("topic-1", "topic-1.best", "common.sensitive")
    assert not case.card().rows[0].verdict.critical


@pytest.mark.parametrize("rule", gates.RULES, ids=lambda rule: rule.name)
def test_a_gate_is_exact_at_its_bound(rule: Rule) -> None:
    bound, little = rule.bound, Fraction(1, 10**30)
    assert rule.holds(bound) is not rule.below
    assert rule.holds(bound - little) is rule.below
    assert rule.holds(bound + little) is not rule.below
    assert rule.holds(float(bound)) is not rule.below
    assert rule.holds(math.nextafter(float(bound), -1)) is rule.below


def test_the_bounds_are_those_of_the_specification() -> None:
    bounds = {rule.name: (float(rule.bound), rule.below) for rule in gates.RULES}
    slices = {f"ndcg-{name}": (0.3, False) for name in ("name", "quote", "topic", "semantic", "visual", "noisy")}
    assert bounds == slices | {
        "exact-mrr": (0.6, False),
        "hit10": (0.7, False),
        "correct-empty": (0.6, False),
        "safety-hit10": (0.7, False),
        "safe-ordinary": (0.98, False),
        "safe-adversarial": (0.98, False),
        "p95-ms": (1000, True),
        "error-rate": (0.01, True),
    }


def test_just_under_a_second_and_just_under_one_percent_pass() -> None:
    case = perfect(repeats=4)  # 112 requests
    case.times.update({query: [999.999] * 4 for query in case.times})
    case.fail("topic-1")
    assert case.card().rows[0].verdict.failed() == frozenset()
    assert replace(case.card().rows[0].verdict, critical={"x": ("y",)}).failed() == {"x"}
