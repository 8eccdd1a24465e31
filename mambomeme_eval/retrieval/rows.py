"""Rows of a comparison: one searcher's times on all queries, and how far its first results agree with another's.

Everybody answers from memory, one query at a time, after one query that warms up, while the collector of garbage has
nothing to look at.
"""

import gc
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from types import ModuleType
from typing import Any, Final

from mambomeme_eval.figures import Spread, milliseconds
from mambomeme_eval.pipeline_measures import tell
from mambomeme_eval.pipeline_process import Report
from mambomeme_eval.retrieval.libraries import NOT_INSTALLED, PACKAGES, Searcher, module, versions

COMPARED: Final = 10
"""So many of the first results are compared."""


@dataclass(frozen=True, slots=True)
class Measured:
    """What a searcher did: the milliseconds of each query, and the positions of its first results."""

    milliseconds: list[float]
    positions: list[list[int]]


def timed(searcher: Searcher, asked: Sequence[Any]) -> Measured:
    """Ask everything once; only the searching is timed."""
    times, positions = [], []
    with _collected():
        for one in asked[:1]:
            searcher.find(one)
        for one in asked:
            started = time.perf_counter_ns()
            found = searcher.find(one)
            times.append(milliseconds(started, time.perf_counter_ns()))
            positions.append(searcher.positions(found))
    return Measured(times, positions)


@contextmanager
def _collected() -> Iterator[None]:
    """Whatever there is now is not looked through again meanwhile: it is the measurement's, and nobody's garbage."""
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def overlap(mine: Sequence[Sequence[int]], theirs: Sequence[Sequence[int]]) -> float | None:
    """How many of the first results two searchers share, of the longer list: the mean over the queries.

    Queries for which neither found anything do not count; None where that is all of them.
    """
    pairs = [(set(one), set(other)) for one, other in zip(mine, theirs, strict=True) if one or other]
    shares = [len(one & other) / max(len(one), len(other)) for one, other in pairs]
    return sum(shares) / len(shares) if shares else None


def row(
    system: str,
    measured: Measured | None,
    version: str = "",
    build_seconds: float | None = None,
    shared: float | None = None,
) -> Report:
    """A row as plain JSON values.

    Returns:
        `system`; `version`, empty for the product's own; `milliseconds`, the spread, or None where nothing was
        measured; `build_seconds`, of a library's index; `overlap` with the route that it stands beside.
    """
    times = measured.milliseconds if measured else []
    return {
        "system": system,
        "version": version,
        "milliseconds": asdict(Spread.of(times)) if times else None,
        "build_seconds": build_seconds,
        "overlap": shared,
    }


def beside(name: str, make: Callable[[ModuleType], Searcher], asked: Sequence[Any], own: Measured) -> Report:
    """The row of a library; of one that is not installed it says just that.

    Args:
        name: of the module.
        make: builds its index.
        asked: what `own` was asked.
        own: the route that it stands beside.
    """
    library = module(name)
    if library is None:
        return row(name, None, NOT_INSTALLED)
    tell(f"  {name}")
    started = time.perf_counter()
    searcher = make(library)
    seconds = time.perf_counter() - started
    measured = timed(searcher, asked)
    return row(name, measured, versions()[PACKAGES[name]], seconds, overlap(own.positions, measured.positions))
