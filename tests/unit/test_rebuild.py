"""Proves that building in another process fails with a sentence, stops without leftovers, and runs our code alone."""

import threading
from pathlib import Path

import pytest

from mambomeme_tui.errors import IndexUnavailable
from mambomeme_tui.index.layout import CURRENT_FILE, VERSIONS_FOLDER
from mambomeme_tui.index.rebuild import Rebuild
from tests.folders import without_version

DEADLINE = 120.0


def unheard(_stage: str, _done: int, _total: int) -> None:
    pass


def test_a_build_stopped_amid_its_work_ends_and_leaves_nothing(data_dir: Path, tmp_path: Path) -> None:
    data = without_version(data_dir, tmp_path / "data")
    scratch_seen: list[bool] = []
    rebuild = Rebuild(data)

    def stop_amid_the_work(stage: str, _done: int, _total: int) -> None:
        if stage == "index":
            scratch_seen.append(any((data / VERSIONS_FOLDER).glob(".scratch-*")))
            rebuild.stop()

    with pytest.raises(IndexUnavailable, match=r"^The index could not be built: exit code 143\.$"):
        rebuild.run(stop_amid_the_work)
    assert scratch_seen[0]
    assert not (data / CURRENT_FILE).exists()
    assert list((data / VERSIONS_FOLDER).iterdir()) == []
    rebuild.stop()  # a second time does no harm


def test_a_build_that_can_not_write_says_why_in_the_other_process_words(tmp_path: Path) -> None:
    occupied = tmp_path / "file"
    occupied.touch()
    with pytest.raises(IndexUnavailable) as raised:
        Rebuild(occupied / "data").run(unheard)
    assert str(raised.value).startswith("The index could not be built: The index can't be written into")
    assert raised.value.message.count("mambomeme:") == 0
    assert raised.value.exit_code == 4


def test_modules_in_the_folder_a_person_is_in_are_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("whoosh", "filelock", "json", "mambomeme_tui"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('somebody else')\n")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(IndexUnavailable, match="can't be written"):
        Rebuild(tmp_path / "json.py" / "data").run(unheard)


def test_a_build_stopped_at_once_from_another_thread_ends(data_dir: Path, tmp_path: Path) -> None:
    data = without_version(data_dir, tmp_path / "data")
    rebuild = Rebuild(data)
    ended = threading.Event()

    def run() -> None:
        with pytest.raises(IndexUnavailable):
            rebuild.run(unheard)
        ended.set()

    runner = threading.Thread(target=run)
    runner.start()
    rebuild.stop()
    assert ended.wait(DEADLINE)
    runner.join()
    assert not (data / CURRENT_FILE).exists()
