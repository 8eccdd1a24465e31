"""The command `threshold`: asks every query of a partition once of each route, and prints what a threshold would cost.

It changes nothing: a person chooses from the table and writes the numbers into `mambomeme_tui/parameters.py`.
"""

import argparse
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mambomeme_eval.benchmark import LIMIT, Partition, Query
from mambomeme_eval.commands_scoring import DEVELOPMENT
from mambomeme_eval.counting import counted
from mambomeme_eval.engine_run import SYSTEMS
from mambomeme_eval.loading import load, world_of
from mambomeme_eval.loading_structure import World
from mambomeme_eval.pipeline_process import Report
from mambomeme_eval.retrieval.indexes import opened
from mambomeme_eval.retrieval.report_text import NOTHING
from mambomeme_eval.scoring import truth_of
from mambomeme_eval.truth import Unjudged, Unscorable
from mambomeme_eval.writing import check_place, write_whole
from mambomeme_tui import paths
from mambomeme_tui.errors import OutputError, UsageError
from mambomeme_tui.retrieval.engine import Engine
from mambomeme_tui.retrieval.results import State
from mambomeme_tui.text import printable

if TYPE_CHECKING:
    from mambomeme_eval.retrieval.calibration import Answer, Calibration

_FIGURES: Final = {"E": "E", "hit10": "Hit", "correct_empty": "Empty", "C": "C"}
_HEADER: Final = "  ".join(
    ["         least", "Q    ", "lowest slice  ", *map("{:<5}".format, _FIGURES.values()), "points", "failed"]
)


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of `mambomeme-eval threshold`."""
    parser.add_argument("--partition", metavar="P", default=str(DEVELOPMENT), help="the development one, if none")
    parser.add_argument("--data-dir", metavar="DIR", help="a folder with a published index (MAMBOMEME_DATA_DIR)")
    parser.add_argument("--json", metavar="FILE", help="write the figures there, unrounded")


def run(options: argparse.Namespace) -> int:
    """Measure, print, and write where that is asked for."""
    file = paths.expand(options.json) if options.json else None
    if file:
        with _telling(file):
            check_place(file)
    data = paths.expand(options.data_dir) if options.data_dir else paths.data_dir()
    report = measure(data, paths.expand(options.partition))
    print("\n".join(lines(report)))
    if file:
        with _telling(file):
            write_whole(file, json.dumps(report, indent=1, ensure_ascii=False, allow_nan=False) + "\n")
    return 0


@contextmanager
def _telling(path: Path) -> Iterator[None]:
    """What can't be written is a wrong command line."""
    try:
        yield
    except OutputError as error:
        raise UsageError(f"The figures can't be written to {path}: {error.message}") from None


def measure(data: Path, folder: Path) -> Report:
    """Ask, fit and price.

    Args:
        data: a folder with a published index of the bundled corpus.
        folder: the partition.

    Returns:
        What was asked, and `systems`: each its `route` and a `Calibration` as plain values.

    Raises:
        PartitionError: the partition has faults.
        Unscorable: the index is of another corpus, not everything is judged, or there are too few queries of a kind.
        IndexUnavailable: no version can be served.
    """
    from mambomeme_eval.retrieval.calibration import calibrate  # first, so that a missing package is told at once

    world = world_of(paths.bundled("corpus"))
    partition = load(folder, world)
    with opened(data) as engine:
        _check_corpus(engine, world)
        version, thresholds = engine.version.name, engine.version.parameters.thresholds
        answers = {name: _ask_all(engine, partition, route) for name, route in SYSTEMS.items()}
    least = {name: thresholds[route]["least"] for name, route in SYSTEMS.items()}
    try:
        found = calibrate(answers, truth_of(partition, world), least)
    except Unjudged as error:
        results = counted(len(error.missing), "result is", "results are")
        raise Unscorable(f"No threshold can be fitted: {results} not judged.") from None
    return _known(partition, version) | {"systems": {name: _plain(name, one) for name, one in found.items()}}


def _known(partition: Partition, version: str) -> Report:
    return {
        "version": version,
        "labels": "provisional" if partition.provisional else "final",
        "answerable": sum(query.answerable for query in partition.queries),
        "no_match": sum(not query.answerable for query in partition.queries),
    }


def _plain(system: str, found: "Calibration") -> Report:
    return {"route": SYSTEMS[system], **asdict(found)}


def _check_corpus(engine: Engine, world: World) -> None:
    if engine.version.manifest.corpus["digest"] != world.corpus.digest:
        raise Unscorable(f"Version {printable(engine.version.name)} was made of another corpus than the judgements.")


def _ask_all(engine: Engine, partition: Partition, route: str) -> dict[str, "Answer"]:
    return {query.id: ask(engine, query, route) for query in partition.queries}


def ask(engine: Engine, query: Query, route: str) -> "Answer":
    """What a route answers, or would at another threshold.

    Raises:
        Unscorable: it is not a whole answer.
    """
    from mambomeme_eval.retrieval.calibration import Answer

    result = engine.search(query.text, route, LIMIT)
    if result.state is not State.COMPLETE:
        raise Unscorable(f"Query {printable(query.id)} has no whole answer: {result.state}.")
    # what is nearest to a phrase that nothing has is no answer at any threshold, and need not be judged
    hits = result.hits or (result.nearest if result.evidence else ())
    return Answer(tuple(hit.meme.id for hit in hits), result.evidence, bool(result.hits))


def lines(report: Report) -> Iterator[str]:
    """The report for a screen; numbers are rounded here and nowhere else."""
    yield f"Version {printable(report['version'])}"
    asked = counted(report["answerable"] + report["no_match"], "query", "queries")
    yield f"{asked}, {report['no_match']} of them no-match, labels {report['labels']}"
    yield "held out: each query is judged by a model that was fitted without its family"
    yield "points: 100 (0.55 Q + 0.15 E + 0.10 C), what a threshold can change of the score; failed: gates"
    beside = " (provisional)" if report["labels"] == "provisional" else ""
    for name, one in report["systems"].items():
        yield ""
        yield f"{name}{beside}: AUC {one['auc']:.3f} held out"
        yield _HEADER
        yield from (_row("", point) for point in one["points"])
        yield _row("published", one["published"])
        yield f"fitted, with the published least: {_model(one)}"


def _row(title: str, point: Report) -> str:
    first = f"{title} {point['least']:.2f}"
    lowest = f"{point['lowest']:.3f} {point['slice']}"
    figures = [f"{point[name]:.3f}" for name in _FIGURES]
    failed = ", ".join(point["failed"]) or NOTHING
    return "  ".join(
        [f"{first:>14}", f"{point['Q']:.3f}", f"{lowest:<14}", *figures, f"{point['points']:6.2f}", failed]
    )


def _model(one: Report) -> str:
    numbers = {name: round(value, 2) for name, value in one["model"].items()} | {"least": one["published"]["least"]}
    return json.dumps({one["route"]: numbers})[1:-1] + ","
