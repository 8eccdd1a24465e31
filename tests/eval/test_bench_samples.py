"""The folder of a measurement: one measurement at a time, whole lines only, and nothing foreign is gone on with."""

import json
import os
import signal
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import pytest

from mambomeme_eval.bench.samples import (
    PROCESSES,
    RUNS,
    SAMPLES,
    Process,
    Recorder,
    Sample,
    alone,
    file_of,
    keep_equal,
    read_processes,
)
from mambomeme_eval.runs import Request, RunHeader
from mambomeme_tui.errors import UsageError

ROOT = Path(__file__).parents[2]
HEADER = RunHeader("bm25", "tui", "v-000000000000", "0" * 64, "development", 7, 2, {})
PROCESS = Process(0, "", 900.5, 2, {})
HOLDER = """
import sys
from pathlib import Path
from mambomeme_eval.bench.samples import alone
with alone(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def pair(query: str, repeat: int) -> tuple[Request, Sample]:
    """What is kept of one request."""
    request = Request(query=query, repeat=repeat, items=("a.b",), milliseconds=1.5, error="", routes={})
    return request, Sample(query, repeat, 1.5, 2.5, 300, (), 0)


def recorded(out: Path) -> None:
    """Two requests of one process."""
    with Recorder(out, HEADER) as recorder:
        recorder.write_process(PROCESS)
        recorder.write(*pair("dev-001", 0))
        recorder.write(*pair("dev-002", 0))


def test_a_folder_is_one_measurements_at_a_time_and_free_again_after_it(tmp_path: Path) -> None:
    out = tmp_path / "new" / "out"
    for _ in range(2):
        with alone(out):
            assert list(out.iterdir()) == []
            with pytest.raises(UsageError, match="Another measurement is at work"), alone(out):
                raise AssertionError("two at once")
            with alone(tmp_path / "other"):
                pass


def test_a_measurement_that_was_killed_holds_nothing(tmp_path: Path) -> None:
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", HOLDER, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"held\n"
        with pytest.raises(UsageError, match="at work"), alone(tmp_path):
            raise AssertionError("two at once")
        process.send_signal(signal.SIGKILL)
        process.wait()
    with alone(tmp_path):
        pass


@pytest.mark.parametrize("below", ["", "sub"])
def test_a_file_in_the_place_of_the_folder_is_one_sentence(tmp_path: Path, below: str) -> None:
    file = tmp_path / "file"
    file.write_text("mine")
    with pytest.raises(UsageError) as refused, alone(file / below):
        raise AssertionError("a file is no folder")
    assert "Errno" not in str(refused.value)
    assert file.read_text() == "mine"


def test_a_folder_that_may_not_be_written_to_is_refused_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)  # whoever runs the tests may write everywhere
    with pytest.raises(UsageError, match="can't be written to"), alone(tmp_path):
        raise AssertionError("nothing could be kept")
    monkeypatch.undo()
    with alone(tmp_path):
        pass


@pytest.mark.parametrize("line", ["[]", "3", "{}", '{"process": 0}', '{"colour": 1}', "no json", '"text"'])
@pytest.mark.parametrize("kind", [RUNS, SAMPLES, PROCESSES])
def test_a_line_that_is_no_sample_is_refused_before_anything_is_measured(tmp_path: Path, kind: str, line: str) -> None:
    recorded(tmp_path)
    file = file_of(tmp_path, kind, "bm25")
    lines = file.read_text().splitlines()
    file.write_text("\n".join([*lines[:-1], line]) + "\n")
    before = {path: path.read_bytes() for path in tmp_path.rglob("*.jsonl")}
    with pytest.raises(UsageError, match="no samples"), Recorder(tmp_path, HEADER):
        raise AssertionError("gone on with")
    assert {path: path.read_bytes() for path in tmp_path.rglob("*.jsonl")} == before


def test_what_was_half_written_is_cut_off_and_the_rest_is_kept(tmp_path: Path) -> None:
    recorded(tmp_path)
    for kind in (RUNS, SAMPLES, PROCESSES):
        with file_of(tmp_path, kind, "bm25").open("a") as file:
            file.write('{"half')
    with Recorder(tmp_path, HEADER) as recorder:
        assert recorder.done == [("dev-001", 0), ("dev-002", 0)]
        assert recorder.processes == 1
    assert read_processes(tmp_path, "bm25") == [PROCESS]
    assert json.loads(file_of(tmp_path, PROCESSES, "bm25").read_text()) == asdict(PROCESS)


@pytest.mark.parametrize("content", [b'{"a": 1}', b"\xff"])
def test_foreign_settings_are_one_sentence_and_stay(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "settings.json"
    file.write_bytes(content)
    with pytest.raises(UsageError) as refused:
        keep_equal(file, {"seed": 7}, "Other settings.")
    assert "codec" not in str(refused.value)
    assert file.read_bytes() == content
