"""The terminal-restoration gate: every scenario against the real program, and what each left behind.

Three things are compared each time, none of them taken from the program's word: the modes that the bytes switched on,
by two readers; the settings of the terminal before and after; the exit code. And nothing but what is foreseen may be
left to read on the main screen.
"""

import re
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from mambomeme_eval.outcomes import Outcome, Progress
from mambomeme_eval.pty.breaking import SECRET
from mambomeme_eval.pty.lent import Lent
from mambomeme_eval.pty.modes import unreset
from mambomeme_eval.pty.scenarios import SCENARIOS, Scenario, is_shown
from mambomeme_eval.pty.starts import FIRST_QUERY, PRODUCT
from mambomeme_eval.pty.terminal import ProgramEnded

GATE: Final = "terminal-restoration"
BREAKING: Final = (sys.executable, "-m", "mambomeme_eval.pty.breaking")
SHELL: Final = (sys.executable, "-m", "mambomeme_eval.pty.job_shell")
_CONTROL: Final = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[=>])")


def run_restoration(
    settings: Mapping[str, str],
    progress: Progress,
    scenarios: Sequence[Scenario] = SCENARIOS,
    program: Sequence[str] = PRODUCT,
) -> list[Outcome]:
    """Try every scenario at every point.

    Args:
        settings: environment variables of the program, with the data folder, which must have a version published.
        progress: hears every step.
        scenarios: what to try.
        program: what is run where a scenario breaks nothing.
    """
    work = [(scenario, point) for scenario in scenarios for point in scenario.points]
    found = []
    for number, (scenario, point) in enumerate(work):
        progress(GATE, number, len(work))
        found.append(_try(settings, scenario, point, program))
    progress(GATE, len(work), len(work))
    return found


def _try(settings: Mapping[str, str], scenario: Scenario, point: float, program: Sequence[str]) -> Outcome:
    command = _command(scenario, program)
    with Lent(command, settings, answers=scenario.answers, controlling=scenario.controlling) as lent:
        begun = time.monotonic()
        try:
            if scenario.shown:
                lent.expect(lambda: is_shown(lent), "an answer on the screen")
            begun = time.monotonic()
            scenario.act(lent, point)
            faults = [] if lent.finish() else ["it does not end"]
            ended = time.monotonic()
            faults += _faults(lent, scenario)
        except (ProgramEnded, OSError) as error:  # what it would have left behind is not known then
            faults, ended = [str(error)], time.monotonic()
        code = lent.exit_code
    return Outcome(scenario.name, point, scenario.unit, tuple(faults), code, (ended - begun) * 1000)


def _command(scenario: Scenario, program: Sequence[str]) -> list[str]:
    run = [*BREAKING, scenario.breaks] if scenario.breaks else [*program]
    return [*(SHELL if scenario.job else ()), *run, "search", FIRST_QUERY]


def _faults(lent: Lent, scenario: Scenario) -> Iterator[str]:
    if lent.exit_code is not None and lent.exit_code != scenario.exit_code:
        yield f"exit code {lent.exit_code}, not {scenario.exit_code}"
    if scenario.gone:
        return
    for left in lent.modes.leftovers():
        yield f"left behind: {left}"
    for mode in unreset(bytes(lent.raw)):
        yield f"the last bytes on mode {mode} do not reset it"
    for name in lent.changed_settings:
        yield f"changed settings of the terminal: {name}"
    yield from _faults_of_text(lent, scenario)


def _faults_of_text(lent: Lent, scenario: Scenario) -> Iterator[str]:
    received = bytes(lent.raw).decode("utf-8", "replace")
    left = _CONTROL.sub("", received.rpartition("\x1b[?1049l")[2])
    if not re.fullmatch(scenario.told, left):
        yield f"left to read: {left[:80]!r}"
    if SECRET in received:
        yield "the values of local variables are told"
