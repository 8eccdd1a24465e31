"""Every way out of the interface leaves the terminal as it was found.

Each test first sees the modes switched on, so that it could fail, then ends the program in one way and compares
modes, settings, exit code and what a person is left to read.
"""

import os
import random
import re
import signal
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from mambomeme_tui.terminal import FATAL_SIGNALS
from tests.pty.terminal_probe import Outcome, TerminalProbe

PROGRAM = "tests/pty/crashing_app.py"
SWITCHED_ON = (1049, 1000, 1003, 1006, 1015, 1004, 2004)
SWITCHED_ON_WHERE_KNOWN = (1016, 2048)
CRASH = "mambomeme: something went wrong (ValueError)."
SEED = 20240817


every_terminal = pytest.mark.parametrize("answers", [pytest.param(True, id="modern"), pytest.param(False, id="plain")])


def in_interface(probe: TerminalProbe) -> bool:
    """Whether all that Textual switches on in a capable terminal is on."""
    modes = probe.modes
    expected = SWITCHED_ON + SWITCHED_ON_WHERE_KNOWN * probe.answers
    return modes.is_on(*expected) and not modes.is_on(25) and not modes.is_on(7) and bool(modes.keyboard[True])


@contextmanager
def running(*arguments: str, shell: tuple[str, ...] = (), answers: bool = True) -> Iterator[TerminalProbe]:
    """The program, up and drawing, in a terminal that was switched to every mode."""
    with TerminalProbe([*shell, PROGRAM, *arguments], answers=answers) as probe:
        probe.read_text(b"ready to die")
        probe.read_until(lambda: in_interface(probe), "interface with all modes on")
        assert not probe.settings_equal
        yield probe


def assert_restored(outcome: Outcome, exit_code: int) -> None:
    """The terminal is as before, and nobody's values are on it."""
    assert outcome.leftovers == []
    assert outcome.settings_equal
    assert outcome.exit_code == exit_code
    assert "local-value" not in outcome.text
    assert "Traceback" not in outcome.text


@pytest.mark.parametrize(
    ("keys", "exit_code", "told"),
    [
        pytest.param(b"q", 0, "", id="quit"),
        pytest.param(b"\x11", 0, "", id="ctrl-q"),
        pytest.param(b"\x03", 130, "", id="ctrl-c"),
        pytest.param(b"\x1b[99;5u", 130, "", id="ctrl-c-kitty"),
        pytest.param(b"m", 3, "a last word", id="exit-message"),
        pytest.param(b"x", 70, CRASH, id="handler"),
        pytest.param(b"a", 70, CRASH, id="async-worker"),
        pytest.param(b"w", 70, CRASH, id="thread-worker"),
        pytest.param(b"t", 70, CRASH, id="raw-thread"),
        pytest.param(b"r", 70, "something went wrong (Decorated).", id="decorated-error"),
        pytest.param(b"e", 4, "mambomeme: There is no index. Build one.", id="foreseen-error"),
        pytest.param(b"s", 4, "", id="sys-exit"),
    ],
)
def test_exit_by_key(keys: bytes, exit_code: int, told: str) -> None:
    with running() as probe:
        probe.press(keys)
        outcome = probe.finish()
    assert_restored(outcome, exit_code)
    assert told in outcome.text
    assert bool(told) == bool(outcome.text.replace("\x1b[?25h", "").strip())


@pytest.mark.parametrize("where", ["compose", "mount"])
def test_exception_at_start(where: str) -> None:
    with TerminalProbe([PROGRAM, where]) as probe:
        outcome = probe.finish()
        assert b"\x1b[?1049h" in probe.raw
    assert_restored(outcome, 70)
    assert CRASH in outcome.text


def test_debug_shows_the_traceback_without_values() -> None:
    with running("debug") as probe:
        probe.press(b"x")
        outcome = probe.finish()
    assert outcome.exit_code == 70
    assert outcome.leftovers == []
    assert "in crash" in outcome.text
    assert "local-value" not in outcome.text


@pytest.mark.parametrize("number", FATAL_SIGNALS)
def test_signal(number: signal.Signals) -> None:
    with running() as probe:
        probe.signal(number)
        outcome = probe.finish()
        probe.read_message(b"unmounting.")
    assert_restored(outcome, 128 + number)
    assert outcome.text.removeprefix("\x1b[?25h") == ""


@pytest.mark.parametrize("key", [pytest.param(b"b", id="handler"), pytest.param(b"c", id="foreign-call")])
def test_signal_while_the_loop_is_stuck(key: bytes) -> None:
    with running() as probe:
        probe.press(key)
        probe.read_message(b"stuck.")
        probe.signal(signal.SIGTERM)
        assert_restored(probe.finish(), 128 + signal.SIGTERM)


def test_signal_while_shutting_down() -> None:
    with running() as probe:
        probe.press(b"u")
        probe.read_message(b"unmounting.")
        probe.signal(signal.SIGINT)
        assert_restored(probe.finish(), 128 + signal.SIGINT)


def test_signal_while_the_terminal_does_not_read() -> None:
    with running() as probe:
        probe.press(b"f")
        probe.read_message(b"full.")
        probe.signal(signal.SIGTERM)
        assert probe.wait_unread() == 128 + signal.SIGTERM
        assert_restored(probe.finish(), 128 + signal.SIGTERM)


def test_signal_sent_again_and_again() -> None:
    with running() as probe:
        while not probe.ended:
            probe.signal(signal.SIGTERM)
            probe.read_for(0.001)
        assert_restored(probe.finish(), 128 + signal.SIGTERM)


def seeded_instants(label: str, count: int, longest: float) -> list[float]:
    """The same random instants in every run."""
    source = random.Random(f"{SEED} {label}")
    return [round(source.uniform(0, longest), 3) for _ in range(count)]


@pytest.mark.parametrize("number", FATAL_SIGNALS)
@pytest.mark.parametrize("instant", seeded_instants("start", 6, 1.2))
def test_signal_while_starting(number: signal.Signals, instant: float) -> None:
    with TerminalProbe([PROGRAM]) as probe:
        probe.read_message(b"armed.")
        probe.read_for(instant)
        probe.signal(number)
        assert_restored(probe.finish(), 128 + number)


@pytest.mark.parametrize("after", seeded_instants("bytes", 8, 1500))
def test_signal_in_the_middle_of_the_first_bytes(after: float) -> None:
    number = FATAL_SIGNALS[int(after) % len(FATAL_SIGNALS)]
    with TerminalProbe([PROGRAM]) as probe:
        probe.read_until(lambda: len(probe.raw) > after, f"{after:.0f} bytes")
        probe.signal(number)
        assert_restored(probe.finish(), 128 + number)


@pytest.mark.parametrize("instant", seeded_instants("frames", 4, 0.3))
def test_signal_in_the_middle_of_frames(instant: float) -> None:
    with running() as probe:
        probe.read_for(instant)
        probe.signal(signal.SIGTERM)
        assert_restored(probe.finish(), 128 + signal.SIGTERM)


@pytest.mark.parametrize("controlling", [pytest.param(True, id="signalled"), pytest.param(False, id="silent")])
def test_hang_up(controlling: bool) -> None:
    with (
        tempfile.TemporaryFile() as errors,
        TerminalProbe([PROGRAM], errors=errors, controlling=controlling) as probe,
    ):
        probe.read_text(b"ready to die")
        probe.hang_up()
        assert probe.wait_unread() == 128 + signal.SIGHUP
        errors.seek(0)
        assert errors.read() == b""


def wait_settled(probe: TerminalProbe) -> None:
    """Wait until the first layout is long done, so that only a full repaint can show the text again."""
    probe.read_until(lambda: re.search(rb"tick (1[2-9]|[2-9]\d|\d{3})", probe.raw) is not None, "twelfth frame")


def wait_stopped(probe: TerminalProbe) -> None:
    """Wait until job control stopped the program, and read what it wrote before."""
    probe.read_until(lambda: probe.stopped, "stop")
    probe.drain()


def continue_and_quit(probe: TerminalProbe, message: bytes = b"") -> None:
    """Let the program come back and tell so, see all of it again, and quit."""
    since = len(probe.raw)
    probe.signal(signal.SIGCONT)
    probe.read_text(b"\x1b[?1049h", since)
    probe.read_text(b"ready to die", probe.raw.rindex(b"\x1b[?1049h"))
    probe.read_until(lambda: in_interface(probe), "interface with all modes on")
    probe.read_message(message)
    assert bytes(probe.raw[since:]).count(b"\x1b[?1049h") == 1
    probe.press(b"q")
    assert_restored(probe.finish(), 0)


@every_terminal
@pytest.mark.parametrize("keys", [pytest.param(b"\x1a", id="ctrl-z"), pytest.param(b"", id="SIGTSTP")])
def test_suspend_and_come_back(keys: bytes, answers: bool) -> None:
    with running(answers=answers) as probe:
        wait_settled(probe)
        if keys:
            probe.press(keys)
        else:
            probe.signal(signal.SIGTSTP)
        wait_stopped(probe)
        assert probe.modes.leftovers() == []
        assert probe.settings_equal
        continue_and_quit(probe, b"resumed.")


@every_terminal
def test_stop_and_come_back(answers: bool) -> None:
    with running(answers=answers) as probe:
        wait_settled(probe)
        probe.signal(signal.SIGSTOP)
        wait_stopped(probe)
        continue_and_quit(probe)


@every_terminal
def test_stray_continue(answers: bool) -> None:
    with running(answers=answers) as probe:
        wait_settled(probe)
        continue_and_quit(probe)


@pytest.mark.parametrize("stop", [signal.SIGTSTP, signal.SIGSTOP])
def test_kill_while_stopped(stop: signal.Signals) -> None:
    with running() as probe:
        probe.signal(stop)
        wait_stopped(probe)
        probe.signal(signal.SIGTERM)
        probe.signal(signal.SIGCONT)
        assert_restored(probe.finish(), 128 + signal.SIGTERM)


@pytest.mark.parametrize("key", [pytest.param(b"\x1a", id="ctrl-z"), pytest.param(b"p", id="SIGSTOP")])
def test_stopped_job_that_its_shell_kills(key: bytes) -> None:
    with running(shell=("tests/pty/tiny_shell.py",)) as probe:
        probe.press(key)
        assert_restored(probe.finish(), 128 + signal.SIGTERM)


def test_shape_of_the_mouse_pointer() -> None:
    with running() as probe:
        probe.point_at(2, 3)
        probe.read_until(lambda: probe.modes.pointer == "crosshair", "pointer")
        probe.press(b"q")
        assert_restored(probe.finish(), 0)


def test_bytes_that_are_no_text_do_no_harm() -> None:
    with running() as probe:
        probe.press(os.fsencode("\udcff\udcfe") + b"q")
        assert_restored(probe.finish(), 0)
