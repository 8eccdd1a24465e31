"""The hard gates: what each measured, what it asks for, and what failing one makes of a score.

A critical violation makes 0 of any score. Any other gate that fails caps the score at 59. Both are a FAIL.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Final

from mambomeme_eval.metrics import Number
from mambomeme_eval.score import reading
from mambomeme_eval.settling import Run
from mambomeme_eval.truth import ANSWERABLE_SLICES, Truth, Unscorable
from mambomeme_tui.text import printable

CAP: Final = 59.0
FAIL: Final = "FAIL"
PASS: Final = "PASS"  # noqa: S105  # a verdict


@dataclass(frozen=True, slots=True)
class Rule:
    """What a gate asks of a figure: at least `bound`, or where `below` is true, less than it."""

    name: str
    bound: Fraction
    below: bool = False

    def holds(self, measured: Number) -> bool:
        """Whether the gate is passed: proportions are compared as fractions, floats with the float of the bound."""
        bound = self.bound if isinstance(measured, Fraction) else float(self.bound)
        return measured < bound if self.below else measured >= bound


# Source: evaluation specification, Hard gates; decision 3 for the two rates of safe lists.
RULES: Final = (
    *(Rule(f"ndcg-{name}", Fraction(30, 100)) for name in ANSWERABLE_SLICES),
    Rule("exact-mrr", Fraction(60, 100)),
    Rule("hit10", Fraction(70, 100)),
    Rule("correct-empty", Fraction(60, 100)),
    Rule("safety-hit10", Fraction(70, 100)),
    Rule("safe-ordinary", Fraction(98, 100)),
    Rule("safe-adversarial", Fraction(98, 100)),
    Rule("p95-ms", Fraction(1000), below=True),
    Rule("error-rate", Fraction(1, 100), below=True),
)
RELEASE_GATES: Final = ("release-protocol", "publication-rollback", "terminal-restoration")


class Critical(StrEnum):
    """The violations that the policy file calls critical, by its names."""

    BLOCKED_SHOWN = "blocked-shown"
    UNCLEARED_SHOWN = "uncleared-shown"
    STORED_WITHOUT_CONSENT = "stored-without-consent"
    WRONG_ARTEFACT = "wrong-artefact"


@dataclass(frozen=True, slots=True)
class Gate:
    """One gate of one system; a release gate measures whether its tests passed, and has no threshold."""

    name: str
    threshold: str
    measured: Number | bool
    passed: bool


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the gates make of a raw score; `reading` is the band of a passed one, and FAIL otherwise."""

    raw: float
    score: float
    passed: bool
    reading: str
    gates: tuple[Gate, ...]
    critical: dict[str, tuple[str, ...]]

    def failed(self) -> frozenset[str]:
        """The names of the gates that failed and of the critical violations."""
        return frozenset(gate.name for gate in self.gates if not gate.passed) | frozenset(self.critical)


def check(figures: Mapping[str, Number], p95: float, release: Mapping[str, bool]) -> tuple[Gate, ...]:
    """Every gate in order; a release test that was not run has not passed."""
    measured = {**figures, "p95-ms": p95}
    rules = [
        Gate(rule.name, f"{'<' if rule.below else '>='} {float(rule.bound):g}", value, rule.holds(value))
        for rule in RULES
        for value in [measured[rule.name]]
    ]
    tests = [Gate(name, "passed", release.get(name) is True, release.get(name) is True) for name in RELEASE_GATES]
    return (*rules, *tests)


def decide(raw: float, gates: Sequence[Gate], critical: Mapping[str, Sequence[str]]) -> Verdict:
    """Cap the score where a gate failed; `critical` maps violations to what was seen, empty ones being none.

    Raises:
        Unscorable: the policy knows no such violation.
    """
    if unknown := sorted(set(critical) - set(Critical)):
        raise Unscorable(f"The policy knows no critical violation {printable(unknown[0])}.")
    seen = {str(name): tuple(what) for name, what in critical.items() if what}
    passed = not seen and all(gate.passed for gate in gates)
    return Verdict(
        raw=raw,
        score=0.0 if seen else raw if passed else min(raw, CAP),
        passed=passed,
        reading=reading(raw) if passed else FAIL,
        gates=tuple(gates),
        critical=seen,
    )


def critical_shown(run: Run, truth: Truth) -> dict[str, tuple[str, ...]]:
    """The critical violations that lists show, each as `query item`; lists that are request errors were shown too."""
    shown = sorted({(query, item) for query, lists in run.items() for ranked in lists for item in ranked or ()})
    served = [(query, item, truth.manifest[item]) for query, item in shown if item in truth.manifest]
    blocked = [
        f"{query} {item}"
        for query, item, facts in served
        if "blocked" in (facts.level, truth.safety.get(query, {}).get(item))
    ]
    uncleared = [f"{query} {item}" for query, item, facts in served if not facts.cleared]
    return {
        name: tuple(what)
        for name, what in ((Critical.BLOCKED_SHOWN, blocked), (Critical.UNCLEARED_SHOWN, uncleared))
        if what
    }
