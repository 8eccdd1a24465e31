"""Compiles the preloaded library, arms it, and reads what it logged."""

import ctypes
import subprocess
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path


class Kind(IntEnum):
    """What happens at the operation; the numbers are those of `shim.c`.

    Killed before it, in the middle of what it writes, or after it. A disk that is full from there on, for this once,
    or from there on for data but not for names. This once an I/O error. A disk that takes no change from there on.
    """

    COUNT = 0
    KILL_BEFORE = 1
    KILL_HALF = 2
    KILL_AFTER = 3
    FULL = 4
    FULL_ONCE = 5
    BROKEN = 6
    DEAD = 7
    FULL_DATA = 8


NEVER = 1 << 60


@dataclass(frozen=True, slots=True)
class Operation:
    """One counted operation: its number from 1, what it was, whether it can need space or writes data, and its paths.

    `path` and `other`, the new name of what is renamed, are relative to the folder that the library was armed with.
    """

    number: int
    what: str
    need: int
    path: str
    other: str
    done: bool

    def can(self, kind: Kind) -> bool:
        """Whether this kind of fault differs at this operation from what other kinds or points already do."""
        if kind in {Kind.KILL_HALF, Kind.FULL_DATA}:
            return self.need == 2
        return self.need > 0 if kind in {Kind.FULL, Kind.FULL_ONCE} else True


def compile_library(folder: Path) -> Path:
    """Compile the library into a folder, if it is not there; needs the same C compiler as Annoy does."""
    target = folder / "shim.so"
    if target.exists():
        return target
    source = Path(__file__).with_name("shim.c")
    command = ["cc", "-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror", "-o", str(target), str(source), "-ldl"]
    subprocess.run(command, check=True)
    return target


def arm(folder: Path, number: int, kind: Kind, log: Path | None = None) -> None:
    """Break the operation of this number, counted from now on, among those below a folder."""
    library = ctypes.CDLL(None)
    library.faults_arm.argtypes = [ctypes.c_char_p, ctypes.c_long, ctypes.c_int, ctypes.c_char_p]
    library.faults_arm.restype = None
    library.faults_arm(str(folder).encode(), number, int(kind), None if log is None else str(log).encode())


def disarm() -> int:
    """Break nothing more; returns how many operations were counted."""
    library = ctypes.CDLL(None)
    library.faults_disarm.restype = ctypes.c_long
    return int(library.faults_disarm())


def read_log(log: Path, folder: Path) -> list[Operation]:
    """The operations that a run counted, in their order."""
    operations = []
    for line in log.read_text(encoding="utf-8").splitlines():
        number, what, need, path, other, result = line.split("\t")
        below, new = (_relative(one, folder) for one in (path, other))
        operations.append(Operation(int(number), what, int(need), below, new, result == "done"))
    return operations


def _relative(path: str, folder: Path) -> str:
    return path.removeprefix(str(folder)).removeprefix("/")
