"""Pictures for the judging screen: found below the corpus folder, and drawn in half blocks, two pixels a cell."""

from functools import lru_cache
from pathlib import Path
from typing import Final

from PIL import Image, ImageOps
from rich.color import Color
from rich.segment import Segment
from rich.style import Style

MOST_PIXELS: Final = 64_000_000


def picture_path(root: Path, media: str) -> Path | None:
    """The picture of an item, or None where it has none, or none that lies below the corpus folder."""
    if not media:
        return None
    try:
        folder = root.resolve()
        path = (folder / media).resolve()
        return path if path.is_relative_to(folder) and path.is_file() else None
    except (OSError, ValueError, RuntimeError):  # a name that no file can have, or a link to itself
        return None


@lru_cache(maxsize=4096)
def moves(path: Path) -> bool:
    """Whether a picture is animated; False where it can't be read."""
    try:
        with Image.open(path) as image:
            return bool(getattr(image, "is_animated", False))
    except Exception:  # Pillow raises nearly anything on a damaged file, which is then only told by its path
        return False


@lru_cache(maxsize=16)
def half_blocks(path: Path, width: int, height: int, ground: str) -> tuple[tuple[Segment, ...], ...] | None:
    """`height` lines of `width` cells with the first frame in their middle on the colour `ground`.

    None where the file is no picture that Pillow can read, or would unpack to more than 64 million pixels.
    """
    try:
        with Image.open(path) as image:
            if image.width * image.height > MOST_PIXELS:
                return None
            frame = ImageOps.exif_transpose(image).convert("RGBA")
    except Exception:  # as above
        return None
    pixels = ImageOps.contain(frame, (width, height * 2), Image.Resampling.BOX)
    canvas = Image.new("RGBA", (width, height * 2), ground)
    canvas.alpha_composite(pixels, ((width - pixels.width) // 2, (height * 2 - pixels.height) // 2))
    data = canvas.convert("RGB").tobytes()
    return tuple(_line(data[2 * row * width * 3 : 2 * (row + 1) * width * 3], width) for row in range(height))


def _line(pixels: bytes, width: int) -> tuple[Segment, ...]:
    """Two rows of pixels as one line of cells."""
    upper, lower = pixels[: width * 3], pixels[width * 3 :]
    return tuple(Segment("▀", _cell(upper[at : at + 3], lower[at : at + 3])) for at in range(0, width * 3, 3))


@lru_cache(maxsize=8192)
def _cell(upper: bytes, lower: bytes) -> Style:
    return Style(color=Color.from_rgb(*upper), bgcolor=Color.from_rgb(*lower))
