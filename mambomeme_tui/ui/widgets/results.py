"""The list of hits: one widget that draws whole lines, so that ten results repaint in one go.

Every hit takes the same number of lines: two where ten fit like that, more on a tall screen. The selection is an index
into the hits of the view; other hits than before select the first of them.
"""

from collections.abc import Awaitable, Callable
from typing import Any

from rich.cells import cell_len
from textual import events
from textual.message import Message
from textual.strip import Strip

from mambomeme_tui.retrieval.results import Hit
from mambomeme_tui.ui.cells import fit, safe, strip_of, wrap
from mambomeme_tui.ui.theming import Palette
from mambomeme_tui.ui.view import Phase, View
from mambomeme_tui.ui.widgets.drawn import Drawn
from mambomeme_tui.ui.widgets.pages import page

LEAST_LINES, MOST_LINES = 2, 5


class ResultList(Drawn, can_focus=True):
    """Draws hits, or a page of text where there are none; moves a selection."""

    DEFAULT_CSS = "ResultList { width: 1fr; height: 1fr; }"

    class Selected(Message):
        """Another hit was selected."""

    def __init__(self, palette: Palette, obey: Callable[[str], Awaitable[bool]], **options: Any) -> None:
        super().__init__(palette, **options)
        self._obey = obey
        self.selected = 0
        self._top = 0

    @property
    def hit(self) -> Hit | None:
        """The selected hit, if there is any."""
        return self.view.hits[self.selected] if self.selected < len(self.view.hits) else None

    @property
    def hit_height(self) -> int:
        """Lines a hit takes."""
        return max(LEAST_LINES, min(MOST_LINES, self.size.height // 10))

    @property
    def room(self) -> int:
        """How many hits fit at once."""
        return max(1, self.size.height // self.hit_height)

    def show(self, view: View) -> None:
        """Draw a view; other hits than before select the first of them."""
        if [hit.meme.id for hit in view.hits] != [hit.meme.id for hit in self.view.hits]:
            self.selected = self._top = 0
        super().show(view)

    def move_to(self, index: int) -> None:
        """Select a hit, as near as there is one, and keep it in sight."""
        index = max(0, min(index, len(self.view.hits) - 1))
        if index == self.selected or not self.view.hits:
            return
        self.selected = index
        self._top = max(min(self._top, index), index - self.room + 1)
        self.refresh()
        self.post_message(self.Selected())

    async def _on_key(self, event: events.Key) -> None:
        """Obey at once, before the next key can be taken for one of the list's."""
        if await self._obey(event.key):
            event.stop()
            event.prevent_default()

    def on_resize(self) -> None:
        """Keep the selection in sight."""
        self._top = max(0, min(self.selected, max(self._top, self.selected - self.room + 1)))
        self.refresh()

    def on_click(self, event: events.Click) -> None:
        """Select what was clicked on."""
        self.move_to(self._top + event.y // self.hit_height)

    def on_mouse_scroll_down(self) -> None:
        """Select the next hit."""
        self.move_to(self.selected + 1)

    def on_mouse_scroll_up(self) -> None:
        """Select the hit before."""
        self.move_to(self.selected - 1)

    def line(self, y: int, width: int) -> Strip:
        """A line of a hit, or of the page that stands there instead."""
        if self.view.phase is not Phase.RESULTS:
            return page(self.view, self.palette, width, self.size.height)[y]
        index, part = self._top + y // self.hit_height, y % self.hit_height
        if index >= len(self.view.hits) or y // self.hit_height >= self.room:
            return self.blank(width)
        hit = self.view.hits[index]
        return self._title(hit, width, index) if part == 0 else self._quote(hit, width, index, part)

    def _ground(self, index: int) -> tuple[str, str]:
        chosen = index == self.selected
        return ("▌" if chosen else " "), (self.palette.selection if chosen else self.palette.background)

    def _title(self, hit: Hit, width: int, index: int) -> Strip:
        bar, ground = self._ground(index)
        colours = self.palette
        copies = f" ×{hit.copies + 1}" if hit.copies else ""
        year = f"{copies} {hit.meme.family.year} "
        name = safe(hit.meme.title)
        return strip_of(
            width,
            self.paint(colours.text, ground),
            (bar, self.paint(colours.accent, ground)),
            (f"{hit.rank:>2} ", self.paint(colours.rank, ground)),
            (fit(name, width - 4 - cell_len(year)), self.paint(colours.title, ground, bold=True)),
            (year, self.paint(colours.muted, ground)),
        )

    def _quote(self, hit: Hit, width: int, index: int, part: int) -> Strip:
        bar, ground = self._ground(index)
        colours = self.palette
        room = width - 5
        most = 1 if self.hit_height < 4 else self.hit_height - 2
        text = safe(hit.meme.quote)
        lines = [fit(text, room)] if most == 1 else wrap(text, room, most)
        if self.hit_height > LEAST_LINES and part > len(lines):
            why = part == len(lines) + 1 and part < self.hit_height - (self.hit_height > 3)
            text, colour = (" · ".join(map(safe, hit.why)), colours.brand) if why else ("", colours.muted)
        else:
            text, colour = lines[part - 1] if part <= len(lines) else "", colours.muted
        return strip_of(
            width,
            self.paint(colours.text, ground),
            (bar, self.paint(colours.accent, ground)),
            ("   ", self.paint(colours.muted, ground)),
            (fit(text, room), self.paint(colour, ground)),
        )
