"""When frames go out: an answer at once, nothing while it is due, and what the terminal shows is what was drawn.

The terminal here is an emulator that receives every frame as the real one would.
"""

import asyncio
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pyte
import pytest
from rich.console import Console
from textual._compositor import CompositorUpdate
from textual.screen import Screen

from mambomeme_tui.config import Settings
from mambomeme_tui.errors import MamboError
from mambomeme_tui.retrieval.engine import Engine
from mambomeme_tui.session_events import Answer, SearchFailed
from mambomeme_tui.ui import actions
from mambomeme_tui.ui.app import MamboApp
from mambomeme_tui.ui.screens import main
from mambomeme_tui.ui.screens.help import HelpScreen
from mambomeme_tui.ui.screens.main import PATIENCE, MainScreen
from mambomeme_tui.ui.widgets.query import QueryBox
from mambomeme_tui.ui.widgets.results import ResultList
from tests.ui.waiting import DEADLINE, ask, has_answer, running, strips

COLOURS = Console(color_system="truecolor", force_terminal=True, legacy_windows=False)
NUMBER = 1_000_000
"""The number of a search that never is answered by itself."""


class PaintedApp(MamboApp):
    """The application on an emulated terminal that gets its frames; `frames` holds the text after each."""

    def __init__(self, data_dir: Path, size: tuple[int, int] = (80, 24)) -> None:
        super().__init__(Settings(data_dir=data_dir))
        self.terminal = pyte.Screen(*size)
        self.frames: list[str] = []
        self.lines: list[set[int]] = []

    def _display(self, screen: Screen[Any], renderable: Any) -> None:
        if isinstance(renderable, CompositorUpdate):
            pyte.Stream(self.terminal).feed(renderable.render_segments(COLOURS).replace("\n", "\r\n"))
            self.frames.append("\n".join(self.terminal.display))
            self.lines.append({span[0] for span in getattr(renderable, "spans", ())})
        super()._display(screen, renderable)

    @property
    def main_screen(self) -> MainScreen:
        """The screen that is tested here."""
        assert isinstance(self.screen, MainScreen)
        return self.screen


class Clock:
    """Time that passes only when told to."""

    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        """Seconds."""
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The clock of the main screen."""
    made = Clock()
    monkeypatch.setattr(main, "time", made)
    return made


def stop_timer(app: PaintedApp, monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on nothing is painted but what is painted without the timer."""
    timer = app.screen._update_timer
    timer.pause()
    monkeypatch.setattr(timer, "resume", lambda: None)
    app.frames.clear()


async def wait_until(app: PaintedApp, condition: Callable[[], bool], what: str) -> None:
    """Let the interface go on without the frames that waiting with a pilot paints."""
    deadline = time.monotonic() + DEADLINE
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError(f"no {what}:\n" + "\n".join(app.terminal.display))
        await asyncio.sleep(0.005)


def assert_true(app: PaintedApp) -> None:
    """Every cell of the terminal, with its colours, is what drawing everything anew would show."""
    anew = pyte.Screen(app.terminal.columns, app.terminal.lines)
    pyte.Stream(anew).feed("\r\n".join(strip.render(COLOURS) for strip in strips(app)))
    cells = [(y, x) for y in range(anew.lines) for x in range(anew.columns)]
    assert [at for at in cells if app.terminal.buffer[at[0]][at[1]] != anew.buffer[at[0]][at[1]]] == []


def assert_shows_answer(app: PaintedApp, engine: Engine, query: str) -> None:
    """The terminal shows the titles in their order and the status of this answer."""
    hits = engine.search(query).hits
    assert hits
    lines = app.terminal.display
    assert f"“{query}”" in lines[1]
    assert f"{len(hits)} found" in lines[-2]
    shown = [" ".join(line[1:].split()) for line in lines[2:-2] if line[1:3].strip().isdigit()]
    assert shown
    for text, (rank, hit) in zip(shown, enumerate(hits, 1), strict=False):
        assert text.startswith(f"{rank} {hit.meme.title}"[:20])


def withhold_answers(app: PaintedApp, monkeypatch: pytest.MonkeyPatch) -> None:
    """Searches that are asked from now on have one number and no answer but the one that a test gives."""
    monkeypatch.setattr(app.session, "submit", lambda *_: NUMBER)


@pytest.mark.parametrize("size", [(80, 24), (60, 20), (160, 50)])
async def test_an_answer_is_painted_without_the_timer(
    data_dir: Path, engine: Engine, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]
) -> None:
    app = PaintedApp(data_dir, size)
    async with running(app, size) as pilot:
        await ask(pilot, "goose")
        await pilot.pause()
        stop_timer(app, monkeypatch)
        for query in ("john cena", "pikachu"):
            app.query_one(QueryBox).value = query
            await wait_until(app, partial(has_answer, app, query), f"answer to {query!r}")
            assert_shows_answer(app, engine, query)
        assert len(app.frames) == 2
        assert_true(app)


async def test_without_the_timer_nothing_else_is_painted(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    app = PaintedApp(data_dir)
    async with running(app) as pilot:
        await ask(pilot, "goose")
        await pilot.pause()
        stop_timer(app, monkeypatch)
        await pilot.press("down", "down", "s")  # the means of the test above: these wait for the timer
        assert app.frames == []


async def test_the_frame_for_enter_is_the_one_with_the_answer(
    data_dir: Path, engine: Engine, monkeypatch: pytest.MonkeyPatch, clock: Clock
) -> None:
    app = PaintedApp(data_dir)
    async with running(app) as pilot:
        await ask(pilot, "goose")
        await pilot.pause()
        withhold_answers(app, monkeypatch)
        app.query_one(QueryBox).value = "john cena"
        await pilot.pause(0.1)
        app.frames.clear()
        await pilot.press("enter")
        for _ in range(5):
            await pilot.pause(0.02)
        assert isinstance(app.focused, ResultList)
        assert app.frames == []
        app.post_message(app.Heard(Answer(NUMBER, engine.search("john cena"))))
        await wait_until(app, lambda: has_answer(app, "john cena"), "answer")
        assert len(app.frames) == 1
        assert_shows_answer(app, engine, "john cena")
        assert "c choose" in app.frames[0]
        await pilot.pause(0.1)
        assert_true(app)


async def test_a_hold_ends_by_itself_when_patience_does(data_dir: Path, clock: Clock) -> None:
    app = PaintedApp(data_dir)
    async with running(app) as pilot:
        await ask(pilot, "goose")
        await pilot.pause()
        app.frames.clear()
        app.main_screen.hold()
        app._notice("something to paint")
        await asyncio.sleep(0.1)
        clock.now += PATIENCE * 0.999
        await asyncio.sleep(0.1)
        assert app.frames == []
        clock.now += PATIENCE * 0.001
        await wait_until(app, lambda: bool(app.frames), "frame after the patience")  # by the timer: nobody asks
        assert "something to paint" in app.frames[0]
        assert_true(app)


async def test_a_second_hold_begins_the_patience_anew(data_dir: Path, clock: Clock) -> None:
    app = PaintedApp(data_dir)
    async with running(app) as pilot:
        await ask(pilot, "goose")
        await pilot.pause()
        app.frames.clear()
        app.main_screen.hold()
        clock.now += PATIENCE * 0.75
        app.main_screen.hold()
        app._notice("something to paint")
        clock.now += PATIENCE * 0.75
        await pilot.pause(0.05)
        assert app.frames == []
        clock.now += PATIENCE * 0.5
        await wait_until(app, lambda: bool(app.frames), "frame after the patience")


async def test_release_lets_the_timer_paint_and_paints_nothing_itself(data_dir: Path, clock: Clock) -> None:
    app = PaintedApp(data_dir)
    async with running(app) as pilot:
        await ask(pilot, "goose")
        await pilot.pause()
        app.frames.clear()
        app.main_screen.hold()
        app._notice("something to paint")
        await pilot.pause(0.05)
        app.main_screen.release()
        assert app.frames == []
        await wait_until(app, lambda: bool(app.frames), "frame after the release")
        assert "something to paint" in app.frames[0]


async def test_painting_ends_a_hold(data_dir: Path, clock: Clock) -> None:
    app = PaintedApp(data_dir)
    async with running(app) as pilot:
        await ask(pilot, "goose")
        await pilot.pause()
        app.main_screen.hold()
        app.main_screen.paint()
        app.frames.clear()
        app._notice("something to paint")
        await wait_until(app, lambda: bool(app.frames), "frame after painting")


async def test_an_error_in_the_place_of_an_answer_is_painted_at_once(
    data_dir: Path, monkeypatch: pytest.MonkeyPatch, clock: Clock
) -> None:
    app = PaintedApp(data_dir)
    async with running(app) as pilot:
        await ask(pilot, "goose")
        await pilot.pause()
        withhold_answers(app, monkeypatch)
        app.query_one(QueryBox).value = "john cena"
        await pilot.pause(0.1)
        stop_timer(app, monkeypatch)
        app.post_message(app.Heard(SearchFailed(NUMBER, MamboError("The search is broken."))))
        await wait_until(app, lambda: bool(app.frames), "frame")
        assert "The search is broken." in app.frames[0]


async def test_no_frame_shows_that_nothing_was_found_beside_the_keys_of_a_list(data_dir: Path) -> None:
    app = PaintedApp(data_dir)
    async with running(app) as pilot:
        await ask(pilot, "goose")
        await pilot.pause()
        app.frames.clear()
        app.query_one(QueryBox).value = "xq zzv"
        await pilot.press("enter")
        await wait_until(app, lambda: has_answer(app, "xq zzv"), "answer")
        await wait_until(app, lambda: any("nothing found" in frame for frame in app.frames), "frame")
        await pilot.pause(0.1)
        assert isinstance(app.focused, QueryBox)
        told = [frame for frame in app.frames if "nothing found" in frame]
        assert all("F1 help" in frame and "c choose" not in frame for frame in told)
        assert_true(app)


async def test_an_answer_that_comes_under_the_help_is_there_when_the_help_goes(
    data_dir: Path, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = PaintedApp(data_dir)
    async with running(app) as pilot:
        await ask(pilot, "goose")
        await pilot.pause()
        withhold_answers(app, monkeypatch)
        app.query_one(QueryBox).value = "john cena"
        await pilot.press("f1")
        assert isinstance(app.screen, HelpScreen)
        app.post_message(app.Heard(Answer(NUMBER, engine.search("john cena"))))
        await wait_until(app, lambda: has_answer(app, "john cena"), "answer")
        await pilot.press("escape")
        await wait_until(app, lambda: not isinstance(app.screen, HelpScreen), "the main screen")
        await pilot.pause(0.1)
        assert_shows_answer(app, engine, "john cena")
        assert_true(app)


async def test_a_focus_that_moves_repaints_what_shows_it_and_no_other_line(data_dir: Path) -> None:
    app = PaintedApp(data_dir)
    async with running(app) as pilot:
        await ask(pilot, "john cena")
        await pilot.pause(0.1)
        for key, keys in (("down", "c choose"), ("escape", "F1 help")):
            app.frames.clear()
            app.lines.clear()
            await pilot.press(key)
            await pilot.pause(0.1)
            assert keys in app.terminal.display[-1]
            assert_true(app)
            assert set().union(*app.lines) & {1, 22} == set(), key
            assert 23 in set().union(*app.lines)


async def test_tidying_waits_for_the_pause_after_an_answer(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    app = PaintedApp(data_dir)
    tidied: list[str] = []
    monkeypatch.setattr(actions, "tidy", lambda: tidied.append(app.query_one(QueryBox).value))
    monkeypatch.setattr(actions, "PAUSE", 0.3)
    async with running(app) as pilot:
        for query in ("goose", "pikachu", "john cena"):
            await ask(pilot, query)
        pause = app._pause
        assert pause is not None
        await wait_until(app, lambda: bool(tidied), "tidying")
        assert tidied[-1] == "john cena"
        await pilot.pause(0.05)
        assert app._pause is pause
