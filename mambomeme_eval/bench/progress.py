"""A progress bar on standard error, drawn between two requests and never while one is measured."""

import time
from types import TracebackType
from typing import Final, Self

from rich.console import Console
from rich.progress import Progress as RichProgress
from rich.progress import TaskID, TimeRemainingColumn

_EVERY: Final = 0.2
"""Seconds between two drawings."""


class Bar:
    """A line for each thing that makes progress; nothing where standard error is no terminal."""

    def __init__(self) -> None:
        console = Console(stderr=True)
        columns = (*RichProgress.get_default_columns()[:-1], TimeRemainingColumn())
        self._progress = RichProgress(
            *columns, console=console, auto_refresh=False, transient=True, disable=not console.is_terminal
        )
        self._tasks: dict[str, TaskID] = {}
        self._drawn = 0.0

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._progress.stop()

    def __call__(self, name: str, done: int, total: int) -> None:
        """So many of so many are done."""
        if name not in self._tasks:
            self._tasks[name] = self._progress.add_task(name, total=total)
        self._progress.update(self._tasks[name], completed=done, total=total)
        if done == total or time.monotonic() - self._drawn >= _EVERY:
            self._drawn = time.monotonic()
            self._progress.refresh()
