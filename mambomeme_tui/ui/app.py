"""The application: one screen, a session behind it, and the keys.

It owns the current `View` and is the only one that makes a new one. The newest query's answer is shown, and an answer
never clears the list before the next one is there, so that typing does not flicker.
"""

import asyncio
import contextlib
from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.filter import LineFilter
from textual.message import Message
from textual.timer import Timer
from textual.widgets import Input

from mambomeme_tui import session_events as events_of
from mambomeme_tui.config import Settings
from mambomeme_tui.errors import MamboError
from mambomeme_tui.retrieval.results import SearchResult
from mambomeme_tui.session import Session
from mambomeme_tui.session_events import SessionEvent
from mambomeme_tui.text import printable
from mambomeme_tui.ui.actions import ActingApp
from mambomeme_tui.ui.cells import Colourless
from mambomeme_tui.ui.screens.main import MainScreen
from mambomeme_tui.ui.theming import load_palette, textual_theme
from mambomeme_tui.ui.tidying import settle_down
from mambomeme_tui.ui.view import Phase, View
from mambomeme_tui.ui.widgets.bars import Brand, Counter, Keys, Rule, StatusLine
from mambomeme_tui.ui.widgets.details import Details
from mambomeme_tui.ui.widgets.drawn import Drawn
from mambomeme_tui.ui.widgets.preview import Preview
from mambomeme_tui.ui.widgets.query import QueryBox
from mambomeme_tui.ui.widgets.results import ResultList
from mambomeme_tui.ui.widgets.suggesting import FilterSuggester

LIMIT = 10
SAY_SEARCHING_AFTER = 0.05
KEY_PATIENCE = 0.5
"""Seconds that the next key waits for the one before it, at most."""
WIDE, TALL = 72, 18
"""From this size on there is room for a preview beside the list."""


class MamboApp(ActingApp):
    """The interface of MamboMeme."""

    ENABLE_COMMAND_PALETTE = False
    CSS = """
    Screen { background: $background; overflow: hidden; layers: base; }
    #top { height: 1; }
    #body { height: 1fr; }
    #side { width: 30; }
    QueryBox { width: 1fr; background: $background; color: $foreground; }
    QueryBox:focus { background: $background; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+q", "quit", "Quit", show=False, priority=True),
        Binding("f1", "help", "Help", show=False),
        Binding("f5", "switch", "Switch", show=False),
        Binding("f6", "as_typed", "As typed", show=False),
        Binding("f7", "nearest", "Nearest", show=False),
    ]

    class Heard(Message):
        """Something happened in the session."""

        def __init__(self, event: SessionEvent) -> None:
            super().__init__()
            self.event = event

    def __init__(self, settings: Settings, query: str = "") -> None:
        super().__init__()
        self._settings = settings
        self._first_query = printable(query)
        self.palette, dark = load_palette(settings.theme)
        self.register_theme(textual_theme(self.palette, dark))
        self.theme = "mambomeme"
        self.view = View(route=settings.route)
        self.session = Session(settings.data_dir, self._hear)
        self._asked = 0
        self._timer: Timer | None = None

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Without colours no colour at all is sent: Textual's own filter would send shades of grey."""
        return [Colourless(self.palette.selection)] if self.no_color else super().get_line_filters()

    def _hear(self, event: SessionEvent) -> None:
        """Called from the session's threads; posting is the one thing that is safe there."""
        self.post_message(self.Heard(event))

    def get_default_screen(self) -> MainScreen:
        """The one screen, which `compose` fills."""
        return MainScreen(id="_default")

    def compose(self) -> ComposeResult:
        """The one screen."""
        colours = self.palette
        with Horizontal(id="top"):
            yield Brand(colours)
            yield QueryBox(self._first_query, FilterSuggester(lambda: self.session.facets))
            yield Counter(colours)
        yield Rule(colours)
        with Horizontal(id="body"):
            yield ResultList(colours, self._obey)
            with Vertical(id="side"):
                yield Preview(colours)
                yield Details(colours)
        yield StatusLine(colours)
        yield Keys(colours)

    def on_mount(self) -> None:
        """Paint first, load then."""
        self.watch(self.screen, "focused", self._show_keys, init=False)
        self.action_to_box()
        self.call_after_refresh(self.session.start)
        if self._first_query:
            self._ask(self._first_query)

    def on_unmount(self) -> None:
        """Stop what runs beside the interface."""
        self.session.close()

    def on_resize(self, event: events.Resize) -> None:
        """Divide the screen: a list wide enough for two-line hits, the rest for the preview."""
        self.call_later(self.refresh, layout=True)  # there and back within an instant, Textual sees no change
        width, height = event.size
        side = 0 if width < WIDE or height < TALL else max(30, round(width * 0.375)) if width < 120 else width // 2
        body = height - 4
        column = self.query_one("#side")
        column.display = bool(side)
        column.styles.width = side
        self.query_one(Preview).styles.height = max(8, min(body - 6, side // 2, body * 3 // 5 if body > 24 else body))
        rule = self.query_one(Rule)
        rule.split = width - side if side else 0
        rule.refresh()

    def show(self, view: View) -> None:
        """Draw a view everywhere that it differs from the one before."""
        if view == self.view and view.shown is self.view.shown:  # an equal answer is drawn too: it was asked for
            return
        self.view = view
        for widget in self.query(Drawn):
            widget.show(view)
        self._show_hit()

    async def on_event(self, event: events.Event) -> None:
        """Keys act one after the other: the next one goes to what has the focus once this one has done its work."""
        target = self.focused or self.screen if self.screen_stack else None
        await super().on_event(event)
        if target is not None and isinstance(event, events.Key) and target.is_running:
            done = asyncio.Event()
            target.call_later(done.set)
            with contextlib.suppress(TimeoutError):  # a target that closes meanwhile runs no more callbacks
                await asyncio.wait_for(done.wait(), KEY_PATIENCE)

    @on(ResultList.Selected)
    def _select(self) -> None:
        self.show(replace(self.view, notice="", trouble=False))
        self._show_hit()

    def _show_hit(self) -> None:
        hit = self.query_one(ResultList).hit
        self.query_one(Preview).show_hit(hit)
        self.query_one(Details).show_hit(hit)

    @on(Input.Changed, "#query")
    def _typed(self, message: Input.Changed) -> None:
        # or the next letter is in the box by now, and is asked for next; or Enter asked for it already
        if message.value == message.input.value and message.value != self._asked_for:
            self._ask(message.value)

    def action_search(self) -> None:
        """Search for what stands in the box, and move to the list."""
        box = self.query_one(QueryBox)
        if self._ask(box.value):
            if self._marker:
                self._marker.submitted(box.entered_at)
            self.screen.set_focus(self.query_one(ResultList))
            if isinstance(self.screen, MainScreen):
                self.screen.hold()

    def _ask(self, typed: str, as_typed: bool | None = None) -> bool:
        """Search for what stands in the box; False where there is nothing to search for.

        Where it isn't said whether as typed, a query that stays the same is searched for in the same manner as before.
        """
        self._settle()
        self._held.clear()
        self._as_typed = self._as_typed and typed == self._asked_for if as_typed is None else as_typed
        if not printable(typed):
            self.session.withdraw()
            self._asked, self._asked_for, self._as_typed = 0, "", False
            self.show(self._idle())
            return False
        self._asked = self.session.submit(typed, self._settings.route, LIMIT, self._as_typed)
        self._asked_for = typed
        self._awaiting = True
        self._timer = self.set_timer(SAY_SEARCHING_AFTER, self._say_searching)
        return True

    def _idle(self) -> View:
        kept = self.view.phase in (Phase.BUILDING, Phase.ERROR) and not self.view.memes
        phase = self.view.phase if kept else Phase.WELCOME
        return replace(self.view, phase=phase, result=None, searching=False, notice="", trouble=False)

    def _say_searching(self) -> None:
        if self.view.memes:
            self.show(replace(self.view, searching=True))

    def _settle(self) -> None:
        """Nothing is awaited any more."""
        self._awaiting = False
        if self._timer:
            self._timer.stop()
            self._timer = None

    @on(Heard)
    async def _heard(self, message: Heard) -> None:
        if not self.query(ResultList):
            return  # the screen is being taken down
        match message.event:
            case events_of.Answer(number, result, reason) if number == self._asked:
                await self._answer(result, reason)
            case events_of.SearchFailed(number, error) if number == self._asked:
                self._settle()
                self._fail(error)
            case events_of.Building(stage, done, total):
                share = done / total if stage == "embed" and total else 0.0
                self.show(replace(self.view, phase=Phase.BUILDING, message=stage, progress=share))
            case events_of.LexicalReady() as ready:
                parts = " · ".join(filter(None, ["meanings are loading", ready.warning]))
                self.show(replace(self._after_building(), memes=ready.memes, parts=parts, offer="", notice=""))
                self._ask_again_in(ready.version)
            case events_of.DenseReady():
                self._dense_ready()
            case events_of.DenseFailed(error):
                self.show(replace(self.view, parts=f"by words only · {error.hint or error.message}"))
                self._ask_again()
            case events_of.OtherServed(version):
                self.show(replace(self.view, offer=f"F5: use {version}" if version else ""))
            case events_of.SwitchFailed(error):
                self._notice(error.message, trouble=True)
            case events_of.Unavailable(error):
                self._fail(error)

    async def _answer(self, result: SearchResult, reason: str) -> None:
        """Show an answer, then do what was asked of its list before it came."""
        self._settle()
        nearest = self.view.keeps_nearest(result, self._as_typed)
        phase = Phase.RESULTS if result.hits or nearest else Phase.NOTHING
        view = replace(self.view, phase=phase, result=result, nearest=nearest, as_typed=self._as_typed)
        view = replace(view, reason=reason, searching=False, notice="", trouble=False)
        if self._marker:
            self._marker.answered(result)
        self._show_now(view)
        held, self._held = self._held, []
        if not view.hits and isinstance(self.focused, ResultList):
            self.action_to_box()
            return
        for action in held:
            await self.run_action(action)

    def _after_building(self) -> View:
        waiting = self.view.phase in (Phase.BUILDING, Phase.ERROR) and not self.view.memes
        return replace(self.view, phase=Phase.WELCOME) if waiting else self.view

    def _dense_ready(self) -> None:
        settle_down()
        parts = self.view.parts.replace("meanings are loading", "").removeprefix(" · ")
        self.show(replace(self.view, parts=parts))
        self._ask_again()

    def _ask_again(self) -> None:
        """The list so far was found while meanings were loading; it stays once somebody has moved in it."""
        if self._asked_for and self.query_one(ResultList).selected == 0:
            self._ask(self._asked_for)

    def _ask_again_in(self, version: str) -> None:
        """The list on the screen is another version's, and was asked to be replaced."""
        if self._asked_for and self.view.result and self.view.result.version != version:
            self._ask(self._asked_for)

    def _fail(self, error: MamboError) -> None:
        view = replace(self.view, phase=Phase.ERROR, message=error.message, hint=error.hint, result=None)
        view = replace(view, searching=False, notice="", trouble=False)
        if self._marker:
            self._marker.failed(view)
        self._show_now(view)
