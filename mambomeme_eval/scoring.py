"""Joins a partition, its judgements, the corpus and the runs into what the measures ask for, and scores them.

Whatever does not belong together is refused before anything is computed: runs of another corpus or partition, runs
that were measured on different machines or through different interfaces, judgements that are not complete.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from mambomeme_eval import qrels, trec
from mambomeme_eval.benchmark import Mark, Partition
from mambomeme_eval.gates import RELEASE_GATES
from mambomeme_eval.loading_rows import distinct
from mambomeme_eval.loading_structure import World
from mambomeme_eval.runs import SUFFIX, Request, RunHeader, as_system, partition_digest, read_run
from mambomeme_eval.scorecard import System
from mambomeme_eval.truth import Item, Topic, Truth, Unjudged, Unscorable, expand
from mambomeme_tui import rights
from mambomeme_tui.files import read_bytes
from mambomeme_tui.safety import ViewingMode
from mambomeme_tui.text import printable

MOST_OF_A_RELEASE: Final = 1_000_000
ORDER: Final = ("bm25", "dense", "hybrid")


def truth_of(partition: Partition, world: World) -> Truth:
    """Everything that is known about the right answers of a partition.

    Raises:
        Unjudged: candidates of the pool have no final grade yet.
    """
    final = qrels.derive(partition.candidates, partition.judgements)
    if not final.complete:
        raise Unjudged((one.query, one.item) for one in final.missing)
    manifest = {meme.id: _item(world, meme.id) for meme in world.corpus.memes}
    targets = {one.query: expand(one.items, one.groups, manifest) for one in partition.targets.values()}
    topics = [Topic(one.id, str(one.slice), one.family, Mark.SAFETY in one.marks) for one in partition.queries]
    shown = frozenset(map(str, world.corpus.policy.modes[ViewingMode.STANDARD]))
    safety = {query: {item: str(level) for item, level in items.items()} for query, items in final.safety.items()}
    return Truth(topics, final.grades, safety, targets, manifest, shown)


def _item(world: World, identifier: str) -> Item:
    meme = world.memes[identifier]
    return Item(
        template=meme.family.id,
        copies=meme.group,
        level=str(meme.safety.level),
        cleared=not rights.withheld_because(meme.rights),
        preview=bool(meme.media),
        attribution=bool(meme.rights.attribution),
    )


def read_systems(paths: Sequence[Path], partition: Partition, world: World) -> tuple[dict[str, System], dict[str, str]]:
    """The runs to be compared by system, in the scorecard's order, and what they have in common.

    Raises:
        Unscorable: a system twice, a run that was not made to its end, or runs that can't be compared.
        PartitionError: a file is no run.
    """
    runs: dict[str, tuple[RunHeader, list[Request]]] = {}
    for path in paths:
        header, requests = read_run(path)
        if header.system in runs:
            raise Unscorable(f"There are two runs of {printable(header.system)}.")
        _check_header(header, partition, world)
        _check_whole(header, requests)
        runs[header.system] = header, requests
    common = [replace(header, system="") for header, _ in runs.values()]
    if any(one != common[0] for one in common):
        raise Unscorable(
            "The runs differ in interface, version, seed, repeats, machine or libraries and can't be compared."
        )
    known = {"interface": common[0].interface, "version": common[0].version}
    own = {f"run {name}": told for name, told in common[0].identity.items()}  # never one of the card's own lines
    return {name: as_system(runs[name][1]) for name in _ordered(runs)}, known | own


def _ordered(names: Iterable[str]) -> list[str]:
    """The systems in the scorecard's order, others after them by name."""
    return sorted(names, key=lambda name: (ORDER.index(name) if name in ORDER else len(ORDER), name))


def _check_whole(header: RunHeader, requests: Sequence[Request]) -> None:
    """A run that was cut off between two repeats has every query equally often, and is not whole all the same."""
    made = Counter(one.query for one in requests)
    if short := sorted(query for query, count in made.items() if count < header.repeats):
        told = f"it asks {printable(short[0])} {made[short[0]]} times of {header.repeats}"
        raise Unscorable(f"The run of {printable(header.system)} was not made to its end: {told}.")


def _check_header(header: RunHeader, partition: Partition, world: World) -> None:
    if header.corpus != world.corpus.digest:
        raise Unscorable(f"The run of {printable(header.system)} was made on another corpus than the judgements.")
    if header.partition != partition.header.partition:
        raise Unscorable(f"The run of {printable(header.system)} is of another partition.")
    if header.queries != partition_digest(partition):
        raise Unscorable(f"The run of {printable(header.system)} asked other queries than the partition holds now.")


def read_trec(paths: Sequence[Path], partition: Partition, world: World, milliseconds: float) -> dict[str, System]:
    """TREC run files as systems, named by their files; each request is charged the milliseconds that are declared.

    Raises:
        Unscorable: two files of one system; a TREC run has one repeat.
        PartitionError: a file is no run.
    """
    queries = [one.id for one in partition.queries]
    systems: dict[str, System] = {}
    for path in paths:
        name = path.name.split(".")[0] or path.name
        if name in systems:
            raise Unscorable(f"There are two runs of {printable(name)}.")
        run = trec.read_runs([path], queries, world.memes)
        times = {query: [milliseconds if one is not None else None for one in lists] for query, lists in run.items()}
        systems[name] = System(run, times)
    return {name: systems[name] for name in _ordered(systems)}


def is_trec(path: Path) -> bool:
    """Whether a file is taken for a TREC run: whatever is no JSONL."""
    return path.suffix != SUFFIX


def read_release(path: Path | None) -> dict[str, bool]:
    """What the release tests said, from a JSON object of their names; a test that is not named was not run.

    Raises:
        Unscorable: the file holds anything else.
    """
    if path is None:
        return {}
    try:
        found = json.loads(read_bytes(path, MOST_OF_A_RELEASE), object_pairs_hook=distinct)
    except (OSError, ValueError, RecursionError) as error:
        raise Unscorable(f"The release tests can't be read from {printable(str(path))}: {error}.") from None
    names = found if isinstance(found, dict) else {"": None}
    if any(name not in RELEASE_GATES or type(one) is not bool for name, one in names.items()):
        raise Unscorable(f"{printable(str(path))} says something else than which of {', '.join(RELEASE_GATES)} passed.")
    return dict(found)


def identity_of(partition: Partition, world: World, runs: Mapping[str, str]) -> dict[str, str]:
    """What must be equal for another scorecard to be comparable with this one."""
    header = partition.header
    known = {
        "benchmark": f"{header.benchmark} {header.partition}, judgement set {header.judgement_set}",
        "corpus": world.corpus.digest,
        "policy": f"{header.policy}, guideline {header.guideline}",
    }
    return {**known, **runs, **known}  # what a run says of itself never takes the place of what is known
