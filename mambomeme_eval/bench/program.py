"""The program under measurement: started, asked one query at a time, and watched from outside.

What always holds: stamps are taken before anything is parsed; every wait has an end, also that for a program which
does not read; a program that is gone or hangs is told by an exception, after which only `close` makes sense.
"""

import contextlib
import os
import select
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from mambomeme_eval.bench import marker as markers
from mambomeme_eval.bench.config import Limits
from mambomeme_eval.bench.marker import Marker
from mambomeme_eval.bench.screen import Emulator, answer_rows, drawn_whole, touched
from mambomeme_eval.figures import milliseconds
from mambomeme_eval.pty import layout
from mambomeme_eval.pty.driven import SIGN_PATIENCE
from mambomeme_eval.pty.replay import Frame
from mambomeme_eval.pty.searches import CLEAR, ENTER, TO_BOX
from mambomeme_eval.pty.starts import QUIT
from mambomeme_eval.pty.terminal import Chunk, ProgramEnded, Terminal
from mambomeme_tui.errors import MamboError

_FOUND: Final = " found · ".encode()
_NO_SEARCH: Final = "no search"
_LOOK: Final = 0.05
_PIECE: Final = 1024
"""Bytes typed at a time: less than any terminal holds for a program that does not read."""


class ProgramHung(MamboError):
    """The program does not do what is waited for, and goes on existing."""


@dataclass(frozen=True, slots=True)
class Observed:
    """What one submission looked like from outside.

    Attributes:
        written, read: monotonic nanoseconds just before Enter was written, and just after the marker was read.
        number: of the submission in its process, from 1.
        stray: whether a marker came before Enter was pressed.
        marked: every marker from Enter until the output was quiet; None for one that is not exactly a marker.
        at_marker, settled: the screen at the first marker, and when the output was quiet.
        drawn: rows of list and status that were wholly drawn between Enter and the marker.
        redrawn: such rows that were drawn after the marker.
        bytes: written by the program from Enter until it was quiet.
    """

    written: int
    read: int
    number: int
    stray: bool
    marked: tuple[Marker | None, ...]
    at_marker: Frame
    settled: Frame
    drawn: frozenset[int]
    redrawn: frozenset[int]
    bytes: int


class Wire(Terminal):
    """A terminal that is written to only as fast as the program reads, and keeps no more than it must."""

    def __init__(self, argv: Sequence[str], settings: Mapping[str, str], patience: float) -> None:
        super().__init__(argv, settings)
        self._patience = patience
        os.set_blocking(self._descriptor, False)

    @property
    def pid(self) -> int:
        """The program's."""
        return int(self._child.pid)

    def write(self, keys: bytes) -> int:
        """Type; returns the stamp from just before it. Reads meanwhile, or two full buffers would wait for each other.

        Raises:
            ProgramHung: the program did not read in time.
            ProgramEnded: it is gone.
        """
        stamp = time.monotonic_ns()
        deadline = time.monotonic() + self._patience
        while keys:
            readable, writable, _ = select.select([self._descriptor], [self._descriptor], [], _LOOK)
            if writable:
                keys = keys[self._write_some(keys) :]
            elif readable:
                self._read(0)
            if keys and time.monotonic() > deadline:
                raise ProgramHung("The program does not read what is typed.")
        return stamp

    def _write_some(self, keys: bytes) -> int:
        try:
            return os.write(self._descriptor, keys[:_PIECE])
        except BlockingIOError:
            return 0
        except OSError:
            raise ProgramEnded("The program in the terminal ended too early.") from None

    def take(self) -> list[Chunk]:
        """The chunks since the last call, which are forgotten here."""
        taken, self.chunks = self.chunks, []
        self.unread.clear()
        return taken

    def _answer(self, data: bytes) -> None:
        with contextlib.suppress(OSError):  # nobody waits for an answer with a full buffer, or gone
            super()._answer(data)


class Program:
    """One process of the product, ready to be asked; `start_ms` is how long that took.

    Args:
        command: the program and its arguments.
        surroundings: its environment variables.
        limits: see `bench.toml`.

    Raises:
        ProgramEnded, ProgramHung: it never became ready.
    """

    def __init__(self, command: Sequence[str], surroundings: Mapping[str, str], limits: Limits) -> None:
        self._limits = limits
        self.quiet = limits.quiet_ms / 1000
        self._submitted = 0
        self._emulator = Emulator()
        self.wire = Wire(command, surroundings, limits.timeout_ms / 1000)
        try:
            self.start_ms = self._await_ready()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """End it, in whatever state it is."""
        self.wire.__exit__(None, None, None)

    def quit(self) -> int:
        """Let it quit as a person would; returns its exit code."""
        return self.wire.finish(QUIT)

    def peak_bytes(self) -> int | None:
        """The most memory that it has needed so far, where the system tells."""
        try:
            status = Path(f"/proc/{self.wire.pid}/status").read_text(encoding="ascii", errors="replace")
        except OSError:
            return None
        lines = [line.split() for line in status.splitlines() if line.startswith("VmHWM:")]
        return int(lines[0][1]) * 1024 if lines else None

    def ask(self, typed: str, sentence: str) -> Observed:
        """Type a query, wait until the screen is quiet, press Enter, and watch.

        Args:
            typed: the query.
            sentence: what the program makes of it, which its heading shows.

        Raises:
            ProgramEnded: it is gone.
            ProgramHung: it does not read, or no marker came in time.
        """
        stray = self._type(typed, sentence)
        self._submitted += 1
        wire = self.wire
        written = wire.write(ENTER)
        if not wire.read_until(self._is_marked, patience=self._limits.timeout_ms / 1000):
            raise ProgramHung("The marker of a search did not come in time.")
        return self._observe(written, wire.chunks[-1].stamp, stray)

    def draw(self) -> Frame:
        """Feed the emulator with everything read so far; the screen after it."""
        chunks = self.wire.take()
        for chunk in chunks:
            self._emulator.feed(chunk.data)
        return self._emulator.frame(chunks[-1].stamp if chunks else 0)

    def draw_each(self) -> list[Frame]:
        """As `draw`, with a frame for every chunk."""
        frames = []
        for chunk in self.wire.take():
            self._emulator.feed(chunk.data)
            frames.append(self._emulator.frame(chunk.stamp))
        return frames

    def clear_box(self) -> None:
        """Empty the query box, with the focus in it, and wait for a quiet screen."""
        box = layout.box_has_focus(self._emulator.frame())
        self.wire.write((b"" if box else TO_BOX) + CLEAR)
        self.wire.read_until(lambda: bool(self.wire.chunks), 5 * self.quiet, _LOOK * 10)
        self.draw()

    def _is_marked(self) -> bool:
        return bool(markers.find(self.wire.unread))

    def _await_ready(self) -> float:
        deadline = time.monotonic() + self._limits.start_ms / 1000
        while time.monotonic() < deadline:
            self.wire.read_until(lambda: b"ready" in self.wire.unread, self.quiet, SIGN_PATIENCE)
            for frame in self.draw_each():
                if frame.whole and "ready" in layout.status(frame) and not layout.is_narrowed(frame):
                    return milliseconds(self.wire.started, frame.stamp)
        raise ProgramHung("The program never became ready.")

    def _type(self, typed: str, sentence: str) -> bool:
        """Type and wait; whether a marker came, which nobody had asked for. An answer that never comes ends nothing."""
        wire, stray = self.wire, False
        self.draw()
        self._emulator.take_spans()
        box = layout.box_has_focus(self._emulator.frame())
        wire.write((b"" if box else TO_BOX) + CLEAR + typed.encode())
        deadline = time.monotonic() + self._limits.timeout_ms / 1000
        rows: frozenset[int] = frozenset()
        while time.monotonic() < deadline:
            wire.read_until(lambda: _FOUND in wire.unread, self.quiet, _LOOK * 4)
            stray = stray or self._is_marked()
            frame = self.draw()
            rows |= touched(self._emulator.take_spans(), {layout.STATUS: 1})
            answered = layout.answers(frame, sentence) or _NO_SEARCH in layout.status(frame)
            if rows and answered and not wire.read_until(lambda: bool(wire.chunks), patience=_LOOK / 50):
                break
        return stray

    def _observe(self, written: int, read: int, stray: bool) -> Observed:
        """Parse what was written so far, and then the rest, until it is quiet."""
        data = bytes(self.wire.unread)
        first = markers.find(data)[0].start
        self._emulator.take_spans()
        self._emulator.feed(data[:first])
        at_marker = self._emulator.frame(read)
        before = self._emulator.take_spans()
        self._emulator.feed(data[first:])
        self.wire.chunks = []
        self.wire.read_until(lambda: True, self.quiet)
        everything = bytes(self.wire.unread)
        self._emulator.feed(everything[len(data) :])
        settled = self._emulator.frame()
        after = self._emulator.take_spans()
        self.wire.take()
        return Observed(
            written=written,
            read=read,
            number=self._submitted,
            stray=stray,
            marked=tuple(found.marker for found in markers.find(everything)),
            at_marker=at_marker,
            settled=settled,
            drawn=drawn_whole(before, answer_rows(at_marker)),
            redrawn=touched(after, answer_rows(settled)),
            bytes=len(everything),
        )
