"""The driver: Textual's own one for Linux and macOS, made to give the terminal back in every case.

What always holds:

- Application mode is entered at most once and left at most once; leaving writes the guard's restoration bytes, all
  of them, after the last frame went out and the input thread ended, so that nothing can switch a mode on again.
- Stopping and coming back happen between two callbacks of the event loop, never inside a signal handler, which may
  have interrupted the very queue that leaving needs.
- After SIGCONT everything is asserted and painted anew, whoever stopped us and whatever the shell did meanwhile.
"""

import os
import selectors
import signal
import time
from typing import Any, cast

from textual._xterm_parser import XTermParser
from textual.app import App
from textual.drivers.linux_driver import LinuxDriver
from textual.events import Key
from textual.message import Message

from mambomeme_tui.terminal import TerminalGuard, even_in_background
from mambomeme_tui.ui.pastes import PasteFilter

POLL_SECONDS = 0.1
"""How long the input thread waits before it looks whether it shall end, and whether a lone Escape was a key."""


class GuardedDriver(LinuxDriver):
    """Draws through the guard of its application (`app.terminal_guard`), or through one of its own."""

    def __init__(
        self, app: App[Any], *, debug: bool = False, mouse: bool = True, size: tuple[int, int] | None = None
    ) -> None:
        self._guard: TerminalGuard = getattr(app, "terminal_guard", None) or TerminalGuard()
        self._asleep = False
        super().__init__(app, debug=debug, mouse=mouse, size=size)
        self._file = cast(Any, self._guard.output)

    def write(self, data: str) -> None:
        """Queue data for the terminal; outside application mode it is dropped, for coming back paints all anew."""
        if (writer := self._writer_thread) is not None:
            writer.write(data)

    def process_message(self, message: Message) -> None:
        """Pass on what was parsed; an Enter carries the instant at which it was."""
        if isinstance(message, Key) and message.key in ("enter", "ctrl+j"):
            message.parsed_at = time.monotonic_ns()  # type: ignore[attr-defined]  # Textual's own event, and its way
        super().process_message(message)

    def start_application_mode(self) -> None:
        """Enter application mode, once, unless the terminal belongs to another job."""
        if self._writer_thread is not None:
            return
        self._guard.enter()
        super().start_application_mode()  # type: ignore[no-untyped-call]  # Textual leaves it untyped
        if self._writer_thread is None:
            self._guard.abandon()
        else:
            self._asleep = False

    def disable_input(self) -> None:
        """End the input thread, unless application mode was left already."""
        if self._writer_thread is not None:
            with even_in_background():
                super().disable_input()

    def stop_application_mode(self) -> None:
        """Leave application mode, once, and restore the terminal."""
        self._asleep = False
        if (writer := self._writer_thread) is None:
            return
        # The input thread answers the terminal's reports by switching modes on: it has to end first.
        self.disable_input()
        self._writer_thread = None
        writer.stop()
        self._guard.restore()
        self._in_band_window_resize = self._mouse_pixels = False

    def suspend_application_mode(self) -> None:
        """Leave application mode in order to come back."""
        self.stop_application_mode()
        self._asleep = True

    def close(self) -> None:
        """Leave application mode if starting it failed half way."""
        self.stop_application_mode()

    def _get_terminal_size(self) -> tuple[int, int]:
        """Size of the terminal that is drawn on, which standard output need not be."""
        try:
            width, height = os.get_terminal_size(self._guard.output.fileno())
        except OSError:
            width = height = 0
        return (width, height) if width and height else super()._get_terminal_size()

    def _sigtstp_application(self, *_: object) -> None:
        if self._auto_restart:
            self._loop.call_soon_threadsafe(self._fall_asleep)
        else:
            # Another program has the terminal and the event loop waits for it.
            os.kill(os.getpid(), signal.SIGSTOP)

    def _sigcont_application(self, *_: object) -> None:
        if self._auto_restart:
            self._loop.call_soon_threadsafe(self._wake_up)

    def _fall_asleep(self) -> None:
        if self._guard.leaving is not None:
            return
        if self._writer_thread is not None:
            self.suspend_application_mode()
            self._must_signal_resume = True
        os.kill(os.getpid(), signal.SIGSTOP)

    def _wake_up(self) -> None:
        """Come back after a stop of any kind; a stopped job that is killed only wakes up to leave."""
        if self._guard.leaving is not None or not (self._asleep or self._writer_thread is not None):
            return
        self.suspend_application_mode()
        self.resume_application_mode()
        self._app.call_later(self._app.refresh, layout=True)

    def _run_input_thread(self) -> None:
        try:
            self.run_input_thread()
        except Exception as error:
            self._loop.call_soon_threadsafe(self._app._handle_exception, error)

    def run_input_thread(self) -> None:
        """Read keys and reports until application mode ends or the terminal is gone.

        Bytes that are no text are replaced, since a stray paste is no reason to end the program; pastes are text.
        """
        parser, pastes = XTermParser(self._debug), PasteFilter()
        with selectors.SelectSelector() as selector:
            selector.register(self.fileno, selectors.EVENT_READ)
            while not self.exit_event.is_set():
                if not selector.select(POLL_SECONDS):
                    self._pause(parser, pastes)
                elif not self._read_into(parser, pastes):
                    return
                for message in parser.tick():
                    self.process_message(message)

    def _read_into(self, parser: XTermParser, pastes: PasteFilter) -> bool:
        """Feed what is there to the parser; False when the terminal is gone, for then it is readable for ever."""
        try:
            data = os.read(self.fileno, 4096)
        except OSError:
            data = b""
        if not data and self._guard.is_gone():
            self._guard.hang_up()
            return False
        self._parse(parser, pastes.feed(data))
        return True

    def _pause(self, parser: XTermParser, pastes: PasteFilter) -> None:
        """Let go what waited for one poll; the parser would wait for the rest of it once more."""
        if text := pastes.pause():
            self._parse(parser, text)
            if parser._timeout_time is not None:
                parser._timeout_time -= POLL_SECONDS

    def _parse(self, parser: XTermParser, text: str) -> None:
        if text:  # nothing at all, as after half a character, would tell the parser that its input ended
            for message in parser.feed(text):
                self.process_message(message)
