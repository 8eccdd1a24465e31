"""The emulator behind the benchmark: what stands on the screen, and which cells were drawn since one asked last.

It is fed only after the clock has stopped, so that however slow it is, no measured time holds any of it.
"""

from codecs import getincrementaldecoder
from typing import Any

import pyte

from mambomeme_eval.pty import layout
from mambomeme_eval.pty.replay import Frame, drawable
from mambomeme_eval.pty.terminal import COLUMNS, ROWS

_SYNCHRONISED = 2026 << 5  # how pyte names the mode in which an emulator holds the screen back

Span = tuple[int, int, int]
"""A row, the first cell that was drawn in it, and the one after the last."""


class _Noting(pyte.Screen):  # type: ignore[misc]  # pyte has no types
    """A screen that notes what is drawn or erased."""

    def __init__(self) -> None:
        self.spans: list[Span] = []
        super().__init__(COLUMNS, ROWS)

    def draw(self, data: str) -> None:
        row, start = self.cursor.y, self.cursor.x
        super().draw(data)
        if self.cursor.y == row and self.cursor.x >= start:
            self.spans.append((row, start, self.cursor.x))
        else:  # it went on in the next row
            self.spans += [(row, start, COLUMNS), (self.cursor.y, 0, self.cursor.x)]

    def erase_in_line(self, how: int = 0, private: bool = False) -> None:
        self.spans.append((self.cursor.y, 0, COLUMNS))
        super().erase_in_line(how, private)

    def erase_in_display(self, how: int = 0, *arguments: Any, **named: Any) -> None:
        self.spans += [(row, 0, COLUMNS) for row in range(ROWS)]
        super().erase_in_display(how, *arguments, **named)


class Emulator:
    """The screen of one program, fed with everything that it writes."""

    def __init__(self) -> None:
        self._screen = _Noting()
        self._stream = pyte.Stream(self._screen)
        self._decode = getincrementaldecoder("utf-8")("replace").decode
        self._last = ""

    def feed(self, data: bytes) -> None:
        """Draw what was written."""
        drawn = drawable(self._last + self._decode(data))
        self._stream.feed(drawn[len(self._last) :])
        self._last = drawn[-1:]

    def frame(self, stamp: int = 0) -> Frame:
        """The screen as it is now."""
        rows = (self._screen.buffer[row] for row in range(ROWS))
        cells = tuple(tuple(row[column] for column in range(COLUMNS)) for row in rows)
        return Frame(stamp, cells, frozenset(), _SYNCHRONISED not in self._screen.mode)

    def take_spans(self) -> list[Span]:
        """What was drawn since the last call, in order."""
        spans, self._screen.spans = self._screen.spans, []
        return spans


def answer_rows(frame: Frame) -> dict[int, int]:
    """The rows of list and status, and how many cells from the left belong to them."""
    return dict.fromkeys(layout.LIST, layout.split(frame)) | {layout.STATUS: COLUMNS}


def drawn_whole(spans: list[Span], rows: dict[int, int]) -> frozenset[int]:
    """The rows of which every cell was drawn."""
    return frozenset(row for row, width in rows.items() if _reach(spans, row) >= width)


def _reach(spans: list[Span], row: int) -> int:
    """How many cells from the left were drawn without a gap."""
    reached = 0
    for _, start, stop in sorted(span for span in spans if span[0] == row):
        if start <= reached < stop:
            reached = stop
    return reached


def touched(spans: list[Span], rows: dict[int, int]) -> frozenset[int]:
    """The rows of which any cell was drawn."""
    return frozenset(row for row, start, _ in spans if row in rows and start < rows[row])
