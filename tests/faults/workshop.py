"""Runs an action in a forked child with one fault armed, and examines what it left. Lives in the preloaded process."""

import gc
import hashlib
import json
import os
import re
import shutil
import signal
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mambomeme_tui.errors import MamboError
from mambomeme_tui.index.layout import CACHE_FOLDER, CURRENT_FILE, LOCK_FILE
from tests.faults import shim
from tests.faults.checks import Listing, examine, fingerprint, listing
from tests.faults.mutations import MUTATIONS
from tests.faults.scenarios import DATA, Scenario
from tests.faults.shim import NEVER, Kind

LONGEST = 60
"""Seconds after which a child hangs."""
ANNOY_TELLS = re.compile(r"Unable to (open|write|close): .*")
"""What Annoy prints on the process's standard error, beside the exception that it raises."""
WRITTEN_IN_PLACE = (CACHE_FOLDER, CURRENT_FILE, LOCK_FILE)
"""These are copied for every point; all other files are hard links, so that a write into one shows in the template."""

Answer = dict[str, Any]


def in_child(work: Callable[[], Answer]) -> Answer:
    """Do something in a forked child; an answer without `ended` is filled up with how the child ended."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        _answer(work, writer)
    os.close(writer)
    with os.fdopen(reader, "rb") as stream:
        told = stream.read()
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        ended = {int(signal.SIGKILL): "killed", int(signal.SIGALRM): "hung"}.get(os.WTERMSIG(status), "crashed")
        return {"ended": ended, "problems": [] if ended == "killed" else [f"signal {os.WTERMSIG(status)}"]}
    answer: Answer = json.loads(told)
    return answer


def _answer(work: Callable[[], Answer], writer: int) -> None:
    signal.alarm(LONGEST)
    try:
        told = json.dumps(work())
    except BaseException:
        told = json.dumps({"ended": "broken", "problems": [traceback.format_exc()]})
    os.write(writer, told.encode())
    os._exit(0)


def attempt(act: Callable[[Path], str], data: Path) -> Answer:
    """Do an action; the one way in which it may fail is an error with a sentence and exit code 4."""
    noise: list[str] = []
    heard = os.memfd_create("standard error")
    os.dup2(heard, 2)
    sys.unraisablehook = lambda raised: noise.append(f"unraisable: {raised.exc_value!r} in {raised.object!r}")
    try:
        ended, problems = "done", []
        act(data)
    except MamboError as error:
        ended, problems = "error", _faults_of(error)
    except BaseException:
        ended, problems = "traceback", [traceback.format_exc()]
    if ended != "done":
        gc.collect()
    sys.stderr.flush()
    told = os.pread(heard, 10_000, 0).decode().splitlines()
    noise += [f"standard error: {line}" for line in told if not (ended == "error" and ANNOY_TELLS.fullmatch(line))]
    return {"ended": ended, "problems": problems + noise}


def _faults_of(error: MamboError) -> list[str]:
    told = error.message
    sound = error.exit_code == 4 and told.endswith(".") and "\n" not in told
    return [] if sound else [f"{type(error).__name__} ({error.exit_code}): {error}"]


class Workshop:
    """One scenario with its template and the listing that it should end with.

    Args:
        folder: for everything that is made on the way.
        scenario: what is attacked.
    """

    def __init__(self, folder: Path, scenario: Scenario) -> None:
        self.scenario = scenario
        self.template, self.final, self.run = folder / "template", folder / "final", folder / "run"
        self.log = folder / "log"
        self.template.mkdir(parents=True)
        scenario.prepare(self.template)
        self._bytes = _content(self.template)
        self._examined: dict[tuple[str, str], tuple[str | None, list[str]]] = {}
        self.expected: Listing = {}
        self._survey()

    def _survey(self) -> None:
        self.reset()
        answer = self._attack(NEVER, Kind.COUNT, "", self.log)
        assert answer == {"ended": "done", "problems": []}, answer
        shutil.copytree(self.run, self.final)
        self.scenario.again(self.run / DATA)
        self.expected = listing(self.run)

    def reset(self) -> None:
        """A fresh copy of the template to work on."""
        shutil.rmtree(self.run, ignore_errors=True)
        for path in sorted([self.template, *self.template.rglob("*")]):
            target = self.run / path.relative_to(self.template)
            if path.is_dir():
                target.mkdir(mode=path.stat().st_mode & 0o777)
            elif set(WRITTEN_IN_PLACE) & set(path.relative_to(self.template).parts):
                shutil.copy(path, target)
            else:
                target.hardlink_to(path)

    def _attack(self, number: int, kind: Kind, mutation: str, log: Path | None = None) -> Answer:
        def work() -> Answer:
            MUTATIONS[mutation]()
            shim.arm(self.run, number, kind, log)
            answer = attempt(self.scenario.act, self.run / DATA)
            shim.disarm()
            return answer

        return in_child(work)

    def point(self, number: int, kind: Kind, mutation: str = "") -> Answer:
        """Attack one operation; the answer says how the action ended and lists everything that is wrong then."""
        self.reset()
        answer = self._attack(number, kind, mutation)
        name, problems = self.examine(mutation)
        if answer["ended"] == "done" and name != self.scenario.after:
            problems = [*problems, f"success was told, but {name} is served"]
        return answer | {"served": name, "problems": answer["problems"] + problems}

    def log_of(self, mutation: str) -> Path:
        """The operations of a run without a fault, of the mutated product."""
        log = self.log.with_name(f"log {mutation}")
        self.reset()
        self._attack(NEVER, Kind.COUNT, mutation, log)
        return log

    def crash(self, tree: dict[str, list[str]]) -> Answer:
        """Examine what a power cut left: a folder, or a file from the template, from the end of the run, or lost."""
        shutil.rmtree(self.run, ignore_errors=True)
        self.run.mkdir()
        for path, (origin, *source) in sorted(tree.items()):
            match origin:
                case "folder":
                    (self.run / path).mkdir()
                case "lost":
                    (self.run / path).touch()
                case "template":
                    shutil.copy(self.template / source[0], self.run / path)
                case _:
                    shutil.copy(self.final / source[0], self.run / path)
        name, problems = self.examine()
        return {"served": name, "problems": problems}

    def examine(self, mutation: str = "") -> tuple[str | None, list[str]]:
        """Examine the folder as it is; one that was seen before is not examined again."""
        key = (fingerprint(self.run), mutation)
        if key not in self._examined:
            self._examined[key] = self._examine(mutation)
        return self._examined[key]

    def _examine(self, mutation: str) -> tuple[str | None, list[str]]:
        def work() -> Answer:
            MUTATIONS[mutation]()
            shim.arm(self.run, NEVER, Kind.COUNT)  # so that nothing waits for the disk
            name, problems = examine(self.run, self.scenario, self.expected)
            return {"served": name, "problems": problems}

        answer = in_child(work)
        return answer.get("served"), answer["problems"]

    def spoiled(self) -> bool:
        """Whether anything wrote into a file of the template: through a hard link, in place."""
        return _content(self.template) != self._bytes

    @property
    def states(self) -> int:
        """How many different folders were examined."""
        return len(self._examined)


def _content(folder: Path) -> dict[str, tuple[int, str]]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {str(path): (path.stat().st_mode, hashlib.sha256(path.read_bytes()).hexdigest()) for path in files}
