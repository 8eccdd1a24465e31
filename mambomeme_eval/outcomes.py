"""What one check of a release gate found."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

Progress = Callable[[str, int, int], None]
"""Hears the gate's name, and how many of how many checks were made."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """One check.

    Attributes:
        name: what was done.
        point: where in it, for what is done at several seeded points; see `unit`.
        unit: of the point; empty where there is none.
        faults: everything that is not as it should be, in words.
        exit_code: as a shell tells it; None where no program ended.
        milliseconds: from what was done until all of it was over.
    """

    name: str
    point: float
    unit: str
    faults: tuple[str, ...]
    exit_code: int | None
    milliseconds: float

    @property
    def passed(self) -> bool:
        """Whether nothing was found."""
        return not self.faults


def all_passed(outcomes: Iterable[Outcome]) -> bool:
    """Whether there were checks and all of them passed: a gate that checked nothing proves nothing."""
    verdicts = [one.passed for one in outcomes]
    return bool(verdicts) and all(verdicts)
