"""The prompt-family bootstrap: how far a score could have been another one with other queries of the same kinds.

Families are drawn with replacement inside strata, the same draws for every compared system. A drawn family brings all
its requests, so that every figure, p95 and errors included, is computed anew in each resample. Source: decision 6.
"""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

import numpy as np
from numpy.typing import NDArray

from mambomeme_eval.gates import CAP, RULES
from mambomeme_eval.metrics import RATIOS, Ratio, Values
from mambomeme_eval.score import FASTEST_MS, MOST_ERRORS, SLOWEST_MS, WEIGHTS
from mambomeme_eval.truth import ANSWERABLE_SLICES, Topic, Unscorable
from mambomeme_tui.text import printable

RESAMPLES: Final = 10_000
_CHUNK: Final = 500  # resamples whose weights of all requests are in memory at once

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Draws:
    """How often each family was drawn: `counts` has the shape (resamples, families)."""

    seed: int
    families: tuple[str, ...]
    counts: Counts


@dataclass(frozen=True, slots=True)
class Resampled:
    """Figures of one system in every resample, each of the shape (resamples,); `raw` is the score without a cap."""

    draws: Draws
    figures: dict[str, Floats]
    raw: Floats

    def macro_ndcg(self) -> Floats:
        """`Q` in every resample."""
        return _macro(self.figures)


@dataclass(frozen=True, slots=True)
class Spread:
    """Nearest-rank percentiles over the resamples."""

    p2_5: float
    p25: float
    p50: float
    p75: float
    p97_5: float


@dataclass(frozen=True, slots=True)
class Summary:
    """What is published of a bootstrap.

    Attributes:
        raw: the raw score; its p2_5 and p97_5 are the 95 % interval.
        capped: the score after the gates.
        passing: the fraction of resamples that pass every gate; a diagnostic.
    """

    raw: Spread
    capped: Spread
    passing: Fraction


def strata(topics: Sequence[Topic]) -> dict[tuple[str, bool], list[str]]:
    """Families by slice and safety mark, no-match ones by mark alone; a family has the mark if a query of it has.

    Strata are in the order of the slices, no-match last and unmarked first, families in the order of their names: the
    draws depend on it.

    Raises:
        Unscorable: a family lies in two slices.
    """
    slices: dict[str, str] = {}
    marks: dict[str, bool] = defaultdict(bool)
    for topic in topics:
        if slices.setdefault(topic.family, topic.slice) != topic.slice:
            raise Unscorable(f"Query family {printable(topic.family)} lies in two slices.")
        marks[topic.family] |= topic.safety
    keys = [(name, mark) for name in (*ANSWERABLE_SLICES, "") for mark in (False, True)]
    found = {key: sorted(one for one in slices if (slices[one], marks[one]) == key) for key in keys}
    return {key: families for key, families in found.items() if families}


def draw(topics: Sequence[Topic], seed: int, resamples: int = RESAMPLES) -> Draws:
    """As many families as a stratum has, out of it, in every resample.

    Raw integers of PCG64, whose stream numpy promises to keep, are reduced modulo the number of families: other
    methods of numpy may change with its version. The bias is below 2^-50.
    """
    generator = np.random.PCG64(seed)
    groups = strata(topics)
    counts = [_draw_stratum(generator, resamples, len(families)) for families in groups.values()]
    return Draws(seed, tuple(one for families in groups.values() for one in families), np.concatenate(counts, axis=1))


def _draw_stratum(generator: np.random.PCG64, resamples: int, size: int) -> Counts:
    drawn = (generator.random_raw(resamples * size).reshape(resamples, size) % np.uint64(size)).astype(np.int64)
    places = drawn + size * np.arange(resamples)[:, np.newaxis]
    return np.bincount(places.ravel(), minlength=resamples * size).reshape(resamples, size).astype(np.int64)


def resample(
    draws: Draws, topics: Sequence[Topic], values: Mapping[str, Values], milliseconds: Mapping[str, Sequence[float]]
) -> Resampled:
    """Every figure and the raw score in every resample.

    Args:
        draws: made from the same topics.
        values: those of `metrics.measure`.
        milliseconds: the charged latencies of every query.
    """
    figures = {name: _resample_ratio(draws, ratio, topics, values) for name, ratio in RATIOS.items()}
    figures["p95-ms"] = _resample_p95(draws, topics, milliseconds)
    return Resampled(draws, figures, _raw_scores(figures))


def _resample_ratio(draws: Draws, ratio: Ratio, topics: Sequence[Topic], values: Mapping[str, Values]) -> Floats:
    """Weighted sum over weighted number; fractions are scaled to whole numbers first, so that their sums are exact."""
    counting = [(topic.family, ratio.value(values[topic.id])) for topic in topics if ratio.counts(topic)]
    scale = math.lcm(*(value.denominator for _, value in counting if isinstance(value, Fraction)))
    place = {family: at for at, family in enumerate(draws.families)}
    sums = np.zeros((len(place), 2))
    for family, value in counting:
        sums[place[family]] += float(value * scale), scale
    totals = draws.counts.astype(np.float64) @ sums
    if not totals[:, 1].all():
        raise Unscorable("A resample has no query for one of the figures: a stratum is missing.")
    return np.asarray(totals[:, 0] / totals[:, 1], dtype=np.float64)


def _resample_p95(draws: Draws, topics: Sequence[Topic], milliseconds: Mapping[str, Sequence[float]]) -> Floats:
    """Nearest-rank, each request weighing as often as its family was drawn."""
    place = {family: at for at, family in enumerate(draws.families)}
    requests = sorted((one, place[topic.family]) for topic in topics for one in milliseconds[topic.id])
    times, owners = np.array([one for one, _ in requests]), np.array([owner for _, owner in requests])
    found = []
    for start in range(0, len(draws.counts), _CHUNK):
        reached = np.cumsum(draws.counts[start : start + _CHUNK, owners], axis=1)
        ranks = -(-95 * reached[:, -1:] // 100)
        found.append(times[np.argmax(reached >= ranks, axis=1)])
    return np.concatenate(found)


def _macro(figures: Mapping[str, Floats]) -> Floats:
    return np.asarray(np.mean([figures[f"ndcg-{name}"] for name in ANSWERABLE_SLICES], axis=0), dtype=np.float64)


def _raw_scores(figures: Mapping[str, Floats]) -> Floats:
    """The formula of `score.mmts`, for every resample at once."""
    hits, empties = figures["hit10"], figures["correct-empty"]
    both = hits + empties
    inputs = {
        "Q": _macro(figures),
        "E": figures["exact-mrr"],
        "C": np.divide(2 * hits * empties, both, out=np.zeros_like(both), where=both > 0),
        "S": (figures["safe-ordinary"] + figures["safe-adversarial"]) / 2,
        "L": np.clip((SLOWEST_MS - figures["p95-ms"]) / (SLOWEST_MS - FASTEST_MS), 0, 1),
        "R": np.clip(1 - figures["error-rate"] / float(MOST_ERRORS), 0, 1),
    }
    return np.asarray(100 * sum(float(weight) * inputs[name] for name, weight in WEIGHTS.items()), dtype=np.float64)


def passing(resampled: Resampled) -> NDArray[np.bool_]:
    """Which resamples pass every gate that is measured; release gates are not among them."""
    kept = np.ones(len(resampled.raw), dtype=np.bool_)
    for rule in RULES:
        figure, bound = resampled.figures[rule.name], float(rule.bound)
        kept &= figure < bound if rule.below else figure >= bound
    return kept


def summarise(resampled: Resampled, *, released: bool, critical: bool) -> Summary:
    """The interval, the distribution of the capped score, and the share that passes.

    Args:
        released: whether the release gates were passed; the same in every resample.
        critical: whether there is a critical violation; the same in every resample.
    """
    kept = passing(resampled) & released & (not critical)
    capped = np.where(kept, resampled.raw, np.minimum(resampled.raw, CAP)) * (not critical)
    return Summary(spread(resampled.raw), spread(capped), Fraction(int(kept.sum()), len(kept)))


def spread(values: Floats) -> Spread:
    """Nearest-rank percentiles: the smallest value that enough of the others do not exceed."""
    ordered, count = np.sort(values), len(values)
    ranks = [max(1, -(-per_mille * count // 1000)) for per_mille in (25, 250, 500, 750, 975)]
    return Spread(*(float(ordered[rank - 1]) for rank in ranks))
