"""A meme's picture as a file: where it lies, and what stands for the meme on a command line."""

from pathlib import Path

from mambomeme_tui.paths import bundled
from mambomeme_tui.records import Meme


def path_of(meme: Meme) -> Path | None:
    """The picture's absolute path, or None where the meme has none or the file is not there."""
    if not meme.media:
        return None
    root = bundled("corpus").resolve()
    try:
        path = (root / meme.media).resolve()
        return path if path.is_relative_to(root) and path.is_file() else None
    except (OSError, ValueError, RuntimeError):  # a name that is too long, no name at all, or a link to itself
        return None


def name_or_path(meme: Meme) -> str:
    """What `c` and `--print0` print: the picture's path, or the meme's id where it has no picture."""
    path = path_of(meme)
    return str(path) if path else meme.id
