"""Copies to try things on: of the served version of a data folder, and small corpora for other versions beside it.

Nothing in a copy is shared with the original, by a link or otherwise, so that nothing that is tried reaches it.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from mambomeme_tui.digests import family_files
from mambomeme_tui.index.layout import CURRENT_FILE, MODELS_FOLDER, VERSIONS_FOLDER
from mambomeme_tui.index.pointer import read_pointer
from mambomeme_tui.index.store import check
from mambomeme_tui.paths import bundled

FEWEST_FAMILIES: Final = 2


@contextmanager
def copied(data: Path) -> Iterator[Path]:
    """A data folder that holds the version that is served in another one, and the encoder; gone afterwards.

    Raises:
        IndexUnavailable: nothing is published there.
        DamagedVersion: the served version is not whole.
    """
    served = read_pointer(data)[0]
    manifest = check(data, served.name)
    encoder = Path(MODELS_FOLDER) / str(manifest.model["folder"])
    with TemporaryDirectory(prefix="mambomeme-gate-") as scratch:
        copy = Path(scratch) / "data"
        for part in (Path(VERSIONS_FOLDER) / served.name, encoder):
            shutil.copytree(data / part, copy / part)
        (copy / CURRENT_FILE).write_text(f"{served}\n", encoding="ascii")
        yield copy


def settings_for(data: Path) -> dict[str, str]:
    """Environment variables of a program that works on this data folder, and finds no other setting of anybody."""
    found_in = [str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH", "")]
    return {
        "MAMBOMEME_DATA_DIR": str(data),
        "MAMBOMEME_CONFIG_DIR": str(data.parent / "no-settings"),
        "MAMBOMEME_CACHE_DIR": str(data.parent / "no-pictures"),
        "PYTHONPATH": os.pathsep.join(filter(None, found_in)),
    }


def small_corpus(folder: Path, number: int) -> Path:
    """The folder of a corpus that differs for each number from 0: so many and two families of the bundled one."""
    families = folder / f"corpus-{number}" / "families"
    families.mkdir(parents=True, exist_ok=True)
    for path in family_files(bundled("corpus"))[: FEWEST_FAMILIES + number]:
        shutil.copy(path, families)
    return families.parent
