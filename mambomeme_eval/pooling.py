"""The pool: which items are to be judged for which query, from every compared system and from people.

For each query it holds, once each, the results of every system to the depth of a list, the exact targets and the items
that people named (`gold.jsonl`), and hard negatives: what the hybrid system ranks just below a list, and an item of
a family that resembles those asked for. A pool only grows, and pooling the same again adds nothing.
"""

import hashlib
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar, Final

import numpy as np
from pydantic import ConfigDict, Field

from mambomeme_eval.benchmark import LIMIT, PartitionError, Query, Targets
from mambomeme_eval.benchmark_values import STRICT, ItemId, Slug
from mambomeme_eval.loading_rows import read_table
from mambomeme_eval.loading_structure import World
from mambomeme_tui.errors import UsageError
from mambomeme_tui.records import Family, Meme
from mambomeme_tui.retrieval.engine import Engine
from mambomeme_tui.retrieval.results import State
from mambomeme_tui.text import fold

SYSTEMS: Final = {"bm25": "lexical", "dense": "dense", "hybrid": "hybrid"}
"""The compared systems by the names of the scorecard, and the route that each of them is."""
HYBRID: Final = "hybrid"
NEAR_MISSES: Final = 5
GOLD_FILE: Final = "gold.jsonl"

Rankings = Mapping[str, Mapping[str, Sequence[str]]]
"""System -> query -> item ids by rank; the hybrid system's lists may go on below the depth."""


@dataclass(frozen=True, slots=True)
class Gold:
    """A row of `gold.jsonl`: items that people want judged for a query, good ones or hard negatives."""

    query: Slug
    items: Annotated[tuple[ItemId, ...], Field(min_length=1)]
    __pydantic_config__: ClassVar[ConfigDict] = STRICT


def read_gold(path: Path, queries: Mapping[str, Query], world: World) -> tuple[Gold, ...]:
    """The rows of a gold file.

    Raises:
        PartitionError: every row that can't be read, and every query and item that is not there or not shown.
    """
    table = read_table(path, Gold)
    faults = list(table.faults)
    for row in table.rows:
        if row.value.query not in queries:
            faults.append(table.fault(row.line, "query", f"a query of the partition; no {row.value.query!r} is there"))
        hidden = [one for one in row.value.items if one not in world.serving]
        faults += [table.fault(row.line, "items", f"an item that policy shows; {one!r} is none") for one in hidden]
    if faults:
        raise PartitionError(faults, "gold file")
    return table.values


def search_all(engine: Engine, queries: Iterable[Query], world: World, depth: int = LIMIT) -> Rankings:
    """What every system finds for every query, the hybrid one `NEAR_MISSES` ranks below the depth too.

    Raises:
        UsageError: the index is of another corpus, or one of the systems gave no complete answer.
        MamboError: the dense route can't be loaded; the reason is that of the engine.
    """
    if engine.version.manifest.corpus["digest"] != world.corpus.digest:
        raise UsageError(f"Version {engine.version.name} was made of another corpus.", "Run `mambomeme publish`.")
    if not engine.dense_ready:
        engine.load_dense()
    if engine.dense_error:
        raise engine.dense_error
    asked = list(queries)
    return {
        name: {query.id: _ranked(engine, query, route, depth + NEAR_MISSES * (name == HYBRID)) for query in asked}
        for name, route in SYSTEMS.items()
    }


def _ranked(engine: Engine, query: Query, route: str, limit: int) -> list[str]:
    result = engine.search(query.text, route, limit)
    if result.state is not State.COMPLETE:
        raise UsageError(f"The {route} route gave no complete answer to query {query.id} ({result.state}).")
    return [hit.meme.id for hit in result.hits]


def gather(
    queries: Iterable[Query],
    rankings: Rankings,
    targets: Mapping[str, Targets],
    gold: Iterable[Gold],
    world: World,
    depth: int = LIMIT,
    seed: int = 1,
) -> dict[str, list[str]]:
    """The items to be judged for each query, sorted by id, so that their order tells nothing."""
    named: dict[str, list[str]] = {}
    for one in gold:
        named.setdefault(one.query, []).extend(one.items)
    likeness = Likeness(world)
    found: dict[str, list[str]] = {}
    for query in queries:
        lists = {name: ranked.get(query.id, ()) for name, ranked in rankings.items()}
        items = {item for ranked in lists.values() for item in ranked[:depth]}
        items.update(lists.get(HYBRID, ())[depth : depth + NEAR_MISSES])
        items.update(named.get(query.id, ()))
        if query.id in targets:
            items.update(targets[query.id].items, targets[query.id].groups)
        items.update(_neighbour(query, lists, likeness, seed))
        found[query.id] = sorted(items)
    return found


def _neighbour(query: Query, lists: Mapping[str, Sequence[str]], likeness: "Likeness", seed: int) -> Iterator[str]:
    """An item of the family that most resembles what is asked for, none of whose items any system found.

    A no-match query asks for no family; there it is the one of the first result.
    """
    seen = {item.partition(".")[0] for ranked in lists.values() for item in ranked}
    first = [item.partition(".")[0] for item in [*lists.get(HYBRID, ()), *sorted(seen)][:1]]
    asked = query.templates or tuple(first)
    if family := likeness.nearest(asked, seen.union(asked)):
        items = likeness.items[family]
        yield items[int(pcg64(seed, "neighbour", query.id).random_raw()) % len(items)]


class Likeness:
    """How much families resemble one another: the cues that they share, the rarer the weightier.

    The weight of a cue is `log(families / families with it)` (inverse document frequency, Spärck Jones 1972). Only
    families with originals that policy shows take part.
    """

    def __init__(self, world: World) -> None:
        shown: list[Meme] = [one for one in world.corpus.memes if one.id in world.serving and one.id == one.group]
        self.items: dict[str, list[str]] = {}
        for meme in shown:
            self.items.setdefault(meme.family.id, []).append(meme.id)
        self._cues = {meme.family.id: _cues(meme.family) for meme in shown}
        counts = Counter(cue for cues in self._cues.values() for cue in cues)
        self._weights = {cue: math.log(len(self._cues) / count) for cue, count in counts.items()}

    def nearest(self, asked: Sequence[str], but: frozenset[str] | set[str]) -> str:
        """The family that shares most with the asked ones, or an empty text where none shares anything."""
        wanted = frozenset[str]().union(*(self._cues.get(one, frozenset()) for one in asked))
        scores = {
            family: sum(self._weights[cue] for cue in sorted(wanted & cues))
            for family, cues in self._cues.items()
            if family not in but
        }
        best = min(scores, key=lambda family: (-scores[family], family), default="")
        return best if best and scores[best] > 0 else ""


def _cues(family: Family) -> frozenset[str]:
    names = [*family.people, *filter(None, [family.franchise])]
    return frozenset(fold(cue) for cue in (*names, *family.topics, *family.actions, family.kind))


def pcg64(*parts: int | str) -> np.random.PCG64:
    """The one generator of everything that is drawn: PCG64, seeded with the SHA-256 of the parts, in this order.

    Only its raw stream is used, which no later version of numpy may change (NEP 19).
    """
    digest = hashlib.sha256("\x00".join(str(part) for part in parts).encode()).digest()
    return np.random.PCG64(int.from_bytes(digest))
