"""Pictures in half blocks: two pixels a cell, upper and lower, in the terminal's own colours.

Pillow is imported here and nowhere else in the interface, and only when the first picture is drawn.
"""

from functools import lru_cache
from pathlib import Path

from rich.color import Color
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

MOST_PIXELS = 64_000_000


def half_blocks(path: Path, width: int, height: int, background: str) -> tuple[Strip, ...] | None:
    """`height` strips of `width` cells with the first frame of a picture in their middle, its proportions kept.

    None where the file is no picture that Pillow can read, or would unpack to more than 64 million pixels. A file
    that was changed is read anew.
    """
    try:
        state = path.stat()
    except (OSError, ValueError):
        return None
    return _half_blocks(path, width, height, background, (state.st_mtime_ns, state.st_size, state.st_ino))


@lru_cache(maxsize=32)
def _half_blocks(
    path: Path, width: int, height: int, background: str, _state: tuple[int, int, int]
) -> tuple[Strip, ...] | None:
    from PIL import Image, ImageOps

    try:
        with Image.open(path) as image:
            if image.width * image.height > MOST_PIXELS:
                return None
            image.draft("RGB", (width * 4, height * 8))
            pixels = ImageOps.contain(
                ImageOps.exif_transpose(image).convert("RGBA"), (width, height * 2), Image.Resampling.BOX
            )
    except Exception:  # Pillow raises nearly anything on a hostile file, and the preview then shows the text
        return None
    canvas = Image.new("RGBA", (width, height * 2), background)
    canvas.alpha_composite(pixels, ((width - pixels.width) // 2, (height * 2 - pixels.height) // 2))
    return tuple(_strip(canvas.convert("RGB").tobytes(), width, row) for row in range(height))


def _strip(pixels: bytes, width: int, row: int) -> Strip:
    upper, lower = row * 2 * width * 3, (row * 2 + 1) * width * 3
    segments = [
        Segment("▀", _cell(pixels[upper + at : upper + at + 3], pixels[lower + at : lower + at + 3]))
        for at in range(0, width * 3, 3)
    ]
    return Strip(segments, width)


@lru_cache(maxsize=8192)
def _cell(upper: bytes, lower: bytes) -> Style:
    return Style(color=Color.from_rgb(*upper), bgcolor=Color.from_rgb(*lower))
