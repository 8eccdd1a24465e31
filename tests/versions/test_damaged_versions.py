"""What is damaged is never served, never lost for good, and never takes the place of what is whole."""

import json
import shutil
import threading
from pathlib import Path

import pytest

from mambomeme_tui.cli import main
from mambomeme_tui.index import store, versions
from mambomeme_tui.index.holding import is_held
from mambomeme_tui.index.pointer import Served, serve_new
from mambomeme_tui.index.sources import is_up_to_date
from tests.versions.conftest import Publish
from tests.versions.test_versions import flip, read_pointer, served_quotes, spoil_encoder, spoil_pointer


def test_pruning_keeps_a_whole_version_while_the_served_one_is_damaged(data: Path, three: list[str]) -> None:
    flip(data / "versions" / three[2] / "links.npy")
    done = versions.prune(data, keep=0, dry_run=False)
    assert done.removed == (three[0],)
    assert "two" in served_quotes(data)


def test_damaged_versions_take_no_place_of_those_that_are_kept(data: Path, three: list[str]) -> None:
    flip(data / "versions" / three[1] / "links.npy")
    assert versions.prune(data, keep=1, dry_run=False).removed == (three[1],)
    assert versions.rollback_target(data) == three[0]


def test_verify_all_fails_where_the_served_version_is_gone(
    data: Path, three: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.rmtree(data / "versions" / three[2])
    assert main(["verify", "--all", "--data-dir", str(data)]) == 4
    told = capsys.readouterr()
    assert f"{three[2]}: damaged" in told.out
    assert told.out.count("whole") == 2
    spoil_encoder(data)
    assert main(["verify", "--all", "--data-dir", str(data)]) == 4
    assert capsys.readouterr().out.count(": damaged;") == 3


def test_a_damaged_pointer_loses_neither_the_index_nor_the_way_back(
    data: Path, three: list[str], put_out: Publish, capsys: pytest.CaptureFixture[str]
) -> None:
    spoil_pointer(data)
    assert main(["find", "camera", "--data-dir", str(data)]) == 0
    assert "that says what is served" in capsys.readouterr().err
    put_out("Camera two")
    assert read_pointer(data)[0] == three[1]
    assert set(read_pointer(data)) == set(three)


def test_the_bundled_corpus_never_takes_the_place_of_somebody_s_own(
    data: Path, put_out: Publish, capsys: pytest.CaptureFixture[str]
) -> None:
    name = put_out().name
    flip(data / "versions" / name / "links.npy")
    assert main(["find", "camera", "--data-dir", str(data)]) == 4
    assert "links.npy" in capsys.readouterr().err
    assert read_pointer(data) == (name,)


def test_status_names_only_what_a_rollback_can_go_to(
    data: Path, three: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.rmtree(data / "versions" / three[1])
    assert main(["status", "--json", "--data-dir", str(data)]) == 0
    assert json.loads(capsys.readouterr().out)["rollback_to"] == three[0]
    assert versions.roll_back(data, None) == three[0]


def test_asking_whether_a_version_is_open_shuts_no_reader_out(data: Path, three: list[str]) -> None:
    stop = threading.Event()

    def ask() -> None:
        while not stop.is_set():
            is_held(data / "versions" / three[2])

    asking = threading.Thread(target=ask)
    asking.start()
    try:
        for _ in range(60):
            opened = store.open_version(data)
            assert opened.name == three[2]
            opened.close()
    finally:
        stop.set()
        asking.join()


@pytest.mark.parametrize("said", ["Camera one", "Camera three"])
def test_what_was_published_from_another_folder_is_told_apart(data: Path, three: list[str], said: str) -> None:
    name = three[0] if said == "Camera one" else three[2]
    manifest = store.check(data, name)
    assert is_up_to_date(data, manifest)
    serve_new(data, Served(name, "bundled", "0" * 64))
    assert not is_up_to_date(data, manifest)
