"""The base of all drawn widgets: a palette, a view, and whole lines."""

from typing import Any

from rich.style import Style
from textual.strip import Strip
from textual.widget import Widget

from mambomeme_tui.ui.cells import strip_of, style
from mambomeme_tui.ui.theming import Palette
from mambomeme_tui.ui.view import View


class Drawn(Widget):
    """Draws the current view by `line`, one call a line; repaints only when the view changed what it shows."""

    def __init__(self, palette: Palette, **options: Any) -> None:
        super().__init__(**options)
        self.palette = palette
        self.view = View()
        self.drawn: dict[int, object] = {}
        """What each line showed when it was drawn last: the view's answer."""

    def show(self, view: View) -> None:
        """Draw this view from the next frame on."""
        self.view = view
        self.refresh()

    def paint(self, colour: str, background: str = "", bold: bool = False) -> Style:
        """A style on the widget's own background, or another one."""
        return style(colour, background or self.palette.background, bold)

    def render_line(self, y: int) -> Strip:
        """One line, exactly as wide as the widget."""
        width = self.size.width
        self.drawn[y] = self.view.shown
        blank = self.paint(self.palette.text)
        return self.line(y, width).adjust_cell_length(width, blank) if width else Strip([])

    def line(self, y: int, width: int) -> Strip:
        """Line `y` of the widget, `width` cells."""
        raise NotImplementedError

    def blank(self, width: int) -> Strip:
        """An empty line."""
        return strip_of(width, self.paint(self.palette.text))
