"""Text in terminal cells: made safe, cut, wrapped and centred by what it takes up on the screen.

Whatever is drawn goes through `safe` here; nothing else turns foreign text into segments.
"""

from functools import lru_cache

from rich.cells import cell_len, chop_cells, set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.filter import LineFilter
from textual.strip import Strip

from mambomeme_tui.text import printable

_EMOJI_STYLE = "\ufe0f"


@lru_cache(maxsize=2048)
def safe(text: str) -> str:
    """Text that may be drawn; without the emoji selector, after which terminals disagree on a character's width."""
    return printable(text).replace(_EMOJI_STYLE, "")


@lru_cache(maxsize=512)
def style(colour: str, background: str, bold: bool = False, reverse: bool = False) -> Style:
    """A style of two colours `#rrggbb`; cached, since parsing one costs more than drawing with it."""
    return Style(color=colour, bgcolor=background, bold=bold, reverse=reverse)


def fit(text: str, width: int) -> str:
    """Exactly `width` cells: padded with blanks, or cut with an ellipsis."""
    if cell_len(text) <= width:
        return set_cell_size(text, width)
    return set_cell_size(text, width - 1) + "…" if width > 0 else ""


def wrap(text: str, width: int, most: int) -> list[str]:
    """At most `most` lines of at most `width` cells, broken at blanks where possible; the last ends in an ellipsis."""
    lines: list[str] = []
    line = ""
    for word in text.split() if width > 0 else []:
        for piece in chop_cells(word, width) if cell_len(word) > width else [word]:
            if line and cell_len(line) + 1 + cell_len(piece) > width:
                lines.append(line)
                line = piece
            else:
                line = f"{line} {piece}" if line else piece
    lines += [line] if line else []
    if len(lines) > most:
        lines = [*lines[: most - 1], fit(f"{lines[most - 1]} …", width).rstrip()] if most else []
    return lines


def centre(text: str, width: int) -> str:
    """Exactly `width` cells with the text in the middle."""
    left = max(0, (width - cell_len(text)) // 2)
    return set_cell_size(" " * left + text, width)


def strip_of(width: int, fill: Style, *parts: tuple[str, Style]) -> Strip:
    """A strip of exactly `width` cells; what the parts leave over is filled."""
    return Strip([Segment(text, look) for text, look in parts if text]).adjust_cell_length(width, fill)


class Colourless(LineFilter):
    """Takes every colour away, and shows by reverse video what only a ground of this colour `#rrggbb` told."""

    def __init__(self, told_by_ground: str) -> None:
        super().__init__()
        self._ground = told_by_ground

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """The same segments without colours."""
        return [Segment(text, look and _colourless(look, self._ground), control) for text, look, control in segments]


@lru_cache(maxsize=1024)
def _colourless(look: Style, ground: str) -> Style:
    told = look.bgcolor is not None and look.bgcolor.name == ground
    return look.without_color + Style(reverse=True) if told else look.without_color
