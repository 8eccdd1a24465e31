"""Whether a measurement kept the protocol of a release: what was asked, how often, in which order, of which version.

Its word is the release gate `release-protocol`. Each fault is one sentence with names and counts, and no query text.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from mambomeme_eval.bench.config import Counts, Settings
from mambomeme_eval.bench.references import References
from mambomeme_eval.bench.samples import Process
from mambomeme_eval.bench.verify import Error
from mambomeme_eval.runs import Request, RunHeader

GATE: Final = "release-protocol"
_BROKEN_BY: Final = {
    Error.EARLY: "markers came before their frames",
    Error.MARKER: "markers were not the awaited ones",
    Error.VERSION: "lists were of another version",
    Error.WRONG_LIST: "lists were not the engine's",
}


@dataclass(frozen=True, slots=True)
class Measured:
    """One system as it was measured: its run, and its processes."""

    header: RunHeader
    requests: Sequence[Request]
    processes: Sequence[Process]


def faults(
    settings: Settings,
    counts: Counts,
    order: Sequence[Sequence[str]],
    references: References,
    measured: Mapping[str, Measured],
) -> list[str]:
    """What was not kept; empty for a release.

    Args:
        counts: of the full protocol, or the quick one.
        order: the ids of the queries, block by block, as the seed has them.
        measured: by system, without the floor.
    """
    found = [f"{name} was not measured" for name in settings.systems if name not in measured]
    if others := sorted({one.header.version for one in measured.values()} - {references.version}):
        found.append(f"version {others[0]} was measured, not {references.version}")
    if unsteady := sorted({query for (_, query), one in references.lists.items() if not one.steady}):
        found.append(f"the engine's lists differ between repeats, first for {unsteady[0]}")
    for name, one in measured.items():
        found += [f"{name}: {fault}" for fault in _system_faults(settings, counts, order, one)]
    return found


def _system_faults(settings: Settings, counts: Counts, order: Sequence[Sequence[str]], one: Measured) -> Iterator[str]:
    asked = [(request.query, request.repeat) for request in one.requests]
    planned = [(query, repeat) for repeat, block in enumerate(order) for query in block]
    if asked != planned:
        yield f"{len(asked)} requests were made, not the {len(planned)} of the seed in their order"
    yield from _warm_up_faults(settings, counts, one.processes)
    counted = Counter(request.error for request in one.requests)
    counted.update(_together(process.warm_up_errors for process in one.processes))
    for error, told in _BROKEN_BY.items():
        if counted[error]:
            yield f"{counted[error]} {told}"


def _warm_up_faults(settings: Settings, counts: Counts, processes: Sequence[Process]) -> Iterator[str]:
    if not processes:
        yield "nothing is known of its processes"
    for process in processes:
        wanted = settings.limits.rewarm_ups if process.replaces else counts.warm_ups
        if process.warm_ups < wanted:
            yield f"process {process.process} was warmed up by {process.warm_ups} searches, not {wanted}"


def _together(counts: Iterable[Mapping[str, int]]) -> Counter[str]:
    total = Counter[str]()
    for one in counts:
        total.update(one)
    return total
