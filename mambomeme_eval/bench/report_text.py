"""The figures of a measurement for a person: rounded here and nowhere else, at most 80 columns, plain text.

A `!` marks what misses its bound. Where labels are provisional the word stands on every line with a figure.
"""

from collections.abc import Iterator, Mapping
from textwrap import wrap
from typing import Any, Final

from mambomeme_eval.bench.report import SPLIT, Figures, Gate
from mambomeme_tui.text import printable

WIDTH: Final = 80
_MEGA: Final = 1_000_000
_GATES: Final = {
    "hybrid-p95-ms": "hybrid, p95 in ms",
    "floor-ratio": "hybrid's p95 by the floor's",
    "outside-inside-median-ms": "outside less inside, median in ms",
}
_ROW: Final = "{:<9}{:>7}{:>8}{:>8}{:>8}{:>8}{:>8}{:>8}"


def render(report: Mapping[str, Any], gates: list[Gate]) -> str:
    """The whole summary."""
    beside = " provisional" if report["labels"] == "provisional" else ""
    parts = (_head(report), _systems(report, beside), _others(report, beside), _engine(report, beside))
    lines = [line for part in parts for line in part]
    return "\n".join([*lines, *_verdicts(report, gates, beside)]) + "\n"


def _head(report: Mapping[str, Any]) -> Iterator[str]:
    known = {
        "protocol": report["protocol"],
        "partition": f"{report['partition']}, labels {report['labels']}",
        "version": report["version"],
        "seed": report["seed"],
        **report["identity"],
        "load": " ".join(map(str, report["load_before"])) + ", after " + " ".join(map(str, report["load_after"])),
    }
    for name, value in known.items():
        yield from wrap(printable(f"{name}: {value}"), WIDTH, subsequent_indent="  ")


def _systems(report: Mapping[str, Any], beside: str) -> Iterator[str]:
    yield from ("", f"1. Enter to the complete list, in ms; an error is charged {report['timeout_ms']:.0f}")
    yield _ROW.format("", "count", "p50", "p95", "from", "to", "p99", "max") + "   errors"
    for name, one in report["systems"].items():
        times = one["submit_to_render_ms"]
        low, high = ("-" if bound is None else f"{bound:.1f}" for bound in times["p95_interval"])
        cells = [f"{times[key]:.1f}" for key in ("p50", "p95", "p99", "max")]
        row = _ROW.format(name, one["searches"], cells[0], cells[1], low, high, cells[2], cells[3])
        yield f"{row} {sum(one['errors'].values()):>8}"
    yield f"{'':<9}{beside.strip()}" if beside else ""
    for name, one in report["systems"].items():
        for title in ("errors", "warm_up_errors"):
            if one[title]:
                told = ", ".join(f"{error} {count}" for error, count in one[title].items())
                yield f"   {name}, {title.replace('_', ' ')}: {told}"


def _others(report: Mapping[str, Any], beside: str) -> Iterator[str]:
    yield from ("", "2. As seen from outside")
    for name, one in report["systems"].items():
        yield f"   {name:<9}outside less inside, ms  {_spread(one['outside_less_inside_ms'], 2)}{beside}"
    for name, one in report["systems"].items():
        yield f"   {name:<9}bytes a search           {_spread(one['bytes'], 0)}{beside}"
    echo, start = report["key_to_echo"], report["start_to_ready_ms"]
    yield f"   key to echo, ms                   {_spread(echo['ms'], 1)}{beside}"
    if echo["never_seen"]:
        yield f"   {echo['never_seen']} keys were never seen!"
    yield f"   start to ready, ms                p50 {start['p50']:.0f}  max {start['max']:.0f}{beside}"
    peaks = {name: one["peak_bytes"] for name, one in report["systems"].items() if one["peak_bytes"]}
    if peaks:
        yield "   peak memory, MB                   " + ", ".join(
            f"{name} {peak / _MEGA:.0f}" for name, peak in peaks.items()
        )


def _spread(one: Figures | None, digits: int) -> str:
    if one is None:
        return "none"
    return "  ".join(f"{name} {one[name]:.{digits}f}" for name in ("p50", "p95", "p99", "max"))


def _engine(report: Mapping[str, Any], beside: str) -> Iterator[str]:
    engine = report["engine"]
    yield from ("", "3. The engine in process, in ms")
    for system in (name for name in report["systems"] if name in engine):
        yield f"   {system:<9}{'total':<9}{_spread(engine[system]['total'], 1)}{beside}"
        for part in (name for name in SPLIT if name != "total"):
            if engine[system][part]["max"] > 0:
                yield f"   {'':<9}{part:<9}{_spread(engine[system][part], 2)}{beside}"
    cold = ", ".join(f"{name.replace('_', ' ')} {value:.0f}" for name, value in engine["cold_start"].items())
    yield f"   cold start, ms: {cold}"
    size, peak = engine["index_bytes"] / _MEGA, engine["peak_bytes"] / _MEGA
    yield f"   peak memory {peak:.0f} MB, index {size:.1f} MB"


def _verdicts(report: Mapping[str, Any], gates: list[Gate], beside: str) -> Iterator[str]:
    yield from ("", "4. Bounds of bench.toml, and the protocol")
    for gate in gates:
        measured = "not measured" if gate.measured is None else f"{gate.measured:.2f}"
        mark = "" if gate.passed else "!"
        yield f"   {_GATES[gate.name]:<36}{measured}{mark}  (at most {gate.bound:g}){beside}"
    for fault in report["protocol_faults"]:
        yield from wrap(f"! {fault}", WIDTH, initial_indent="   ", subsequent_indent="     ")
    if not report["protocol_faults"]:
        yield "   the protocol was kept"
