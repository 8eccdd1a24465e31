"""Settles raw requests before anything is measured: which are errors and why, and what each is charged.

An error is never an empty answer. It loses its list and is charged the full timeout, so that a quick crash can't
improve a percentile.
"""

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from mambomeme_eval.truth import DEPTH, Unscorable
from mambomeme_tui.text import printable

TIMEOUT_MS: Final = 5000.0

Run = Mapping[str, Sequence[Sequence[str] | None]]
Latencies = Mapping[str, Sequence[float | None]]


@dataclass(frozen=True, slots=True)
class Settled:
    """A run after settling, by query, with one entry a repeat.

    Attributes:
        lists: the ranked ids, or `None` for an error.
        milliseconds: what each request is charged, or `None` for a run that was not timed.
        errors: how often each kind of error occurred.
    """

    lists: dict[str, tuple[tuple[str, ...] | None, ...]]
    milliseconds: dict[str, tuple[float, ...]] | None
    errors: dict[str, int]

    def charged(self) -> list[float]:
        """The charged milliseconds of all requests.

        Raises:
            Unscorable: the run was not timed.
        """
        if self.milliseconds is None:
            raise Unscorable("The run was not timed, so that it has no latency figures.")
        return [one for repeats in self.milliseconds.values() for one in repeats]


def fault(ranked: Sequence[str] | None, milliseconds: float | None, manifest: Collection[str]) -> str:
    """Why a request is an error, or an empty text. Source: decision 7, request errors; decision 5, timeout."""
    if ranked is None:
        return "failed"
    if len(ranked) > DEPTH:
        return "more than ten results"
    if len(set(ranked)) != len(ranked):
        return "an item twice"
    if any(item not in manifest for item in ranked):
        return "an item that is not in the manifest"
    return "timeout" if milliseconds is not None and milliseconds >= TIMEOUT_MS else ""


def settle(run: Run, topics: Iterable[str], manifest: Collection[str], latencies: Latencies | None = None) -> Settled:
    """Settle a run; `latencies` has the run's shape and milliseconds, `None` only where the request failed.

    Raises:
        Unscorable: queries are missing, unknown or repeated unequally, or a latency is missing or no sensible number.
    """
    queries = list(topics)
    _check_shape(run, queries)
    times = {query: tuple(latencies.get(query, ())) if latencies else (None,) * len(run[query]) for query in queries}
    if latencies is not None:
        _check_times(run, times)
    faults = {
        query: [fault(*pair, manifest) for pair in zip(run[query], times[query], strict=True)] for query in queries
    }
    return Settled(
        {query: tuple(map(_without_faulty, run[query], faults[query])) for query in queries},
        {query: tuple(map(_charge, times[query], faults[query])) for query in queries} if latencies else None,
        dict(sorted(Counter(why for whys in faults.values() for why in whys if why).items())),
    )


def _without_faulty(ranked: Sequence[str] | None, why: str) -> tuple[str, ...] | None:
    return None if why or ranked is None else tuple(ranked)


def _charge(milliseconds: float | None, why: str) -> float:
    return TIMEOUT_MS if why or milliseconds is None else milliseconds


def _check_shape(run: Run, queries: Sequence[str]) -> None:
    if unknown := sorted(set(run) - set(queries)):
        raise Unscorable(f"The run answers a query that the partition does not hold: {printable(unknown[0])}.")
    if absent := [query for query in queries if query not in run]:
        raise Unscorable(f"The run has no request for {len(absent)} queries, the first of them {printable(absent[0])}.")
    if len({len(run[query]) for query in queries}) != 1 or not run[queries[0]]:
        raise Unscorable("Every query must be requested equally often, and at least once.")


def _check_times(run: Run, times: Mapping[str, Sequence[float | None]]) -> None:
    for query, measured in times.items():
        if len(measured) != len(run[query]):
            raise Unscorable(f"Query {printable(query)} has {len(run[query])} requests and {len(measured)} latencies.")
        for ranked, one in zip(run[query], measured, strict=True):
            if one is None and ranked is not None:
                raise Unscorable(f"A request of query {printable(query)} was answered, but has no latency.")
            if one is not None and not (math.isfinite(one) and one >= 0):
                raise Unscorable(f"A latency of query {printable(query)} is no number of milliseconds from 0 up.")
