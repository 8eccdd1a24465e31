"""The main screen: as Textual's own, but moving the focus does not repaint all of it."""

from textual.reactive import Reactive
from textual.screen import Screen
from textual.widget import Widget


class MainScreen(Screen[None]):
    """The box, the list and the keys repaint themselves where the focus moves; nothing else shows it."""

    focused: Reactive[Widget | None] = Reactive(None, repaint=False)
