"""Where the interface cannot be shown, one sentence says so, and what to do instead."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.pty.terminal_probe import TerminalProbe

CALL = "from mambomeme_tui.terminal import require_terminal; require_terminal({})"
HINT = "Search without the interface: mambomeme find QUERY"


@pytest.mark.parametrize("name", ["", "dumb", "unknown"])
def test_terminal_that_cannot_move_its_cursor(name: str) -> None:
    with TerminalProbe(["-c", CALL.format("")], {"TERM": name}) as probe:
        outcome = probe.finish()
    assert f"(TERM={name or 'not set'}) cannot show the interface. {HINT}" in outcome.text
    assert outcome.exit_code == 1


def test_suitable_terminal() -> None:
    with TerminalProbe(["-c", CALL.format("")]) as probe:
        outcome = probe.finish()
    assert (outcome.exit_code, outcome.text) == (0, "")


def test_no_terminal() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", CALL.format("")],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[2],
        check=False,
    )
    assert f"needs a terminal for its input and its output. {HINT}" in ended.stderr


@pytest.mark.parametrize(("argument", "told"), [("", True), ("stdout_is_result=True", False)])
def test_standard_output_may_be_a_pipe_only_for_a_result(argument: str, told: bool) -> None:
    program = f"import os, sys; sys.__stdout__ = open(os.devnull, 'w'); {CALL.format(argument)}"
    with TerminalProbe(["-c", program]) as probe:
        outcome = probe.finish()
    assert (HINT in outcome.text) == told
