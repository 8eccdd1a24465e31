"""How far a publication is, and how fast each stage of it was.

Stages come one after the other; their figures go to whoever publishes and into the version's `build.json`.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any

TELL_EVERY = 0.05
"""Seconds between two steps of one stage."""

Progress = Callable[[str, int, int], None]
"""Hears the stage's name, how much of it is done, and how much there is."""


@dataclass(slots=True)
class StageFigures:
    """One stage: seconds on the monotonic clock, items that went through it, bytes read or written for them."""

    stage: str
    seconds: float = 0.0
    items: int = 0
    bytes: int = 0
    note: str = ""

    @property
    def items_per_second(self) -> float:
        """Throughput in items; 0 where the stage took no time."""
        return self.items / self.seconds if self.seconds else 0.0

    @property
    def megabytes_per_second(self) -> float:
        """Throughput in units of 10^6 bytes; 0 where the stage took no time."""
        return self.bytes / 1e6 / self.seconds if self.seconds else 0.0


class Pipeline:
    """The stages of one publication.

    Args:
        progress: hears every step.
    """

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._told_at = 0.0
        self.stages: list[StageFigures] = []

    def progress(self, stage: str, done: int, total: int) -> None:
        """Tell a step, unless one was told an instant ago: nobody can read thousands of them a second."""
        now = time.monotonic()
        if done in (0, total) or now - self._told_at >= TELL_EVERY:
            self._told_at = now
            self._progress(stage, done, total)

    @contextmanager
    def stage(self, name: str, total: int = 1) -> Iterator[StageFigures]:
        """Time a stage; the caller fills in what went through it."""
        figures = StageFigures(name)
        self.progress(name, 0, total)
        started = time.perf_counter()
        yield figures
        figures.seconds = time.perf_counter() - started
        self.stages.append(figures)
        self.progress(name, total, total)

    def to_list(self) -> list[dict[str, Any]]:
        """The stages so far as plain JSON values, with their throughput."""
        return [
            {
                **asdict(one),
                "items_per_second": one.items_per_second,
                "megabytes_per_second": one.megabytes_per_second,
            }
            for one in self.stages
        ]
