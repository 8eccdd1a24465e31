"""Whether the dense route stays: hybrid search must improve on BM25 by what was claimed in advance, and harm nothing.

Both improvements are reported with their intervals and sign-flip tests; the claimed one alone decides. Whatever is not
proven ends in "ship BM25 alone". Source: evaluation specification, Semantic-search acceptance; decision 6.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Final

import numpy as np

from mambomeme_eval.bootstrap import Floats, Resampled, spread
from mambomeme_eval.gates import Verdict
from mambomeme_eval.metrics import Values, aggregate, macro_ndcg
from mambomeme_eval.truth import ANSWERABLE_SLICES, EXACT_SLICES, Topic, Unscorable

KEEP: Final = "keep dense"
DROP: Final = "ship BM25 alone"
MOST_REGRESSION: Final = 0.02
FLIPS: Final = 10_000
_ALL_FLIPS: Final = 14  # up to so many families every pattern of signs is tried
_ROUNDING: Final = 1e-12  # the observed pattern must count as being as extreme as itself


class Claim(StrEnum):
    """The two improvements, one of which is claimed before anything is measured."""

    OVERALL = "overall"
    SEMANTIC = "semantic"


LEAST_GAIN: Final = {Claim.OVERALL: 0.03, Claim.SEMANTIC: 0.05}


@dataclass(frozen=True, slots=True)
class Contender:
    """One of the two systems: its values by query, its resamples, and what the gates made of it."""

    values: Mapping[str, Values]
    resampled: Resampled
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Improvement:
    """Hybrid less BM25 in nDCG@10: the difference, its paired 95 % interval, and the two-sided p of the sign flips."""

    difference: float
    low: float
    high: float
    p: float


@dataclass(frozen=True, slots=True)
class Acceptance:
    """The decision, with everything that it rests on.

    Attributes:
        claim: the improvement that was named in advance.
        improvements: both of them.
        slices: difference in nDCG@10 of every slice.
        gates_lost: gates that hybrid fails and BM25 passes.
        verdict: `KEEP` or `DROP`.
        reasons: why: every condition that is not met, or for `KEEP` all that are.
    """

    claim: Claim
    improvements: dict[Claim, Improvement]
    slices: dict[str, float]
    gates_lost: tuple[str, ...]
    verdict: str
    reasons: tuple[str, ...]


def accept(topics: Sequence[Topic], bm25: Contender, hybrid: Contender, claim: Claim) -> Acceptance:
    """Decide about the dense route.

    Raises:
        Unscorable: the two were not resampled with the same draws.
    """
    one, other = bm25.resampled.draws, hybrid.resampled.draws
    if one.families != other.families or not np.array_equal(one.counts, other.counts):
        raise Unscorable("The compared systems must share their bootstrap draws.")
    improvements = {each: _improvement(each, topics, bm25, hybrid) for each in Claim}
    before, after = (aggregate((topic, side.values[topic.id]) for topic in topics) for side in (bm25, hybrid))
    slices = {name: float(after[f"ndcg-{name}"]) - float(before[f"ndcg-{name}"]) for name in ANSWERABLE_SLICES}
    lost = tuple(sorted(hybrid.verdict.failed() - bm25.verdict.failed()))
    conditions = _conditions(claim, improvements[claim], slices, lost)
    unmet = tuple(sentence for met, sentence in conditions if not met)
    reasons = unmet or tuple(sentence for _, sentence in conditions)
    return Acceptance(claim, improvements, slices, lost, DROP if unmet else KEEP, reasons)


def _conditions(
    claim: Claim, gained: Improvement, slices: Mapping[str, float], lost: Sequence[str]
) -> list[tuple[bool, str]]:
    least = LEAST_GAIN[claim]
    return [
        (gained.difference >= least, f"{claim} nDCG@10 changes by {gained.difference:+.4f} (needed: {least:+.2f})"),
        (gained.low > 0, f"its paired 95 % interval begins at {gained.low:+.4f} (needed: above 0)"),
        (not lost, f"gates lost against BM25: {', '.join(lost) or 'none'}"),
        *(
            (slices[name] >= -MOST_REGRESSION, f"{name} nDCG@10 changes by {slices[name]:+.4f} (at worst: -0.02)")
            for name in ANSWERABLE_SLICES
            if name in EXACT_SLICES
        ),
    ]


def _improvement(claim: Claim, topics: Sequence[Topic], bm25: Contender, hybrid: Contender) -> Improvement:
    interval = spread(_claimed(claim, hybrid.resampled) - _claimed(claim, bm25.resampled))
    before, after = (aggregate((topic, side.values[topic.id]) for topic in topics) for side in (bm25, hybrid))
    if claim is Claim.OVERALL:
        difference = macro_ndcg(after) - macro_ndcg(before)
    else:
        difference = float(after["ndcg-semantic"]) - float(before["ndcg-semantic"])
    parts = contributions(claim, topics, bm25.values, hybrid.values)
    return Improvement(difference, interval.p2_5, interval.p97_5, sign_flip(parts, bm25.resampled.draws.seed))


def _claimed(claim: Claim, resampled: Resampled) -> Floats:
    return resampled.macro_ndcg() if claim is Claim.OVERALL else resampled.figures["ndcg-semantic"]


def contributions(
    claim: Claim, topics: Sequence[Topic], before: Mapping[str, Values], after: Mapping[str, Values]
) -> Floats:
    """What each family adds to the claimed difference, which is their sum; families in the order of their names."""
    slices = ANSWERABLE_SLICES if claim is Claim.OVERALL else (str(claim),)
    counting = [topic for topic in topics if topic.slice in slices]
    sizes = {name: len(slices) * sum(topic.slice == name for topic in counting) for name in slices}
    parts = dict.fromkeys(sorted({topic.family for topic in counting}), 0.0)
    for topic in counting:
        parts[topic.family] += (after[topic.id].ndcg - before[topic.id].ndcg) / sizes[topic.slice]
    return np.array(list(parts.values()), dtype=np.float64)


def sign_flip(parts: Floats, seed: int, flips: int = FLIPS) -> float:
    """Two-sided p of the sum of `parts` if each sign were a coin's: exact for few parts, else of PCG64 flips.

    Of drawn flips p is `(1 + as extreme) / (1 + flips)`, which is never 0. Source: Fisher's randomization test as in
    Smucker, Allan & Carterette, CIKM 2007; Phipson & Smyth 2010 for the 1.
    """
    count = len(parts)
    exact = count <= _ALL_FLIPS
    if exact:
        bits = (np.arange(2**count)[:, np.newaxis] >> np.arange(count)) & 1
    else:
        bits = (np.random.PCG64(seed).random_raw(flips * count).reshape(flips, count) >> np.uint64(63)).astype(np.int64)
    extreme = int(np.sum(np.abs((2 * bits - 1) @ parts) >= abs(parts.sum()) - _ROUNDING))
    return float(Fraction(extreme, 2**count) if exact else Fraction(1 + extreme, 1 + flips))
