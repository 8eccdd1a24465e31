"""Data folders for tests to change, made from the one that is published once and shared by all tests and processes.

What is only ever replaced is a hard link; what is written in place, or locked, is a copy. So no test can reach the
shared folder, or another test that has a folder of its own.
"""

import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

from mambomeme_tui.index.layout import CACHE_FOLDER, CURRENT_FILE, LOCK_FILE, MODELS_FOLDER
from mambomeme_tui.index.manifest import MANIFEST_FILE

_COPIED = (CURRENT_FILE, LOCK_FILE, MANIFEST_FILE)


def _link(source: str, target: str) -> None:
    copied = Path(source).name in _COPIED or Path(source).parent.name == CACHE_FOLDER
    (shutil.copy2 if copied else os.link)(source, target)


def copy_of(data_dir: Path, target: Path) -> Path:
    """A copy with all that is published; a file that is to be changed must be unlinked first."""
    return Path(shutil.copytree(data_dir, target, copy_function=_link))


def without_version(data_dir: Path, target: Path, unknown: int = 0) -> Path:
    """A data folder that has the encoder and the cache, and nothing published.

    Args:
        data_dir: the published one.
        target: the folder; its parents are made.
        unknown: so many texts are missing in the cache; a build makes some hundred vectors in a second.
    """
    for part in (MODELS_FOLDER, CACHE_FOLDER):
        shutil.copytree(data_dir / part, target / part, copy_function=_link)
    if unknown:
        (cache,) = (target / CACHE_FOLDER).glob("*.sqlite")
        with closing(sqlite3.connect(cache)) as connection, connection:
            connection.execute("DELETE FROM vectors WHERE text IN (SELECT text FROM vectors LIMIT ?)", (unknown,))
            assert connection.execute("SELECT changes()").fetchone() == (unknown,)
    return target
