"""The commands of judging: `pool`, `annotate`, `adjudicate`, `agreement`, `judgements`.

Each takes the folder of a partition and raises what it can't do; what it prints is plain printable text.
"""

import argparse
import json
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from mambomeme_eval import agreement_text
from mambomeme_eval import progress as progress_of
from mambomeme_eval.adjudication import adjudicator_desk
from mambomeme_eval.agreement import agreement
from mambomeme_eval.annotate.sitting import Sitting, utc_now
from mambomeme_eval.benchmark import LIMIT
from mambomeme_eval.counting import counted
from mambomeme_eval.desk import Desk, annotator_desk, ledger_of
from mambomeme_eval.export import export, take_in
from mambomeme_eval.judging import Judging, open_judging
from mambomeme_eval.ledger import Ledger
from mambomeme_eval.loading import Mode, load, world_of
from mambomeme_eval.loading_rows import is_there
from mambomeme_eval.pool_writing import Made, extend, seed_of
from mambomeme_eval.pooling import GOLD_FILE, NEAR_MISSES, SYSTEMS, gather, read_gold, search_all
from mambomeme_eval.writing import write_whole
from mambomeme_tui import paths
from mambomeme_tui.retrieval.engine import Engine
from mambomeme_tui.text import printable

if TYPE_CHECKING:
    Subparsers = argparse._SubParsersAction[Any]

FIRST_SEED: Final = 1
NOTHING_LEFT: Final = "nothing is left to be judged"


def add_commands(commands: "Subparsers") -> None:
    """Add all commands of judging to a parser; each sets `run`, a function from options to the exit code."""
    for add in (add_pool, add_annotate, add_adjudicate, add_agreement, add_judgements):
        add(commands)


def add_pool(commands: "Subparsers") -> None:
    """`pool PARTITION`."""
    parser = _partition_parser(commands, "pool", "gather what is to be judged, or add what a pool lacks", run_pool)
    parser.add_argument("--data-dir", metavar="DIR", help="a folder with a published index (MAMBOMEME_DATA_DIR)")
    parser.add_argument("--gold", metavar="FILE", help=f"items that people named (PARTITION/{GOLD_FILE})")
    parser.add_argument("--depth", type=_depth, default=LIMIT, metavar="N", help=f"results of each system ({LIMIT})")
    parser.add_argument("--seed", type=_seed, metavar="N", help=f"of a new pool's orders ({FIRST_SEED})")


def add_annotate(commands: "Subparsers") -> None:
    """`annotate PARTITION --annotator NAME`."""
    parser = _partition_parser(commands, "annotate", "judge candidates, on the screen or in a file", run_annotate)
    _add_person(parser)


def add_adjudicate(commands: "Subparsers") -> None:
    """`adjudicate PARTITION --annotator NAME`."""
    told = "decide as third where two annotators disagree, on the screen or in a file"
    _add_person(_partition_parser(commands, "adjudicate", told, run_adjudicate))


def add_agreement(commands: "Subparsers") -> None:
    """`agreement PARTITION`."""
    parser = _partition_parser(commands, "agreement", "how far the people who judged agree", run_agreement)
    parser.add_argument("--json", metavar="FILE", help="write all figures there too, unrounded")


def add_judgements(commands: "Subparsers") -> None:
    """`judgements status PARTITION`."""
    parser = commands.add_parser("judgements", help="how far the judging is")
    inner = parser.add_subparsers(dest="what", metavar="WHAT", required=True)
    _partition_parser(inner, "status", "what is missing for a score", run_status)


def _partition_parser(
    commands: "Subparsers", name: str, told: str, run: Callable[[argparse.Namespace], int]
) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(name, help=told)
    parser.add_argument("partition", metavar="PARTITION", help="the folder of a partition")
    parser.add_argument("--corpus", metavar="DIR", help="the corpus that is served (the bundled one)")
    parser.set_defaults(run=run)
    return parser


def _add_person(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--annotator", required=True, metavar="NAME", help="the pseudonym of the person who judges")
    files = parser.add_mutually_exclusive_group()
    files.add_argument("--export", metavar="FILE", help="write what is left to a new file, to be filled in")
    files.add_argument("--import", metavar="FILE", dest="take_in", help="append the answers of such a file")


def _depth(text: str) -> int:
    if text.isdecimal() and LIMIT <= int(text) <= 1000:
        return int(text)
    raise argparse.ArgumentTypeError(f"a number from {LIMIT} to 1000, not {text!r}")


def _seed(text: str) -> int:
    if text.isdecimal() and int(text) < 1 << 63:
        return int(text)
    raise argparse.ArgumentTypeError(f"a number from 0, not {text!r}")


def _corpus(options: argparse.Namespace) -> Path:
    return paths.expand(options.corpus) if options.corpus else paths.bundled("corpus")


def _open(options: argparse.Namespace) -> Judging:
    root = _corpus(options)
    return open_judging(paths.expand(options.partition), world_of(root), root)


def run_pool(options: argparse.Namespace) -> int:
    """Search with every system and write what is to be judged."""
    folder, world = paths.expand(options.partition), world_of(_corpus(options))
    partition = load(folder, world, Mode.STRUCTURE)
    gold_file = paths.expand(options.gold) if options.gold else folder / GOLD_FILE
    queries = {query.id: query for query in partition.queries}
    gold = read_gold(gold_file, queries, world) if options.gold or is_there(gold_file) else ()
    known = seed_of(folder)
    seed = next((one for one in (options.seed, known) if one is not None), FIRST_SEED)
    data = paths.expand(options.data_dir) if options.data_dir else paths.data_dir()
    with closing(Engine(data)) as engine:
        rankings = search_all(engine, partition.queries, world, options.depth)
        made = Made(engine.version.name, tuple(SYSTEMS), options.depth, NEAR_MISSES)
    found = gather(partition.queries, rankings, partition.targets, gold, world, options.depth, seed)
    done = extend(folder, world, found, made, seed)
    print(f"{counted(done.added, 'candidate')} added, {done.total} in the pool, judgement set {done.judgement_set}")
    return 0


def run_annotate(options: argparse.Namespace) -> int:
    """Judge as one of two independent annotators."""
    return _judge(annotator_desk(_open(options), options.annotator), options)


def run_adjudicate(options: argparse.Namespace) -> int:
    """Judge as the third person."""
    return _judge(adjudicator_desk(_open(options), options.annotator), options)


def _judge(desk: Desk, options: argparse.Namespace) -> int:
    ledger = ledger_of(desk.judging)
    if options.export:
        path = paths.expand(options.export)
        count = export(desk, ledger, path)
        print(f"{counted(count, 'candidate')} exported to {printable(str(path))}" if count else NOTHING_LEFT)
        return 0
    if options.take_in:
        _take_in(desk, ledger, paths.expand(options.take_in))
        return 0
    from mambomeme_eval.annotate.screen import judge  # Textual, which no file needs

    print(f"{counted(judge(lambda: Sitting(desk, ledger)), 'judgement')} appended")
    return 0


def _take_in(desk: Desk, ledger: Ledger, path: Path) -> None:
    if told := ledger.recover():
        print(told)
    done = take_in(desk, ledger, path, utc_now())
    print(f"{counted(done.appended, 'judgement')} appended")
    if done.own:
        print(f"{counted(done.own, 'row')} passed by: you judged it elsewhere since the export")
    if done.closed:
        print(f"{counted(done.closed, 'row')} passed by: others completed it since the export")


def run_agreement(options: argparse.Namespace) -> int:
    """Print the agreement of the people who judged."""
    judging = _open(options)
    found = agreement(judging.candidates, ledger_of(judging).rows())
    for line in agreement_text.lines(found):
        print(line)
    if options.json:
        text = json.dumps(agreement_text.to_dict(found), indent=2, ensure_ascii=False) + "\n"
        write_whole(paths.expand(options.json), text)
    return 0


def run_status(options: argparse.Namespace) -> int:
    """Print what is missing for a score."""
    judging = _open(options)
    for line in progress_of.lines(progress_of.progress(judging, ledger_of(judging).rows())):
        print(line)
    return 0
