"""`current`: which version is served, and which were served before it, in one file that is replaced in one step.

The first line is served. A rollback goes down the lines; publishing puts a name on top.
"""

from pathlib import Path

from mambomeme_tui.errors import IndexUnavailable
from mambomeme_tui.index.disk import replace_text
from mambomeme_tui.index.layout import CURRENT_FILE, is_name

MOST_REMEMBERED = 32


def read_pointer(data: Path) -> tuple[str, ...]:
    """The names, the served one first.

    Raises:
        IndexUnavailable: nothing was published yet, or the file holds anything but names.
    """
    try:
        names = (data / CURRENT_FILE).read_text(encoding="ascii").splitlines()
    except (OSError, UnicodeDecodeError):
        names = []
    if not names or not all(map(is_name, names)) or len(set(names)) < len(names):
        raise IndexUnavailable(f"No index is published in {data}.", "Run `mambomeme publish`.")
    return tuple(names)


def current_name(data: Path) -> str:
    """The name of the version that is served.

    Raises:
        IndexUnavailable: see `read_pointer`.
    """
    return read_pointer(data)[0]


def remembered(data: Path) -> tuple[str, ...]:
    """As `read_pointer`; no names where it can't be read."""
    try:
        return read_pointer(data)
    except IndexUnavailable:
        return ()


def serve_new(data: Path, name: str) -> None:
    """Put a version on top. It must be whole and on the disk."""
    before = remembered(data)
    _write(data, (name, *(other for other in before if other != name)), before)


def go_back_to(data: Path, name: str) -> None:
    """Serve a version that was served before, and forget what was served since; or put it on top if it never was."""
    before = remembered(data)
    _write(data, before[before.index(name) :] if name in before else (name, *before), before)


def forget(data: Path, gone: frozenset[str]) -> None:
    """Take versions that are there no more from the names that a rollback would go to; never the served one."""
    before = remembered(data)
    _write(data, before[:1] + tuple(name for name in before[1:] if name not in gone), before)


def _write(data: Path, names: tuple[str, ...], before: tuple[str, ...]) -> None:
    if names != before:
        replace_text(data / CURRENT_FILE, "".join(f"{name}\n" for name in names[:MOST_REMEMBERED]))
