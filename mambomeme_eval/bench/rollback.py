"""The publication-rollback gate: going back, by the command, to exactly what was served before, whatever happened.

It works on a copy. Other versions are published there from small corpora; writers are killed at seeded points;
versions are damaged. After each step the served version must be a known one, whole, the same files, the same lists.
"""

import random
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from mambomeme_eval.bench.copies import copied, small_corpus
from mambomeme_eval.bench.workbench import Workbench, lists_of
from mambomeme_eval.outcomes import Outcome, Progress
from mambomeme_tui.errors import MamboError
from mambomeme_tui.index.layout import VERSIONS_FOLDER
from mambomeme_tui.index.manifest import Manifest
from mambomeme_tui.retrieval.engine import Engine

GATE: Final = "publication-rollback"
PRODUCT: Final = (sys.executable, "-m", "mambomeme_tui")
SEED: Final = 20_240_817
PUBLISHERS, ROLLBACKS = 8, 4
"""How many of each are killed."""
MOST_LINES: Final = 13
"""Lines of progress of a small publication, about."""
REFUSED, NO_INDEX = 2, 4
"""Exit codes: the command line is wrong, no index can be served."""


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that is done and then looked at; `work` yields every fault."""

    name: str
    work: Callable[[], Iterator[str]]
    point: float = 0.0
    unit: str = ""


def run_rollback(
    data: Path,
    progress: Progress,
    program: Sequence[str] = PRODUCT,
    publishers: int = PUBLISHERS,
    rollbacks: int = ROLLBACKS,
) -> list[Outcome]:
    """Try everything on a copy of a data folder.

    Args:
        data: only read; a whole version is served in it.
        progress: hears every step.
        program: whose commands are run.
        publishers: how many are killed, at most `MOST_LINES`.
        rollbacks: how many are killed.

    Raises:
        IndexUnavailable: nothing is published there, or the served version is not whole.
    """
    with copied(data) as copy:
        bench = Workbench(copy, program)
        steps = _Steps(bench).all(publishers, rollbacks)
        found = []
        for number, step in enumerate(steps):
            progress(GATE, number, len(steps))
            found.append(_do(bench, step))
        progress(GATE, len(steps), len(steps))
        return found


def _do(bench: Workbench, step: Step) -> Outcome:
    begun = time.monotonic()
    faults: list[str] = []
    bench.exit_code = None
    try:
        faults.extend(step.work())
    except (MamboError, OSError) as error:
        faults.append(str(error))
    taken = (time.monotonic() - begun) * 1000
    return Outcome(step.name, step.point, step.unit, tuple(faults), bench.exit_code, taken)


class _Steps:
    """The steps, in their order: each begins where the one before it left the folder."""

    def __init__(self, bench: Workbench) -> None:
        self._bench = bench
        self._old = bench.remember()
        self._new = ""

    def all(self, publishers: int, rollbacks: int) -> list[Step]:
        """Every step; the first two leave two versions, the newer one served, and so does every other one."""
        source = random.Random(SEED)  # noqa: S311  # instants, no secrets
        lines = sorted(source.sample(range(MOST_LINES), publishers))
        instants = sorted(round(source.uniform(0.05, 0.7), 3) for _ in range(rollbacks))
        return [
            Step("rollback where nothing was before", self._refuse_at_first),
            Step("publish another version", self._publish),
            Step("rollback, and by name forward", self._back_and_forth),
            Step("rollback under an open reader", self._under_a_reader),
            *(Step("kill a publisher", self._publisher(line, source.random() / 40), line, "lines") for line in lines),
            *(Step("kill a rollback", self._rollback_killed(instant), instant, "s") for instant in instants),
            Step("rollback by name to a damaged version", self._refuse_damaged),
            Step("rollback past a damaged version", self._past_damaged),
            Step("rollback from a damaged version", self._from_damaged),
        ]

    def _refuse_at_first(self) -> Iterator[str]:
        yield from self._roll_back(expected=REFUSED)
        yield from self._bench.faults(self._old)

    def _publish(self) -> Iterator[str]:
        yield from self._expect_code(0, "publish", "--corpus", str(self._corpus(0)))
        self._new = self._bench.remember()
        if self._new == self._old:
            yield "no other version was published"
        yield from self._bench.faults(self._new)

    def _back_and_forth(self) -> Iterator[str]:
        yield from self._back_to(self._old)
        yield from self._forward()
        yield from self._bench.faults(self._new)

    def _under_a_reader(self) -> Iterator[str]:
        with closing(Engine(self._bench.data)) as reader:
            reader.load_dense()
            yield from self._back_to(self._old)
            known = self._bench.known[self._new].lists
            if lists_of(reader, known) != known:
                yield "who had the newer version open is answered otherwise after the rollback"
        yield from self._forward()

    def _publisher(self, lines: int, seconds: float) -> Callable[[], Iterator[str]]:
        def work() -> Iterator[str]:
            corpus = self._corpus(lines + 1)
            process = self._bench.start("publish", "--porcelain", "--corpus", str(corpus))
            with process:
                self._bench.kill(process, lines, seconds)
            finished = self._bench.served not in self._bench.known
            if finished:
                self._bench.remember()
            yield from self._bench.faults(self._bench.served if finished else self._new)
            yield from self._back_to(self._new if finished else self._old)
            yield from self._bench.left_over()
            if not finished:
                yield from self._forward()

        return work

    def _rollback_killed(self, seconds: float) -> Callable[[], Iterator[str]]:
        def work() -> Iterator[str]:
            with self._bench.start("rollback") as process:
                self._bench.kill(process, 0, seconds)
            served = self._bench.served
            yield from self._bench.faults(served if served == self._old else self._new)
            yield from self._forward()
            yield from self._bench.left_over()

        return work

    def _refuse_damaged(self) -> Iterator[str]:
        folder = self._bench.data / VERSIONS_FOLDER / self._old
        for entry in Manifest.read(folder).files:
            sound = self._bench.damage(self._old, entry.path)
            yield from self._roll_back(self._old, expected=NO_INDEX)
            if self._bench.served != self._new:
                yield f"{self._bench.served} is served although its {entry.path} is damaged"
                yield from self._forward()
            (folder / entry.path).write_bytes(sound)
        yield from self._bench.faults(self._new)

    def _past_damaged(self) -> Iterator[str]:
        yield from self._expect_code(0, "publish", "--corpus", str(self._corpus(MOST_LINES + 1)))
        self._bench.remember()
        path = _largest(self._bench.data / VERSIONS_FOLDER / self._new)
        sound = self._bench.damage(self._new, path)
        yield from self._roll_back()
        if self._bench.served != self._old:
            yield f"{self._bench.served} is served although it is damaged"
        (self._bench.data / VERSIONS_FOLDER / self._new / path).write_bytes(sound)
        yield from self._bench.faults(self._old)
        yield from self._forward()

    def _from_damaged(self) -> Iterator[str]:
        self._bench.damage(self._new, _largest(self._bench.data / VERSIONS_FOLDER / self._new))
        self._bench.run("verify")
        if self._bench.exit_code != NO_INDEX:
            yield f"`verify` of a damaged version ends with {self._bench.exit_code}, not {NO_INDEX}"
        with closing(Engine(self._bench.data)) as engine:
            if engine.version.name != self._old:
                yield f"{engine.version.name} was opened although it is damaged"
        yield from self._roll_back()
        yield from (fault for fault in self._bench.faults(self._old) if not fault.startswith("`verify"))

    def _corpus(self, number: int) -> Path:
        return small_corpus(self._bench.data.parent, number)

    def _back_to(self, name: str) -> Iterator[str]:
        yield from self._roll_back()
        yield from self._bench.faults(name)

    def _forward(self) -> Iterator[str]:
        yield from self._roll_back(self._new)
        if self._bench.served != self._new:
            yield f"{self._bench.served} is served, not {self._new}"

    def _roll_back(self, *name: str, expected: int = 0) -> Iterator[str]:
        yield from self._expect_code(expected, "rollback", *name)

    def _expect_code(self, expected: int, *arguments: str) -> Iterator[str]:
        self._bench.run(*arguments)
        if self._bench.exit_code != expected:
            yield f"`{arguments[0]}` ends with {self._bench.exit_code}, not {expected}"


def _largest(folder: Path) -> str:
    return max(Manifest.read(folder).files, key=lambda entry: entry.size).path
