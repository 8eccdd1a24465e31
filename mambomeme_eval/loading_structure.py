"""The rules that queries and targets must meet together (decisions 1 and 3); each function yields the faults of one.

What is not there counts as missing only where the file that should hold it could be read to its end.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from mambomeme_eval.benchmark import EXACT_SLICES, Header, Labels, PartitionName, Query, Slice, Targets
from mambomeme_eval.loading_rows import Row, Table, twice
from mambomeme_eval.serving import serving
from mambomeme_tui.corpus import Corpus
from mambomeme_tui.errors import Fault
from mambomeme_tui.records import Meme
from mambomeme_tui.text import words


@dataclass(frozen=True)
class World:
    """The corpus that a partition speaks of, by id, and the families that development may use."""

    corpus: Corpus
    development: frozenset[str]

    @cached_property
    def memes(self) -> dict[str, Meme]:
        """Every item by its id."""
        return {meme.id: meme for meme in self.corpus.memes}

    @cached_property
    def families(self) -> frozenset[str]:
        """The id of every family."""
        return frozenset(meme.family.id for meme in self.corpus.memes)

    @cached_property
    def serving(self) -> frozenset[str]:
        """The ids of the items that policy shows to everybody."""
        return frozenset(meme.id for meme in serving(self.corpus))


def query_faults(table: Table[Query], header: Header | None, world: World) -> Iterator[Fault]:
    """What is wrong with single queries, and with queries beside one another."""
    yield from twice(table, "id", lambda query: query.id)
    yield from twice(table, "text", lambda query: " ".join(words(query.text)) or query.text)
    for row in table.rows:
        yield from _shape_faults(table, row)
        yield from _template_faults(table, row, header, world)
    yield from _family_faults(table)
    if table.whole:
        filled = {query.slice for query in table.values}
        empty = [one for one in Slice if one not in filled]
        yield from (table.fault(1, "slice", f"at least one query in the slice {one}") for one in empty)


def _shape_faults(table: Table[Query], row: Row[Query]) -> Iterator[Fault]:
    query = row.value
    if query.answerable != bool(query.slice):
        yield table.fault(row.line, "slice", "a slice exactly on an answerable query")
    if query.answerable != bool(query.templates):
        yield table.fault(row.line, "templates", "corpus families exactly on an answerable query")
    for field, values in (("marks", query.marks), ("templates", query.templates)):
        if len(set(values)) < len(values):
            yield table.fault(row.line, field, "no value twice")


def _template_faults(table: Table[Query], row: Row[Query], header: Header | None, world: World) -> Iterator[Fault]:
    for template in row.value.templates:
        if template not in world.families:
            yield table.fault(row.line, "templates", f"a family of the corpus; there is no {template!r}")
        elif header and header.partition is PartitionName.DEVELOPMENT and template not in world.development:
            yield table.fault(row.line, "templates", f"a development family, which {template!r} is not")
        elif header and header.partition is PartitionName.HIDDEN and template in world.development:
            yield table.fault(row.line, "templates", f"a family kept for judging, which {template!r} is not")


def _family_faults(table: Table[Query]) -> Iterator[Fault]:
    first: dict[str, Row[Query]] = {}
    for row in table.rows:
        other = first.setdefault(row.value.family, row)
        if other.value.slice != row.value.slice:
            there = f"line {other.line} has it in {other.value.slice or 'no slice'}"
            yield table.fault(row.line, "family", f"one slice for each query family; {there}")


def count_faults(table: Table[Query], header: Header, missing: Iterable[str]) -> Iterator[Fault]:
    """Counts may differ from the table of sizes only where the word `provisional` says so."""
    if header.labels is Labels.FINAL and table.whole:
        expected = "the size of the partition, or provisional labels"
        yield from (table.fault(1, "(count)", f"{expected}: {one}") for one in missing)


def target_faults(table: Table[Targets], queries: Table[Query], world: World) -> Iterator[Fault]:
    """Whether targets exist, may be shown, and stand on every query that needs one."""
    yield from twice(table, "query", lambda targets: targets.query)
    known = {query.id: query for query in queries.values}
    for row in table.rows:
        query = known.get(row.value.query)
        if query is None and queries.whole:
            yield table.fault(row.line, "query", f"a query of the partition; there is no {row.value.query!r}")
        if query and not query.answerable:
            yield table.fault(row.line, "query", "an answerable query")
        yield from _one_target_faults(table, row, query, world)
    if table.whole:
        having = {targets.query for targets in table.values}
        for query_row in queries.rows:
            if query_row.value.slice in EXACT_SLICES and query_row.value.id not in having:
                yield queries.fault(query_row.line, "id", f"an exact target, in {Path(table.file).name}")


def _one_target_faults(table: Table[Targets], row: Row[Targets], query: Query | None, world: World) -> Iterator[Fault]:
    targets = row.value
    if not targets.items and not targets.groups:
        yield table.fault(row.line, "items", "at least one item or group")
    for field, ids in (("items", targets.items), ("groups", targets.groups)):
        if len(set(ids)) < len(ids):
            yield table.fault(row.line, field, "no value twice")
        for one in dict.fromkeys(ids):
            meme = world.memes.get(one)
            if meme is None or (field == "groups" and meme.group != one):
                wanted = "a group, named by its original" if field == "groups" else "an item of the corpus"
                yield table.fault(row.line, field, f"{wanted}; there is no {one!r}")
            elif one not in world.serving:
                yield table.fault(row.line, field, f"what policy shows, which {one!r} is not")
            elif query and meme.family.id not in query.templates:
                yield table.fault(row.line, field, f"an item of the query's templates, which {one!r} is not")
