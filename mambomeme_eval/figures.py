"""Distributions of milliseconds: nearest-rank quantiles, which are always values that were really measured."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self


def quantile(values: Sequence[float], percent: int) -> float:
    """The smallest value that at least `percent` of 100 of the values do not exceed."""
    rank = -(-percent * len(values) // 100)  # in whole numbers: 0.07 * 100 is more than 7
    return sorted(values)[max(1, rank) - 1]


@dataclass(frozen=True, slots=True)
class Spread:
    """How some milliseconds are spread."""

    count: int
    p50: float
    p95: float
    p99: float
    max: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Self:
        """The spread of at least one value."""
        return cls(len(values), *(quantile(values, percent) for percent in (50, 95, 99, 100)))

    def __str__(self) -> str:
        return f"p50 {self.p50:7.1f}  p95 {self.p95:7.1f}  p99 {self.p99:7.1f}  max {self.max:7.1f} ms"


def milliseconds(start: int, end: int) -> float:
    """Between two stamps in nanoseconds."""
    return (end - start) / 1_000_000
