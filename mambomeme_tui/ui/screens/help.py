"""The help: every key and what it does. Where it does not fit, arrows scroll; any other key goes back."""

from textual import events
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.strip import Strip

from mambomeme_tui import __version__
from mambomeme_tui.ui.cells import fit, strip_of, wrap
from mambomeme_tui.ui.theming import Palette
from mambomeme_tui.ui.widgets.drawn import Drawn

_KEYS = (
    (f"MamboMeme {__version__} · any key goes back", ""),
    ("in the query box", ""),
    ("↵", "search, then move to the list"),
    ("↓", "move to the list"),
    ("→ or End", "accept what is suggested in grey"),
    ("Ctrl+U", "clear the query"),
    ("in a query", ""),
    ('"one two"', "just these words, in this order"),
    ("-word", "without it"),
    ("tag:office", "filters: tag: from: who: template: type: lang: year:"),
    ("in the list", ""),
    ("↑ ↓ k j", "move; so do PgUp, PgDn, Home and End"),
    ("o or ↵", "open with your own viewer"),
    ("y", "copy the text to the clipboard"),
    ("c", "print its file or id, and quit"),
    ("/ or Esc", "back to the query"),
    ("everywhere", ""),
    ("F1", "this help; in the list also ?"),
    ("F6", "search as typed, where a word was mended, and back"),
    ("F7", "show what comes nearest, where nothing fits"),
    ("F5", "use another index that was published meanwhile"),
    ("Ctrl+Q", "quit; so does Ctrl+C"),
    ("Ctrl+Z", "suspend; `fg` comes back"),
)
_SCROLL = frozenset({"up", "down", "pageup", "pagedown", "home", "end", "j", "k"})
KEY_WIDTH = 11


class _Page(Drawn):
    DEFAULT_CSS = "_Page { width: 1fr; height: auto; }"

    def get_content_height(self, container: object, viewport: object, width: int) -> int:
        return len(self._rows(width))

    def line(self, y: int, width: int) -> Strip:
        colours, ground = self.palette, self.palette.surface
        rows = self._rows(width)
        key, action = rows[y] if y < len(rows) else ("", "")
        return strip_of(
            width,
            self.paint(colours.text, ground),
            (key, self.paint(colours.accent, ground, bold=True)),
            (action, self.paint(colours.text, ground)),
        )

    def _rows(self, width: int) -> list[tuple[str, str]]:
        rows: list[tuple[str, str]] = []
        for key, action in _KEYS:
            if not action:
                rows += [(f" {line}", "") for line in wrap(key, width - 2, 9)]
                continue
            for number, line in enumerate(wrap(action, max(8, width - KEY_WIDTH - 4), 9)):
                rows.append((f"   {fit('' if number else key, KEY_WIDTH)}", line))
        return rows


class HelpScreen(ModalScreen[None]):
    """Shows the help over the main screen."""

    DEFAULT_CSS = """
    HelpScreen { align: center middle; background: $background 60%; }
    HelpScreen VerticalScroll { width: 70; height: auto; max-width: 100%; max-height: 100%; background: $surface; }
    """

    def __init__(self, palette: Palette) -> None:
        super().__init__()
        self._palette = palette

    def compose(self) -> ComposeResult:
        """One drawn page that scrolls."""
        with VerticalScroll(can_focus=False):
            yield _Page(self._palette)

    def on_key(self, event: events.Key) -> None:
        """Scroll, or go back."""
        event.stop()
        page = self.query_one(VerticalScroll)
        if event.key not in _SCROLL or page.max_scroll_y == 0:
            self.dismiss()
        elif event.key in ("up", "pageup", "home", "k"):
            page.scroll_page_up(animate=False)
        else:
            page.scroll_page_down(animate=False)

    def on_click(self) -> None:
        """A click goes back."""
        self.dismiss()
