"""A terminal for tests: it runs a program on a pseudo-terminal of its own and knows every mode that is switched on.

Owns both ends of the pseudo-terminal, so that its settings can be compared after the program is gone, and answers
the questions that an emulator answers. What always holds: nothing here waits for time to pass, only for bytes,
messages or the end of the program, each with a deadline; and the modes are read from the raw bytes.
"""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import IO, Final, Self

ROWS, COLUMNS = 24, 80
WIDTH, HEIGHT = 800, 480
DEADLINE: Final = 30.0
"""Seconds until a wait counts as failed; far above what any wait needs, for the machine may be busy."""

ON_AT_START: Final = frozenset({7, 25})
"""Private modes that are on in a fresh terminal: autowrap and the cursor. All others are off."""

SEQUENCE: Final = re.compile(
    rb"\x1b(?:"
    rb"\[(?P<prefix>[?><=]?)(?P<parameters>[0-9;:]*)(?P<between>[ -/]*)(?P<final>[@-~])"
    rb"|\](?P<osc>[^\x07\x1b]*)(?:\x07|\x1b\\)"
    rb"|[PX^_][^\x1b]*\x1b\\"
    rb"|[ -/][0-~]"
    rb"|(?P<single>[0-OQ-WYZ\\`-~])"
    rb")"
)
UNFINISHED: Final = re.compile(rb"\x1b(?:\[[?><=]?[0-9;:]*[ -/]*|\][^\x07\x1b]*\x1b?|[PX^_][^\x1b]*\x1b?|[ -/])?\Z")


@dataclass
class ModeTracker:
    """What the bytes that a terminal received have switched on, sequence by sequence."""

    modes: dict[int, bool] = field(default_factory=lambda: dict.fromkeys(ON_AT_START, True))
    keyboard: dict[bool, list[int]] = field(default_factory=lambda: {False: [], True: []})
    styled: bool = False
    keypad: bool = False
    pointer: str = ""
    unknown: list[bytes] = field(default_factory=list)
    questions: list[bytes] = field(default_factory=list)
    _rest: bytes = b""

    def feed(self, data: bytes) -> None:
        """Take in what the terminal received; a sequence may be cut anywhere."""
        data, position = self._rest + data, 0
        self._rest = b""
        while (position := data.find(b"\x1b", position)) >= 0:
            if (match := SEQUENCE.match(data, position)) is not None:
                self._apply(match)
                position = match.end()
            elif UNFINISHED.match(data, position):
                self._rest = data[position:]
                return
            else:
                self.unknown.append(data[position : position + 16])
                position += 1

    def is_on(self, *modes: int) -> bool:
        """Whether all these private modes are on."""
        return all(self.modes.get(mode, mode in ON_AT_START) for mode in modes)

    def leftovers(self) -> list[str]:
        """Everything that differs from a fresh terminal, in words; empty when all is restored."""
        found = [f"mode {mode}" for mode, on in sorted(self.modes.items()) if on != (mode in ON_AT_START)]
        found += [f"keyboard {stack} on screen {int(screen)}" for screen, stack in self.keyboard.items() if stack]
        found += ["colours"] * self.styled + ["keypad"] * self.keypad
        found += [f"pointer {self.pointer}"] * (self.pointer not in ("", "default"))
        found += [f"unknown {sequence!r}" for sequence in self.unknown]
        return found + ([f"cut off {self._rest!r}"] if self._rest else [])

    def _apply(self, match: re.Match[bytes]) -> None:
        if match["final"] is not None:
            self._apply_control(match)
        elif match["osc"] is not None:
            number, _, text = match["osc"].partition(b";")
            if number == b"22":
                self.pointer = text.decode()
        elif match["single"] in (b"=", b">"):
            self.keypad = match["single"] == b"="

    def _apply_control(self, match: re.Match[bytes]) -> None:
        prefix, parameters, final = match["prefix"], match["parameters"].decode(), match["between"] + match["final"]
        if prefix == b"?" and final in (b"h", b"l"):
            self.modes.update({int(number): final == b"h" for number in parameters.split(";")})
            if final == b"h" and "2048" in parameters.split(";"):
                self.questions.append(b"size")
        elif final == b"u" and prefix:
            self._apply_keyboard(prefix, parameters)
        elif final == b"m" and not prefix:
            self.styled = _style_after(parameters, self.styled)
        if final in (b"$p", b"c", b"n") or (final, prefix) == (b"u", b"?"):
            self.questions.append(match[0])

    def _apply_keyboard(self, prefix: bytes, parameters: str) -> None:
        stack = self.keyboard[self.is_on(1049)]
        if prefix == b">":
            stack.append(int(parameters or 0))
        elif prefix == b"<":
            del stack[max(0, len(stack) - int(parameters or 1)) :]
        elif prefix == b"=":
            stack[-1:] = [int(parameters.split(";", maxsplit=1)[0] or 0)]


def _style_after(parameters: str, styled: bool) -> bool:
    """Whether text is styled after a colour sequence; the zeros inside a colour are no reset."""
    numbers = [int(number or 0) for number in parameters.replace(":", ";").split(";")]
    while numbers:
        first = numbers.pop(0)
        styled = first != 0
        if first in (38, 48, 58) and numbers:
            del numbers[: 4 if numbers[0] == 2 else 2]
    return styled


@dataclass(frozen=True)
class Outcome:
    """What a program left behind: its exit code, the modes still on, and whether the settings are the old ones."""

    exit_code: int
    leftovers: list[str]
    settings_equal: bool
    text: str
    """What the main screen received after the interface was gone."""


class TerminalProbe:
    """One program in one terminal.

    Args:
        argv: what to run, without the interpreter.
        errors: file that takes standard error, in place of the terminal.
        answers: whether the terminal knows the questions that programs ask.
        controlling: whether it is the one that sends the program SIGHUP.
    """

    def __init__(
        self,
        argv: Sequence[str],
        env: Mapping[str, str] | None = None,
        errors: IO[bytes] | None = None,
        *,
        answers: bool = True,
        controlling: bool = True,
    ) -> None:
        self.answers, self._controlling = answers, controlling
        self.modes = ModeTracker()
        self.raw = bytearray()
        self.messages = bytearray()
        self._master, self._slave = pty.openpty()
        fcntl.ioctl(self._slave, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, WIDTH, HEIGHT))
        self._settings = termios.tcgetattr(self._slave)
        self._reader, writer = os.pipe()
        self._process = self._spawn(argv, {**(env or {}), "PROBE_MESSAGES": str(writer)}, writer, errors)
        os.close(writer)

    def _spawn(
        self, argv: Sequence[str], env: Mapping[str, str], writer: int, errors: IO[bytes] | None
    ) -> subprocess.Popen[bytes]:
        kept = {name: os.environ[name] for name in ("PATH", "HOME", "PYTHONPATH") if name in os.environ}
        return subprocess.Popen(
            [sys.executable, *argv],
            stdin=self._slave,
            stdout=self._slave,
            stderr=errors or self._slave,
            env={**kept, "LANG": "C.UTF-8", "TERM": "xterm-256color", "COLORTERM": "truecolor", **env},
            cwd=Path(__file__).parents[2],
            start_new_session=True,
            preexec_fn=(lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0)) if self._controlling else None,
            pass_fds=[writer],
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        self.hang_up()
        os.close(self._slave)
        os.close(self._reader)

    @property
    def ended(self) -> bool:
        """Whether the program is gone."""
        return self._process.poll() is not None

    @property
    def stopped(self) -> bool:
        """Whether the program is stopped by job control."""
        try:
            status = Path(f"/proc/{self._process.pid}/stat").read_text()
        except OSError:
            return False
        return status.rpartition(")")[2].split()[0] == "T"

    @property
    def settings_equal(self) -> bool:
        """Whether the settings of the terminal are the ones from before the program."""
        return bool(termios.tcgetattr(self._slave) == self._settings)

    def press(self, keys: bytes) -> None:
        """Type."""
        os.write(self._master, keys)

    def point_at(self, row: int, column: int) -> None:
        """Move the mouse to a cell; the report is in pixels, as a terminal with mode 1016 sends it."""
        x, y = (column - 1) * WIDTH // COLUMNS + 1, (row - 1) * HEIGHT // ROWS + 1
        self.press(b"\x1b[<35;%d;%dM" % (x, y))

    def signal(self, number: int) -> None:
        """Send a signal to the program, unless it is gone."""
        self._process.send_signal(number)

    def hang_up(self) -> None:
        """Close the terminal's own end, as an emulator whose window was closed does."""
        if self._master >= 0:
            os.close(self._master)
            self._master = -1

    def read_until(self, condition: Callable[[], bool], what: str, seconds: float = DEADLINE) -> None:
        """Read and answer until the condition holds; fail with what was awaited after the deadline."""
        if not self.read_for(seconds, condition):
            raise AssertionError(f"no {what} within {seconds:.0f} s; last bytes: {bytes(self.raw[-600:])!r}")

    def read_for(self, seconds: float, condition: Callable[[], bool] = lambda: False) -> bool:
        """Read and answer for some time, or until the condition holds; whether it does."""
        deadline = time.monotonic() + seconds
        while not condition():
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            self._read_once(min(left, 0.02))
        return True

    def read_text(self, text: bytes, since: int = 0) -> None:
        """Read until the text was received, at or after the position."""
        self.read_until(lambda: text in self.raw[since:], f"text {text!r}")

    def read_message(self, message: bytes) -> None:
        """Wait until the program sent the message, past the terminal; what it draws is not read meanwhile."""
        deadline = time.monotonic() + DEADLINE
        while message not in self.messages:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self._reader], [], [], left)[0]:
                raise AssertionError(f"no message {message!r} within {DEADLINE:.0f} s")
            data = os.read(self._reader, 64)
            assert data, f"the program ended without the message {message!r}"
            self.messages += data

    def wait_unread(self) -> int:
        """Wait for the end of the program without reading what it draws."""
        return self._process.wait(DEADLINE)

    def finish(self) -> Outcome:
        """Read until the program is gone and everything it wrote was read, and say what is left of it."""
        self.read_until(lambda: self.ended, "end of the program")
        self.drain()
        main_screen = bytes(self.raw).rpartition(b"\x1b[?1049l")[2].decode(errors="replace")
        return Outcome(self._process.wait(DEADLINE), self.modes.leftovers(), self.settings_equal, main_screen)

    def drain(self) -> None:
        """Read what is there to read."""
        while self._read_once(0):
            pass

    def _read_once(self, seconds: float) -> bool:
        if not select.select([self._master], [], [], seconds)[0]:
            return False
        data = os.read(self._master, 65536)
        self.raw += data
        self.modes.feed(data)
        while self.modes.questions and not self.ended:
            answer = self._answer(self.modes.questions.pop(0))
            if self.answers and answer:
                self.press(answer)
        return True

    def _answer(self, question: bytes) -> bytes:
        if question == b"size":
            return b"\x1b[48;%d;%d;%d;%dt" % (ROWS, COLUMNS, HEIGHT, WIDTH)
        if (mode := re.fullmatch(rb"\x1b\[\?(\d+)\$p", question)) is not None:
            return b"\x1b[?%s;%d$y" % (mode[1], 1 if self.modes.is_on(int(mode[1])) else 2)
        if question == b"\x1b[?u":
            return b"\x1b[?%du" % (self.modes.keyboard[self.modes.is_on(1049)] or [0])[-1]
        return {b"\x1b[c": b"\x1b[?62;22c", b"\x1b[6n": b"\x1b[1;1R", b"\x1b[5n": b"\x1b[0n"}.get(question, b"")
