"""What the interface tests share: waiting for a condition with a deadline, and reading the screen as text."""

import time
import unicodedata
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from rich.cells import cell_len
from textual.pilot import Pilot
from textual.strip import Strip

from mambomeme_tui.config import Settings
from mambomeme_tui.ui.app import MamboApp
from mambomeme_tui.ui.view import Phase, View
from mambomeme_tui.ui.widgets.drawn import Drawn
from mambomeme_tui.ui.widgets.query import QueryBox
from mambomeme_tui.ui.widgets.results import ResultList

OVERRIDES = set("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
DEADLINE = 30.0
"""Seconds until a wait counts as failed; far above what any wait needs, for the machine may be busy."""


async def until(pilot: Pilot[str], condition: Callable[[], bool], what: str) -> None:
    """Let the interface go on until the condition holds; fail with what was awaited, and the screen."""
    deadline = time.monotonic() + DEADLINE
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError(f"no {what} within {DEADLINE:.0f} s:\n" + "\n".join(screen_lines(pilot.app)))
        await pilot.pause(0.005)


def strips(app: object) -> list[Strip]:
    """Everything that is on the screen now, line by line, as it would be sent to a terminal."""
    assert isinstance(app, MamboApp)
    return app.screen._compositor.render_strips()


def screen_lines(app: object) -> list[str]:
    """The text on the screen now."""
    return [strip.text for strip in strips(app)]


def screen_text(app: object) -> str:
    """The screen in one piece, for texts that stand within a line."""
    return "\n".join(screen_lines(app))


def ids(app: MamboApp) -> list[str]:
    """The ids of the hits that are shown, in order."""
    return [hit.meme.id for hit in app.view.hits]


def is_loaded(app: MamboApp) -> bool:
    """Whether both routes can answer and nothing is said to be missing."""
    return bool(app.view.memes) and not app.view.parts


def has_answer(app: MamboApp, query: str) -> bool:
    """Whether the answer to exactly this query is shown, found by all parts of the route."""
    result = app.view.result
    shown = app.view.phase in (Phase.RESULTS, Phase.NOTHING)
    return shown and result is not None and result.query == query and result.state == "complete"


@asynccontextmanager
async def running(app: MamboApp, size: tuple[int, int] = (80, 24)) -> AsyncIterator[Pilot[str]]:
    """The application on its first screen, with everything loaded."""
    async with app.run_test(size=size) as pilot:
        await until(pilot, lambda: is_loaded(app), "loaded index")
        yield pilot


async def ask(pilot: Pilot[str], query: str) -> None:
    """Put a query into the box at once and wait for its answer."""
    app = pilot.app
    assert isinstance(app, MamboApp)
    app.query_one(QueryBox).value = query
    await until(pilot, lambda: has_answer(app, query), f"answer to {query!r}")


def selected(app: MamboApp) -> int:
    """The index of the selected hit."""
    return app.query_one(ResultList).selected


def application(data_dir: Path, theme: str = "night", query: str = "") -> MamboApp:
    """The real application on the real index."""
    return MamboApp(Settings(data_dir=data_dir, theme=theme), query)


def raw_characters(app: MamboApp) -> set[str]:
    """What is on the screen and must never be sent to a terminal."""
    shown = set(screen_text(app)) - {"\n"}
    return {char for char in shown if unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp") or char in OVERRIDES}


def assert_inside(app: MamboApp, width: int, height: int) -> None:
    """The screen is filled exactly, no widget reaches past it, and the status and the keys are its last lines."""
    lines = screen_lines(app)
    assert [cell_len(line) for line in lines] == [width] * height
    for widget in app.query(Drawn):
        if widget.region:
            assert app.screen.region.contains_region(widget.region), widget
    assert lines[0].startswith(" MamboMeme")
    assert lines[-2][:3] in (" ✓ ", " … ", " ! ", " ✗ ")
    assert lines[-1].startswith((" ↵ search", " ↑↓ move"))


class FilmedApp(MamboApp):
    """The application, with every view and every frame kept."""

    def __init__(self, settings: Settings, query: str = "") -> None:
        self.views: list[View] = []
        self.frames: list[str] = []
        super().__init__(settings, query)

    def show(self, view: View) -> None:
        self.views.append(view)
        super().show(view)

    def post_display_hook(self) -> None:
        self.frames.append(screen_text(self))
