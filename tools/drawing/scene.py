"""Scenes: what is to be drawn for a family, read from `corpus/scenes/<family>.toml` and checked.

A scene is a list of panels with things in them; an item may add things of its own and choose a ground. All places are
fractions of the panel: (0, 0) is its upper left corner, (1, 1) its lower right one. Sizes are fractions of the
panel's shorter side.
"""

import tomllib
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

Colour = Annotated[str, Field(pattern=r"^#[0-9a-fA-F]{6}$")]
Ground = Colour | Annotated[list[Colour], Field(min_length=2, max_length=2)]
Point = Annotated[list[float], Field(min_length=2, max_length=2)]
Grid = Literal["1", "2h", "2v", "3h", "3v", "4v", "2x2", "2x3", "3x2", "right", "left"]
"""How panels lie: one, side by side (h), one above the other (v), rows x columns; `right` and `left` are rows of two
cells, the picture in one and its caption in the other."""
Placing = Literal["bottom", "top", "top-bottom", "panels", "labels", "beside", "none"]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Thing(_Strict):
    """One thing in a panel: an emoji, a shape, or lettering.

    `to` and `turn_to` are where an animated thing is halfway through its cycle; `blink` hides it there.
    """

    emoji: str = ""
    shape: Literal["", "rect", "ellipse", "line", "polygon", "round"] = ""
    text: str = ""
    at: Point = [0.5, 0.5]
    size: float = 0.3
    wide: float = 0.0
    high: float = 0.0
    points: list[Point] = []
    turn: float = 0.0
    flip: bool = False
    colour: Colour = "#333333"
    edge: Colour | None = None
    thick: float = 0.01
    fade: float = 0.0
    tint: Colour | None = None
    grey: bool = False
    to: Point | None = None
    turn_to: float | None = None
    blink: bool = False


class Label(_Strict):
    """Where a part of the caption stands in a panel, when captions are labels."""

    at: Point
    wide: float = 0.34


class Panel(_Strict):
    """One panel of the picture."""

    ground: Ground = "#e8e8e8"
    things: list[Thing] = []
    labels: list[Label] = []


class Variation(_Strict):
    """What one item has that its family has not: things in a panel, and grounds instead of the panels' own."""

    things: list[Thing] = []
    panel: int = 1
    ground: Ground | None = None
    hide: list[int] = []
    animated: bool = False


class Scene(_Strict):
    """Everything that is drawn for a family."""

    grid: Grid = "1"
    caption: Placing = "bottom"
    shape: Literal["square", "wide", "tall"] = "square"
    border: Colour = "#111111"
    panels: Annotated[list[Panel], Field(min_length=1, max_length=6)]
    items: dict[str, Variation] = {}


def read(path: Path) -> Scene:
    """Read one scene; pydantic's errors name the field that is wrong."""
    return Scene.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
