"""One writer at a time: the second is told who the first is, and a lock falls with the process that held it."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from mambomeme_tui.errors import IndexUnavailable
from mambomeme_tui.index.layout import HOLDER_FILE
from mambomeme_tui.index.pointer import read_pointer
from mambomeme_tui.index.writing import holder, is_locked, writing
from tests.versions.conftest import Publish, make_corpus

ROOT = Path(__file__).parents[2]
DEADLINE = 60.0
HOLD = "import sys, time; from pathlib import Path; from mambomeme_tui.index.writing import writing\n"
HOLD += "with writing(Path(sys.argv[1])): print('held', flush=True); sys.stdin.read()"


def holding(data: Path) -> subprocess.Popen[str]:
    """A process that holds the lock until its standard input ends."""
    command = [sys.executable, "-c", HOLD, str(data)]
    process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def test_the_second_writer_is_told_who_holds_the_lock_and_changes_nothing(data: Path, put_out: Publish) -> None:
    name = put_out().name
    first = holding(data)
    assert is_locked(data)
    assert holder(data).startswith(f"Process {first.pid} (")
    with pytest.raises(IndexUnavailable, match=f"Process {first.pid} .* is writing into"):
        put_out("Camera two")
    assert [one.name for one in read_pointer(data)] == [name]
    first.communicate()
    assert not is_locked(data)
    assert put_out("Camera two").built


def test_a_lock_whose_holder_was_killed_holds_nobody_up(data: Path, put_out: Publish) -> None:
    first = holding(data)
    first.kill()
    first.communicate()
    assert (data / HOLDER_FILE).exists()  # it could not clear up
    assert not is_locked(data)
    assert put_out().built
    assert not (data / HOLDER_FILE).exists()


def test_whoever_waits_goes_on_when_the_first_is_done(data: Path, tmp_path: Path) -> None:
    first = holding(data)
    source = make_corpus(tmp_path / "source")
    command = [sys.executable, "-m", "mambomeme_tui", "publish", "--wait", "--porcelain", "--corpus", str(source)]
    environment = os.environ | {"MAMBOMEME_DATA_DIR": str(data)}
    second = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert second.stdout is not None
    while b"waiting" not in second.stdout.readline():
        assert second.poll() is None
    first.communicate()
    _, told = second.communicate(timeout=DEADLINE)
    assert second.returncode == 0
    assert f"Process {first.pid} (".encode() in told
    assert len(read_pointer(data)) == 1


@pytest.mark.parametrize("note", [b"", b"{}", b"[1]", b"\xff", b'{"process": "x"}', b'{"process": 1, "started": 2}'])
def test_a_note_that_can_not_be_read_names_nobody(note: bytes, data: Path) -> None:
    (data / HOLDER_FILE).write_bytes(note)
    assert holder(data) == "Another process"


def test_two_publishers_at_once_leave_one_version_whole_and_the_other_is_told(data: Path, tmp_path: Path) -> None:
    source = make_corpus(tmp_path / "source")
    command = [sys.executable, "-m", "mambomeme_tui", "publish", "--corpus", str(source)]
    environment = os.environ | {"MAMBOMEME_DATA_DIR": str(data)}
    started = [
        subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    ended = [(process.communicate(timeout=DEADLINE), process.returncode) for process in started]
    assert {code for _, code in ended} <= {0, 4}
    assert any(code == 0 for _, code in ended)
    assert all("is writing into" in told for (_, told), code in ended if code == 4)
    assert len(read_pointer(data)) == 1


def test_ctrl_c_amid_the_embedding_loses_nothing_that_was_embedded(data: Path, tmp_path: Path) -> None:
    for path in (data / "cache").iterdir():
        path.unlink()
    environment = os.environ | {"MAMBOMEME_DATA_DIR": str(data)}
    command = [sys.executable, "-m", "mambomeme_tui", "publish", "--porcelain"]
    process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    embedded = 0
    while embedded < 128:
        stage, done, _ = process.stdout.readline().split()
        embedded = int(done) if stage == b"embed" else 0
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=DEADLINE)
    assert process.returncode == 130
    assert not (data / "current").exists()
    assert list((data / "versions").iterdir()) == []
    source = make_corpus(tmp_path / "source")
    assert _cached(data) >= embedded
    done = subprocess.run([*command, "--corpus", str(source)], cwd=ROOT, env=environment, check=False)
    assert done.returncode == 0


def _cached(data: Path) -> int:
    import sqlite3

    (path,) = (data / "cache").glob("*.sqlite")
    connection = sqlite3.connect(path)
    (count,) = connection.execute("SELECT count(*) FROM vectors").fetchone()
    connection.close()
    return int(count)


def test_the_lock_is_released_after_an_error_inside(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), writing(tmp_path / "data"):
        _ = 1 / 0
    assert not is_locked(tmp_path / "data")
    with writing(tmp_path / "data"):
        assert is_locked(tmp_path / "data")
