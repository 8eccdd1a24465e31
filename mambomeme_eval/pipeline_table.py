"""The pipeline benchmark's report as lines for a screen: what was measured, the figure, and its target.

Of several runs the middle one stands there, with the least and the most behind it. Nothing is left out for missing
its target.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from mambomeme_eval.figures import Spread, quantile
from mambomeme_eval.pipeline_process import Report

CHANGED_PERCENT: Final = 10.0
ROLLBACK_MS: Final = 100.0

Row = tuple[str, str, str]
"""What was measured, the figure with its unit, and the target or nothing."""


def lines(report: Report) -> list[str]:
    """The whole report, a table each for the bundled corpus and the captions."""
    told = _introduce(report)
    told += ["", "Bundled corpus", *_table(list(_bundled(report["bundled"])))]
    if report["captions"]:
        told += ["", "Captions", *_table(list(_captions(report["captions"])))]
    return told


def _introduce(report: Report) -> list[str]:
    facts = report["machine"]
    libraries = ", ".join(f"{name} {number}" for name, number in facts["libraries"].items())
    return [
        f"MamboMeme {report['program']}, {report['started']}, seed {report['seed']}, {report['repeats']} runs",
        f"{facts['system']}, {facts['cores']} cores, Python {facts['python']}",
        f"load before {facts['load']}, after {report['load_after']}",
        libraries,
    ]


def _bundled(runs: Sequence[Report]) -> Iterator[Row]:
    first = [run["first"] for run in runs]
    yield "load before each run", ", ".join(str(run["load"][0]) for run in runs), ""
    yield "first publish", middle([one["seconds"] for one in first], "s"), ""
    yield "  peak memory", _most(first), ""
    yield from _stages(first)
    yield from _sizes(runs[0]["sizes"])
    yield "publish, nothing changed", middle([run["unchanged"]["seconds"] for run in runs], "s"), ""
    yield "  peak memory", _most([run["unchanged"] for run in runs]), ""
    changed = [run["changed"] for run in runs]
    yield f"publish, {runs[0]['changed_items']} items changed", middle([one["seconds"] for one in changed], "s"), ""
    yield "  peak memory", _most(changed), ""
    shares = [one["percent_of_first"] for one in changed]
    yield "  of the first publish", middle(shares, "%"), _target(quantile(shares, 50), CHANGED_PERCENT, "%")
    yield from _stages(changed)
    yield from _verifying([run["verify"] for run in runs])
    yield from _opening([one for run in runs for one in run["open"]], "hybrid")
    times = [one for run in runs for one in run["rollback"]["in_process"]]
    yield "rollback, in process", middle(times, "ms"), _target(max(times), ROLLBACK_MS, "ms")
    yield "rollback, as a command", middle([one for run in runs for one in run["rollback"]["command"]], "ms"), ""


def _captions(run: Report) -> Iterator[Row]:
    yield "load before", str(run["load"][0]), ""
    yield "captions in the file", f"{run['rows']:,}", ""
    yield "  left out as empty", f"{run['left_out']:,}", ""
    yield "  cut at the corpus's longest text", f"{run['shortened']:,}", ""
    yield "items, families", f"{run['items']:,}, {run['families']:,}", ""
    yield "items with vectors", f"{run['dense_items']:,}", ""
    yield "publish", middle([run["publish"]["seconds"]], "s"), ""
    yield "  peak memory", _most([run["publish"]]), ""
    yield "  reading the file into records", middle([run["read_seconds"]], "s"), ""
    yield from _stages([run])
    yield from _sizes(run["sizes"])
    yield from _verifying([run["verify"]])
    yield from _opening(run["open"], "dense")
    for route, found in run["search"].items():
        count = len(found["milliseconds"])
        yield f"{count} {route} queries", str(Spread.of(found["milliseconds"])).replace("  ", " "), ""
        yield "  with an answer", f"{found['found']:,}", ""
        yield "  peak memory", _most([found]), ""


def _stages(runs: Sequence[Report]) -> Iterator[Row]:
    for place, stage in enumerate(runs[0]["stages"]):
        seconds = [run["stages"][place]["seconds"] for run in runs]
        rate = quantile([run["stages"][place]["items_per_second"] for run in runs], 50)
        note = f"  {stage['items']:,} items, {rate:,.0f} items/s" + (f", {stage['note']}" if stage["note"] else "")
        yield f"  {stage['stage']}", middle(seconds, "s") + note, ""
    yield "  start, and what is in no stage", middle([run["outside_stages"] for run in runs], "s"), ""


def _verifying(runs: Sequence[Report]) -> Iterator[Row]:
    yield "verify, as a command", middle([run["seconds"] for run in runs], "s"), ""
    yield "  peak memory", _most(runs), ""


def _sizes(found: Report) -> Iterator[Row]:
    yield "size of the version", _bytes(found["version"]), ""
    for path, size in found["files"].items():
        yield f"  {path}", _bytes(size), ""
    yield "size of the encoder", _bytes(found["encoder"]), ""
    yield "size of the cache of vectors", _bytes(found["cache"]), ""


def _opening(runs: Sequence[Report], route: str) -> Iterator[Row]:
    """Times from the start of the process, then those of the two steps that open something."""
    for name, told in (("lexical", "first answer by words"), (route, f"first {route} answer")):
        yield f"process start to {told}", middle([run[name] for run in runs], "ms"), ""
    yield "  Engine()", middle([run["engine"] for run in runs], "ms"), ""
    yield "  load_dense()", middle([run["load_dense"] for run in runs], "ms"), ""
    yield "  peak memory", _most(runs), ""


def middle(values: Sequence[float], unit: str) -> str:
    """The median of some values in a unit, and the least and the most of them where there are several."""
    told = f"{_figure(quantile(values, 50))} {unit}"
    if len(values) > 1:
        told += f" ({_figure(min(values))} to {_figure(max(values))} of {len(values)})"
    return told


def _figure(value: float) -> str:
    return f"{value:,.2f}" if value < 10 else f"{value:,.1f}"


def _most(runs: Sequence[Report]) -> str:
    return _bytes(max(run["peak_bytes"] for run in runs))


def _bytes(count: int) -> str:
    return f"{count / 1e6:,.1f} MB" if count >= 100_000 else f"{count / 1e3:,.1f} kB"


def _target(value: float, most: float, unit: str) -> str:
    return f"at most {most:.0f} {unit}: {'met' if value <= most else 'missed'}"


def _table(rows: Sequence[Row]) -> list[str]:
    width = max(len(row[0]) for row in rows)
    return [f"{what:<{width}}  {figure}" + (f"  ({target})" if target else "") for what, figure, target in rows]
