"""A small application with one key for each way to die; the restoration tests run it in a terminal.

    python tests/pty/crashing_app.py [compose|mount|debug]

It tells the test where it is over the pipe whose descriptor is in PROBE_MESSAGES.
"""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from mambomeme_tui.terminal import TerminalGuard


def say(message: bytes) -> None:
    """Tell the test something, past the terminal."""
    os.write(int(os.environ["PROBE_MESSAGES"]), message)


# Before the slow imports, so that signals can be sent while they go on.
guard = TerminalGuard()
guard.arm()
say(b"armed.")

import asyncio  # noqa: E402
import signal  # noqa: E402
import sqlite3  # noqa: E402
import threading  # noqa: E402
import time  # noqa: E402

from textual import events  # noqa: E402
from textual.app import ComposeResult  # noqa: E402
from textual.widgets import Static  # noqa: E402

from mambomeme_tui.errors import IndexUnavailable  # noqa: E402
from mambomeme_tui.ui.runner import GuardedApp, run_guarded  # noqa: E402

ENDLESS_QUERY = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n"


def crash() -> None:
    """Raise, with a local value that no person may get to see."""
    secret = "local" + "-value"
    raise ValueError(f"{len(secret)} is wrong")


class Decorated(Exception):
    """An error that Textual would show in its own way."""

    def __rich__(self) -> str:
        return "local-value"


class CrashingApp(GuardedApp[None]):
    """Dies in the way that the pressed key asks for."""

    CSS = "#tick { pointer: crosshair; }"

    def __init__(self, start: str) -> None:
        super().__init__()
        self.start = start
        self.slow_to_end = False
        self.ticks = 0

    def compose(self) -> ComposeResult:
        if self.start == "compose":
            crash()
        yield Static("ready to die")
        yield Static("tick", id="tick")

    def on_mount(self) -> None:
        if self.start == "mount":
            crash()
        self.set_interval(1 / 30, self.tick)
        self.app_resume_signal.subscribe(self, lambda _: say(b"resumed."))

    def tick(self) -> None:
        """Draw all the time, so that signals arrive in the middle of frames."""
        self.ticks += 1
        self.query_one("#tick", Static).update(f"tick {self.ticks} " + "#" * (self.ticks % 60))

    async def on_unmount(self) -> None:
        say(b"unmounting.")
        if self.slow_to_end:
            await asyncio.sleep(3600)

    def on_key(self, event: events.Key) -> None:
        action = getattr(self, f"die_{event.character}", None)
        if action is not None:
            action()

    def die_q(self) -> None:
        self.exit()

    def die_m(self) -> None:
        self.exit(return_code=3, message="a last word")

    def die_x(self) -> None:
        crash()

    def die_e(self) -> None:
        raise IndexUnavailable("There is no index.", "Build one.")

    def die_r(self) -> None:
        raise Decorated

    def die_p(self) -> None:
        os.kill(os.getpid(), signal.SIGSTOP)

    def die_a(self) -> None:
        async def work() -> None:
            crash()

        self.run_worker(work())

    def die_w(self) -> None:
        self.run_worker(crash, thread=True)

    def die_t(self) -> None:
        threading.Thread(target=crash).start()

    def die_s(self) -> None:
        sys.exit(4)

    def die_u(self) -> None:
        self.slow_to_end = True
        self.exit()

    def die_b(self) -> None:
        say(b"stuck.")
        time.sleep(3600)

    def die_c(self) -> None:
        # Once the main thread is away, in code that knows no signal handlers.
        threading.Timer(0.5, say, [b"stuck."]).start()
        sqlite3.connect(":memory:").execute(ENDLESS_QUERY).fetchall()

    def die_f(self) -> None:
        threading.Thread(target=self.tell_when_full, daemon=True).start()
        while True:
            self._driver.write("\x1b[1m" + "flood " * 1000)  # type: ignore[union-attr]

    def tell_when_full(self) -> None:
        """Tell the test when the terminal has not read for so long that nothing can be queued any more."""
        full = 0
        while full < 10:
            full = full + 1 if self._driver._writer_thread._queue.full() else 0  # type: ignore[union-attr]
            time.sleep(0.05)
        say(b"full.")


if __name__ == "__main__":
    START = sys.argv[1] if len(sys.argv) > 1 else ""
    CODE = run_guarded(CrashingApp(START), debug=START == "debug", guard=guard)
    sys.stderr.flush()
    os._exit(CODE)  # as the program does: the interpreter's own end takes the signal handlers off before it is over
