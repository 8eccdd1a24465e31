"""The emoji set: Fluent Emoji 3D by Microsoft (MIT), the pictures that scenes and captions use.

A picture's name is its code points in hex, joined by hyphens, as the set names them.
"""

import re
from pathlib import Path

from PIL import Image

ASSETS = Path(__file__).parent / "assets"
FOLDER = ASSETS / "emoji"
IN_TEXT = re.compile(
    "(?:[\U0001f1e6-\U0001f1ff]{2}|[\u231a-\u23ff\u2600-\u27bf\u2b00-\u2bff\U0001f300-\U0001faff]"
    "[\ufe0f\U0001f3fb-\U0001f3ff]*(?:\u200d[\u2600-\u27bf\U0001f300-\U0001faff][\ufe0f\U0001f3fb-\U0001f3ff]*)*)"
)
"""An emoji in a text: a flag, or a pictograph with its modifiers and all that is joined to it."""


def emoji_file(emoji: str) -> Path:
    """The picture of an emoji; with or without the variation selector.

    Raises:
        LookupError: the set has no such emoji.
    """
    code = "-".join(f"{ord(char):x}" for char in emoji)
    for name in (code, code.replace("-fe0f", ""), f"{code}-fe0f"):
        if (FOLDER / f"{name}.webp").is_file():
            return FOLDER / f"{name}.webp"
    raise LookupError(f"no picture for the emoji {emoji} ({code})")


def emoji_sprite(emoji: str, size: int) -> Image.Image:
    """The picture of an emoji at a size in pixels, on nothing."""
    with Image.open(emoji_file(emoji)) as source:
        return source.convert("RGBA").resize((size, size), Image.Resampling.LANCZOS)
