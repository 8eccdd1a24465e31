"""Keys of the ready program: how long each letter takes until it stands in the box, while every letter is searched."""

import time
from collections.abc import Mapping, Sequence
from typing import Final

from mambomeme_eval.bench.config import Limits
from mambomeme_eval.bench.program import Program
from mambomeme_eval.figures import milliseconds
from mambomeme_eval.pty import layout
from mambomeme_eval.pty.replay import Frame
from mambomeme_eval.pty.starts import BOX_START, ECHO_PATIENCE, ECHO_TEXT

_TAIL: Final = 6
"""Letters before the cursor that are looked for among the bytes; the box is written anew with every letter."""
_LOOK: Final = 0.2
"""Seconds after which the screen is looked at without them, too."""


def echoes(program: Program, rounds: int) -> list[float | None]:
    """Milliseconds from each typed letter of `ECHO_TEXT` to its echo, or None where it never came."""
    found: list[float | None] = []
    for _ in range(rounds):
        program.clear_box()
        for number in range(1, len(ECHO_TEXT) + 1):
            stamp = program.wire.write(ECHO_TEXT[number - 1].encode())
            found.append(_echo(program, stamp, ECHO_TEXT[:number]))
    program.clear_box()
    return found


def _echo(program: Program, stamp: int, text: str) -> float | None:
    """Look at the screen only when output is quiet, or looking would take time from the program."""
    tail, deadline = text[-_TAIL:].encode(), time.monotonic() + ECHO_PATIENCE
    while time.monotonic() < deadline:
        program.wire.read_until(lambda: tail in program.wire.unread, program.quiet, _LOOK)
        for frame in program.draw_each():
            if _is_in_box(frame, text):
                return milliseconds(stamp, frame.stamp)
    return None


def _is_in_box(frame: Frame, text: str) -> bool:
    return frame.whole and frame.text(layout.BOX, BOX_START).startswith(text)


def starts(command: Sequence[str], surroundings: Mapping[str, str], limits: Limits, count: int) -> list[float]:
    """Milliseconds from so many starts of the program until it was ready.

    Raises:
        ProgramEnded, ProgramHung: it never became ready.
    """
    found = []
    for _ in range(count):
        with Program(command, surroundings, limits) as program:
            found.append(program.start_ms)
            program.quit()
    return found
