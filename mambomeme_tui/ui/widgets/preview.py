"""The preview: the selected meme's picture in half blocks, or a card of its text while it has no picture."""

import colorsys
import zlib
from typing import Any

from textual.strip import Strip

from mambomeme_tui import media
from mambomeme_tui.retrieval.results import Hit
from mambomeme_tui.ui.cells import centre, safe, strip_of, style, wrap
from mambomeme_tui.ui.picture import half_blocks
from mambomeme_tui.ui.theming import Palette
from mambomeme_tui.ui.widgets.drawn import Drawn


class Preview(Drawn):
    """Draws one hit, in as many cells as it is given."""

    DEFAULT_CSS = "Preview { height: 14; }"

    def __init__(self, palette: Palette, **options: Any) -> None:
        super().__init__(palette, **options)
        self._hit: Hit | None = None
        self._strips: tuple[Strip, ...] = ()

    def show_hit(self, hit: Hit | None) -> None:
        """Draw this hit from the next frame on; nothing for None."""
        same = hit is not None and self._hit is not None and hit.meme == self._hit.meme
        self._hit = hit
        if same:
            return
        self._compose_strips()
        self.refresh()

    def on_resize(self) -> None:
        """Compose the picture anew for the new size; lines of the old one may have been drawn into it already."""
        self._compose_strips()
        self.refresh()

    def line(self, y: int, width: int) -> Strip:
        """A line of the picture or the card, with the border at the left."""
        border = ("│", self.paint(self.palette.border))
        strip = self._strips[y] if y < len(self._strips) else self.blank(width - 1)
        return Strip.join([strip_of(1, border[1], border), strip])

    def _compose_strips(self) -> None:
        width, height = self.size.width - 1, self.size.height
        if self._hit is None or width < 4 or height < 4:
            self._strips = ()
            return
        path = None if self.app.no_color else media.path_of(self._hit.meme)  # half blocks are nothing but colours
        picture = half_blocks(path, width, height, self.palette.background) if path else None
        self._strips = picture or card(self._hit, width, height)


def card(hit: Hit, width: int, height: int) -> tuple[Strip, ...]:
    """The quote of a meme on a coloured ground, one paragraph a panel; the family's name is the card's colour."""
    panels = [part.strip() for part in safe(hit.meme.quote).split(" / ")] or [""]
    room = width - 4
    most = max(1, (height - 2 - len(panels) + 1) // len(panels))
    lines: list[str] = []
    for panel in panels:
        lines += ([""] if lines else []) + wrap(panel, room, most)
    above = max(0, (height - len(lines)) // 2)
    lines = ([""] * above + lines + [""] * height)[:height]
    shades = _shades(hit.meme.family.id, height)
    return tuple(
        strip_of(width, style("#ffffff", shade, bold=True), (centre(line, width), style("#ffffff", shade, bold=True)))
        for line, shade in zip(lines, shades, strict=True)
    )


def _shades(name: str, count: int) -> list[str]:
    """Dark shades from top to bottom, the same for the same name; white text reads well on each."""
    hue = zlib.crc32(name.encode()) % 360 / 360
    shades = []
    for row in range(count):
        lightness = 0.34 - 0.16 * row / max(1, count - 1)
        red, green, blue = colorsys.hls_to_rgb((hue + 0.06 * row / count) % 1, lightness, 0.5)
        shades.append(f"#{round(red * 255):02x}{round(green * 255):02x}{round(blue * 255):02x}")
    return shades
