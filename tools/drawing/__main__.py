"""`python -m drawing CORPUS [FAMILY ...]`: draws the pictures of these families, or of all; `--sheet FILE` shows them.

Writes `CORPUS/media/FAMILY/SLUG.webp` for every item and copy of the family; the same input gives the same bytes.
"""

import argparse
import io
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from PIL import Image, ImageEnhance
from pydantic import ValidationError

from drawing.scene import Scene, Variation, read
from drawing.stage import FRAMES, picture

QUALITY, FRAME_QUALITY, COPY_QUALITY = 42, 34, 30
FRAME_MS = 140


def frames_of(scene: Scene, slug: str, quote: str) -> list[Image.Image]:
    """The frames of an item's picture: one, or an animation that goes forth and back."""
    item = scene.items.get(slug, Variation())
    phases = [step / (FRAMES // 2) for step in (*range(FRAMES // 2), *range(FRAMES // 2, 0, -1))]
    return [picture(scene, item, quote, phase) for phase in (phases if item.animated else [0.0])]


def encode(frames: Sequence[Image.Image], quality: int) -> bytes:
    """A WebP file of these frames."""
    buffer = io.BytesIO()
    first, *rest = frames
    options: dict[str, Any] = {"quality": quality, "method": 6}
    if rest:
        options |= {"save_all": True, "append_images": rest, "duration": FRAME_MS, "loop": 0}
    first.save(buffer, "WEBP", **options)
    return buffer.getvalue()


def changed(image: Image.Image, change: str) -> Image.Image:
    """A frame as it is in a copy that was changed so."""
    match change:
        case "resized":
            return image.resize((image.width * 2 // 3, image.height * 2 // 3), Image.Resampling.LANCZOS)
        case "recoloured":
            warm = Image.blend(image, Image.new("RGB", image.size, "#ff9a3c"), 0.14)
            return ImageEnhance.Brightness(warm).enhance(0.9)
        case _:
            return image


def draw_family(corpus: Path, family: str) -> list[Path]:
    """Draw all items and copies of a family; returns the files.

    Raises:
        LookupError: the scene varies an item that is not there, or uses an emoji that the set has not.
    """
    table = tomllib.loads((corpus / "families" / f"{family}.toml").read_text(encoding="utf-8"))
    scene = read(corpus / "scenes" / f"{family}.toml")
    items = {item["slug"]: item for item in table["items"]}
    if unknown := sorted(set(scene.items) - set(items)):
        raise LookupError(f"the scene varies items that the family has not: {', '.join(unknown)}")
    folder = corpus / "media" / family
    folder.mkdir(parents=True, exist_ok=True)
    drawn = {slug: frames_of(scene, slug, item["quote"]) for slug, item in items.items()}
    written = {slug: encode(frames, QUALITY if len(frames) == 1 else FRAME_QUALITY) for slug, frames in drawn.items()}
    for copy in table.get("copies", []):
        frames = [changed(frame, copy["change"]) for frame in drawn[copy["of"]]]
        written[copy["slug"]] = encode(frames, COPY_QUALITY)
    for slug, data in written.items():
        (folder / f"{slug}.webp").write_bytes(data)
    return [folder / f"{slug}.webp" for slug in written]


def contact_sheet(files: Sequence[Path], target: Path, columns: int = 6, size: int = 240) -> None:
    """All first frames on one PNG, for looking at."""
    rows = -(-len(files) // columns)
    sheet = Image.new("RGB", (columns * size, rows * size), "#808080")
    for number, path in enumerate(files):
        with Image.open(path) as image:
            small = image.convert("RGB")
        small.thumbnail((size - 4, size - 4))
        sheet.paste(small, (number % columns * size + 2, number // columns * size + 2))
    sheet.save(target)


def main() -> int:
    """Draw; returns 1 where a family could not be drawn."""
    parser = argparse.ArgumentParser(prog="drawing", description=__doc__)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("families", nargs="*")
    parser.add_argument("--sheet", type=Path, help="write a contact sheet of what was drawn")
    options = parser.parse_args()
    families = options.families or sorted(path.stem for path in (options.corpus / "scenes").glob("*.toml"))
    files: list[Path] = []
    failed = 0
    for family in families:
        try:
            files += draw_family(options.corpus, family)
        except (OSError, LookupError, ValueError, ValidationError) as error:
            failed = 1
            print(f"{family}: {error}", file=sys.stderr)
    if options.sheet and files:
        contact_sheet(files, options.sheet)
    sizes = sorted(path.stat().st_size for path in files)
    if sizes:
        print(f"{len(files)} pictures, median {sizes[len(sizes) // 2]:,} bytes, largest {sizes[-1]:,}")
    return failed


if __name__ == "__main__":
    raise SystemExit(main())
