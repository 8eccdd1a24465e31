"""One program in one 80x24 terminal: written to and read from with plain system calls, every chunk with its stamp.

Owns the pseudo-terminal and the program in it. What always holds: a chunk is stamped by the monotonic clock before
anything else looks at it; nothing is parsed here but the few questions that an emulator answers; and nothing waits
for ever.
"""

import os
import re
import select
import time
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Final, Self

import pexpect

from mambomeme_tui.errors import MamboError

ROWS: Final = 24
COLUMNS: Final = 80
PATIENCE: Final = 60.0
"""Seconds until a wait counts as failed; far above what any wait needs, for the machine may be busy."""
PIECE: Final = 65536

_QUESTION = re.compile(rb"\x1b\[(?:\?(?P<mode>\d+)\$p|\?(?P<resize>2048)h|(?P<other>c|5n|6n|\?u|>0?q|>0?c))")
_ANSWERS = {
    b"c": b"\x1b[?62;22c",
    b"5n": b"\x1b[0n",
    b"6n": b"\x1b[1;1R",
    b"?u": b"\x1b[?0u",
    b">q": b"\x1bP>|bench\x1b\\",
    b">0q": b"\x1bP>|bench\x1b\\",
    b">c": b"\x1b[>1;1;0c",
    b">0c": b"\x1b[>1;1;0c",
}
_KNOWN_MODES = frozenset({b"1004", b"1006", b"1016", b"2004", b"2026", b"2048"})
_LONGEST_QUESTION = 16


class ProgramEnded(MamboError):
    """The program in the terminal is gone, or does not do what is waited for."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """What one read returned, and the monotonic nanosecond at which it did."""

    stamp: int
    data: bytes


def surroundings(settings: Mapping[str, str]) -> dict[str, str]:
    """The environment of a program under measurement: a true-colour terminal, and no setting but those named."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("MAMBOMEME_", "TEXTUAL"))}
    kept.pop("NO_COLOR", None)
    return {**kept, "LANG": "C.UTF-8", "TERM": "xterm-256color", "COLORTERM": "truecolor", **settings}


class Terminal:
    """Runs one program until the `with` block ends.

    Args:
        argv: the program and its arguments.
        settings: the environment variables it gets beside those of `surroundings`.
    """

    def __init__(self, argv: Sequence[str], settings: Mapping[str, str]) -> None:
        self.chunks: list[Chunk] = []
        self.unread = bytearray()
        self._taken = 0
        self._tail = b""
        self.started = time.monotonic_ns()
        with warnings.catch_warnings():
            # Forking beside threads is frowned upon; the child does nothing but become another program.
            warnings.simplefilter("ignore", DeprecationWarning)
            self._child = pexpect.spawn(
                argv[0], list(argv[1:]), env=surroundings(settings), dimensions=(ROWS, COLUMNS), timeout=None
            )
        self._child.delaybeforesend = None
        self._descriptor: int = self._child.child_fd

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._child.close(force=True)

    def write(self, keys: bytes) -> int:
        """Type in one write; returns the stamp from just before it."""
        stamp = time.monotonic_ns()
        os.write(self._descriptor, keys)
        return stamp

    def take(self) -> list[Chunk]:
        """The chunks since the last call; `unread` starts anew with those that follow."""
        taken = self.chunks[self._taken :]
        self._taken = len(self.chunks)
        self.unread.clear()
        return taken

    def read_until(self, ready: Callable[[], bool], quiet: float = 0.0, patience: float = PATIENCE) -> bool:
        """Read until `ready`, and then until nothing came for `quiet` seconds; False when patience ended first.

        Raises:
            ProgramEnded: the program is gone.
        """
        deadline = time.monotonic() + patience
        last = time.monotonic()
        while (now := time.monotonic()) < deadline:
            missing = quiet - (now - last)
            if ready() and missing <= 0:
                return True
            if self._read(min(max(missing, 0.005), deadline - now)):
                last = time.monotonic()
        return False

    def read_for(self, seconds: float) -> None:
        """Read whatever comes for so long."""
        self.read_until(lambda: False, patience=seconds)

    def finish(self, keys: bytes) -> int:
        """Type what makes the program quit, read to its end, and return its exit code."""
        self.write(keys)
        try:
            self.read_until(lambda: False)
        except ProgramEnded:
            self._child.wait()
            return int(self._child.exitstatus if self._child.exitstatus is not None else -1)
        raise ProgramEnded("The program did not quit when it was told to.")

    def _read(self, seconds: float) -> bool:
        if not select.select([self._descriptor], [], [], max(0.0, seconds))[0]:
            return False
        try:
            data = os.read(self._descriptor, PIECE)
        except OSError:
            data = b""
        stamp = time.monotonic_ns()
        if not data:
            raise ProgramEnded("The program in the terminal ended too early.")
        self.chunks.append(Chunk(stamp, data))
        self.unread += data
        self._answer(data)
        return True

    def _answer(self, data: bytes) -> None:
        text = self._tail + data
        end = 0
        for question in _QUESTION.finditer(text):
            os.write(self._descriptor, _reply(question))
            end = question.end()
        self._tail = text[end:][-_LONGEST_QUESTION:]


def _reply(question: re.Match[bytes]) -> bytes:
    if question["resize"]:
        return b"\x1b[48;%d;%d;480;800t" % (ROWS, COLUMNS)
    if mode := question["mode"]:
        return b"\x1b[?%s;%d$y" % (mode, 2 if mode in _KNOWN_MODES else 0)
    return _ANSWERS[question["other"]]


def joined(chunks: Iterable[Chunk]) -> bytes:
    """All bytes of some chunks."""
    return b"".join(chunk.data for chunk in chunks)
