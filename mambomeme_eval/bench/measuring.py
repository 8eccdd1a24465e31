"""A planned measurement, and how all of it is made: the engine first, then the floor and each system in a terminal.

The plan says everything that decides a figure. What is measured goes into one folder, which belongs to one plan: an
interrupted measurement goes on there, and any other is refused.
"""

import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final

from mambomeme_eval import machine
from mambomeme_eval.bench import engine_path, floor, keys, runner
from mambomeme_eval.bench.config import Counts, Settings
from mambomeme_eval.bench.program import Program, ProgramHung
from mambomeme_eval.bench.references import References, from_json
from mambomeme_eval.bench.runner import FLOOR, ROUTES, Progress, Unmeasurable, Work
from mambomeme_eval.bench.samples import keep_equal
from mambomeme_eval.benchmark import Partition, Query
from mambomeme_eval.engine_run import SYSTEMS
from mambomeme_eval.pty.starts import PRODUCT
from mambomeme_eval.pty.terminal import ProgramEnded
from mambomeme_eval.runs import RunHeader, partition_digest
from mambomeme_eval.writing import write_whole
from mambomeme_tui import __version__
from mambomeme_tui.digests import hash_json
from mambomeme_tui.errors import OutputError

SETTINGS_FILE: Final = "settings.json"
ENGINE_FILE: Final = "engine.json"
_WARM_UP: Final = "warm-up"


@dataclass(frozen=True, slots=True)
class Plan:
    """What is measured.

    Attributes:
        warm_ups: from the development partition, whatever is measured; their ids are like no measured query's.
        data: the data folder, which is only read.
        out: where everything is written.
        seed: of every order.
        quick: a provisional protocol, which is not scored.
        product, floor: how the program and the floor are started.
    """

    settings: Settings
    partition: Partition
    warm_ups: tuple[Query, ...]
    data: Path
    out: Path
    seed: int
    systems: tuple[str, ...]
    quick: bool = False
    product: Sequence[str] = PRODUCT
    floor: Sequence[str] = floor.COMMAND

    @property
    def counts(self) -> Counts:
        """How much is measured."""
        return self.settings.quick if self.quick else self.settings.full

    @property
    def protocol(self) -> str:
        """The protocol's name; a quick one is another."""
        return f"{self.settings.protocol}, quick: not scored" if self.quick else self.settings.protocol

    def blocks_of(self, system: str) -> int:
        """How often a system is asked every query."""
        of_partition: int = getattr(self.counts.blocks, self.partition.header.partition)
        return self.counts.floor_blocks if system == FLOOR else of_partition

    def order(self, system: str) -> list[list[Query]]:
        """What a system is asked, block by block; the floor's blocks are the first ones of the others."""
        return runner.order_of(self.partition.queries, self.blocks_of(system), self.seed)

    def identity(self) -> dict[str, str]:
        """What must be equal for two runs to be compared."""
        told = {"protocol": self.protocol, "terminal": str(self.settings.terminal), "program": __version__}
        return machine.identity() | told | {"warm-ups": str(self.counts.warm_ups)}


def plan_warm_ups(queries: Sequence[Query], count: int, seed: int) -> tuple[Query, ...]:
    """The queries that warm a process up."""
    return tuple(
        replace(query, id=f"{_WARM_UP} {number} {query.id}")
        for number, query in enumerate(runner.warm_ups_of(queries, count, seed))
    )


def ask_engine(plan: Plan) -> tuple[References, dict[str, Any]]:
    """The engine's lists and figures for a plan; its times are written down, its lists and their sentences are not.

    Raises:
        MamboError: the engine's process failed.
        UsageError: the folder belongs to another plan, or can't be written.
    """
    queries = (*plan.warm_ups, *plan.partition.queries)
    routes = dict.fromkeys([SYSTEMS[name] for name in plan.systems] + [ROUTES[FLOOR]])
    job = engine_path.Job(
        texts={query.id: query.text for query in queries},
        routes=tuple(routes),
        warm_ups=[query.id for query in plan.warm_ups],
        blocks=[[query.id for query in block] for block in plan.order("")],
    )
    answer = engine_path.run(job, plan.data)
    references = from_json(answer)
    _claim(plan, references)
    told = {name: answer[name] for name in ("times", "cold_start", "peak_bytes", "index_bytes", "manifest")}
    write_json(plan.out / ENGINE_FILE, told)
    return references, told


def _claim(plan: Plan, references: References) -> None:
    """Make the folder this plan's own."""
    value = {
        "protocol": plan.protocol,
        "seed": plan.seed,
        "counts": asdict(plan.counts),
        "limits": asdict(plan.settings.limits),
        "terminal": asdict(plan.settings.terminal),
        "partition": str(plan.partition.header.partition),
        "queries": partition_digest(plan.partition),
        "warm_ups": hash_json([query.text for query in plan.warm_ups]),
        "version": references.version,
        "corpus": references.corpus,
    }
    told = f"{plan.out} holds a measurement with other settings, queries or another version; name another folder."
    keep_equal(plan.out / SETTINGS_FILE, value, told)


def measure_systems(plan: Plan, references: References, progress: Progress) -> None:
    """The floor and every system, or what is left of them.

    Raises:
        Unmeasurable: a program ended or hung too often.
        UsageError: nothing can be written.
    """
    with _programs(plan) as settings:
        for system in (FLOOR, *plan.systems):
            work = Work(
                system=system,
                command=plan.floor if system == FLOOR else plan.product,
                surroundings={**settings, "MAMBOMEME_ROUTE": ROUTES[system]},
                warm_ups=plan.warm_ups,
                order=plan.order(system),
                references=references,
                limits=plan.settings.limits,
            )
            runner.measure(work, _header(plan, references, system), plan.out, progress)


def measure_keys(plan: Plan, progress: Progress) -> tuple[list[float], list[float | None]]:
    """Milliseconds of starts until ready, and of keys until their echo.

    Raises:
        Unmeasurable: the program ended or hung.
    """
    limits, counts = plan.settings.limits, plan.counts
    with _programs(plan) as settings:
        try:
            starts: list[float] = []
            for number in range(counts.starts):
                starts += keys.starts(plan.product, settings, limits, 1)
                progress("starts", number + 1, counts.starts)
            with Program(plan.product, settings, limits) as program:
                return starts, keys.echoes(program, counts.echo_rounds)
        except (ProgramEnded, ProgramHung):
            raise Unmeasurable("The program ended or hung while starts and keys were measured.") from None


@contextmanager
def _programs(plan: Plan) -> Iterator[Mapping[str, str]]:
    """The surroundings of every program, with empty folders in the place of a person's own."""
    terminal = plan.settings.terminal
    with tempfile.TemporaryDirectory() as empty:
        yield {
            "MAMBOMEME_DATA_DIR": str(plan.data),
            "MAMBOMEME_CONFIG_DIR": empty,
            "MAMBOMEME_CACHE_DIR": empty,
            "MAMBOMEME_RENDER_MARKERS": "1",
            "TERM": terminal.term,
            "COLORTERM": terminal.colorterm,
        }


def _header(plan: Plan, references: References, system: str) -> RunHeader:
    return RunHeader(
        system=system,
        interface="tui",
        version=references.version,
        corpus=references.corpus,
        partition=str(plan.partition.header.partition),
        seed=plan.seed,
        repeats=plan.blocks_of(system),
        identity=plan.identity(),
        queries=partition_digest(plan.partition),
    )


def write_json(path: Path, value: Any) -> None:
    """Write plain JSON values, unrounded.

    Raises:
        OutputError: the file can't be written.
    """
    text = json.dumps(value, indent=1, ensure_ascii=False, sort_keys=True, allow_nan=False)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{path.parent} can't be a folder: {error.strerror}.") from None
    write_whole(path, text + "\n")
