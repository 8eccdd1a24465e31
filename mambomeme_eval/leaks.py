"""Leaks between two partitions: whatever lets an answer of one be known from the other.

Queries, their families, their texts, their exact targets and the corpus families they are about are joined into
components: by a family that they share, by a target, by a template, by a name that two templates share or that a query
types, by pictures that are copies of one another, and by texts that are nearly the same. A component that holds
queries of both partitions is a leak, and is told with the shortest chain that joins them.
"""

import argparse
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from rapidfuzz import fuzz, process

from mambomeme_eval.benchmark import Partition, Query
from mambomeme_eval.loading import Mode, load, world_of
from mambomeme_tui import paths
from mambomeme_tui.fingerprints import COPY_DISTANCE
from mambomeme_tui.records import Meme
from mambomeme_tui.text import fold, printable, stem, words

NEAR_IDENTICAL: Final = 85.0
"""The least RapidFuzz ratio (0 to 100, of the words in a row or of their sorted stems) of two texts that are variants
of one prompt. A typo, a plural and another order of words stay above it; one word in three exchanged mostly lies below.
It errs on the side of a leak, since a prompt can be changed and a spoilt benchmark can't."""

Node = tuple[str, str]
"""What is joined: a kind of thing and its name; queries have the kind `first` or `second`, by their partition."""
FIRST, SECOND = "first", "second"


@dataclass(frozen=True, slots=True)
class Link:
    """One step of a chain: two things, and in words what one is to the other.

    Attributes:
        forward: whether the words lead from `start` to `end`, or the other way.
    """

    start: Node
    end: Node
    why: str
    forward: bool = True

    def __str__(self) -> str:
        subject, thing = (self.start, self.end) if self.forward else (self.end, self.start)
        return printable(f"{_told(subject)} {self.why} {_told(thing)}")


@dataclass(frozen=True, slots=True)
class Leak:
    """A component that spans both partitions: its queries in each, and the shortest chain from one to the other."""

    first: tuple[str, ...]
    second: tuple[str, ...]
    chain: tuple[Link, ...]


@dataclass(slots=True)
class _Graph:
    """Things and what joins them; neighbours keep the order in which they were joined."""

    links: dict[Node, dict[Node, Link]] = field(default_factory=lambda: defaultdict(dict))

    def join(self, one: Node, other: Node, why: str) -> None:
        if one != other:
            self.links[one].setdefault(other, Link(one, other, why))
            self.links[other].setdefault(one, Link(other, one, why, forward=False))

    def components(self) -> Iterator[list[Node]]:
        seen: set[Node] = set()
        for start in self.links:
            if start not in seen:
                found = list(self.reach([start]))
                seen.update(found)
                yield found

    def reach(self, starts: Iterable[Node]) -> dict[Node, Node | None]:
        """Everything that can be reached, the nearest first, with the step before it."""
        before: dict[Node, Node | None] = dict.fromkeys(starts)
        waiting = deque(before)
        while waiting:
            node = waiting.popleft()
            for other in self.links.get(node, {}):
                if other not in before:
                    before[other] = node
                    waiting.append(other)
        return before


def find_leaks(first: Partition, second: Partition, memes: Sequence[Meme]) -> list[Leak]:
    """Every component that holds queries of both partitions, in the order of the first one's queries.

    Args:
        first: and `second`, with queries and targets.
        memes: every item of the corpus that both speak of; families that no query is about can join others too.
    """
    graph = _Graph()
    for side, partition in ((FIRST, first), (SECOND, second)):
        for query in partition.queries:
            _join_query(graph, (side, query.id), query)
        _join_targets(graph, side, partition, {meme.id: meme for meme in memes})
    _join_prompts(graph, first.queries, second.queries)
    _join_names(graph, memes)
    _join_pictures(graph, memes)
    return [leak for nodes in graph.components() if (leak := _leak(graph, nodes))]


def _join_query(graph: _Graph, node: Node, query: Query) -> None:
    graph.join(node, ("query family", query.family), "is of")
    for template in query.templates:
        graph.join(node, ("template", template), "is about")
    graph.join(node, ("name", _name(query.text)), "types")


def _join_targets(graph: _Graph, side: str, partition: Partition, memes: dict[str, Meme]) -> None:
    for targets in partition.targets.values():
        for target in (*targets.items, *targets.groups):
            group = memes[target].group if target in memes else target
            graph.join((side, targets.query), ("target", group), "looks for")
            graph.join(("target", group), ("template", group.partition(".")[0]), "belongs to")


def _join_prompts(graph: _Graph, first: Sequence[Query], second: Sequence[Query]) -> None:
    nodes = [(FIRST, query) for query in first] + [(SECOND, query) for query in second]
    for normalise in (_name, _sorted_stems):
        texts = [normalise(query.text) for _, query in nodes]
        ratios = process.cdist(texts, texts, scorer=fuzz.ratio, score_cutoff=NEAR_IDENTICAL)
        for one, other in np.argwhere(np.triu(ratios, 1)).tolist():
            (side, query), (other_side, other_query) = nodes[one], nodes[other]
            graph.join((side, query.id), (other_side, other_query.id), "is nearly the same text as")


def _name(value: str) -> str:
    """A name or a prompt as it is compared: its words in a row, or the folded text where it has none."""
    return " ".join(words(value)) or fold(value)


def _sorted_stems(value: str) -> str:
    return " ".join(sorted(stem(word) for word in words(value))) or fold(value)


def _join_names(graph: _Graph, memes: Iterable[Meme]) -> None:
    for family in {meme.family.id: meme.family for meme in memes}.values():
        for name in (family.name, *family.aliases):
            graph.join(("template", family.id), ("name", _name(name)), "is called")


def _join_pictures(graph: _Graph, memes: Iterable[Meme]) -> None:
    """Templates with pictures within the copy distance of one another."""
    known = [meme for meme in memes if meme.perceptual_hash]
    if not known:
        return
    hashes = np.array([list(bytes.fromhex(meme.perceptual_hash)) for meme in known], np.uint8)
    for at, meme in enumerate(known):
        distances = np.bitwise_count(hashes[at + 1 :] ^ hashes[at]).sum(axis=1, dtype=np.int64)
        for offset in np.flatnonzero(distances <= COPY_DISTANCE):
            other = known[at + 1 + int(offset)]
            why = f"has a picture ({meme.id}, {distances[offset]} bits from {other.id}) like"
            graph.join(("template", meme.family.id), ("template", other.family.id), why)


def _leak(graph: _Graph, nodes: Sequence[Node]) -> Leak | None:
    sides = {side: sorted(name for kind, name in nodes if kind == side) for side in (FIRST, SECOND)}
    if not all(sides.values()):
        return None
    before = graph.reach((FIRST, name) for name in sides[FIRST])
    end: Node | None = next(node for node in before if node[0] == SECOND)
    chain: list[Link] = []
    while end is not None and (start := before[end]) is not None:
        chain.append(graph.links[start][end])
        end = start
    return Leak(tuple(sides[FIRST]), tuple(sides[SECOND]), tuple(reversed(chain)))


def _told(node: Node) -> str:
    kind, name = node
    return f"{name!r} ({kind})" if kind in (FIRST, SECOND) else f"the {kind} {name!r}"


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of `mambomeme-eval leaks`."""
    parser.add_argument("first", metavar="A", help="the folder of a partition")
    parser.add_argument("second", metavar="B", help="the folder of the other partition")
    parser.add_argument("--corpus", metavar="DIR", help="the corpus that both speak of (the bundled one)")


def run(options: argparse.Namespace) -> int:
    """Print every leak with the chain that joins both partitions; 1 where there is one.

    Raises:
        PartitionError: a partition has faults.
    """
    world = world_of(paths.expand(options.corpus) if options.corpus else paths.bundled("corpus"))
    first, second = (load(paths.expand(one), world, Mode.STRUCTURE) for one in (options.first, options.second))
    leaks = find_leaks(first, second, world.corpus.memes)
    for leak in leaks:
        _print(f"LEAK {' '.join(leak.first)} (first) and {' '.join(leak.second)} (second)")
        for link in leak.chain:
            _print(f"  {link}")
    _print(
        f"{len(first.queries)} and {len(second.queries)} queries: {len(leaks) or 'no'} leak{'s' * (len(leaks) != 1)}."
    )
    return 1 if leaks else 0


def _print(line: str) -> None:
    print(line)
