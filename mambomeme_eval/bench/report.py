"""The figures of a measurement, from its raw samples: everything unrounded, as plain JSON values.

An error is charged the full timeout in every latency figure, so that a quick crash can't improve a percentile.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from mambomeme_eval.bench.config import Gates
from mambomeme_eval.bench.runner import FLOOR
from mambomeme_eval.bench.samples import Process, Sample, values
from mambomeme_eval.figures import Spread, quantile
from mambomeme_eval.runs import Request
from mambomeme_eval.score import p95_interval
from mambomeme_eval.scorecard import HYBRID
from mambomeme_eval.settling import TIMEOUT_MS
from mambomeme_tui.retrieval.results import Timing

Figures = dict[str, Any]
SPLIT: Final = tuple(Timing.__dataclass_fields__)


@dataclass(frozen=True, slots=True)
class Gate:
    """One bound of `bench.toml`, and what was measured; None where it could not be."""

    name: str
    bound: float
    measured: float | None

    @property
    def passed(self) -> bool:
        """Whether the bound holds."""
        return self.measured is not None and self.measured <= self.bound


def of_system(requests: Sequence[Request], samples: Sequence[Sample], processes: Sequence[Process]) -> Figures:
    """Everything about one system in the terminal; there is at least one request."""
    charged = [TIMEOUT_MS if one.items is None else float(one.milliseconds or 0) for one in requests]
    errors = Counter(one.error for one in requests if one.error)
    both = [(one.outside_ms, one.inside_ms) for one in samples]
    apart = [outside - inside for outside, inside in both if outside is not None and inside is not None]
    warm_up_errors = Counter[str]()
    for process in processes:
        warm_up_errors.update(process.warm_up_errors)
    return {
        "searches": len(requests),
        "submit_to_render_ms": asdict(Spread.of(charged)) | {"p95_interval": p95_interval(charged)},
        "outside_ms": spread(values(samples, "outside_ms")),
        "outside_less_inside_ms": spread(apart),
        "bytes": spread(values(samples, "bytes")),
        "errors": dict(sorted(errors.items())),
        "error_rate": errors.total() / len(requests),
        "warm_up_errors": dict(sorted(warm_up_errors.items())),
        "start_to_ready_ms": [one.start_ms for one in processes],
        "restarts": sum(bool(one.replaces) for one in processes),
        "peak_bytes": max((one.peak_bytes for one in processes if one.peak_bytes), default=None),
    }


def spread(measured: Sequence[float]) -> Figures | None:
    """How values are spread, where there are any."""
    return asdict(Spread.of(measured)) if measured else None


def of_engine(answer: Mapping[str, Any], systems: Mapping[str, str]) -> Figures:
    """The engine path: each system's total and its split, the cold start, memory and size."""
    found: Figures = {name: answer[name] for name in ("cold_start", "peak_bytes", "index_bytes")}
    for system, route in systems.items():
        times = [row["ms"] for row in answer["times"] if row["route"] == route]
        if times:
            found[system] = {name: spread([one[name] for one in times]) for name in SPLIT}
    return found


def gates(bounds: Gates, systems: Mapping[str, Figures]) -> list[Gate]:
    """The gates of `bench.toml`; hybrid's are left out where it was not asked for."""
    found = []
    medians = [
        one["outside_less_inside_ms"]["p50"]
        for name, one in systems.items()
        if name != FLOOR and one["outside_less_inside_ms"]
    ]
    if HYBRID in systems:
        hybrid, floor = (systems[name]["submit_to_render_ms"]["p95"] for name in (HYBRID, FLOOR))
        found.append(Gate("hybrid-p95-ms", bounds.hybrid_p95_ms, hybrid))
        found.append(Gate("floor-ratio", bounds.floor_ratio, hybrid / floor))
    found.append(Gate("outside-inside-median-ms", bounds.outside_inside_median_ms, max(medians, default=None)))
    return found


def echo_figures(echoes: Sequence[float | None]) -> Figures:
    """Key to echo; a key that was never seen is counted apart."""
    seen = [one for one in echoes if one is not None]
    return {"ms": spread(seen), "never_seen": len(echoes) - len(seen)}


def start_figures(starts: Sequence[float]) -> Figures:
    """Start to ready, with the samples, which are few."""
    return {"p50": quantile(starts, 50), "max": max(starts), "samples": list(starts)}
