"""Text in terminal cells: made safe, cut, wrapped and centred by what it takes up on the screen.

Whatever is drawn goes through `safe` here; nothing else turns foreign text into segments.
"""

from functools import lru_cache

from rich.cells import cell_len, chop_cells, set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from mambomeme_tui.text import printable

safe = lru_cache(maxsize=2048)(printable)


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
    for word in text.split():
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
