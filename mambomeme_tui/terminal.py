"""The terminal we were lent: what it was like before, and every way of giving it back.

Owns the bytes that undo all modes, the termios from before the interface, the stream that the interface draws
through, and the handlers of the signals that end the program. What always holds:

- After `TerminalGuard.restore` no byte of the interface reaches the terminal, not even from another thread.
- Modes are undone only if a byte of the interface went out, so that a terminal we never drew on is never touched.
- Once a signal asked the program to end it ends with 128 + its number: in order if the program can, after
  `PATIENCE` seconds without asking it if it cannot.

Nothing here knows Textual. Only SIGKILL, `os._exit` or a crash of the interpreter itself gets past this module.
"""

import atexit
import contextlib
import os
import select
import signal
import sys
import termios
import threading
import time
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any, Final, NoReturn, Self, TextIO

from mambomeme_tui.errors import TerminalUnsuitable
from mambomeme_tui.watchdog import FATAL_SIGNALS, Watchdog

WRITE_PATIENCE: Final = 1.0
"""Seconds that a terminal which stopped reading may hold up its own restoration."""
LOOK_UP: Final = 0.1
"""Seconds after which a writer that waits for the terminal looks whether it shall still write."""
UNSUITABLE_TERMS: Final = frozenset({"", "dumb", "unknown"})

RESTORE: Final = b"".join(
    (
        b"\x1b[?2026l",  # synchronised output first: a terminal that holds its frame back shows nothing that follows
        b"\x1b[<u",  # the kitty keyboard stack is kept per screen, so it is popped while the alternate one is up
        b"\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?1015l\x1b[?1016l",  # mouse
        b"\x1b[?1004l\x1b[?2004l\x1b[?2048l",  # focus, paste and resize reports
        b"\x1b]22;\x07",  # shape of the mouse pointer
        b"\x1b[0m\x1b[?7h\x1b[?1049l\x1b[?25h",  # colours, autowrap, main screen, cursor
    )
)


def require_terminal(*, stdout_is_result: bool = False) -> None:
    """Raise unless the interface can be shown here.

    Args:
        stdout_is_result: standard output carries an answer, so it may be a pipe and standard error is drawn on.
    """
    hint = "Search without the interface: mambomeme find QUERY"
    drawing = sys.__stderr__ if stdout_is_result else sys.__stdout__
    if not _is_terminal(sys.__stdin__) or not _is_terminal(drawing):
        raise TerminalUnsuitable("The interface needs a terminal for its input and its output.", hint)
    name = os.environ.get("TERM", "")
    if name in UNSUITABLE_TERMS:
        raise TerminalUnsuitable(f"The terminal (TERM={name or 'not set'}) cannot show the interface.", hint)


def _is_terminal(stream: TextIO | None) -> bool:
    return stream is not None and not stream.closed and stream.isatty()


@contextlib.contextmanager
def even_in_background() -> Iterator[None]:
    """Let this thread change the terminal although another job has it; a killed job would be stopped, not end."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTTOU})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class Stamped(str):
    """Text that is made only when everything before it has reached the terminal, from that very instant.

    As a text it is empty, so that it passes through every queue that texts pass through.
    """

    make: Callable[[int], str]

    @classmethod
    def of(cls, make: Callable[[int], str]) -> Self:
        """A text that `make` makes of the monotonic nanoseconds of that instant."""
        stamped = cls()
        stamped.make = make
        return stamped


class GuardedOutput:
    """The text stream that the interface draws through; it can be sealed, and a hang-up does not make it fail.

    Text is held back until `flush`, because a terminal shall get a frame in one piece. Writing never blocks in the
    kernel: there a terminal that stopped reading would hold the writer, and the writer would hold the terminal
    against the bytes that restore it.
    """

    def __init__(self, descriptor: int, when_lost: Callable[[], None]) -> None:
        self.touched = False
        self._shared = descriptor
        self._own = -1
        self._when_lost = when_lost
        self._held: list[str] = []
        self._sealed = False
        self._lock = threading.Lock()

    def write(self, text: str) -> int:
        """Hold text back until the next flush; a stamped one goes out by itself, after all that came before."""
        if isinstance(text, Stamped):
            self.flush()
            text = text.make(time.monotonic_ns())
            self._held.append(text)
            self.flush()
            return len(text)
        self._held.append(text)
        return len(text)

    def flush(self) -> None:
        """Send what was held back, unless the stream is sealed."""
        with self._lock:
            held, self._held = self._held, []
            rest = "".join(held).encode("utf-8", "replace")
            while rest and not self._sealed:
                self.touched = True
                rest = self._send_some(rest, LOOK_UP)

    def fileno(self) -> int:
        """Descriptor of the terminal."""
        return self._shared

    def unseal(self) -> None:
        """Let text through; what was held back before belongs to a screen that is gone."""
        if self._own < 0:
            self._own = _open_without_blocking(self._shared)
        self._held = []
        self._sealed = False

    def seal(self, last: bytes) -> None:
        """Let nothing through any more but these last bytes, if any byte went out since `unseal`.

        A terminal that does not read them loses what it did not read before, which makes room.
        """
        self._sealed = True
        owned = self._lock.acquire(timeout=WRITE_PATIENCE)
        if self.touched:
            rest = self._send_some(last, WRITE_PATIENCE)
            if rest:
                _discard_unread(self._shared)
            deadline = time.monotonic() + WRITE_PATIENCE
            while rest and time.monotonic() < deadline:
                rest = self._send_some(rest, LOOK_UP)
        self.touched = False
        if owned:
            self._lock.release()

    def _send_some(self, data: bytes, seconds: float) -> bytes:
        """Send as much as the terminal takes within some time, and return the rest; nothing if it is gone."""
        try:
            if select.select([], [self._own], [], seconds)[1]:
                return data[os.write(self._own, data) :]
        except BlockingIOError:
            pass
        except OSError:
            if not self._sealed:
                self._sealed = True
                self._when_lost()
            return b""
        return data


class TerminalGuard:
    """Keeps the terminal as it was found, and gives it back whatever ends the program.

    Create it before anything changes the terminal, `arm` it once from the main thread, `attach` the running
    application to it. `leaving` is the first fatal signal that arrived, or None.
    """

    def __init__(self) -> None:
        self.leaving: int | None = None
        self._input = sys.__stdin__.fileno() if sys.__stdin__ else 0
        self._saved = _terminal_attributes(self._input)
        self._entered = False
        self._ask_to_exit: Callable[[int], object] | None = None
        self._watchdog = Watchdog(self._end_now)
        self.output = GuardedOutput(_drawing_descriptor(), self.hang_up)

    def arm(self) -> None:
        """From now on signals restore the terminal and end the program."""
        self._watchdog.start()
        for number in FATAL_SIGNALS:
            signal.signal(number, self._on_signal)
        atexit.register(self.restore)
        os.register_at_fork(after_in_child=self._let_go)

    def attach(self, ask_to_exit: Callable[[int], object]) -> None:
        """Have signals ask the application for an exit code, instead of ending the program on the spot.

        Args:
            ask_to_exit: called inside a signal handler; it must neither block nor raise.
        """
        self._ask_to_exit = ask_to_exit

    def detach(self) -> None:
        """The application is over: nobody is left to ask."""
        self._ask_to_exit = None

    def enter(self) -> None:
        """The interface is about to change the terminal."""
        self.output.unseal()
        self._entered = True

    def abandon(self) -> None:
        """The interface changed nothing after all, because the terminal belongs to another job at the moment."""
        self._entered = False

    def restore(self) -> None:
        """Give the terminal back as it was found; harmless when there is nothing to undo."""
        if not self._entered:
            return
        with even_in_background():
            self.output.seal(RESTORE)
            self._restore_attributes()
        self._entered = False

    def hang_up(self) -> None:
        """The terminal is gone: leave as on SIGHUP, for a job that its shell disowned never gets that signal."""
        if self.leaving is None:
            os.kill(os.getpid(), signal.SIGHUP)

    def is_gone(self) -> bool:
        """Whether the terminal was hung up."""
        return _terminal_attributes(self._input) is None

    def _restore_attributes(self) -> None:
        if self._saved is not None:
            with contextlib.suppress(termios.error):
                # What was typed or reported for the interface is no input for the shell.
                termios.tcflush(self._input, termios.TCIFLUSH)
                termios.tcsetattr(self._input, termios.TCSANOW, self._saved)

    def _on_signal(self, number: int, _frame: FrameType | None) -> None:
        self._watchdog.wake(number)
        again = self.leaving == number
        self.leaving = self.leaving or number
        if again or self._ask_to_exit is None:
            self._end_now(number)
        self._ask_to_exit(128 + self.leaving)

    def _end_now(self, number: int) -> NoReturn:
        self.restore()
        os._exit(128 + (self.leaving or number))

    def _let_go(self) -> None:
        """A forked child shares the terminal and the wake-up pipe, and has no business with either."""
        signal.set_wakeup_fd(-1)
        for number in FATAL_SIGNALS:
            signal.signal(number, signal.SIG_DFL)
        atexit.unregister(self.restore)


def _drawing_descriptor() -> int:
    """Standard error where it is a terminal, as with every program whose standard output may be a pipe."""
    for stream in (sys.__stderr__, sys.__stdout__):
        if stream is not None and _is_terminal(stream):
            return stream.fileno()
    return 2


def _terminal_attributes(descriptor: int) -> list[Any] | None:
    try:
        return termios.tcgetattr(descriptor)
    except termios.error:
        return None


def _open_without_blocking(descriptor: int) -> int:
    """The same terminal, opened anew: making the shared descriptor non-blocking would reach into other programs."""
    try:
        return os.open(os.ttyname(descriptor), os.O_WRONLY | os.O_NONBLOCK | os.O_NOCTTY)
    except OSError:
        return os.dup(descriptor)


def _discard_unread(descriptor: int) -> None:
    with contextlib.suppress(termios.error):
        termios.tcflush(descriptor, termios.TCOFLUSH)
