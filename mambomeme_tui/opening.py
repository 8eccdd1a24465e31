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
import threading
from pathlib import Path

from mambomeme_tui import media
from mambomeme_tui.errors import MamboError
from mambomeme_tui.paths import cache_dir
from mambomeme_tui.records import Meme
from mambomeme_tui.text import printable

CARD_SIZE, CARD_MARGIN = 480, 40


class OpenError(MamboError):
    """The picture could not be shown; the program goes on."""

    exit_code = 5


def open_meme(meme: Meme) -> Path:
    """Open a meme's picture, or a card of its text; returns the file that was handed to the viewer.

    Raises:
        OpenError: there is no viewer, or the card could not be written.
    """
    command = viewer_command()
    path = media.path_of(meme) or _card(meme)
    try:
        viewer = subprocess.Popen(
            [*command, str(path)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError as error:
        raise OpenError(f"{command[0]} can't be started: {error.strerror}.") from None
    threading.Thread(target=viewer.wait, name="viewer", daemon=True).start()  # or a closed one stays as a zombie
    return path


def viewer_command() -> list[str]:
    """`MAMBOMEME_OPENER` split as a shell would, or the platform's own opener."""
    try:
        own = shlex.split(os.environ.get("MAMBOMEME_OPENER", ""))
    except ValueError:
        raise OpenError("MAMBOMEME_OPENER has a quote that is never closed.", "Close it, or unset it.") from None
    if own:
        return own
    name = "open" if sys.platform == "darwin" else "xdg-open"
    if path := shutil.which(name):
        return [path]
    raise OpenError("Name a viewer in MAMBOMEME_OPENER:", f"there is no {name} here.")


def _card(meme: Meme) -> Path:
    from PIL import Image, ImageDraw, ImageFont

    folder = cache_dir() / "cards"
    path = folder / f"{meme.id}-{meme.content_hash[:12]}.png"
    if path.is_file():
        return path
    image = Image.new("RGB", (CARD_SIZE, CARD_SIZE), "#24283b")
    draw = ImageDraw.Draw(image)
    middle = CARD_SIZE / 2
    for size in (28, 24, 20, 16, 12, 9):
        font = ImageFont.load_default(size)
        text = "\n\n".join(textwrap.fill(part, 800 // size) for part in printable(meme.quote).split(" / "))
        left, top, _, bottom = draw.multiline_textbbox((middle, middle), text, font, anchor="mm", spacing=8)
        if left >= CARD_MARGIN and top >= CARD_MARGIN and bottom <= CARD_SIZE - CARD_MARGIN:
            break
    draw.multiline_text((middle, middle), text, "white", font, anchor="mm", align="center", spacing=8)
    draw.text((middle, CARD_SIZE - 24), printable(meme.title), "#8089b3", ImageFont.load_default(18), anchor="mm")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        whole = folder / f".{path.name}"
        image.save(whole, "PNG")
        whole.replace(path)
    except OSError as error:
        raise OpenError(f"The card can't be written into {folder}: {error.strerror}.") from None
    return path
