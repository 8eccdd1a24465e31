"""A window that becomes narrower and at once as wide again: what the terminal cut off is painted anew.

Textual waits a moment after a change of size, and paints nothing when the size is the old one by then. The terminal
has dropped its last column meanwhile.
"""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyte.screens import Char

from tests.pty.emulator import Emulator

QUERY = "john cena"
AWAY_FOR = (0.0, 0.0, 0.001, 0.002, 0.004) * 2
"""Seconds for which the window is narrow, less than the 1/120 s that Textual waits; one time each."""
PATIENCE = 15.0
NO_REPORTS = b"\x1b[?2048;0$y"
"""The answer of a terminal that does not know how to report its size by itself."""


class Window(Emulator):
    """A terminal window whose cells can be compared, colours and all.

    It reports its size by itself, or leaves that to SIGWINCH.
    """

    reports = True

    def _answer(self, question: bytes) -> bytes:
        unknown = question == b"\x1b[?2048$p" and not self.reports
        return NO_REPORTS if unknown else super()._answer(question)

    def cells(self) -> list[list[Char]]:
        """Every cell, line by line, with its colours."""
        self.screen()
        columns, rows = self._size
        return [[self._display.buffer[y][x] for x in range(columns)] for y in range(rows)]

    def differences(self, wanted: list[list[Char]]) -> list[tuple[int, int]]:
        """The lines and columns of all cells that are not as wanted."""
        pairs = enumerate(zip(self.cells(), wanted, strict=True))
        return [(y, x) for y, (has, line) in pairs for x in range(len(line)) if has[x] != line[x]]


class Silent(Window):
    """A terminal window from which programs hear of a new size by SIGWINCH alone."""

    reports = False


@pytest.fixture(params=[Window, Silent])
def window(request: pytest.FixtureRequest, data_dir: Path, tmp_path: Path) -> Iterator[Window]:
    """The program with a whole answer on its screen."""
    with request.param(data_dir, tmp_path, ["search", QUERY]) as terminal:
        terminal.wait_for_answer(QUERY)
        terminal.read_for(0.5)  # the picture may follow the list
        yield terminal


def test_a_window_that_was_narrower_for_an_instant_looks_as_before(window: Window) -> None:
    assert window.modes.is_on(2048) is window.reports
    before = window.cells()
    assert all(line[-1] != Char(" ") for line in before)  # what the terminal cuts off is missed
    for attempt, seconds in enumerate(AWAY_FOR):
        window.resize(79, 24)
        time.sleep(seconds)
        window.resize(80, 24)
        assert len(window.differences(before)) == 24
        window.read_for(PATIENCE, lambda: not window.differences(before))
        assert window.differences(before) == [], f"attempt {attempt}, narrow for {seconds * 1000:g} ms"
    window.read_for(0.3)
    assert window.differences(before) == []
    assert window.screen()[2][1:].startswith(" 1 ")
