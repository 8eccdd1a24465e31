"""The main screen: as Textual's own, but made for answers: they are painted at once, and a focus that moves is cheap.

Textual paints on a timer, 120 times a second at most, and the frame for the moved focus would use up the turn that the
answer needs. So painting can be held for an answer that is due, for `PATIENCE` seconds at most.
"""

import time
from typing import Final

from textual.reactive import Reactive
from textual.screen import Screen
from textual.widget import Widget

PATIENCE: Final = 0.05


class MainScreen(Screen[None]):
    """The box, the list and the keys repaint themselves where the focus moves; nothing else shows it."""

    focused: Reactive[Widget | None] = Reactive(None, repaint=False)

    _held_until = 0.0

    def hold(self) -> None:
        """Paint nothing until `paint`, for the patience at most: what changed so far can go out with the answer."""
        self._held_until = time.monotonic() + PATIENCE

    def release(self) -> None:
        """Paint at the timer's next turn."""
        self._held_until = 0.0

    def paint(self) -> None:
        """Paint what changed now, not at the timer's next turn."""
        self.release()
        for widget in self.walk_children(Widget, with_self=False):
            if widget._repaint_required and widget.display:  # its message to this screen would come too late
                widget._repaint_required = False
                self._dirty_widgets.add(widget)
        self._on_timer_update()

    def _on_timer_update(self) -> None:
        """Paint, unless an answer is due; the timer runs on then and looks again."""
        if time.monotonic() >= self._held_until:
            super()._on_timer_update()
