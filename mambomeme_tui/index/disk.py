"""Changes on disk that survive a kill, a full disk and a power cut: whole, or not at all.

The order is always the same: write under a scratch name, bring it to the disk, rename, bring the folder to the disk.
A name that others read never stands for something unfinished.
"""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mambomeme_tui.index.layout import MODELS_FOLDER, SCRATCH, VERSIONS_FOLDER


def synchronise(path: Path) -> None:
    """Bring a file's content, or a folder's list of names, to the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def synchronise_tree(folder: Path) -> int:
    """Bring everything below a folder to the disk, and the folder itself; returns the bytes of its files."""
    size = 0
    for path in [*folder.rglob("*"), folder]:
        synchronise(path)
        size += path.stat().st_size if path.is_file() else 0
    return size


def make_folder(path: Path) -> None:
    """Make a folder that is still there after a power cut; one that exists is left as it is."""
    missing = [one for one in (path, *path.parents) if not one.is_dir()]
    path.mkdir(parents=True, exist_ok=True)
    for one in missing:
        synchronise(one.parent)


def replace_text(path: Path, text: str) -> None:
    """Replace a small file in one step, so that a reader sees the old text or the new one."""
    descriptor, scratch = tempfile.mkstemp(prefix=SCRATCH, dir=path.parent)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
            os.fchmod(descriptor, 0o644)
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        Path(scratch).replace(path)
    except BaseException:
        Path(scratch).unlink(missing_ok=True)
        raise
    synchronise(path.parent)


@contextmanager
def scratch_folder(parent: Path) -> Iterator[Path]:
    """A folder to build something in; whatever of it was not moved into place is removed."""
    scratch = Path(tempfile.mkdtemp(prefix=SCRATCH, dir=parent))
    try:
        scratch.chmod(0o755)
        yield scratch
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def put_in_place(scratch: Path, target: Path) -> int:
    """Give a finished folder its name; what had the name moves aside first. Returns the bytes brought to the disk.

    What moves aside is damaged, or it would not be replaced; a reader may still have it open, so nothing in it changes.
    """
    size = synchronise_tree(scratch)
    if target.exists() or target.is_symlink():
        take_away(target)
    scratch.rename(target)
    synchronise(target.parent)
    return size


def take_away(folder: Path) -> Path:
    """Rename a folder to a scratch name beside it, in one step; returns the new name."""
    aside = Path(tempfile.mkdtemp(prefix=SCRATCH, dir=folder.parent)) / folder.name
    folder.rename(aside)
    return aside.parent


def clear_scratch(data: Path) -> None:
    """Remove what an interrupted writer left, and nothing else: the folder may be somebody's own."""
    for folder in (data, data / VERSIONS_FOLDER, data / MODELS_FOLDER):
        for left_over in folder.glob(f"{SCRATCH}*"):
            if left_over.is_dir() and not left_over.is_symlink():
                shutil.rmtree(left_over, ignore_errors=True)
            else:
                left_over.unlink(missing_ok=True)
