"""The commands of scoring: `run`, `score`, `accept`, `qrels`.

A score that fails its gates is printed like any other; the exit code says that it failed.
"""

import argparse
import json
import math
import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from mambomeme_eval import scorecard_text, trec
from mambomeme_eval.acceptance import KEEP, Claim
from mambomeme_eval.benchmark import Partition
from mambomeme_eval.engine_run import SYSTEMS, run_engine, run_file
from mambomeme_eval.loading import Mode, load, world_of
from mambomeme_eval.loading_rows import is_there
from mambomeme_eval.loading_structure import World
from mambomeme_eval.scorecard import Card, Terms, assess, to_dict
from mambomeme_eval.scoring import identity_of, is_trec, read_release, read_systems, read_trec, truth_of
from mambomeme_eval.truth import Unscorable
from mambomeme_eval.writing import write_whole
from mambomeme_tui import paths
from mambomeme_tui.errors import OutputError, UsageError
from mambomeme_tui.retrieval.engine import Engine
from mambomeme_tui.text import printable

if TYPE_CHECKING:
    Subparsers = argparse._SubParsersAction[Any]

DEVELOPMENT: Final = Path(__file__).parent / "benchmarks" / "v1" / "development"
SEED: Final = 20261130
FAILED: Final = 1


def add_commands(commands: "Subparsers") -> None:
    """Add all commands of scoring to a parser; each sets `run`, a function from options to the exit code."""
    running = _add(commands, "run", "ask every query of a partition in process, and write a run a system", run_systems)
    running.add_argument("--system", action="append", choices=SYSTEMS, help="only this one; may be given again")
    running.add_argument("--data-dir", metavar="DIR", help="a folder with a published index (MAMBOMEME_DATA_DIR)")
    running.add_argument("--repeats", type=_repeats, default=1, metavar="N", help="how often every query is asked (1)")
    running.add_argument("--seed", type=_whole, default=SEED, metavar="N", help="of the order of the requests")
    running.add_argument("--out", metavar="DIR", required=True, help="where the runs are written")
    for name, told, run in (
        ("score", "score runs against the judgements of a partition", run_score),
        ("accept", "decide whether the dense route stays", run_accept),
    ):
        command = _add(commands, name, told, run)
        command.add_argument("runs", nargs="+", metavar="RUN", help="a run in JSONL, or a TREC run file")
        command.add_argument("--release", metavar="FILE", help="JSON: which release tests passed")
        command.add_argument("--seed", type=_whole, default=SEED, metavar="N", help="of the bootstrap")
        charged = "charged for each request of a TREC run"
        command.add_argument("--milliseconds", type=_milliseconds, metavar="MS", help=charged)
        command.add_argument("--json", metavar="FILE", help="write the scorecard there, unrounded")
        if name == "accept":
            command.add_argument("--claim", choices=[str(one) for one in Claim], required=True, help="named in advance")
    exported = _add(commands, "qrels", "print the final grades as TREC qrels, doubled", run_qrels)
    exported.set_defaults(out=None)


def _add(commands: "Subparsers", name: str, told: str, run: object) -> argparse.ArgumentParser:
    command: argparse.ArgumentParser = commands.add_parser(name, help=told)
    command.add_argument("--partition", metavar="DIR", default=str(DEVELOPMENT), help="the development one, if none")
    command.add_argument("--corpus", metavar="DIR", help="a corpus folder; the bundled one where none is named")
    command.set_defaults(run=run)
    return command


def _whole(text: str) -> int:
    if text.isascii() and text.isdigit() and len(text) < 19:
        return int(text)
    raise argparse.ArgumentTypeError(f"a whole number from 0, not {text[:20]!r}")


def _milliseconds(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if math.isfinite(number) and number >= 0:
        return number
    raise argparse.ArgumentTypeError(f"a number of milliseconds from 0, not {text[:20]!r}")


def _repeats(text: str) -> int:
    if text.isascii() and text.isdigit() and len(text) < 19 and int(text):
        return int(text)
    raise argparse.ArgumentTypeError(f"a number from 1, not {text[:20]!r}")


def _open(options: argparse.Namespace, mode: Mode) -> tuple[Partition, World]:
    root = paths.bundled("corpus") if options.corpus is None else paths.expand(options.corpus)
    world = world_of(root)
    return load(paths.expand(options.partition), world, mode), world


def run_systems(options: argparse.Namespace) -> int:
    """`run`: the engine path, one file a system."""
    partition, _ = _open(options, Mode.STRUCTURE)
    out = paths.expand(options.out)
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{out} can't be a folder: {error.strerror}.") from None
    systems = list(dict.fromkeys(options.system or SYSTEMS))
    for system in systems:
        run_file(out, system)  # before anything is asked
    data = paths.expand(options.data_dir) if options.data_dir else paths.data_dir()
    with closing(Engine(data)) as engine:
        engine.load_dense()
        if engine.dense_error:
            raise engine.dense_error
        for system in systems:
            _run_one(engine, partition, system, out, options)
    return 0


def _run_one(engine: Engine, partition: Partition, system: str, out: Path, options: argparse.Namespace) -> None:
    try:
        written = run_engine(engine, partition, system, options.repeats, options.seed, out, _unheard)
    except OSError as error:
        raise UsageError(f"The run of {system} can't be written to {out}: {error.strerror}.") from None
    print(printable(str(written)))


def _unheard(_system: str, _done: int, _total: int) -> None:
    """An in-process run takes seconds; nobody needs to hear of its steps."""


def run_score(options: argparse.Namespace) -> int:
    """`score`: the scorecard; 1 where a gate fails."""
    card = _assess(options, None)
    return 0 if all(row.verdict.passed for row in card.rows) else FAILED


def run_accept(options: argparse.Namespace) -> int:
    """`accept`: the scorecard and the decision; 1 where the dense route goes."""
    card = _assess(options, Claim(options.claim))
    return 0 if card.acceptance and card.acceptance.verdict == KEEP else FAILED


def _assess(options: argparse.Namespace, claim: Claim | None) -> Card:
    partition, world = _open(options, Mode.SCORING)
    files = [paths.expand(one) for one in options.runs]
    for one in files:
        if not is_there(one):
            raise UsageError(f"There is no file {str(one)!r}.")
    if len({is_trec(one) for one in files}) > 1:
        raise UsageError("The runs are all JSONL, or all TREC run files.")
    if is_trec(files[0]):
        if options.milliseconds is None:
            raise Unscorable("A TREC run holds no times: say with --milliseconds what each request is charged.")
        common = {"interface": f"TREC run files, {options.milliseconds!r} ms declared for each request"}
        systems = read_trec(files, partition, world, options.milliseconds)
    else:
        systems, common = read_systems(files, partition, world)
    release = read_release(paths.expand(options.release) if options.release else None)
    identity = identity_of(partition, world, common)
    terms = Terms(release, str(partition.header.labels), options.seed, identity, claim=claim)
    card = assess(systems, truth_of(partition, world), terms)
    sys.stdout.write(scorecard_text.render(card))
    if options.json:
        _write(paths.expand(options.json), card)
    return card


def _write(path: Path, card: Card) -> None:
    text = json.dumps(to_dict(card), indent=1, ensure_ascii=False, sort_keys=True, allow_nan=False)
    try:
        write_whole(path, text + "\n")
    except OutputError as error:
        raise UsageError(f"The scorecard can't be written to {path}: {error.message}") from None


def run_qrels(options: argparse.Namespace) -> int:
    """`qrels`: final grades for other tools."""
    partition, world = _open(options, Mode.SCORING)
    sys.stdout.write(trec.format_qrels(truth_of(partition, world).qrels))
    return 0
