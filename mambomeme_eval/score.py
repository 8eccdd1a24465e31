"""MMTS-Search-v1: its six components, their sum from 0 to 100, and how a valid score reads.

Components are computed from unrounded figures; the sum is made of exact fractions and rounded once, to a float.
Another weight, target or quantile makes another score version.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from math import comb, isfinite
from statistics import mean
from typing import Final

from mambomeme_eval.figures import quantile
from mambomeme_eval.metrics import Number, harmonic_mean, macro_ndcg
from mambomeme_eval.truth import Unscorable

SCORE_VERSION: Final = "MMTS-Search-v1"
WEIGHTS: Final = {name: Fraction(percent, 100) for name, percent in zip("QECSLR", (55, 15, 10, 10, 5, 5), strict=True)}
SLOWEST_MS, FASTEST_MS = 1000, 200
MOST_ERRORS: Final = Fraction(1, 100)
BANDS: Final = ((90, "excellent"), (80, "strong"), (70, "good"), (60, "usable"))
LOWEST_BAND: Final = "valid, but not of release quality"
_TAIL: Final = Fraction(25, 1000)


@dataclass(frozen=True, slots=True)
class Components:
    """The score's inputs, each from 0 to 1. Source: decision 4."""

    Q: Number
    E: Number
    C: Number
    S: Number
    L: Number
    R: Number


def clip(value: Fraction) -> Fraction:
    """`min(1, max(0, x))`. Source: evaluation specification, MMTS-Search-v1."""
    return min(Fraction(1), max(Fraction(0), value))


def latency_credit(p95: float) -> Fraction:
    """`L = clip((1000 - p95) / 800)`, of the submit-to-render p95 in milliseconds. Source: decision 4."""
    return clip((SLOWEST_MS - Fraction(p95)) / (SLOWEST_MS - FASTEST_MS))


def reliability_credit(error_rate: Number) -> Fraction:
    """`R = clip(1 - error_rate / 0.01)`, of the rate over all measured requests. Source: decision 4."""
    return clip(1 - Fraction(error_rate) / MOST_ERRORS)


def safe_list_rate(ordinary: Number, adversarial: Number) -> Fraction:
    """`S`: the mean of the two rates of safe lists. Source: decision 3."""
    return mean([Fraction(ordinary), Fraction(adversarial)])


def components(figures: Mapping[str, Number], p95: float) -> Components:
    """The six inputs from the figures of `metrics.aggregate` and the p95 in milliseconds.

    Raises:
        Unscorable: the p95 is not finite.
    """
    if not isfinite(p95):
        raise Unscorable("The p95 is no number of milliseconds.")
    return Components(
        Q=macro_ndcg(figures),
        E=figures["exact-mrr"],
        C=harmonic_mean(Fraction(figures["hit10"]), Fraction(figures["correct-empty"])),
        S=safe_list_rate(figures["safe-ordinary"], figures["safe-adversarial"]),
        L=latency_credit(p95),
        R=reliability_credit(figures["error-rate"]),
    )


def mmts(inputs: Components) -> float:
    """`100 (0.55 Q + 0.15 E + 0.10 C + 0.10 S + 0.05 L + 0.05 R)`. Source: specification, MMTS-Search-v1.

    Raises:
        Unscorable: a component is no number from 0 to 1.
    """
    for name, value in asdict(inputs).items():
        if not 0 <= value <= 1:  # a NaN is neither
            raise Unscorable(f"Component {name} is no number from 0 to 1.")
    return float(100 * sum(weight * Fraction(getattr(inputs, name)) for name, weight in WEIGHTS.items()))


def reading(score: float) -> str:
    """How a score with every gate passed reads. Source: decision 4; a band begins at its lower bound."""
    return next((name for bound, name in BANDS if score >= bound), LOWEST_BAND)


def p95(milliseconds: Sequence[float]) -> float:
    """The nearest-rank 95th percentile of what all requests were charged. Source: decisions 3 and 5.

    Raises:
        Unscorable: there is none, or one is no finite number.
    """
    if not milliseconds or not all(map(isfinite, milliseconds)):
        raise Unscorable("A p95 needs latencies that are all finite numbers.")
    return quantile(milliseconds, 95)


def p95_interval(milliseconds: Sequence[float]) -> tuple[float | None, float | None]:
    """The two measured values that hold the true p95 between them with at least 95 %, whatever the distribution.

    With `B ~ Binomial(n, 0.95)` they are the order statistics `l`, the highest with `P(B < l) <= 0.025`, and `u`, the
    lowest with `P(B >= u) <= 0.025`; `None` where so few values bound it on one side only.
    Source: decision 3; Conover, Practical Nonparametric Statistics, 3rd edition, 3.2.
    """
    ordered, count = sorted(milliseconds), len(milliseconds)
    weights = [comb(count, below) * 19**below for below in range(count + 1)]  # of P(B = below), times 20^n
    tail = _TAIL * 20**count
    low = high = 0
    under = 0
    while under + weights[low] <= tail:
        under += weights[low]
        low += 1
    over = 0
    while over + weights[count - high] <= tail:
        over += weights[count - high]
        high += 1
    upper = count - high + 1  # P(B >= upper) is within the tail
    return (ordered[low - 1] if low else None, ordered[upper - 1] if upper <= count else None)
