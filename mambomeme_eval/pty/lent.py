"""A terminal that is lent to one program, of which everything is known afterwards that the program left behind.

Owns both ends of the pseudo-terminal, so that its settings can be compared when the program is gone, and the program
as leader of a session of its own. What always holds: whatever is waited for has a deadline; no process outlives the
`with` block; and nothing reads the terminal but `read`, so that a caller may leave it unread.
"""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from types import TracebackType
from typing import Final, Self

from mambomeme_eval.pty.modes import Modes
from mambomeme_eval.pty.terminal import COLUMNS, PIECE, ROWS, ProgramEnded, surroundings

PATIENCE: Final = 30.0
"""Seconds until a wait counts as failed; far above what any wait needs, for the machine may be busy."""
CELL: Final = (10, 20)
"""Pixels of a cell: width and height."""
_TURN: Final = 0.02
_FLAGS: Final = ("input", "output", "control", "local", "input speed", "output speed", "characters")

# The terminal becomes the session's own, and a program that dies leaves no memory image lying about.
_BECOME: Final = (
    "import fcntl, os, resource, signal, sys, termios\n"
    # as a terminal would start it: whoever measures with nohup or in the background may have signals ignored
    "for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT): signal.signal(number, signal.SIG_DFL)\n"
    "resource.setrlimit(resource.RLIMIT_CORE, (0, 0))\n"
    "sys.argv[1] and fcntl.ioctl(0, termios.TIOCSCTTY, 0)\n"
    "os.execv(sys.argv[2], sys.argv[2:])\n"
)


class Lent:
    """One program in one terminal.

    Args:
        argv: the program and its arguments.
        settings: environment variables beside those of `surroundings`.
        answers: whether the terminal knows the questions that programs ask.
        controlling: whether it is the one whose end sends the program SIGHUP.
    """

    def __init__(
        self, argv: Sequence[str], settings: Mapping[str, str], *, answers: bool = True, controlling: bool = True
    ) -> None:
        self.modes = Modes()
        self.raw = bytearray()
        self.size = (COLUMNS, ROWS)
        self._answers = answers
        self._master, self._slave = pty.openpty()
        self._set_size()
        self._settings = termios.tcgetattr(self._slave)
        become = [sys.executable, "-I", "-S", "-c", _BECOME, "1" if controlling else ""]
        self.started = time.monotonic()
        self._process = subprocess.Popen(
            [*become, *argv],
            stdin=self._slave,
            stdout=self._slave,
            stderr=self._slave,
            env=surroundings(settings),
            start_new_session=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self.hang_up()
        os.close(self._slave)

    @property
    def pid(self) -> int:
        """Of the program."""
        return self._process.pid

    @property
    def ended(self) -> bool:
        """Whether the program is gone."""
        return self._process.poll() is not None

    @property
    def stopped(self) -> bool:
        """Whether job control has stopped the program."""
        return os.waitid(os.P_PID, self.pid, os.WSTOPPED | os.WNOHANG | os.WNOWAIT) is not None

    @property
    def exit_code(self) -> int | None:
        """As a shell tells it, 128 and the number of the signal for a program that one killed; None while it runs."""
        code = self._process.poll()
        return code if code is None or code >= 0 else 128 - code

    @property
    def changed_settings(self) -> list[str]:
        """Which of the terminal's settings are not what they were before the program."""
        now = termios.tcgetattr(self._slave)
        return [name for name, old, new in zip(_FLAGS, self._settings, now, strict=True) if old != new]

    def press(self, keys: bytes) -> None:
        """Type."""
        os.write(self._master, keys)

    def signal(self, number: int) -> None:
        """Send the program a signal, unless it is gone."""
        self._process.send_signal(number)

    def hang_up(self) -> None:
        """Close the terminal's own end, as an emulator whose window was closed does."""
        if self._master >= 0:
            os.close(self._master)
            self._master = -1

    def resize(self, columns: int, rows: int) -> None:
        """Become so large; the kernel sends SIGWINCH, and the report goes out where it was asked for."""
        self.size = (columns, rows)
        self._set_size()
        if self.modes.is_on(2048):
            self.press(self._size_report())

    def _set_size(self) -> None:
        (columns, rows), (width, height) = self.size, CELL
        fcntl.ioctl(self._slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, columns * width, rows * height))

    def _size_report(self) -> bytes:
        (columns, rows), (width, height) = self.size, CELL
        return b"\x1b[48;%d;%d;%d;%dt" % (rows, columns, rows * height, columns * width)

    def expect(self, condition: Callable[[], bool], what: str) -> None:
        """Read and answer until the condition holds.

        Raises:
            ProgramEnded: the program ended before, or the deadline passed.
        """
        if not self.read(PATIENCE, lambda: condition() or self.ended) or not condition():
            raise ProgramEnded(f"{'The program ended before' if self.ended else 'There never was'} {what}.")

    def read(self, seconds: float, condition: Callable[[], bool] = lambda: False, most: int = PIECE) -> bool:
        """Read and answer for some time or until the condition holds; whether it does.

        Args:
            seconds: how long at most.
            condition: looked at after every piece.
            most: bytes that are taken at a time.
        """
        deadline = time.monotonic() + seconds
        while not condition():
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            self._read_piece(min(left, _TURN), most)
        return True

    def wait_unread(self, seconds: float = PATIENCE) -> bool:
        """Wait for the program's end without reading what it draws; whether it came."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(seconds)
        return self.ended

    def finish(self) -> bool:
        """Read until the program is gone and nothing more is to be read; whether it went in time."""
        ended = self.read(PATIENCE, lambda: self.ended)
        while self._read_piece(0, PIECE):
            pass
        return ended

    def _read_piece(self, seconds: float, most: int) -> bool:
        if self._master < 0:
            time.sleep(seconds)
            return False
        if not select.select([self._master], [], [], seconds)[0]:
            return False
        data = os.read(self._master, most)
        self.raw += data
        self.modes.feed(data)
        questions, self.modes.questions = self.modes.questions, []
        for question in questions if self._answers and not self.ended else ():
            self.press(self._answer(question))
        return True

    def _answer(self, question: bytes) -> bytes:
        if question == b"size":
            return self._size_report()
        if (mode := re.fullmatch(rb"\x1b\[\?(\d+)\$p", question)) is not None:
            return b"\x1b[?%s;%d$y" % (mode[1], 1 if self.modes.is_on(int(mode[1])) else 2)
        if question == b"\x1b[?u":
            return b"\x1b[?%du" % self.modes.keyboard
        known = {b"\x1b[c": b"\x1b[?62;22c", b"\x1b[6n": b"\x1b[1;1R", b"\x1b[5n": b"\x1b[0n"}
        return known.get(question, b"")
