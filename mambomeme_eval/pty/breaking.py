"""The product with one thing in it that raises, to see how it ends then.

python -m mambomeme_eval.pty.breaking WHERE [ARGUMENT ...]

The interface is found by name and never imported by a statement, for nothing here may depend on how it is made. The
exception's frame holds a value that no person may get to see.
"""

import sys
import threading
from collections.abc import Callable
from importlib import import_module
from typing import Any, Final

SECRET: Final = "a value of a local variable"  # noqa: S105  # looked for in what is told of a crash
KEY: Final = b"\x1bOP"
"""F1, the key whose action is the broken one where an action is broken."""


def crash(*_: object, **__: object) -> None:
    """Raise."""
    kept = SECRET
    raise ValueError(f"{kept[:0]}wrong")


def in_handler() -> None:
    """The action of a key raises."""
    _application().action_help = crash


def in_worker() -> None:
    """A worker of the interface's own raises."""
    _application().action_help = lambda app: app.run_worker(crash, thread=True)


def in_async_worker() -> None:
    """A worker inside the event loop raises."""

    async def work() -> None:
        crash()

    _application().action_help = lambda app: app.run_worker(work())


def in_thread() -> None:
    """A thread that nobody looks after raises."""
    _application().action_help = lambda _app: threading.Thread(target=crash).start()


def at_start() -> None:
    """Making the screen raises."""
    _application().compose = crash


def at_mount() -> None:
    """The screen is there, and what is done first then raises."""
    _application().on_mount = crash


def _application() -> Any:
    return import_module("mambomeme_tui.ui.app").MamboApp


PLACES: Final[dict[str, Callable[[], None]]] = {
    "handler": in_handler,
    "worker": in_worker,
    "async-worker": in_async_worker,
    "thread": in_thread,
    "start": at_start,
    "mount": at_mount,
}


def main(arguments: list[str]) -> int:
    """Break one place and run the program."""
    place, *rest = arguments
    PLACES[place]()
    return int(import_module("mambomeme_tui.cli").main(rest))


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
