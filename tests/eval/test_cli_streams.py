"""What can't be printed is told by a code and one sentence; what can't be read is a fault, and never waited for."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from mambomeme_eval import cli
from mambomeme_eval.benchmark import Header, PartitionError
from mambomeme_eval.loading_rows import is_there, read_document
from mambomeme_eval.runs import read_run
from mambomeme_eval.scoring import read_release
from mambomeme_eval.trec import read_qrels
from mambomeme_eval.truth import Unscorable
from mambomeme_tui.errors import Fault
from tests.eval.command_line import Capture

ROOT = Path(__file__).parents[2]
COMMAND = f"{sys.executable} -m mambomeme_eval.cli"


def shell(line: str) -> tuple[int, str]:
    """Exit code and standard error of a line."""
    done = subprocess.run(["bash", "-c", line], cwd=ROOT, stderr=subprocess.PIPE, text=True, check=False)
    return done.returncode, done.stderr


@pytest.mark.parametrize("arguments", ["--version", "qrels"])
@pytest.mark.parametrize(
    ("to", "why"), [(">/dev/full", "No space left on device"), (">&-", "standard output is closed")]
)
def test_what_cant_be_printed_is_told(arguments: str, to: str, why: str) -> None:
    code, told = shell(f"{COMMAND} {arguments} {to}")
    assert (code, told) == (6, f"mambomeme-eval: The answer can't be written: {why}.\n")


@pytest.mark.parametrize("arguments", ["--help", "qrels"])
def test_nobody_is_told_that_nobody_reads(arguments: str) -> None:
    code, told = shell(f"{COMMAND} {arguments} | true; exit ${{PIPESTATUS[0]}}")
    assert (code, told) == (141, "")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ("score nope", "There is no file 'NOPE'."),
        ("accept --claim overall nope.jsonl", "There is no file 'NOPE.jsonl'."),
        ("run --out x --repeats -3", "Argument --repeats: a number from 1, not '-3'. See `mambomeme-eval run --help`."),
        ("run --out x --repeats 0", "Argument --repeats: a number from 1, not '0'. See `mambomeme-eval run --help`."),
        ("run --out x --seed=-3", "Argument --seed: a whole number from 0, not '-3'. See `mambomeme-eval run --help`."),
    ],
)
def test_what_is_wrong_with_a_command_line_is_named_as_it_is(
    arguments: str, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.chdir(tmp_path)
    assert cli.main(arguments.split()) == 2
    assert capsys.readouterr().err == f"mambomeme-eval: {told.replace('NOPE', str(tmp_path / 'nope'))}\n"


def test_a_long_list_of_faults_is_cut_and_counted(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    def failing() -> None:
        raise PartitionError([Fault("f", line, "x", "y") for line in range(23)], "run")

    monkeypatch.setattr(cli, "build_parser", failing)
    assert cli.main([]) == 3
    told = capsys.readouterr().err.splitlines()
    assert told[19:21] == ["f:19: x: y", "and 3 more faults"]
    assert told[21].startswith("mambomeme-eval: The run has 23 faults.")
    assert len(told) == 22


def test_a_pipe_or_a_huge_file_is_a_fault_and_never_waited_for(tmp_path: Path) -> None:
    pipe, huge = tmp_path / "pipe.jsonl", tmp_path / "huge.jsonl"
    os.mkfifo(pipe)
    with huge.open("wb") as stream:
        stream.truncate(1 << 40)
    for path in (pipe, huge):
        with pytest.raises(PartitionError):
            read_run(path)
        with pytest.raises(PartitionError):
            read_qrels(path, [], [])
        with pytest.raises(Unscorable):
            read_release(path)
        assert [one.field for one in read_document(path, Header).faults] == ["(file)"]


def test_a_name_that_no_file_can_have_is_a_fault(tmp_path: Path) -> None:
    path = tmp_path / ("x" * 300)
    assert is_there(path)
    (fault,) = read_document(path, Header).faults
    assert "File name too long" in fault.expected
    assert cli.main(["judgements", "status", str(path)]) == 3


def test_what_may_not_be_looked_at_is_there_and_a_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def denied(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "stat", denied)
    monkeypatch.setattr(os, "open", denied)
    assert is_there(tmp_path / "file")
    (fault,) = read_document(tmp_path / "file", Header).faults
    assert fault.expected == "a readable file: Permission denied"


@pytest.mark.parametrize("number", ["nan", "inf", "-1", "x"])
def test_milliseconds_that_are_none_are_refused(number: str, capsys: Capture) -> None:
    assert cli.main(["score", "a.run", f"--milliseconds={number}"]) == 2
    assert "a number of milliseconds from 0" in capsys.readouterr().err
