"""Versions change under a program that somebody is using, in a real terminal: it tells, and never swaps by itself."""

from pathlib import Path

import pytest

from mambomeme_tui.cli import main
from mambomeme_tui.index import versions
from tests.pty.emulator import Emulator
from tests.versions.conftest import Publish
from tests.versions.test_versions import flip

F5 = b"\x1b[15~"
QUERY = "camera"


def shows(terminal: Emulator, *texts: str) -> None:
    """Wait until all of these stand on one screen."""
    terminal.watch(lambda: all(text in "\n".join(terminal.screen()) for text in texts), f"{texts}")


def test_a_rollback_under_a_running_program_is_offered_and_taken_with_one_key(
    data: Path, three: list[str], tmp_path: Path
) -> None:
    with Emulator(data, tmp_path, ["search", QUERY]) as terminal:
        shows(terminal, f"“{QUERY}”", "hybrid", three[2], "three")
        assert main(["rollback", "--data-dir", str(data)]) == 0
        shows(terminal, f"F5: use {three[1]}", f"hybrid · {three[2]}")
        terminal.press(F5)
        shows(terminal, f"hybrid · {three[1]}", "two")
        terminal.watch(lambda: "F5" not in "\n".join(terminal.screen()), "end of the offer")
        assert versions.prune(data, keep=0, dry_run=False).removed != ()
        terminal.press(b"\x11")
        assert terminal.finish().exit_code == 0


def test_a_damaged_version_is_warned_of_in_the_status_line_while_the_last_good_one_answers(
    data: Path, three: list[str], put_out: Publish, tmp_path: Path
) -> None:
    flip(data / "versions" / three[2] / "whoosh" / "MAIN_segment.seg")
    with Emulator(data, tmp_path, ["search", QUERY]) as terminal:
        shows(terminal, f"“{QUERY}”", f"hybrid · {three[1]}", "damaged: an older one serves", "two")
        assert terminal.screen()[-2].startswith(" ! ")
        assert put_out("Camera three").built
        shows(terminal, f"F5: use {three[2]}")
        terminal.press(F5)
        shows(terminal, f"hybrid · {three[2]}", "three")
        terminal.watch(lambda: terminal.screen()[-2].startswith(" ✓ "), "a status without a warning")
        terminal.press(b"\x11")
        assert terminal.finish().exit_code == 0


@pytest.mark.parametrize("size", [(80, 24), (60, 15)])
def test_the_offer_and_the_warning_fit_the_line(
    size: tuple[int, int], data: Path, three: list[str], tmp_path: Path
) -> None:
    with Emulator(data, tmp_path, size=size) as terminal:
        terminal.wait_for("ready")
        versions.roll_back(data, three[0])
        terminal.wait_for("F5")
        assert all(len(line) == size[0] for line in terminal.screen())
        terminal.press(b"\x11")
        assert terminal.finish().exit_code == 0
