"""The program with one fault, to see whether a release gate catches it.

    python tests/eval/mutants.py FAULT [ARGUMENT ...]

Each fault is a small change in the product, found by name, before its command line is run.
"""

import os
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))


def guard() -> Any:
    """The class that gives the terminal back."""
    return import_module("mambomeme_tui.terminal").TerminalGuard


def leak_a_mode() -> None:
    terminal = import_module("mambomeme_tui.terminal")
    terminal.RESTORE = terminal.RESTORE.replace(b"\x1b[?2004l", b"")


def keep_the_keyboard() -> None:
    terminal = import_module("mambomeme_tui.terminal")
    terminal.RESTORE = terminal.RESTORE.replace(b"\x1b[<u", b"")


def keep_the_settings() -> None:
    guard()._restore_attributes = lambda _self: None


def end_with_another_code() -> None:
    runner = import_module("mambomeme_tui.ui.runner")
    run = runner.run_guarded
    runner.run_guarded = lambda *given, **named: run(*given, **named) and 1


def ignore_signals() -> None:
    guard().arm = lambda _self: None


def draw_afterwards() -> None:
    restore = guard().restore

    def late(self: Any) -> None:
        restore(self)
        os.write(1, b"late")

    guard().restore = late


def forget_the_modes_when_stopped() -> None:
    driver = import_module("mambomeme_tui.ui.driver").GuardedDriver
    driver._fall_asleep = lambda _self: os.kill(os.getpid(), 19)


def serve_what_is_damaged() -> None:
    versions = import_module("mambomeme_tui.index.versions")
    versions.check = lambda _data, _name: None


def serve_the_same_again() -> None:
    import_module("mambomeme_tui.index.versions").go_back_to = lambda _data, _name: None


FAULTS: dict[str, Callable[[], None]] = {
    "leaked mode": leak_a_mode,
    "kept keyboard": keep_the_keyboard,
    "kept settings": keep_the_settings,
    "another exit code": end_with_another_code,
    "ignored signals": ignore_signals,
    "drawn afterwards": draw_afterwards,
    "stopped in its modes": forget_the_modes_when_stopped,
    "damaged version": serve_what_is_damaged,
    "same version": serve_the_same_again,
}


def program(fault: str) -> list[str]:
    """The command line of the program with this fault."""
    return [sys.executable, __file__, fault]


if __name__ == "__main__":
    FAULTS[sys.argv[1]]()
    raise SystemExit(import_module("mambomeme_tui.cli").main(sys.argv[2:]))
