"""The command `retrieval`: whatever was asked for, measured one part after the other, into one report.

Everything that can be wrong with the command line or with a file is told before anything is measured. A figure decides
nothing: the exit code is 0 whenever the measuring came to its end.
"""

import argparse
import json
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Final

from mambomeme_eval import machine
from mambomeme_eval.commands_scoring import DEVELOPMENT, SEED
from mambomeme_eval.pipeline_captions import Captions, load
from mambomeme_eval.pipeline_measures import tell
from mambomeme_eval.pipeline_process import Report
from mambomeme_eval.retrieval import memecap, report_text
from mambomeme_eval.retrieval.memecap import MemeCap
from mambomeme_eval.writing import write_whole
from mambomeme_tui import __version__, paths
from mambomeme_tui.corpus import Corpus
from mambomeme_tui.errors import OutputError, UsageError

REPORT_FILE: Final = "retrieval.json"
TABLES_FILE: Final = "retrieval.md"
CAPTIONS_FILE: Final = "captions.jsonl.gz"
SIZES: Final = "2000,20000,100000,376694"


@dataclass(frozen=True, slots=True)
class Plan:
    """What is measured, read and checked already.

    Attributes:
        data: a data folder with a published index.
        partition: the folder whose queries are asked of it.
        known: other people's memes and queries, or None.
        captions: for measuring at scale, or None.
        sizes: how many captions, ascending, each at most as many as there are.
        dense_items: so many of them get vectors, at most.
        seed: of every order and choice.
    """

    data: Path
    partition: Path
    known: MemeCap | None
    captions: Captions | None
    sizes: tuple[int, ...]
    dense_items: int
    seed: int


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the retrieval benchmark."""
    parser.add_argument(
        "--out", metavar="DIR", required=True, help=f"where {REPORT_FILE} and {TABLES_FILE} are written"
    )
    parser.add_argument("--partition", metavar="P", default=str(DEVELOPMENT), help="the development one, if none")
    parser.add_argument("--memecap", metavar="FOLDER", help="measure on these known-item queries too")
    parser.add_argument("--captions", metavar="FOLDER", help=f"measure at scale too; holds {CAPTIONS_FILE}")
    parser.add_argument("--sizes", type=_sizes, default=_sizes(SIZES), metavar="N,N", help=f"captions ({SIZES})")
    parser.add_argument("--dense", type=_count, default=20_000, metavar="N", help="captions with vectors (20000)")
    parser.add_argument("--data-dir", metavar="DIR", help="a folder with a published index (MAMBOMEME_DATA_DIR)")
    parser.add_argument("--seed", type=_whole, default=SEED, metavar="N", help="of orders, choices and the bootstrap")


def _whole(text: str) -> int:
    if text.isascii() and text.isdecimal() and len(text) < 10:
        return int(text)
    raise argparse.ArgumentTypeError(f"a whole number from 0, not {text[:20]!r}")


def _count(text: str) -> int:
    if text.isascii() and text.isdecimal() and len(text) < 10 and int(text):
        return int(text)
    raise argparse.ArgumentTypeError(f"a number from 1, not {text[:20]!r}")


def _sizes(text: str) -> tuple[int, ...]:
    return tuple(sorted({_count(part.strip()) for part in text.split(",")}))


def run(options: argparse.Namespace) -> int:
    """Measure, write and print."""
    out = paths.expand(options.out)
    _prepare(out)
    report = measure(_plan(options))
    tables = report_text.tables(report)
    _write(out / REPORT_FILE, json.dumps(report, indent=1, sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n")
    _write(out / TABLES_FILE, tables)
    print("\n".join(report_text.summary(report)))
    return 0


def _prepare(out: Path) -> None:
    """A folder that can't be written to is told before minutes of measuring."""
    try:
        out.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=out):
            pass
    except OSError as error:
        raise UsageError(f"{out} can't be written to: {error.strerror}.") from None


def _write(path: Path, text: str) -> None:
    try:
        write_whole(path, text)
    except OutputError as error:
        raise UsageError(f"The report can't be written to {path}: {error.message}") from None


def _plan(options: argparse.Namespace) -> Plan:
    captions = _captions(paths.expand(options.captions), options.sizes) if options.captions else None
    return Plan(
        data=paths.expand(options.data_dir) if options.data_dir else paths.data_dir(),
        partition=paths.expand(options.partition),
        known=memecap.read(paths.expand(options.memecap)) if options.memecap else None,
        captions=captions,
        sizes=options.sizes,
        dense_items=options.dense,
        seed=options.seed,
    )


def _captions(folder: Path, sizes: tuple[int, ...]) -> Captions:
    file = folder / CAPTIONS_FILE
    if not file.is_file():
        raise UsageError(f"There is no file {file}.")
    tell(f"Reading {file}")
    captions = load(file)
    if (there := len(captions.corpus.memes)) < sizes[-1]:
        raise UsageError(f"{file} holds {there:,} captions, not {sizes[-1]:,}.", "Ask for less with --sizes.")
    return captions


def measure(plan: Plan) -> Report:
    """All parts of a plan, as plain JSON values; a part that was not asked for is None."""
    from mambomeme_eval.retrieval import development, libraries

    judged = partial(development.measure, plan.data, plan.partition, plan.seed)
    report: Report = {
        "program": __version__,
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": machine.facts() | {"compared": libraries.versions()},
        "seed": plan.seed,
        "development": _told("Judged queries", judged),
        "memecap": _known_items(plan.data, plan.known) if plan.known else None,
        "scale": _scale(plan, plan.captions.corpus) if plan.captions else None,
    }
    return report | {"load_after": machine.facts()["load"]}


def _known_items(known_data: Path, known: MemeCap) -> Report:
    from mambomeme_eval.retrieval import indexes, known_items

    with indexes.scratch_data(known_data) as data:
        return _told("MemeCap", partial(known_items.measure, data, known))


def _scale(plan: Plan, corpus: Corpus) -> list[Report]:
    from mambomeme_eval.retrieval import indexes, scale

    wanted = scale.Wanted(corpus, plan.dense_items, plan.seed)
    with indexes.scratch_data(plan.data) as data:
        return [_told(f"{size:,} captions", partial(scale.measure, data, wanted, size)) for size in plan.sizes]


def _told(title: str, part: Callable[[], Report]) -> Report:
    """A part with the load of the machine before and after it."""
    before = machine.facts()["load"]
    tell(f"{title}, load {before}")
    return part() | {"load": before, "load_after": machine.facts()["load"]}
