"""The help: every key and what it does, and where the memes come from. Any key goes back."""

from textual import events
from textual.app import ComposeResult
from textual.screen import ModalScreen
from textual.strip import Strip

from mambomeme_tui import __version__
from mambomeme_tui.ui.cells import fit, strip_of
from mambomeme_tui.ui.theming import Palette
from mambomeme_tui.ui.widgets.drawn import Drawn

_KEYS = (
    ("in the query box", ""),
    ("↵", "search, then move to the list"),
    ("↓", "move to the list"),
    ("Ctrl+U", "clear the query"),
    ("in the list", ""),
    ("↑ ↓  PgUp PgDn  Home End", "move; so do k and j"),
    ("o or ↵", "open with your own viewer"),
    ("y", "copy the text to the clipboard"),
    ("c", "print its file or id, and quit"),
    ("/ or Esc", "back to the query"),
    ("everywhere", ""),
    ("F1, ? in the list", "this help"),
    ("Ctrl+Q, Ctrl+C", "quit"),
    ("Ctrl+Z", "suspend; `fg` comes back"),
)


class _Page(Drawn):
    DEFAULT_CSS = "_Page { width: 60; height: 18; max-width: 100%; max-height: 100%; }"

    def line(self, y: int, width: int) -> Strip:
        colours, ground = self.palette, self.palette.surface
        gap = [("", "")] if self.size.height > len(_KEYS) + 2 else []
        rows = [*gap, *_KEYS, *gap, (f"MamboMeme {__version__}", "any key goes back")]
        key, action = rows[y] if y < len(rows) else ("", "")
        heading = bool(key) and not action
        return strip_of(
            width,
            self.paint(colours.text, ground),
            (f"  {key}" if heading else f"    {fit(key, 25)}", self.paint(colours.accent, ground, bold=True)),
            (action, self.paint(colours.text, ground)),
        )


class HelpScreen(ModalScreen[None]):
    """Shows the help over the main screen."""

    DEFAULT_CSS = "HelpScreen { align: center middle; background: $background 60%; }"

    def __init__(self, palette: Palette) -> None:
        super().__init__()
        self._palette = palette

    def compose(self) -> ComposeResult:
        """One drawn page."""
        yield _Page(self._palette)

    def on_key(self, event: events.Key) -> None:
        """Any key goes back."""
        event.stop()
        self.dismiss()

    def on_click(self) -> None:
        """A click goes back."""
        self.dismiss()
