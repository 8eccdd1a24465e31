"""The manifest proves itself: no number in it can change a ranking behind its reader's back."""

import contextlib
import json
import random
import shutil
from pathlib import Path

import pytest

from mambomeme_tui.errors import DamagedVersion
from mambomeme_tui.index.manifest import MANIFEST_FILE, Manifest


@pytest.fixture
def folder(data_dir: Path, tmp_path: Path) -> Path:
    """A copy of the published version."""
    (published,) = (data_dir / "versions").glob("v-*")
    return Path(shutil.copytree(published, tmp_path / published.name))


def test_a_changed_ranking_parameter_is_noticed(folder: Path) -> None:
    path = folder / MANIFEST_FILE
    data = json.loads(path.read_bytes())
    data["parameters"]["field_weights"]["names"] += 1
    path.write_text(json.dumps(data))
    with pytest.raises(DamagedVersion, match="altered"):
        Manifest.read(folder)


def test_no_flipped_bit_of_the_manifest_is_read_as_another_manifest(folder: Path) -> None:
    path = folder / MANIFEST_FILE
    original, manifest = path.read_bytes(), Manifest.read(folder)
    for seed in range(400):
        chosen = random.Random(seed)
        changed = bytearray(original)
        changed[chosen.randrange(len(changed))] ^= 1 << chosen.randrange(8)
        path.write_bytes(changed)
        with contextlib.suppress(DamagedVersion):
            assert Manifest.read(folder) == manifest  # blanks between values may change and mean nothing


def test_written_anew_it_reads_the_same(folder: Path, tmp_path: Path) -> None:
    manifest = Manifest.read(folder)
    manifest.write(tmp_path)
    assert Manifest.read(tmp_path) == manifest
    assert (tmp_path / MANIFEST_FILE).read_bytes() == (folder / MANIFEST_FILE).read_bytes()
