"""What the interface tests share: waiting for a condition with a deadline, and reading the screen as text."""

import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from textual.pilot import Pilot
from textual.strip import Strip

from mambomeme_tui.config import Settings
from mambomeme_tui.ui.app import MamboApp
from mambomeme_tui.ui.view import Phase
from mambomeme_tui.ui.widgets.query import QueryBox
from mambomeme_tui.ui.widgets.results import ResultList

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
