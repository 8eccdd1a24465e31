"""A terminal for tests that also keeps the screen a person would see, and that can change its size.

The screen is pyte's; sequences of newer keyboards, which pyte would print, are taken out before.
"""

import fcntl
import os
import re
import select
import struct
import subprocess
import termios
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO

import pyte

from tests.pty.terminal_probe import UNFINISHED, TerminalProbe

UNKNOWN_TO_PYTE = re.compile(rb"\x1b\[[<>=][0-9;]*[a-zA-Z]")
STATUS = re.compile(r" \S  10 found(?: · F6: as typed)? · \d+ ms · hybrid · v-(?:[0-9a-f]{12} *|[0-9a-f]{0,11}…)$")
ROOM = 65536


class Emulator(TerminalProbe):
    """The real program in a terminal of so many columns and rows.

    Args:
        data: the data folder.
        scratch: a folder for the program's settings and pictures.
        env: further variables.
        piece: most bytes that the terminal takes at a time.
        program: what the interpreter runs.
    """

    def __init__(
        self,
        data: Path,
        scratch: Path,
        arguments: Sequence[str] = (),
        env: Mapping[str, str] | None = None,
        size: tuple[int, int] = (80, 24),
        piece: int = ROOM,
        program: Sequence[str] = ("-m", "mambomeme_tui"),
    ) -> None:
        self._size = size
        self._fed, self._rest = 0, b""
        self._piece = piece
        self._display = pyte.Screen(*size)
        self._stream = pyte.ByteStream(self._display)
        folders = {"DATA": data, "CONFIG": scratch / "config", "CACHE": scratch / "cache"}
        own = {f"MAMBOMEME_{name}_DIR": str(folder) for name, folder in folders.items()}
        super().__init__([*program, *arguments], {**own, **(env or {})})

    def _spawn(
        self, argv: Sequence[str], env: Mapping[str, str], writer: int, errors: IO[bytes] | None
    ) -> subprocess.Popen[bytes]:
        self._set_size()
        return super()._spawn(argv, env, writer, errors)

    def _set_size(self) -> None:
        columns, rows = self._size
        fcntl.ioctl(self._slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def _size_report(self) -> bytes:
        columns, rows = self._size
        return b"\x1b[48;%d;%d;0;0t" % (rows, columns)

    def _answer(self, question: bytes) -> bytes:
        return self._size_report() if question == b"size" else super()._answer(question)

    def _read_once(self, seconds: float) -> bool:
        if self._piece == ROOM:
            return super()._read_once(seconds)
        if not select.select([self._master], [], [], seconds)[0]:
            return False
        data = os.read(self._master, self._piece)
        self.raw += data
        self.modes.feed(data)
        while self.modes.questions and not self.ended:
            self.press(self._answer(self.modes.questions.pop(0)))
        return True

    def resize(self, columns: int, rows: int) -> None:
        """Become so large; the kernel sends SIGWINCH, and the report goes out where it was asked for."""
        self.screen()
        self._size = (columns, rows)
        self._display.resize(rows, columns)
        self._set_size()
        if self.modes.is_on(2048):
            self.press(self._size_report())

    def screen(self) -> list[str]:
        """The lines that a person sees after all that was read so far."""
        data = self._rest + bytes(self.raw[self._fed :])
        self._fed, self._rest = len(self.raw), b""
        last = data.rfind(b"\x1b")
        if last >= 0 and UNFINISHED.match(data, last):
            data, self._rest = data[:last], data[last:]
        self._stream.feed(UNKNOWN_TO_PYTE.sub(b"", data))
        return list(self._display.display)

    def watch(self, condition: Callable[[], bool], what: str, seconds: float = 60.0) -> None:
        """Read until the condition holds; fail at once if the program ends before."""

        def holds() -> bool:
            ended = self.ended
            held = condition()
            assert held or not ended, f"the program ended before {what}: {bytes(self.raw[-600:])!r}"
            return held

        self.read_until(holds, what, seconds)

    def wait_for(self, text: str, seconds: float = 60.0) -> list[str]:
        """Read until this text is on the screen."""
        self.watch(lambda: text in "\n".join(self.screen()), f"{text!r} on the screen", seconds)
        return self.screen()

    def enter_list(self) -> None:
        """Move to the list; further keys reach it only from then on."""
        self.press(b"\r")
        self.wait_for("c choose")

    def wait_for_answer(self, query: str) -> list[str]:
        """Read until ten hits for this query, found by the whole route, are on the screen, and its size is right."""
        columns, rows = self._size

        def answered() -> bool:
            lines = self.screen()
            shown = [len(line) for line in lines] == [columns] * rows
            return shown and f"─ 10 for “{query}” ─" in lines[1] and bool(STATUS.match(lines[-2]))

        self.watch(answered, f"answer to {query!r}")
        return self.screen()
