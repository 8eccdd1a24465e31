"""Recordings played back on an emulator: what stood on the screen after each chunk, and which chunk completed it.

Stamps come from the recording, so however slow the emulator is, no measured time holds any of it.
"""

import re
from codecs import getincrementaldecoder
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import pyte
from wcwidth import wcwidth

from mambomeme_eval.pty.terminal import COLUMNS, ROWS, Chunk

_SYNCHRONISED: Final = 2026 << 5
"""How pyte names the private mode in which an emulator holds the screen back until the frame is whole."""

_INVISIBLE = re.compile("[\u200b-\u200f\u2060-\u2064\ufe00-\ufe0f]")
_EMOJI_STYLE: Final = "\ufe0f"

Cells = tuple[tuple[Any, ...], ...]


@dataclass(frozen=True, slots=True)
class Frame:
    """The screen after one chunk.

    Attributes:
        stamp: the chunk's.
        cells: all cells with their styles, row by row.
        written: the rows that this chunk wrote to, whether it changed them or not.
        whole: whether a person sees it, for no synchronised update is open.
    """

    stamp: int
    cells: Cells
    written: frozenset[int]
    whole: bool

    def text(self, row: int, start: int = 0, stop: int | None = None) -> str:
        """The characters of some cells in a row; a wide character stands in its first cell."""
        return "".join(cell.data for cell in self.cells[row][start:stop])


class Replay:
    """An emulator that goes on from recording to recording."""

    def __init__(self, rows: int = ROWS, columns: int = COLUMNS) -> None:
        self._screen = pyte.Screen(columns, rows)
        self._stream = pyte.Stream(self._screen)
        self._decode = getincrementaldecoder("utf-8")("replace").decode
        self._last = ""

    def feed(self, chunks: Iterable[Chunk]) -> list[Frame]:
        """One frame a chunk."""
        return [self._frame(chunk) for chunk in chunks]

    def _frame(self, chunk: Chunk) -> Frame:
        self._screen.dirty.clear()
        drawn = drawable(self._last + self._decode(chunk.data))
        self._stream.feed(drawn[len(self._last) :])
        self._last = drawn[-1:]
        columns = range(self._screen.columns)
        rows = (self._screen.buffer[row] for row in range(self._screen.lines))
        cells = tuple(tuple(row[column] for column in columns) for row in rows)
        whole = _SYNCHRONISED not in self._screen.mode
        return Frame(chunk.stamp, cells, frozenset(self._screen.dirty), whole)


def drawable(text: str) -> str:
    """Text that pyte can draw, in the same number of cells.

    At a character that takes up no cell and is no accent pyte leaves out the rest of the run; and it does not know
    that the one that asks for an emoji makes a narrow character before it wide.
    """
    return text if text.isascii() else _INVISIBLE.sub(_cells_for, text)


def _cells_for(found: re.Match[str]) -> str:
    before = found.string[found.start() - 1 : found.start()]
    return " " if found[0] == _EMOJI_STYLE and before and wcwidth(before) == 1 else ""


def first(frames: Iterable[Frame], shows: Callable[[Frame], bool]) -> Frame | None:
    """The first whole frame that shows something."""
    return next((frame for frame in frames if frame.whole and shows(frame)), None)


def completing(
    frames: Sequence[Frame], region: Callable[[Frame], object], rewritten: frozenset[int] = frozenset()
) -> Frame | None:
    """The frame from which on a region of the screen is, and stays, what it is in the last frame.

    Args:
        frames: a settled recording.
        region: what of a frame counts, as a value to compare.
        rewritten: rows that must have been written to by then: a region that was complete before it was asked for
            proves nothing about the answer.
    """
    if not frames:
        return None
    final = region(frames[-1])
    written = _written_so_far(frames)
    found = None
    for frame, rows in zip(reversed(frames), reversed(written), strict=True):
        if region(frame) != final or not rewritten <= rows:
            break
        found = frame if frame.whole else found
    return found


def _written_so_far(frames: Sequence[Frame]) -> list[frozenset[int]]:
    so_far: list[frozenset[int]] = []
    for frame in frames:
        so_far.append(frame.written | (so_far[-1] if so_far else frozenset()))
    return so_far
