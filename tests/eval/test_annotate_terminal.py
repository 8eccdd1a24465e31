"""The judging screen on terminals of all kinds: refused, too small, narrow, or taken away."""

import os
import pty
import select
import signal
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest

from mambomeme_eval.annotate import screen, sheet
from mambomeme_eval.annotate.sitting import Sitting
from mambomeme_eval.desk import annotator_desk, ledger_of
from mambomeme_tui.errors import TerminalUnsuitable
from tests.eval.judging_sets import NOW, answer, pooled, rows
from tests.eval.test_annotate import running, text_of

ROOT = Path(__file__).parents[2]


def sitting(folder: Path) -> Sitting:
    judging = pooled(folder)
    return Sitting(annotator_desk(judging, "ann"), ledger_of(judging), lambda: NOW)


@pytest.mark.parametrize("width", range(6, 90))
def test_the_key_line_fits_and_always_says_how_to_end(width: int) -> None:
    assert sheet.keys(width).endswith("q quit")
    assert len(sheet.keys(width)) <= width
    assert (sheet.keys(width) == sheet.KEYS) == (width >= len(sheet.KEYS))


@pytest.mark.parametrize("size", [(39, 24), (80, 11)])
async def test_a_terminal_that_is_too_small_takes_no_answer(tmp_path: Path, size: tuple[int, int]) -> None:
    one = sitting(tmp_path / "p")
    async with running(one, size) as pilot:
        assert "Judging needs 40x12 cells; q ends." in text_of(pilot)
        await pilot.press("2", "s")
        assert (one.grade, rows(one.desk.judging)) == (None, ())
        await pilot.resize_terminal(40, 12)
        await pilot.press("2", "s")
        assert len(rows(one.desk.judging)) == 1


def test_what_the_person_judged_elsewhere_is_told_as_that(tmp_path: Path) -> None:
    one = sitting(tmp_path / "p")
    answer(one.desk, most=1)
    one.choose_grade(2)
    one.choose_safety(screen.SafetyClass.SAFE)
    assert one.notice.startswith("You judged that candidate elsewhere")
    assert len(rows(one.desk.judging)) == 1


def test_no_sitting_begins_without_a_terminal(tmp_path: Path) -> None:
    with pytest.raises(TerminalUnsuitable, match="--export"):
        screen.judge(lambda: pytest.fail("it began"))


def on_a_terminal(folder: Path, **environment: str) -> "tuple[int, subprocess.Popen[bytes]]":
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (24, 80))
    command = [sys.executable, "-m", "mambomeme_eval.cli", "annotate", str(folder), "--annotator", "ann"]
    known = os.environ | {"TERM": "xterm-256color"} | environment
    process = subprocess.Popen(command, cwd=ROOT, env=known, stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    return ours, process


def read_until(ours: int, wanted: bytes, seconds: float = 60) -> bytes:
    seen, end = b"", time.monotonic() + seconds
    while wanted not in seen and time.monotonic() < end:
        if select.select([ours], [], [], 0.2)[0]:
            try:
                seen += os.read(ours, 65536)
            except OSError:
                break
    return seen


def test_a_terminal_without_a_name_is_refused(tmp_path: Path) -> None:
    judging = pooled(tmp_path / "p")
    ours, process = on_a_terminal(judging.folder, TERM="dumb")
    assert b"cannot show the interface" in read_until(ours, b"in a file.")
    assert process.wait(20) == 5
    os.close(ours)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_gives_the_terminal_back(tmp_path: Path, number: signal.Signals) -> None:
    judging = pooled(tmp_path / "p")
    ours, process = on_a_terminal(judging.folder)
    before = termios.tcgetattr(ours)
    assert b"quit" in read_until(ours, b"quit")
    process.send_signal(number)
    assert b"\x1b[?1049l" in read_until(ours, b"\x1b[?1049l")
    assert process.wait(20) == -number
    assert termios.tcgetattr(ours) == before
    os.close(ours)
