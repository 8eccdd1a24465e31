"""The same corpus, configuration and machine give the same bytes: cached or not, whatever the process's hash seed."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from mambomeme_tui.index.manifest import BUILD_FILE, Manifest
from mambomeme_tui.index.pointer import current_name
from tests.folders import without_version
from tests.versions.conftest import Publish, make_corpus

ROOT = Path(__file__).parents[2]


def content(data: Path) -> dict[str, bytes]:
    """Every file of the served version but its build record."""
    folder = data / "versions" / current_name(data)
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.name != BUILD_FILE
    }


def publish_apart(data: Path, source: Path, hash_seed: str) -> None:
    """Publish by the command, in a process whose sets are in an order of its own."""
    environment = os.environ | {"PYTHONHASHSEED": hash_seed, "MAMBOMEME_DATA_DIR": str(data)}
    command = [sys.executable, "-m", "mambomeme_tui", "publish", "--corpus", str(source)]
    subprocess.run(command, check=True, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL)


@pytest.fixture
def twins(data_dir: Path, tmp_path: Path) -> tuple[Path, Path]:
    """Two data folders that received the same corpus: one from a full cache, the other without any."""
    source = make_corpus(tmp_path / "source")
    first = without_version(data_dir, tmp_path / "first")
    second = without_version(data_dir, tmp_path / "second")
    for path in (second / "cache").iterdir():
        path.unlink()
    publish_apart(first, source, "1")
    publish_apart(second, source, "20")
    return first, second


def test_two_builds_are_the_same_to_the_byte_and_only_the_build_record_tells_them_apart(
    twins: tuple[Path, Path],
) -> None:
    first, second = twins
    left, right = content(first), content(second)
    assert left.keys() == right.keys()
    assert len(left) == 18
    assert [name for name in left if left[name] != right[name]] == []
    notes = [_notes(data) for data in twins]
    assert notes[0] != notes[1]
    assert notes[1]["embed"] == "0 from the cache"


def _notes(data: Path) -> dict[str, str]:
    record = json.loads((data / "versions" / current_name(data) / BUILD_FILE).read_bytes())
    return {stage["stage"]: stage["note"] for stage in record["stages"]}


def test_one_changed_character_changes_the_name_and_the_bytes(data: Path, put_out: Publish) -> None:
    first = put_out("Camera one").name
    before = content(data)
    second = put_out("Camera two").name
    assert first != second
    changed = {name for name, found in content(data).items() if found != before.get(name)}
    assert {"manifest.json", "catalogue.sqlite", "vectors.npy", "annoy.ann"} <= changed


def test_another_parameter_is_another_version(put_out: Publish) -> None:
    from dataclasses import replace

    from mambomeme_tui.parameters import Parameters

    assert put_out().name != put_out(parameters=replace(Parameters(), name_bonus=0.75)).name


def test_another_situation_is_another_version_of_the_same_corpus(data: Path, put_out: Publish, tmp_path: Path) -> None:
    """Judgements hold for both, since no item is another; what is found may differ."""
    first = put_out()
    before = Manifest.read(data / "versions" / first.name).corpus
    path = tmp_path / "corpus-Camera off" / "families" / "john-cena.toml"
    text = path.read_text(encoding="utf-8")
    assert "situations = [" in text
    path.write_text(text.replace("situations = [", 'situations = ["for a test of versions", ', 1), encoding="utf-8")
    second = put_out()
    after = Manifest.read(data / "versions" / second.name).corpus
    assert second.name != first.name
    assert after["digest"] == before["digest"]
    assert after["situations"] != before["situations"]
