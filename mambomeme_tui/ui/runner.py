"""Running a Textual application so that the terminal, the person and the shell each get what they need.

The terminal is given back, the person reads one sentence instead of a screen of traceback, the shell gets an exit
code that tells what happened. What always holds: a traceback is shown only on request, and never the values of
local variables, because a query may be among them.
"""

import contextlib
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from typing import Any, ClassVar, TypeVar

from textual.app import App
from textual.binding import Binding, BindingType
from textual.driver import Driver
from textual.worker import WorkerFailed

from mambomeme_tui.errors import MamboError
from mambomeme_tui.terminal import TerminalGuard
from mambomeme_tui.ui.driver import GuardedDriver

ResultT = TypeVar("ResultT")

INTERRUPTED = 130
"""What a shell expects after Ctrl+C: 128 and the number of SIGINT."""


class GuardedApp(App[ResultT]):
    """An application whose crash is kept for `run_guarded` to tell, and whose terminal is guarded.

    `crash` is the first exception that nobody handled, wherever it was raised. Without a guard, as in tests
    without a terminal, it is an ordinary application.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c", "interrupt", "Quit", show=False, priority=True, system=True),
        Binding("ctrl+z", "suspend_process", "Suspend", show=False, priority=True, system=True),
    ]

    terminal_guard: TerminalGuard | None = None
    crash: BaseException | None = None

    def get_driver_class(self) -> type[Driver]:
        """The driver that gives the terminal back."""
        return GuardedDriver

    def action_interrupt(self) -> None:
        """Leave as a program does that Ctrl+C interrupted."""
        self.exit(return_code=INTERRUPTED)

    def run_soon(self, callback: Callable[..., object], *arguments: object) -> bool:
        """Run a callback in the event loop; safe in threads and signal handlers. False when the loop is over."""
        if self._loop is None:
            return False
        try:
            self._loop.call_soon_threadsafe(callback, *arguments)
        except RuntimeError:  # closed between the two lines
            return False
        return True

    def _on_load(self) -> None:
        """Let signals ask for an exit, from the first moment at which there is a loop to do it in."""
        if self.terminal_guard is not None:
            self.terminal_guard.attach(lambda code: self.run_soon(self.exit, None, code))

    def _handle_exception(self, error: Exception) -> None:
        if self.crash is None:
            self.crash = error.error if isinstance(error, WorkerFailed) else error
        super()._handle_exception(error)

    def _fatal_error(self) -> None:
        """Close without rendering a traceback: Textual's own shows the values of local variables."""
        self._close_messages_no_wait()

    def _print_error_renderables(self) -> None:
        """Print an exit message, but nothing about a crash, which is told after the terminal was restored."""
        if self.crash is not None:
            self._exit_renderables.clear()
        super()._print_error_renderables()


def run_guarded(app: GuardedApp[Any], *, debug: bool = False, guard: TerminalGuard | None = None) -> int:
    """Run an application to its end and return the exit code of the program.

    Args:
        app: not running yet; its return code is the result unless a signal or a crash decides otherwise.
        debug: show where a crash happened.
        guard: an armed guard, if the program needed one before it had an application.
    """
    if guard is None:
        guard = TerminalGuard()
        guard.arm()
    app.terminal_guard = guard
    try:
        with _thread_errors_end(app):
            app.run()
    except Exception as error:
        app.crash = app.crash or error
    finally:
        guard.detach()
        guard.restore()
    if guard.leaving is not None:
        return 128 + guard.leaving
    if app.crash is not None:
        return tell_crash(app.crash, debug=debug)
    return app.return_code or 0


def tell_crash(error: BaseException, *, debug: bool) -> int:
    """Tell a person of an error on standard error, and return the exit code that belongs to it."""
    foreseen = isinstance(error, MamboError)
    hint = "" if foreseen or debug else " Run it again with --debug to see where."
    sentence = str(error) if foreseen else f"something went wrong ({type(error).__name__}).{hint}"
    with contextlib.suppress(OSError):  # the terminal may be gone
        if debug:
            traceback.print_exception(error, file=sys.stderr)
        print(f"mambomeme: {sentence}", file=sys.stderr, flush=True)
    return error.exit_code if isinstance(error, MamboError) else MamboError.exit_code


@contextlib.contextmanager
def _thread_errors_end(app: GuardedApp[Any]) -> Iterator[None]:
    """End the application when any thread dies of an error, rather than go on with a part of it missing."""
    before = threading.excepthook

    def end(details: threading.ExceptHookArgs) -> None:
        error = details.exc_value
        if not isinstance(error, Exception) or not app.run_soon(app._handle_exception, error):
            before(details)

    threading.excepthook = end
    try:
        yield
    finally:
        threading.excepthook = before
