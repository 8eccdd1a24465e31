"""Ends the program when a fatal signal was not followed by an exit in time, even while the main thread is stuck."""

import contextlib
import os
import signal
import threading
import time
from collections.abc import Callable
from typing import Final, NoReturn

FATAL_SIGNALS: Final = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT)
PATIENCE: Final = 2.0
"""Seconds that the program has to end in order after a signal."""


class Watchdog:
    """Ends the program when a fatal signal was not followed by an exit in time.

    It listens on the interpreter's wake-up pipe: the byte is written by the signal itself, hence it arrives even
    while the main thread sits in a foreign call and runs no handler.
    """

    def __init__(self, end: Callable[[int], NoReturn]) -> None:
        self._end = end
        self._reader = self._writer = -1

    def start(self) -> None:
        """Begin to listen; only the main thread may call this."""
        self._reader, self._writer = os.pipe()
        os.set_blocking(self._writer, False)
        signal.set_wakeup_fd(self._writer, warn_on_full_buffer=False)
        threading.Thread(target=self._watch, name="terminal-watchdog", daemon=True).start()

    def wake(self, number: int) -> None:
        """Tell of a signal once more, in case that an event loop took the wake-up pipe over."""
        with contextlib.suppress(OSError):
            os.write(self._writer, bytes([number]))

    def _watch(self) -> NoReturn:
        fatal: list[int] = []
        while not fatal:
            fatal = [number for number in os.read(self._reader, 64) if number in FATAL_SIGNALS]
        time.sleep(PATIENCE)
        self._end(fatal[0])
