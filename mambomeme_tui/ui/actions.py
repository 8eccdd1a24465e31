"""What the keys do: the actions of the list, at once or when the list that they are meant for has come.

The application that derives from this owns the view and the widgets; here is only what a person can do with them.
"""

from dataclasses import replace
from typing import Any, ClassVar

from rich.console import RenderableType
from textual.screen import Screen
from textual.timer import Timer

from mambomeme_tui import media
from mambomeme_tui.opening import OpenError, open_meme
from mambomeme_tui.session import Session
from mambomeme_tui.text import printable
from mambomeme_tui.ui.render_marker import RenderMarker, is_wanted
from mambomeme_tui.ui.runner import GuardedApp
from mambomeme_tui.ui.screens.help import HelpScreen
from mambomeme_tui.ui.screens.main import MainScreen
from mambomeme_tui.ui.theming import Palette
from mambomeme_tui.ui.tidying import PAUSE, tidy
from mambomeme_tui.ui.view import Phase, View
from mambomeme_tui.ui.widgets.bars import BOX_KEYS, LIST_KEYS, Keys, StatusLine
from mambomeme_tui.ui.widgets.query import QueryBox
from mambomeme_tui.ui.widgets.results import ResultList


class ActingApp(GuardedApp[str]):
    """An application with a query box and a list of hits.

    `chosen` is what `c` chose: a picture's path, or an item's id. While an answer is awaited, actions of the list are
    held back and done in their order when it is there.
    """

    LIST_ACTIONS: ClassVar[dict[str, str]] = {
        "up": "move(-1)",
        "k": "move(-1)",
        "down": "move(1)",
        "j": "move(1)",
        "pageup": "move(-5)",
        "pagedown": "move(5)",
        "home": "move(-100)",
        "end": "move(100)",
        "o": "open",
        "enter": "open",
        "y": "copy",
        "c": "choose",
        "slash": "to_box",
        "escape": "to_box",
        "question_mark": "help",
    }

    palette: Palette
    view: View
    session: Session

    def __init__(self) -> None:
        super().__init__()
        self.chosen = ""
        self._asked_for = ""
        self._as_typed = False
        self._awaiting = False
        self._held: list[str] = []
        self._pause: Timer | None = None
        self._marker = RenderMarker() if is_wanted() else None

    def show(self, view: View) -> None:
        """Draw a view."""
        raise NotImplementedError

    def _show_now(self, view: View) -> None:
        """Draw the view of an answer, and paint it without waiting for the timer."""
        self.show(view)
        if isinstance(self.screen, MainScreen) and not view.hits and isinstance(self.focused, ResultList):
            self.screen.release()  # the focus is about to leave the empty list, which belongs to the same frame
        elif isinstance(self.screen, MainScreen):
            self.screen.paint()
        if self._pause:
            self._pause.stop()
        self._pause = self.set_timer(PAUSE, tidy)

    def _display(self, screen: Screen[Any], renderable: RenderableType | None) -> None:
        """Send a frame on its way, and with markers follow what was in it."""
        super()._display(screen, renderable)
        if self._marker and renderable is not None and self.query(ResultList):
            widgets = self.query_one(ResultList), self.query_one(StatusLine)
            self._marker.displayed(renderable, widgets, self._driver)

    def _ask(self, typed: str, as_typed: bool | None = None) -> bool:
        """Search; False where there is nothing to search for."""
        raise NotImplementedError

    async def _obey(self, key: str) -> bool:
        """Do what a key means in the list, at once or when the awaited list is there; False where it means nothing."""
        action = self.LIST_ACTIONS.get(key)
        if action is None:
            return False
        if self._awaiting and action not in ("to_box", "help"):
            self._held.append(action)
        else:
            await self.run_action(action)
        return True

    def action_move(self, by: int) -> None:
        """Move the selection; up from the first hit goes back to the box."""
        results = self.query_one(ResultList)
        if by == -1 and results.selected == 0:
            self.action_to_box()
        else:
            results.move_to(results.selected + by)

    def action_to_list(self) -> None:
        """Move to the list, where there is one."""
        if self.view.hits or self._awaiting:
            self.screen.set_focus(self.query_one(ResultList))

    def action_to_box(self) -> None:
        """Move back to the query."""
        self.screen.set_focus(self.query_one(QueryBox))

    def action_nearest(self) -> None:
        """Show what comes nearest, where nothing fits."""
        if self.view.phase is Phase.NOTHING and self.view.result and self.view.result.nearest:
            self.show(replace(self.view, phase=Phase.RESULTS, nearest=True))
            self.screen.set_focus(self.query_one(ResultList))

    def action_as_typed(self) -> None:
        """Search again for exactly what was typed, where something was mended; once more goes back."""
        if self._as_typed or (self.view.result and self.view.result.repaired):
            self._ask(self._asked_for, as_typed=not self._as_typed)

    def action_switch(self) -> None:
        """Use the version that is served now, where it is another one than is open here."""
        self.session.switch()
        self._notice("switching")

    def action_help(self) -> None:
        """Show the help."""
        if not isinstance(self.screen, HelpScreen):
            self.push_screen(HelpScreen(self.palette))

    def action_open(self) -> None:
        """Open the selected meme with the person's viewer."""
        if hit := self.query_one(ResultList).hit:
            try:
                open_meme(hit.meme)
            except OpenError as error:
                self._notice(str(error), trouble=True)
            else:
                self._notice("opened in your viewer")

    def action_copy(self) -> None:
        """Copy the selected meme's text to the terminal's clipboard (OSC 52)."""
        if hit := self.query_one(ResultList).hit:
            self.copy_to_clipboard(printable(hit.meme.quote))
            self._notice("copied the text")

    def action_choose(self) -> None:
        """End the program with the selected meme's path, or its id where it has no picture."""
        if hit := self.query_one(ResultList).hit:
            self.chosen = media.name_or_path(hit.meme)
            self.exit(self.chosen)

    def _show_keys(self) -> None:
        """Show the keys of what has the focus, in the same frame as the focus itself."""
        if self.focused is None:
            return
        keys = self.query_one(Keys)
        keys.keys = LIST_KEYS if isinstance(self.focused, ResultList) else BOX_KEYS
        keys.refresh()

    def _notice(self, text: str, trouble: bool = False) -> None:
        self.show(replace(self.view, notice=text, trouble=trouble))
