"""What is known of the selected meme: template, year, rights, why it matched; more of it on a taller screen."""

from typing import Any

from textual.strip import Strip

from mambomeme_tui.records import Meme
from mambomeme_tui.retrieval.results import Hit
from mambomeme_tui.ui.cells import safe, strip_of, wrap
from mambomeme_tui.ui.theming import Palette
from mambomeme_tui.ui.widgets.drawn import Drawn

ESSENTIAL_LINES = 6


class Details(Drawn):
    """Draws one hit's facts below its preview."""

    DEFAULT_CSS = "Details { height: 1fr; }"

    def __init__(self, palette: Palette, **options: Any) -> None:
        super().__init__(palette, **options)
        self._hit: Hit | None = None
        self._lines: list[tuple[str, str, bool]] = []

    def show_hit(self, hit: Hit | None) -> None:
        """Draw this hit from the next frame on; nothing for None."""
        if hit is self._hit:
            return
        self._hit = hit
        self._compose_lines()
        self.refresh()

    def on_resize(self) -> None:
        """Break the lines anew for the new size; lines of the old one may have been drawn into it already."""
        self._compose_lines()
        self.refresh()

    def line(self, y: int, width: int) -> Strip:
        """A line of facts, with the border at the left."""
        text, colour, bold = self._lines[y] if y < len(self._lines) else ("", "text", False)
        return strip_of(
            width,
            self.paint(self.palette.text),
            ("│ ", self.paint(self.palette.border)),
            (text, self.paint(getattr(self.palette, colour), bold=bold)),
        )

    def _compose_lines(self) -> None:
        width, height = self.size.width - 3, self.size.height
        self._lines = _facts(self._hit, width, height) if self._hit and width > 8 else []


def _facts(hit: Hit, width: int, height: int) -> list[tuple[str, str, bool]]:
    meme = hit.meme
    family = meme.family
    known = " · ".join(part for part in (family.kind, str(family.year), safe(family.franchise)) if part)
    why_lines = max(1, min(2, height - 4))
    lines = [(line, "title", True) for line in wrap(safe(meme.title), width, 1)]
    lines += [(line, "muted", False) for line in wrap(known, width, 1)]
    lines += [(line, "brand", False) for line in wrap(f"why {' · '.join(map(safe, hit.why))}", width, why_lines)]
    lines += [(line, "muted", False) for line in wrap(_rights(meme), width, 1)]
    lines += [(line, "muted", False) for line in wrap(safe(meme.id), width, 1)]
    for label, text in _more(meme) if height > ESSENTIAL_LINES + 2 else ():
        lines.append(("", "text", False))
        lines += [(line, "text", False) for line in wrap(f"{label}: {safe(text)}", width, 8)]
    return lines[:height]


def _rights(meme: Meme) -> str:
    return " · ".join(safe(part) for part in (meme.rights.licence, meme.rights.attribution) if part)


def _more(meme: Meme) -> list[tuple[str, str]]:
    family = meme.family
    facts = [
        ("Text", meme.quote),
        ("Sent when", meme.meaning),
        ("Picture", meme.picture),
        ("Origin", family.origin),
        ("Also called", ", ".join(family.aliases)),
        ("Topics", ", ".join([*family.topics, *meme.tags])),
    ]
    return [(label, text) for label, text in facts if text]
