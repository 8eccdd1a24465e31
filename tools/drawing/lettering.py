"""Captions in readable type: the largest size at which the text fits its box, over as many lines as it needs.

Fonts travel with the tool, since a caption must come out the same on every machine. Emoji in a caption are drawn from
the emoji set.
"""

from functools import lru_cache

from PIL import Image, ImageDraw, ImageFont

from drawing.emoji import ASSETS, IN_TEXT, emoji_sprite

LATIN, JAPANESE = ASSETS / "caption-latin.ttf", ASSETS / "caption-japanese.otf"
LARGEST, SMALLEST = 42, 12
LEADING = 1.18
"""Height of a line in units of the type's size."""
Box = tuple[float, float, float, float]


@lru_cache(maxsize=128)
def font(size: int, japanese: bool) -> ImageFont.FreeTypeFont:
    """The caption font at a size in pixels."""
    return ImageFont.truetype(str(JAPANESE if japanese else LATIN), size, layout_engine=ImageFont.Layout.BASIC)


def is_japanese(text: str) -> bool:
    """Whether a text needs the Japanese font."""
    return any("\u3000" <= char <= "\u9fff" or "\uff00" <= char <= "\uffef" for char in text)


def write(image: Image.Image, text: str, box: Box, colour: str, outline: str | None = None) -> None:
    """Write a text into a box, centred, as large as it fits; `outline` is drawn around the letters."""
    left, top, right, bottom = box
    japanese = is_japanese(text)
    for size in range(max(SMALLEST, min(LARGEST, int(bottom - top))), SMALLEST - 1, -1):
        face = font(size, japanese)
        lines = _break(text, face, right - left, japanese)
        if lines and len(lines) * size * LEADING <= bottom - top:
            break
    lines = lines or text.split("\n")
    first = (top + bottom) / 2 - size * LEADING * (len(lines) - 1) / 2
    for number, line in enumerate(lines):
        _write_line(image, line, ((left + right) / 2, first + number * size * LEADING), face, colour, outline)


def _write_line(
    image: Image.Image,
    line: str,
    middle: tuple[float, float],
    face: ImageFont.FreeTypeFont,
    colour: str,
    outline: str | None,
) -> None:
    draw = ImageDraw.Draw(image)
    size = int(face.size)
    stroke = max(1, round(size / 11)) if outline else 0
    x, y = middle[0] - _width(line, face) / 2, middle[1]
    for part, is_emoji in _parts(line):
        if is_emoji:
            sprite = emoji_sprite(part, size)
            image.paste(sprite, (round(x), round(y - size / 2)), sprite)
        else:
            draw.text((x, y), part, colour, face, anchor="lm", stroke_width=stroke, stroke_fill=outline)
        x += _width(part, face)


def _parts(line: str) -> list[tuple[str, bool]]:
    """A line cut into stretches of text and single emoji."""
    parts, at = [], 0
    for found in IN_TEXT.finditer(line):
        if _has_picture(found[0]):
            parts += [(line[at : found.start()], False), (found[0], True)]
            at = found.end()
    return [(part, is_emoji) for part, is_emoji in [*parts, (line[at:], False)] if part]


@lru_cache(maxsize=512)
def _has_picture(emoji: str) -> bool:
    try:
        emoji_sprite(emoji, 8)
    except LookupError:
        return False
    return True


def _width(line: str, face: ImageFont.FreeTypeFont) -> float:
    return sum(face.size * 1.1 if is_emoji else face.getlength(part) for part, is_emoji in _parts(line))


def _break(text: str, face: ImageFont.FreeTypeFont, width: float, japanese: bool) -> list[str]:
    """Lines no wider than `width`, each part of the text on lines of its own; empty where a single word is wider."""
    if "\n" in text:
        parts = [_break(part, face, width, japanese) for part in text.split("\n")]
        return [line for part in parts for line in part] if all(parts) else []
    words = list(text) if japanese else text.split()
    glue = "" if japanese else " "
    lines: list[str] = []
    line = ""
    for word in words:
        if _width(word, face) > width:
            return []
        longer = f"{line}{glue}{word}" if line else word
        if _width(longer, face) <= width:
            line = longer
        else:
            lines.append(line)
            line = word
    return [*lines, line] if line else lines
