"""Files are written whole or not at all, and nothing but a file is ever replaced."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from mambomeme_eval.writing import write_new, write_whole
from mambomeme_tui.errors import OutputError

ROOT = Path(__file__).parents[2]


def full(_: int) -> None:
    raise OSError(28, "No space left on device")


def test_a_link_stays_and_its_target_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    target, link = tmp_path / "real" / "file", tmp_path / "link"
    target.write_text("old")
    link.symlink_to(target)
    write_whole(link, "new")
    assert link.is_symlink()
    assert (target.read_text(), [one.name for one in tmp_path.iterdir() if one.name.startswith(".")]) == ("new", [])


def test_a_link_to_nothing_yet_gets_its_target(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("file")
    write_whole(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_text() == "new"


def test_a_pipe_is_written_to_and_stays(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    with pytest.raises(OutputError):  # nobody reads
        write_whole(path, "new")
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    write_whole(path, "new")
    assert os.read(reader, 10) == b"new"
    assert path.is_fifo()
    os.close(reader)


def test_a_device_is_written_to() -> None:
    write_whole(Path("/dev/null"), "new")
    assert Path("/dev/null").is_char_device()
    with pytest.raises(OutputError, match="No space left"):
        write_whole(Path("/dev/full"), "new")


def test_the_own_output_gets_it_behind_what_it_got_before(tmp_path: Path) -> None:
    code = (
        "import pathlib, sys; from mambomeme_eval.writing import write_whole; print('a', flush=True);"
        "write_whole(pathlib.Path(sys.argv[1]), 'b'); print('c')"
    )
    path = tmp_path / "out"
    for name in ("/dev/stdout", str(path)):
        with path.open("w") as out:
            subprocess.run([sys.executable, "-c", code, name], cwd=ROOT, stdout=out, check=True)
        assert path.read_text().startswith("a\nb") or path.read_text() == "a\nc\n"


def test_what_fails_leaves_the_old_text_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("old")
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OutputError, match="No space left"):
        write_whole(tmp_path / "file", "new")
    with pytest.raises(OSError, match="No space left"):
        write_new(tmp_path / "other", "new")
    assert [(one.name, one.read_text()) for one in tmp_path.iterdir()] == [("file", "old")]


def test_what_is_there_is_not_written_over(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("old")
    with pytest.raises(FileExistsError):
        write_new(tmp_path / "file", "new")
    assert (tmp_path / "file").read_text() == "old"
