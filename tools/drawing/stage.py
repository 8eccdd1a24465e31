"""Puts a scene on a canvas: panels, things and captions. The same scene gives the same pixels, always."""

import math
from functools import lru_cache

from PIL import Image, ImageColor, ImageDraw, ImageOps

from drawing.emoji import emoji_sprite
from drawing.lettering import Box, write
from drawing.scene import Panel, Scene, Thing, Variation

SIZES = {"square": (480, 480), "wide": (480, 360), "tall": (400, 480)}
GAP = 4
FRAMES = 6
_GRIDS = {
    "1": (1, 1),
    "2h": (1, 2),
    "2v": (2, 1),
    "3h": (1, 3),
    "3v": (3, 1),
    "4v": (4, 1),
    "2x2": (2, 2),
    "2x3": (2, 3),
    "3x2": (3, 2),
}
"""Rows and columns of each grid."""


def picture(scene: Scene, item: Variation, quote: str, phase: float = 0.0) -> Image.Image:
    """One frame; `phase` runs from 0 to 1 and back over an animation's cycle."""
    width, height = SIZES[scene.shape]
    image = Image.new("RGB", (width, height), "#ffffff")
    parts = [part.strip() for part in quote.split(" / ")]
    above, below = _bars(scene, parts, width, height)
    area = (0, above, width, height - below)
    boxes = _panels(scene, area)
    for number, (panel, box) in enumerate(zip(scene.panels, boxes, strict=False), 1):
        _draw_panel(image, panel, box, item, number, phase)
    _frame(image, scene, boxes)
    _caption(image, scene, parts, boxes, (above, below))
    return image


def _bars(scene: Scene, parts: list[str], width: int, height: int) -> tuple[int, int]:
    """Heights of the white caption bars above and below the panels, more for longer captions."""

    def bar(parts: list[str]) -> int:
        lines = sum(math.ceil(len(part) / (width / 13.5)) for part in parts)
        return min(int(height * 0.38), max(58, 26 * lines + 22))

    match scene.caption:
        case "bottom":
            return 0, bar(parts)
        case "top":
            return bar(parts), 0
        case "top-bottom" if len(parts) > 1:
            return bar(parts[:1]), bar(parts[1:])
        case "top-bottom":
            return 0, bar(parts[:1])
    places = len(scene.panels) if scene.caption != "labels" else sum(len(panel.labels) for panel in scene.panels)
    return 0, bar(parts[places:]) if len(parts) > places else 0


def _panels(scene: Scene, area: Box) -> list[Box]:
    left, top, right, bottom = area
    if scene.grid in ("left", "right"):
        rows = len(scene.panels)
        middle = left + (right - left) / 2
        near, far = (left, middle) if scene.grid == "left" else (middle, right)
        step = (bottom - top) / rows
        return [(near, top + row * step, far, top + (row + 1) * step) for row in range(rows)]
    rows, columns = _GRIDS[scene.grid]
    wide, high = (right - left) / columns, (bottom - top) / rows
    return [
        (left + column * wide, top + row * high, left + (column + 1) * wide, top + (row + 1) * high)
        for row in range(rows)
        for column in range(columns)
    ]


def _draw_panel(image: Image.Image, panel: Panel, box: Box, item: Variation, number: int, phase: float) -> None:
    left, top, right, bottom = (round(edge) for edge in box)
    ground = item.ground if item.ground and number == item.panel else panel.ground
    canvas = _ground(ground, right - left, bottom - top)
    mine = number == item.panel
    things = [thing for at, thing in enumerate(panel.things, 1) if not (mine and at in item.hide)]
    for thing in [*things, *(item.things if mine else [])]:
        if not (thing.blink and phase > 0.5):
            _draw_thing(canvas, thing, phase)
    image.paste(canvas.convert("RGB"), (left, top))


def _ground(ground: str | list[str], width: int, height: int) -> Image.Image:
    if isinstance(ground, str):
        return Image.new("RGBA", (width, height), ground)
    upper, lower = (ImageColor.getrgb(colour) for colour in ground)
    strip = Image.new("RGB", (1, height))
    for y in range(height):
        share = y / max(1, height - 1)
        strip.putpixel((0, y), tuple(round(a + (b - a) * share) for a, b in zip(upper, lower, strict=True)))
    return strip.resize((width, height)).convert("RGBA")


def _draw_thing(canvas: Image.Image, thing: Thing, phase: float) -> None:
    width, height = canvas.size
    unit = min(width, height)
    x, y = (thing.at[axis] + ((thing.to or thing.at)[axis] - thing.at[axis]) * phase for axis in (0, 1))
    turn = thing.turn + ((thing.turn_to if thing.turn_to is not None else thing.turn) - thing.turn) * phase
    if thing.emoji:
        sprite = _emoji(thing.emoji, max(4, round(thing.size * unit)), thing.flip, thing.grey, thing.tint)
    elif thing.text:
        sprite = _lettering(thing, unit)
    else:
        sprite = _shape(thing, width, height)
        if thing.shape in ("line", "polygon"):
            dx, dy = round((x - thing.at[0]) * width), round((y - thing.at[1]) * height)
            canvas.alpha_composite(sprite, (max(0, dx), max(0, dy)))
            return
    if turn:
        sprite = sprite.rotate(-turn, Image.Resampling.BICUBIC, expand=True)
    if thing.fade:
        sprite = sprite.copy()  # an emoji comes from a cache
        sprite.putalpha(sprite.getchannel("A").point(lambda alpha: round(alpha * (1 - thing.fade))))
    _paste(canvas, sprite, round(x * width - sprite.width / 2), round(y * height - sprite.height / 2))


def _paste(canvas: Image.Image, sprite: Image.Image, left: int, top: int) -> None:
    """Composite a sprite that may stick out at any side."""
    cut = (max(0, -left), max(0, -top), min(sprite.width, canvas.width - left), min(sprite.height, canvas.height - top))
    if cut[0] < cut[2] and cut[1] < cut[3]:
        canvas.alpha_composite(sprite.crop(cut), (max(0, left), max(0, top)))


@lru_cache(maxsize=512)
def _emoji(emoji: str, size: int, flip: bool, grey: bool, tint: str | None) -> Image.Image:
    sprite = emoji_sprite(emoji, size)
    if flip:
        sprite = ImageOps.mirror(sprite)
    if grey or tint:
        alpha = sprite.getchannel("A")
        light = ImageOps.autocontrast(ImageOps.grayscale(sprite.convert("RGB")))
        coloured = ImageOps.colorize(light, "black", "white", tint) if tint else light.convert("RGB")
        sprite = coloured.convert("RGBA")
        sprite.putalpha(alpha)
    return sprite


def _lettering(thing: Thing, unit: int) -> Image.Image:
    wide = round((thing.wide or thing.size * 2) * unit)
    high = round((thing.high or thing.size) * unit)
    sprite = Image.new("RGBA", (wide, high), (0, 0, 0, 0))
    write(sprite, thing.text, (0, 0, wide, high), thing.colour, thing.edge)
    return sprite


def _shape(thing: Thing, width: int, height: int) -> Image.Image:
    """A shape on a sprite of its own, drawn fourfold and made smaller, which smooths its edges."""
    scale, unit = 4, min(width, height)
    line = max(1, round(thing.thick * unit * scale))
    if thing.shape in ("line", "polygon"):
        sprite = Image.new("RGBA", (width * 2, height * 2), (0, 0, 0, 0))
        draw = ImageDraw.Draw(sprite)
        points = [(x * width * 2, y * height * 2) for x, y in thing.points]
        if thing.shape == "line":
            draw.line(points, thing.colour, max(1, round(thing.thick * unit * 2)), joint="curve")
        else:
            draw.polygon(points, thing.colour, thing.edge, max(1, round(thing.thick * unit * 2)) if thing.edge else 1)
        return sprite.resize((width, height), Image.Resampling.BOX)
    wide, high = round((thing.wide or thing.size) * width), round((thing.high or thing.size) * height)
    sprite = Image.new("RGBA", (wide * scale, high * scale), (0, 0, 0, 0))
    draw = ImageDraw.Draw(sprite)
    box = (line / 2, line / 2, wide * scale - 1 - line / 2, high * scale - 1 - line / 2)
    edge = line if thing.edge else 0
    match thing.shape:
        case "ellipse":
            draw.ellipse(box, thing.colour, thing.edge, edge)
        case "round":
            draw.rounded_rectangle(box, min(wide, high) * scale / 4, thing.colour, thing.edge, edge)
        case _:
            draw.rectangle(box, thing.colour, thing.edge, edge)
    return sprite.resize((max(1, wide), max(1, high)), Image.Resampling.BOX)


def _frame(image: Image.Image, scene: Scene, boxes: list[Box]) -> None:
    draw = ImageDraw.Draw(image)
    if len(boxes) > 1:
        for left, top, right, bottom in boxes:
            draw.rectangle((left, top, right - 1, bottom - 1), None, scene.border, GAP // 2)


def _caption(image: Image.Image, scene: Scene, parts: list[str], boxes: list[Box], bars: tuple[int, int]) -> None:
    width, height = image.size
    above, below = bars
    rest = parts
    match scene.caption:
        case "none":
            return
        case "panels":
            rest = _on_panels(image, parts, boxes)
        case "labels":
            rest = _on_labels(image, scene, parts, boxes)
        case "beside":
            rest = _beside(image, scene, parts, boxes)
        case "top-bottom" if above:
            write(image, parts[0], (12, 5, width - 12, above - 5), "#111111")
            rest = parts[1:]
        case "top":
            write(image, "\n".join(parts), (12, 5, width - 12, above - 5), "#111111")
            rest = []
    if rest and below:
        write(image, "\n".join(rest), (12, height - below + 5, width - 12, height - 5), "#111111")


def _on_panels(image: Image.Image, parts: list[str], boxes: list[Box]) -> list[str]:
    for part, (left, top, right, bottom) in zip(parts, boxes, strict=False):
        high = (bottom - top) * (0.3 if len(part) < 40 else 0.42)
        write(image, part, (left + 8, bottom - high - 4, right - 8, bottom - 6), "#ffffff", "#000000")
    return parts[len(boxes) :]


def _on_labels(image: Image.Image, scene: Scene, parts: list[str], boxes: list[Box]) -> list[str]:
    places = [(box, label) for panel, box in zip(scene.panels, boxes, strict=False) for label in panel.labels]
    for part, ((left, top, right, bottom), label) in zip(parts, places, strict=False):
        x, y = left + label.at[0] * (right - left), top + label.at[1] * (bottom - top)
        wide = label.wide * (right - left) / 2
        high = min(bottom - top, 110) / 2
        near, far = max(left + 4, x - wide), min(right - 4, x + wide)
        write(image, part, (near, max(top + 2, y - high), far, min(bottom - 2, y + high)), "#ffffff", "#000000")
    return parts[len(places) :]


def _beside(image: Image.Image, scene: Scene, parts: list[str], boxes: list[Box]) -> list[str]:
    width = image.width
    for part, (left, top, right, bottom) in zip(parts, boxes, strict=False):
        near, far = (right, width) if scene.grid == "left" else (0, left)
        write(image, part, (near + 10, top + 6, far - 10, bottom - 6), "#111111")
    return parts[len(boxes) :]
