"""Asks one system every query in seeded blocks, one request at a time, and judges what the screen showed.

What always holds: the order follows from the seed alone; a request that goes wrong is an error with a name and the
next one is made all the same, by another process where the one before is dead or hangs; a finished request is on disk
before the next one begins.
"""

import gc
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from mambomeme_eval.bench.config import Limits
from mambomeme_eval.bench.program import Observed, Program, ProgramHung
from mambomeme_eval.bench.references import Reference, References
from mambomeme_eval.bench.samples import Process, Recorder, Sample
from mambomeme_eval.bench.verify import Error, Judged, judge
from mambomeme_eval.benchmark import Query
from mambomeme_eval.engine_run import SYSTEMS, blocks
from mambomeme_eval.figures import milliseconds
from mambomeme_eval.pty.terminal import ProgramEnded
from mambomeme_eval.runs import Request, RunHeader
from mambomeme_tui.errors import MamboError, UsageError

FLOOR: Final = "floor"
ROUTES: Final = SYSTEMS | {FLOOR: "hybrid"}

Progress = Callable[[str, int, int], None]


class Unmeasurable(MamboError):
    """The program does not run long enough to be measured."""

    exit_code = 1


@dataclass(frozen=True, slots=True)
class Work:
    """Everything that measuring one system needs.

    Attributes:
        system: one of `SYSTEMS`, or `FLOOR`.
        command, surroundings: how the program is started.
        warm_ups: asked before; of the development partition.
        order: the queries of each block; see `order_of`.
    """

    system: str
    command: Sequence[str]
    surroundings: Mapping[str, str]
    warm_ups: Sequence[Query]
    order: Sequence[Sequence[Query]]
    references: References
    limits: Limits


def order_of(queries: Sequence[Query], count: int, seed: int) -> list[list[Query]]:
    """The measured queries, block by block."""
    return blocks(queries, count, seed)


def warm_ups_of(queries: Sequence[Query], count: int, seed: int) -> list[Query]:
    """The queries that warm a process up: as many permutations of the development ones as are needed."""
    permuted = blocks(queries, -(-count // len(queries)), seed + 1)
    return [query for block in permuted for query in block][:count]


def measure(work: Work, header: RunHeader, out: Path, progress: Progress) -> None:
    """Measure one system, or what is left of it; run, samples and processes are written below `out`.

    Raises:
        UsageError: what is there already is another run, or nothing can be written.
        Unmeasurable: the program ended or hung too often.
    """
    plan = [(query, repeat) for repeat, block in enumerate(work.order) for query in block]
    with Recorder(out, header) as recorder, _quiet_interpreter(), closing(_Asker(work, recorder)) as asker:
        done = len(recorder.done)
        if recorder.done != [(query.id, repeat) for query, repeat in plan[:done]]:
            raise UsageError(f"The samples of {work.system} in {out} have another order; name another folder.")
        progress(work.system, done, len(plan))
        for number, (query, repeat) in enumerate(plan[done:], done + 1):
            recorder.write(*asker.request(query, repeat))
            progress(work.system, number, len(plan))


@contextmanager
def _quiet_interpreter() -> Iterator[None]:
    """No collection of garbage falls between two stamps; a run makes little of it."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


class _Asker:
    """Keeps a warm process at hand, and asks it."""

    def __init__(self, work: Work, recorder: Recorder) -> None:
        self._work = work
        self._recorder = recorder
        self._program: Program | None = None
        self._about: Process | None = None
        self._number = recorder.processes
        self._replaced = ""
        self._restarts = 0

    def close(self) -> None:
        """End the process, and keep what it needed."""
        if self._program and self._about:
            self._recorder.write_process(replace(self._about, peak_bytes=self._program.peak_bytes()))
        self._drop()

    def request(self, query: Query, repeat: int) -> tuple[Request, Sample]:
        """Make one measured request."""
        while not self._program:
            self._start()
        process = self._number - 1
        judged, seen = self._ask(query)
        reference = self._reference(query)
        request = Request(
            query=query.id,
            repeat=repeat,
            items=None if judged.error else reference.ids,
            milliseconds=judged.milliseconds,
            error=str(judged.error or ""),
            routes={} if judged.error else dict(reference.routes),
        )
        outside = milliseconds(seen.written, seen.read) if seen else None
        written = seen.bytes if seen else None
        return request, Sample(query.id, repeat, judged.milliseconds, outside, written, judged.shown, process)

    def _reference(self, query: Query) -> Reference:
        return self._work.references.lists[ROUTES[self._work.system], query.id]

    def _ask(self, query: Query) -> tuple[Judged, Observed | None]:
        assert self._program is not None
        reference = self._reference(query)
        try:
            seen = self._program.ask(query.text, reference.sentence)
        except ProgramEnded:
            return self._lost(Error.ENDED), None
        except ProgramHung:
            return self._lost(Error.TIMEOUT), None
        return judge(seen, reference, self._work.references.catalogue, self._work.limits.timeout_ms), seen

    def _lost(self, error: Error) -> Judged:
        """The process is of no use any more."""
        self.close()
        self._replaced = str(error)
        self._restarts += 1
        return Judged(error, None)

    def _drop(self) -> None:
        if self._program:
            self._program.close()
        self._program = self._about = None

    def _start(self) -> None:
        """Try to start a process and warm it up; it may not survive that."""
        work = self._work
        if self._restarts > work.limits.restarts:
            raise Unmeasurable(f"The program ended or hung {self._restarts} times while {work.system} was measured.")
        try:
            self._program = Program(work.command, work.surroundings, work.limits)
        except ProgramEnded:
            self._lost(Error.ENDED)
        except ProgramHung:
            self._lost(Error.TIMEOUT)
        else:
            self._about = Process(self._number, self._replaced, self._program.start_ms, 0, {})
            self._number += 1
            self._warm_up(work.warm_ups[: work.limits.rewarm_ups] if self._replaced else work.warm_ups)

    def _warm_up(self, queries: Sequence[Query]) -> None:
        asked, errors = 0, Counter[str]()
        for query in queries:
            judged, _ = self._ask(query)
            asked += 1
            errors.update([str(judged.error)] if judged.error else [])
            if not self._about:
                return
        assert self._about is not None
        self._about = replace(self._about, warm_ups=asked, warm_up_errors=dict(errors))
        self._recorder.write_process(self._about)
