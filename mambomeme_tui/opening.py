"""Opens a meme with the person's own viewer; makes a card of its text where there is no picture.

The viewer runs apart from the terminal: it can neither write to it nor read from it. Only files that the program made
or ships are ever handed over, never a text from a record.
"""

import os
import shlex
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

from mambomeme_tui import media
from mambomeme_tui.errors import MamboError
from mambomeme_tui.paths import cache_dir
from mambomeme_tui.records import Meme
from mambomeme_tui.text import printable

CARD_SIZE = 480


class OpenError(MamboError):
    """The picture could not be shown; the program goes on."""

    exit_code = 5


def open_meme(meme: Meme) -> Path:
    """Open a meme's picture, or a card of its text; returns the file that was handed to the viewer.

    Raises:
        OpenError: there is no viewer, or the card could not be written.
    """
    command = _viewer()
    path = media.path_of(meme) or _card(meme)
    try:
        subprocess.Popen(
            [*command, str(path)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError as error:
        raise OpenError(f"{command[0]} can't be started: {error.strerror}.") from None
    return path


def _viewer() -> list[str]:
    """`MAMBOMEME_OPENER` split as a shell would, or the platform's own opener."""
    if own := os.environ.get("MAMBOMEME_OPENER"):
        return shlex.split(own)
    name = "open" if sys.platform == "darwin" else "xdg-open"
    if path := shutil.which(name):
        return [path]
    raise OpenError(f"There is no {name} here.", "Name a viewer in MAMBOMEME_OPENER.")


def _card(meme: Meme) -> Path:
    from PIL import Image, ImageDraw, ImageFont

    folder = cache_dir() / "cards"
    path = folder / f"{meme.id}-{meme.content_hash[:12]}.png"
    if path.is_file():
        return path
    image = Image.new("RGB", (CARD_SIZE, CARD_SIZE), "#24283b")
    draw = ImageDraw.Draw(image)
    font = ImageFont.load_default(28)
    text = "\n\n".join(textwrap.fill(part, 28) for part in printable(meme.quote).split(" / "))
    middle = CARD_SIZE / 2
    draw.multiline_text((middle, middle), text, "white", font, anchor="mm", align="center", spacing=8)
    draw.text((middle, CARD_SIZE - 24), printable(meme.title), "#8089b3", ImageFont.load_default(18), anchor="mm")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        image.save(path)
    except OSError as error:
        raise OpenError(f"The card can't be written into {folder}: {error.strerror}.") from None
    return path
