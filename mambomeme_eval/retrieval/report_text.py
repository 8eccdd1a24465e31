"""The report of the retrieval benchmark as Markdown tables for a page, and as lines for a screen.

Numbers are rounded here and nowhere else. Where labels are provisional the word stands beside each system's name.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from mambomeme_eval.pipeline_process import Report
from mambomeme_eval.truth import ANSWERABLE_SLICES
from mambomeme_tui.text import printable

_TITLES: Final = {
    "Q": "Q",
    **{name: f"nDCG@10 {name}" for name in ANSWERABLE_SLICES},
    "E": "E",
    "hit10": "Hit@10",
    "correct-empty": "CorrectEmpty",
}
NOTHING: Final = "-"

Cells = Sequence[str]


def tables(report: Report) -> str:
    """The whole report as Markdown."""
    lines = ["# Retrieval, measured", "", *_introduce(report)]
    lines += _development(report["development"])
    if report["memecap"]:
        lines += _memecap(report["memecap"])
    if report["scale"]:
        lines += _scale(report["scale"])
    return "\n".join(lines) + "\n"


def _introduce(report: Report) -> list[str]:
    facts = report["machine"]
    libraries = [f"{name} {version}" for name, version in sorted((facts["libraries"] | facts["compared"]).items())]
    return [
        f"MamboMeme {report['program']}, {report['started']}, seed {report['seed']}.",
        f"{facts['system']}, {facts['cores']} cores, Python {facts['python']}.",
        f"Load {_load(facts['load'])} before, {_load(report['load_after'])} after.",
        ", ".join(libraries) + ".",
    ]


def _load(load: Sequence[float]) -> str:
    return ", ".join(f"{one:.2f}" for one in load)


def _loads(part: Report) -> str:
    return f"Load {_load(part['load'])} before, {_load(part['load_after'])} after."


def _development(part: Report) -> list[str]:
    asked = f"{part['queries']} queries, each asked {part['repeats']} times, labels {part['labels']}."
    lines = ["", "## Judged queries", "", asked, f"Index {printable(part['version'])}. {_loads(part)}", ""]
    if part["systems"] is None:
        return [*lines, _unjudged(part)]
    lines += ["Q is the mean of the slices' nDCG@10, E the exact findability; 95 % intervals of the bootstrap:", ""]
    systems = part["systems"].items()
    beside = _beside(part)
    headers = ["figure", *(name + beside for name in part["systems"])]
    lines += _table(
        headers,
        [[title, *(_interval(one["figures"][name]) for _, one in systems)] for name, title in _TITLES.items()],
    )
    lines += ["", "Milliseconds in the engine:", ""]
    times = [[name, *_times(one), str(sum(one["errors"].values()))] for name, one in systems]
    return [*lines, *_table(["system", "p50", "p95", "errors"], times)]


def _unjudged(part: Report) -> str:
    return f"No score can be made: {part['unjudged']:,} items that were returned or pooled have no final grade."


def _beside(part: Report) -> str:
    return f" ({part['labels']})" if part["labels"] == "provisional" else ""


def _interval(figure: Report) -> str:
    return f"{figure['value']:.3f} ({figure['low']:.3f} to {figure['high']:.3f})"


def _times(one: Report) -> list[str]:
    spread = one["milliseconds"]
    return [f"{spread[name]:.2f}" for name in ("p50", "p95")] if spread else [NOTHING, NOTHING]


def _memecap(part: Report) -> list[str]:
    lines = ["", "## MemeCap, known items", ""]
    lines += [f"{part['memes']:,} memes, {part['queries']:,} queries; nothing is tuned on them. {_loads(part)}", ""]
    rows = [
        [kind, f"{one['queries']:,}", system, f"{one['mrr10']:.3f}", f"{one['hit10']:.3f}"]
        for kind, system, one in _kinds(part)
    ]
    return [*lines, *_table(["kind", "queries", "system", "MRR@10", "Hit@10"], rows)]


def _kinds(part: Report) -> Iterator[tuple[str, str, Report]]:
    """Every kind with every system, so that the systems of a kind stand together."""
    for kind in next(iter(part["systems"].values())):
        for system, kinds in part["systems"].items():
            yield kind, system, kinds[kind]


def _scale(parts: Sequence[Report]) -> list[str]:
    lines = ["", "## At scale, beside other libraries", ""]
    lines += ["Milliseconds. The share of the first ten results that a library has in common with the route above it"]
    lines += ["is no quality: the formulas differ and equal scores are many.", ""]
    headers = ["captions", "searched", "system", "version", "p50", "p95", "build s", "in common"]
    lines += _table(headers, [cells for part in parts for cells in _systems(part)])
    lines += ["", "Annoy beside all vectors, as the version's manifest records it:", ""]
    headers = ["captions", "vectors", "recall at 100", "sample", "route asks it", "load before", "load after"]
    return [*lines, *_table(headers, [_annoy(part) for part in parts])]


def _systems(part: Report) -> Iterator[Cells]:
    items = f"{part['items']:,}"
    for name, searched in (("lexical", items), ("dense", f"{part['dense_items']:,}")):
        for one in part[name]:
            build = NOTHING if one["build_seconds"] is None else f"{one['build_seconds']:.1f}"
            shared = NOTHING if one["overlap"] is None else f"{one['overlap']:.3f}"
            yield items, searched, one["system"], one["version"] or NOTHING, *_times(one), build, shared


def _annoy(part: Report) -> Cells:
    annoy = part["annoy"]
    asked = "yes" if annoy["asked"] else "no, all are compared"
    figures = [f"{annoy['rows']:,}", f"{annoy['recall_at_100']:.4f}", str(annoy["sample"]), asked]
    return [f"{part['items']:,}", *figures, _load(part["load"]), _load(part["load_after"])]


def _table(headers: Cells, rows: Sequence[Cells]) -> list[str]:
    return [_line(headers), "|" + "---|" * len(headers), *map(_line, rows)]


def _line(cells: Cells) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def summary(report: Report) -> list[str]:
    """The most important figure of each part, a line a system."""
    part = report["development"]
    lines = [f"Judged queries, labels {part['labels']}"]
    if part["systems"] is None:
        lines.append(f"  {_unjudged(part)}")
    for name, one in (part["systems"] or {}).items():
        p50, p95 = _times(one)
        lines.append(f"  {name:<7} Q {_interval(one['figures']['Q'])}{_beside(part)}, p50 {p50} ms, p95 {p95} ms")
    if report["memecap"]:
        lines.append("MemeCap")
        for kind, system, one in _kinds(report["memecap"]):
            lines.append(f"  {system:<7} {kind}: MRR@10 {one['mrr10']:.3f}, Hit@10 {one['hit10']:.3f}")
    for sized in report["scale"] or ():
        lines.append(f"{sized['items']:,} captions, {sized['dense_items']:,} of them with vectors")
        lines += [_short(one) for name in ("lexical", "dense") for one in sized[name]]
    return lines


def _short(one: Report) -> str:
    if one["milliseconds"] is None:
        return f"  {one['system']}: {one['version']}"
    p50, p95 = _times(one)
    shared = "" if one["overlap"] is None else f", {one['overlap']:.3f} of the first ten in common"
    return f"  {one['system']}: p50 {p50} ms, p95 {p95} ms{shared}"
