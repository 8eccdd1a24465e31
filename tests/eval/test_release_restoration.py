"""Proves that the restoration gate passes the product, and fails it with any of several faults. Real terminals."""

from dataclasses import replace
from pathlib import Path

import pytest

from mambomeme_eval.bench.copies import settings_for
from mambomeme_eval.outcomes import Outcome
from mambomeme_eval.pty.breaking import PLACES
from mambomeme_eval.pty.restoration import run_restoration
from mambomeme_eval.pty.scenarios import SCENARIOS, Scenario
from mambomeme_eval.pty.starts import PRODUCT
from tests.eval import mutants

BY_NAME = {scenario.name: scenario for scenario in SCENARIOS}
A_FEW = (
    "Ctrl+Q",
    "c, a choice",
    "exception in worker",
    "exception in mount",
    "SIGTERM while it starts",
    "SIGHUP while it draws",
    "hang-up",
    "Ctrl+Z and fg",
    "Ctrl+Z and kill",
    "SIGSTOP and back",
    "SIGTERM within a frame",
    "resize storm",
)


def unheard(_gate: str, _done: int, _total: int) -> None:
    """Hears the progress, and keeps nothing of it."""


def attempt(data: Path, *names: str, program: list[str] | None = None) -> list[Outcome]:
    """Try some scenarios, each at its first point."""
    scenarios = [replace(BY_NAME[name], points=BY_NAME[name].points[:1]) for name in names]
    return run_restoration(settings_for(data), unheard, scenarios, program or PRODUCT)


@pytest.mark.parametrize("name", A_FEW)
def test_the_product_gives_the_terminal_back(data_dir: Path, name: str) -> None:
    (outcome,) = attempt(data_dir, name)
    assert outcome.faults == ()
    assert outcome.exit_code == BY_NAME[name].exit_code


@pytest.mark.parametrize(
    ("fault", "name", "told"),
    [
        ("leaked mode", "Ctrl+Q", "left behind: mode 2004"),
        ("leaked mode", "SIGTERM while it draws", "the last bytes on mode 2004 do not reset it"),
        ("kept keyboard", "Ctrl+Q", "left behind: keyboard of screen 1"),
        ("kept settings", "Ctrl+C", "changed settings of the terminal: local"),
        ("another exit code", "Ctrl+C", "exit code 1, not 130"),
        ("ignored signals", "SIGTERM while it draws", "left behind: mode 1049"),
        ("drawn afterwards", "Ctrl+Q", "left to read: 'late"),
        ("stopped in its modes", "Ctrl+Z and fg", "While it is stopped the terminal is not as it was"),
    ],
)
def test_a_fault_of_the_product_is_caught(data_dir: Path, fault: str, name: str, told: str) -> None:
    (outcome,) = attempt(data_dir, name, program=mutants.program(fault))
    assert not outcome.passed
    assert told in "\n".join(outcome.faults)


def test_a_program_that_never_shows_anything_does_not_pass(data_dir: Path) -> None:
    (outcome,) = attempt(data_dir, "Ctrl+Q", program=[PRODUCT[0], "-c", "pass"])
    assert outcome.faults == ("The program ended before an answer on the screen.",)


def test_the_gate_tries_every_way_out_and_signals_at_twenty_instants() -> None:
    for signal in ("SIGTERM", "SIGHUP", "SIGQUIT"):
        of_signal = [one for one in SCENARIOS if one.name in (f"{signal} while it starts", f"{signal} while it draws")]
        assert sum(len(set(one.points)) for one in of_signal) == 20
    assert {one.breaks for one in SCENARIOS} == {"", *PLACES}
    assert len(BY_NAME) == len(SCENARIOS)
    assert all(isinstance(one, Scenario) and one.points for one in SCENARIOS)
