"""The ways out of the interface that the release gate tries, a small record each, and what each does to the program.

Every instant is seeded: the same ones in every run. What a scenario does is a function of the terminal and of one of
its points; it raises `ProgramEnded` where something on the way is not as it should be.
"""

import random
import re
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from mambomeme_eval.pty import breaking
from mambomeme_eval.pty.job_shell import STOPPED
from mambomeme_eval.pty.lent import Lent
from mambomeme_eval.pty.modes import SCREEN
from mambomeme_eval.pty.starts import QUIT
from mambomeme_eval.pty.terminal import COLUMNS, ROWS, ProgramEnded

SEED: Final = 20_240_817
ANSWER: Final = " found · ".encode()
"""What the status line says once there is an answer."""
HELP: Final = b"any key goes back"
"""What the screen says that F1 opens."""
CRASHED: Final = r"mambomeme: something went wrong \(ValueError\)\. Run it again with --debug to see where\.\s*"
NOTHING: Final = r"\s*"
KILLED_JOB: Final = rf"\s*{re.escape(STOPPED.decode())}\s*\$ kill\s*"
SUSPEND, INTERRUPT, INTERRUPT_KITTY = b"\x1a", b"\x03", b"\x1b[99;5u"
TYPED: Final = b"office\x15"
"""Keys that are pressed again and again so that there is always something to draw."""
FLOOD: Final = 60
"""Whole screens that are asked for while nobody reads: more than any terminal holds."""

Act = Callable[[Lent, float], None]


@dataclass(frozen=True, slots=True)
class Scenario:
    """One way out.

    Attributes:
        name: what it is called in a report.
        act: what is done to the program, at each of the points.
        exit_code: what a shell gets.
        told: all that may be left to read on the main screen, as a regular expression.
        shown: whether the program is left alone until it shows an answer, or dealt with from its first instant on.
        points: numbers for `act`.
        unit: theirs; empty where there is none.
        breaks: what of the program is broken, see `mambomeme_eval.pty.breaking`.
        job: whether it is the job of a shell.
        answers: whether the terminal answers questions.
        controlling: whether the terminal's end is told by SIGHUP.
        gone: whether the terminal is gone in the end, so that only the exit code is left to look at.
    """

    name: str
    act: Act
    exit_code: int
    told: str = NOTHING
    shown: bool = True
    points: tuple[float, ...] = (0.0,)
    unit: str = ""
    breaks: str = ""
    job: bool = False
    answers: bool = True
    controlling: bool = True
    gone: bool = False


def is_shown(lent: Lent) -> bool:
    """Whether the interface has the terminal and shows an answer."""
    return lent.modes.is_on(SCREEN) and ANSWER in lent.raw and bool(lent.changed_settings)


def instants(label: str, count: int, longest: float, shortest: float = 0.0) -> tuple[float, ...]:
    """So many random numbers, the same in every run."""
    source = random.Random(f"{SEED} {label}")  # noqa: S311  # instants, no secrets
    return tuple(round(source.uniform(shortest, longest), 3) for _ in range(count))


def pressing(*keys: bytes) -> Act:
    """Press keys, each when the one before it has long been obeyed."""

    def act(lent: Lent, _point: float) -> None:
        for number, key in enumerate(keys):
            if number:
                lent.read(0.3)
            lent.press(key)

    return act


def leaving_alone(_lent: Lent, _point: float) -> None:
    """Nothing: the program ends by itself."""


def signalled_at(number: int) -> Act:
    """A signal so many seconds after the start."""

    def act(lent: Lent, point: float) -> None:
        lent.read(point)
        lent.signal(number)

    return act


def signalled_while_drawing(number: int) -> Act:
    """A signal so many seconds into lively typing."""

    def act(lent: Lent, point: float) -> None:
        left, turn = point, 0.011
        while left > 0:
            lent.press(TYPED[int(left / turn) % len(TYPED) :][:1])
            lent.read(min(turn, left))
            left -= turn
        lent.signal(number)

    return act


def signalled_in_a_frame(number: int) -> Act:
    """A signal when so many bytes of a frame were read."""

    def act(lent: Lent, point: float) -> None:
        _read_into_a_frame(lent, int(point))
        lent.signal(number)

    return act


def signalled_while_nobody_reads(number: int) -> Act:
    """A terminal that stops reading within a frame until it is full, and a signal then; it is read after the end."""

    def act(lent: Lent, point: float) -> None:
        _read_into_a_frame(lent, int(point))
        for _ in range(FLOOD):
            lent.press(breaking.KEY)
            time.sleep(0.015)
        lent.signal(number)
        if not lent.wait_unread():
            raise ProgramEnded("It does not end while the terminal does not read.")

    return act


def _read_into_a_frame(lent: Lent, count: int) -> None:
    lent.read(0.2)
    lent.press(breaking.KEY)
    until = len(lent.raw) + count
    if not lent.read(1.0, lambda: len(lent.raw) >= until, most=max(1, count // 7)):
        raise ProgramEnded(f"No frame of {count} bytes was drawn.")


def hung_up(lent: Lent, point: float) -> None:
    """The window is closed so many seconds later."""
    lent.read(point)
    lent.hang_up()


def suspended(*, answer: bytes) -> Act:
    """Ctrl+Z under a shell, a look at what the shell gets, and back, or killed there."""

    def act(lent: Lent, _point: float) -> None:
        lent.press(SUSPEND)
        lent.expect(lambda: STOPPED in lent.raw, "the shell's word that the program was stopped")
        lent.read(0.05)
        if left := lent.modes.leftovers() + lent.changed_settings:
            raise ProgramEnded(f"While it is stopped the terminal is not as it was: {', '.join(left)}.")
        _answer_shell(lent, answer)

    return act


def _answer_shell(lent: Lent, answer: bytes) -> None:
    since = len(lent.raw)
    lent.press(answer + b"\n")
    if answer == b"fg":
        _expect_anew(lent, since)
        lent.press(QUIT)


def stopped(lent: Lent, _point: float) -> None:
    """SIGSTOP, which no program can do anything about, and back."""
    lent.read(0.3)
    lent.signal(signal.SIGSTOP)
    lent.expect(lambda: lent.stopped, "a stop")
    lent.read(0.1)
    since = len(lent.raw)
    lent.signal(signal.SIGCONT)
    _expect_anew(lent, since)
    lent.press(QUIT)


def _expect_anew(lent: Lent, since: int) -> None:
    def is_anew() -> bool:
        return lent.modes.is_on(SCREEN) and ANSWER in lent.raw[max(since, lent.raw.rfind(b"\x1b[?1049h")) :]

    lent.expect(lambda: b"\x1b[?1049h" in lent.raw[since:] and is_anew(), "its whole screen anew")


def resized(ending: Callable[[Lent], None]) -> Act:
    """A storm of sizes while keys are typed, ended at so many sizes by `ending`."""

    def act(lent: Lent, point: float) -> None:
        source = random.Random(f"{SEED} sizes {point}")  # noqa: S311  # sizes, no secrets
        for number in range(int(point)):
            lent.resize(source.randint(2, 200), source.randint(1, 60))
            lent.press(TYPED[number % len(TYPED) :][:1])
            lent.read(source.choice((0.0, 0.002, 0.03)))
        ending(lent)

    return act


def _quit_at_the_old_size(lent: Lent) -> None:
    lent.resize(COLUMNS, ROWS)
    since = len(lent.raw)
    lent.press(breaking.KEY)
    lent.expect(lambda: HELP in lent.raw[since:], "an answer to a key after the storm")
    lent.press(QUIT)


def _terminated(lent: Lent) -> None:
    lent.signal(signal.SIGTERM)


def _of_signal(number: signal.Signals) -> tuple[Scenario, Scenario]:
    name, code = number.name, 128 + number
    early, late = instants(f"{name} start", 10, 1.0), instants(f"{name} typing", 10, 0.5)
    return (
        Scenario(f"{name} while it starts", signalled_at(number), code, shown=False, points=early, unit="s"),
        Scenario(f"{name} while it draws", signalled_while_drawing(number), code, points=late, unit="s"),
    )


def _of_crash(place: str) -> Scenario:
    at_once = place in ("start", "mount")
    act = leaving_alone if at_once else pressing(breaking.KEY)
    return Scenario(f"exception in {place}", act, 70, CRASHED, shown=not at_once, breaks=place)


SCENARIOS: Final = (
    Scenario("Ctrl+Q", pressing(QUIT), 0),
    Scenario("Ctrl+Q in a plain terminal", pressing(QUIT), 0, answers=False),
    Scenario("Ctrl+C", pressing(INTERRUPT), 130),
    Scenario("Ctrl+C of a kitty keyboard", pressing(INTERRUPT_KITTY), 130),
    Scenario("c, a choice", pressing(b"\r", b"c"), 0, r"\s*\S+\s*"),
    *map(_of_crash, breaking.PLACES),
    *(one for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT) for one in _of_signal(number)),
    Scenario("hang-up", hung_up, 129, points=instants("hang-up", 4, 0.4), unit="s", gone=True),
    Scenario("hang-up without SIGHUP", hung_up, 129, points=(0.2,), unit="s", controlling=False, gone=True),
    Scenario("Ctrl+Z and fg", suspended(answer=b"fg"), 0, job=True),
    Scenario("Ctrl+Z and fg in a plain terminal", suspended(answer=b"fg"), 0, job=True, answers=False),
    Scenario("Ctrl+Z and kill", suspended(answer=b"kill"), 143, KILLED_JOB, job=True),
    Scenario("SIGSTOP and back", stopped, 0),
    Scenario(
        "SIGTERM within a frame",
        signalled_in_a_frame(signal.SIGTERM),
        143,
        points=instants("frame", 6, 6_000, 1),
        unit="bytes",
    ),
    Scenario(
        "SIGTERM while nobody reads",
        signalled_while_nobody_reads(signal.SIGTERM),
        143,
        points=instants("unread", 4, 3_000, 1),
        unit="bytes",
    ),
    Scenario("resize storm", resized(_quit_at_the_old_size), 0, points=(60.0, 61.0, 62.0), unit="sizes"),
    Scenario("SIGTERM in a resize storm", resized(_terminated), 143, points=(12.0, 25.0), unit="sizes"),
)
