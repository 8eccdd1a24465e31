"""The query box: one line, whatever is typed or pasted into it."""

from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.reactive import Reactive
from textual.suggester import Suggester
from textual.widgets import Input

ROOM = 10_000
JOINERS = "\u200c\u200d"
"""Drawn as nothing, but emoji and several scripts are spelt with them."""


class QueryBox(Input):
    """The query, in one line and without anything that controls a terminal; arrow down leaves for the list."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down", "app.to_list", "Results", show=False),
        Binding("enter,ctrl+j", "app.search", "Search", show=False),  # Enter typed before the interface came is a ^J
        Binding("ctrl+u", "clear", "Clear", show=False),
    ]

    virtual_size: Reactive[Size] = Reactive(Size(0, 0), layout=False)
    """Textual lays out and repaints the whole screen for every letter, though a line never changes its place."""

    entered_at = 0
    """The instant at which the driver parsed the last Enter (monotonic nanoseconds)."""

    def __init__(self, value: str, suggester: Suggester | None = None) -> None:
        super().__init__(value, max_length=ROOM, compact=True, select_on_focus=False, id="query", suggester=suggester)
        self.cursor_blink = False  # a blinking cursor repaints for ever

    def validate_value(self, value: str) -> str:
        """Blanks for what must not be drawn, one for one, so that the cursor stays where it is."""
        if value.isprintable():
            return value
        return "".join(char if char.isprintable() or char in JOINERS else " " for char in value)

    def _on_paste(self, event: events.Paste) -> None:
        """Take in every line, and as much as there is room for; Textual would take the first line or nothing."""
        event.prevent_default()
        event.stop()
        room = ROOM - len(self.value) + len(self.selected_text)
        self.replace(" ".join(event.text.splitlines())[:room], *self.selection)

    async def _on_key(self, event: events.Key) -> None:
        """Act on the box's own keys at once: Textual lets them bubble, and letters typed next would overtake them."""
        self.entered_at = getattr(event, "parsed_at", 0)
        for binding in self._bindings.key_to_bindings.get(event.key, ()):
            event.prevent_default()
            event.stop()
            await self.run_action(binding.action)

    def action_end(self, select: bool = False) -> None:
        """Move to the end; where the cursor is there already, accept what is suggested, as shells do."""
        if self.cursor_at_end and not select:
            self.action_cursor_right()
        else:
            super().action_end(select)

    def action_clear(self) -> None:
        """Delete the whole query."""
        self.value = ""
