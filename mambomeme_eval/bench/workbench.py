"""A copied data folder, the commands that are run on it, and whether a version in it is still what it was.

A version is known by the hashes of its files and by the lists that it answers; both are taken here, from the files
and through an engine that is opened anew, and not from what a command says. `verify` is asked beside that.
"""

import hashlib
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Final

from mambomeme_eval.bench.copies import settings_for
from mambomeme_eval.pty.terminal import surroundings
from mambomeme_tui.errors import MamboError
from mambomeme_tui.index.layout import SCRATCH, VERSIONS_FOLDER
from mambomeme_tui.index.pointer import current_name, version_names
from mambomeme_tui.retrieval.engine import Engine

QUERIES: Final = 12
ROUTES: Final = ("lexical", "hybrid")
LONGEST: Final = 120.0
"""Seconds after which a command counts as hanging."""

Lists = dict[str, list[str]]


@dataclass(frozen=True, slots=True)
class Known:
    """What a version was when it was first served: the hashes of its files, and route and query -> ranked ids."""

    files: dict[str, str]
    lists: Lists


@dataclass(slots=True)
class Workbench:
    """One data folder under test.

    Attributes:
        data: a copy that nobody else uses.
        program: the program whose commands are run.
        exit_code: of the last command.
        known: version -> what it was.
    """

    data: Path
    program: Sequence[str]
    exit_code: int | None = None
    known: dict[str, Known] = field(default_factory=dict)

    @property
    def served(self) -> str:
        """The name of the version that is served."""
        return current_name(self.data)

    def run(self, *arguments: str) -> str:
        """Run a command to its end; what it printed."""
        with self.start(*arguments) as process:
            try:
                printed, _ = process.communicate(timeout=LONGEST)
            except subprocess.TimeoutExpired:
                process.kill()
                raise MamboError(f"`{arguments[0]}` does not end.") from None
        self.exit_code = process.returncode
        return printed

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """Start a command; its standard output is to be read."""
        return subprocess.Popen(
            [*self.program, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=surroundings(settings_for(self.data)),
        )

    def kill(self, process: subprocess.Popen[str], lines: int, seconds: float) -> None:
        """Kill a command without warning, so many seconds after it printed so many lines, or after its end."""
        assert process.stdout is not None
        for _ in islice(process.stdout, lines):
            pass
        time.sleep(seconds)
        process.kill()
        process.communicate()
        self.exit_code = process.returncode if process.returncode >= 0 else 128 - process.returncode

    def remember(self) -> str:
        """Take down what the served version is; its name."""
        name = self.served
        self.known[name] = Known(self._files(name), self._lists(name, None))
        return name

    def faults(self, name: str) -> Iterator[str]:
        """Where the served version is not this one, or not what it was; empty when all of it is."""
        if self.served != name:
            yield f"{self.served} is served, not {name}"
            return
        printed = self.run("verify", "--all")
        if self.exit_code or f"{name}: whole" not in printed:
            yield f"`verify --all` ends with {self.exit_code}"
        if self._files(name) != self.known[name].files:
            yield f"the files of {name} are not what they were"
        yield from self._faults_of_lists(name)

    def left_over(self) -> Iterator[str]:
        """What an interrupted writer left that the next one should have cleared."""
        if any(self.data.rglob(f"{SCRATCH}*")):
            yield "unfinished files were left behind"

    def damage(self, name: str, path: str) -> bytes:
        """Change one bit in the middle of a version's file; returns what it was."""
        file = self.data / VERSIONS_FOLDER / name / path
        sound = file.read_bytes()
        middle = len(sound) // 2
        file.write_bytes(sound[:middle] + bytes([sound[middle] ^ 1]) + sound[middle + 1 :])
        return sound

    def names(self) -> list[str]:
        """All versions that are there."""
        return version_names(self.data)

    def _faults_of_lists(self, name: str) -> Iterator[str]:
        try:
            lists = self._lists(name, self.known[name].lists)
        except MamboError as error:
            yield f"{name} can't be opened: {error.message}"
        else:
            if lists != self.known[name].lists:
                yield f"the lists of {name} are not what they were"

    def _files(self, name: str) -> dict[str, str]:
        folder = self.data / VERSIONS_FOLDER / name
        files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
        return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}

    def _lists(self, name: str, asked: Lists | None) -> Lists:
        with closing(Engine(self.data)) as engine:
            if engine.version.name != name or engine.version.instead_of is not None:
                raise MamboError(f"{engine.version.name} was opened.")
            engine.load_dense()
            return lists_of(engine, asked)


def lists_of(engine: Engine, asked: Lists | None = None) -> Lists:
    """What an engine answers to the queries that were asked before, or to some of its own records' quotes."""
    if asked is None:
        memes = list(engine.version.catalogue.everything())
        step = max(1, len(memes) // QUERIES)
        keys = [f"{route}\n{meme.quote}" for meme in memes[::step][:QUERIES] for route in ROUTES]
    else:
        keys = list(asked)
    found = {}
    for key in keys:
        route, _, query = key.partition("\n")
        found[key] = [hit.meme.id for hit in engine.search(query, route).hits]
    return found
