"""The processes that attack, as the tests see them: they divide the points of a test among themselves."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from tests.faults.shim import Kind, Operation, read_log

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Attack:
    """One attacked point: the operation, how the action ended, what was served then, and all that was wrong."""

    operation: Operation
    ended: str
    served: str | None
    problems: list[str]

    def __str__(self) -> str:
        where = f"{self.operation.number} ({self.operation.what} {self.operation.path}), {self.ended}"
        return "\n".join([where, *self.problems])


@dataclass(frozen=True)
class Survey:
    """A run without faults: its operations, the folder before it and the folder after it."""

    operations: list[Operation]
    template: Path
    final: Path


class Attackers:
    """So many processes, each with folders of its own below `folder`.

    Args:
        folder: for everything that is made on the way.
        library: the compiled library.
        count: how many processes.
    """

    def __init__(self, folder: Path, library: Path, count: int) -> None:
        environment = os.environ | {"LD_PRELOAD": str(library), "PYTHONHASHSEED": "0"}
        self._processes = [
            subprocess.Popen(
                [sys.executable, "-m", "tests.faults.zygote", str(folder / str(number))],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env=environment,
                cwd=ROOT,
                text=True,
            )
            for number in range(count)
        ]
        self._surveys: dict[str, Survey] = {}
        self.counted: dict[tuple[str, str], int] = {}

    def close(self) -> None:
        """Let the processes end."""
        for process in self._processes:
            process.communicate(timeout=60)

    def _ask(self, number: int, **request: Any) -> Any:
        process = self._processes[number]
        _stream(process.stdin).write(json.dumps(request) + "\n")
        _stream(process.stdin).flush()
        told = _stream(process.stdout).readline()
        assert told, f"the attacker ended with {process.wait()}"
        return json.loads(told)

    def _divide(self, items: Sequence[Any], ask: Callable[[int, Sequence[Any]], list[Any]]) -> list[Any]:
        """Each process gets every n-th item; the answers come in the order of the items."""
        count = len(self._processes)
        answers: list[Any] = [None] * len(items)
        with ThreadPoolExecutor(count) as pool:
            for number, part in enumerate(pool.map(lambda one: ask(one, items[one::count]), range(count))):
                answers[number::count] = part
        return answers

    def survey(self, scenario: str) -> Survey:
        """What the action does when nothing disturbs it."""
        if scenario not in self._surveys:
            log, run, template, final = map(Path, self._ask(0, do="survey", scenario=scenario))
            self._surveys[scenario] = Survey(read_log(log, run), template, final)
        return self._surveys[scenario]

    def mutated(self, scenario: str, mutation: str) -> list[Operation]:
        """The operations of the mutated product."""
        _, run, *_ = self._ask(0, do="survey", scenario=scenario)
        return read_log(Path(self._ask(0, do="log", scenario=scenario, mutation=mutation)), Path(run))

    def attack(self, scenario: str, kind: Kind, points: Sequence[Operation], mutation: str = "") -> list[Attack]:
        """Attack these operations, one after the other, each on a fresh folder."""
        request = {"do": "points", "scenario": scenario, "kind": int(kind), "mutation": mutation}
        numbers = [one.number for one in points]
        answers = self._divide(numbers, lambda process, part: self._ask(process, **request, numbers=part))
        self.counted[scenario, kind.name] = self.counted.get((scenario, kind.name), 0) + len(points)
        return [Attack(point, **answer) for point, answer in zip(points, answers, strict=True)]

    def crash(self, scenario: str, trees: Sequence[Any]) -> list[dict[str, Any]]:
        """Examine folders as a power cut may have left them."""
        self.counted[scenario, "POWER_CUT"] = self.counted.get((scenario, "POWER_CUT"), 0) + len(trees)
        request = {"do": "crashes", "scenario": scenario}
        return self._divide(trees, lambda process, part: self._ask(process, **request, trees=part))

    def spoiled(self, scenario: str) -> bool:
        """Whether anything wrote into a file of a template, in place."""
        return any(self._ask(number, do="spoiled", scenario=scenario) for number in range(len(self._processes)))


def _stream(stream: IO[str] | None) -> IO[str]:
    assert stream is not None
    return stream
