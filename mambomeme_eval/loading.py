"""Loads a partition from its folder: every rule of the benchmark is checked, and every fault is told, not the first.

    partition.json      what it is, with versions       queries.jsonl       the queries
    targets.jsonl       exact targets                   pool.json, .jsonl   what is to be judged
    judgements.jsonl    raw grades                      audits.jsonl        the checks of no-match queries
    pooling.json        where it is there: the versions that the pool had

While queries are still being written, the first three are enough (`Mode.STRUCTURE`). How a damaged file is treated
stands in `loading_rows`.
"""

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain
from pathlib import Path

from mambomeme_eval import loading_judgements as judged
from mambomeme_eval import loading_structure as structure
from mambomeme_eval.benchmark import (
    SIZES,
    Audit,
    Candidate,
    Header,
    Judgement,
    Partition,
    PartitionError,
    PoolHeader,
    Query,
    Targets,
    shortfalls,
)
from mambomeme_eval.journal import POOLING_FILE, Pooling
from mambomeme_eval.loading_rows import Table, is_there, read_document, read_table
from mambomeme_eval.loading_structure import World
from mambomeme_eval.qrels import derive
from mambomeme_tui import corpus
from mambomeme_tui.errors import CorpusError, Fault

HEADER_FILE, QUERIES_FILE, TARGETS_FILE = "partition.json", "queries.jsonl", "targets.jsonl"
POOL_HEADER_FILE, POOL_FILE = "pool.json", "pool.jsonl"
JUDGEMENTS_FILE, AUDITS_FILE = "judgements.jsonl", "audits.jsonl"
DEVELOPMENT_FILE = "development.toml"


class Mode(StrEnum):
    """How much of a partition must be there: queries and targets, or everything that scoring needs."""

    STRUCTURE = "structure"
    SCORING = "scoring"


@dataclass(frozen=True, slots=True)
class _Tables:
    header: Table[Header]
    queries: Table[Query]
    targets: Table[Targets]
    pool_header: Table[PoolHeader]
    pool: Table[Candidate]
    judgements: Table[Judgement]
    audits: Table[Audit]
    journal: Table[Pooling]

    @property
    def head(self) -> Header | None:
        return next(iter(self.header.values), None)

    def row_faults(self) -> Iterable[Fault]:
        first = (self.header.faults, self.queries.faults, self.targets.faults)
        judged = (self.pool_header.faults, self.pool.faults, self.judgements.faults, self.audits.faults)
        return chain(*first, *judged, self.journal.faults)


def world_of(root: Path) -> World:
    """The corpus below `root` and its development families.

    Raises:
        CorpusError: the corpus has faults, or no readable list of development families.
    """
    path = root / DEVELOPMENT_FILE
    try:
        families = frozenset(tomllib.loads(path.read_text(encoding="utf-8"))["families"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise CorpusError([Fault(str(path), 1, "families", f"a list of family ids: {error}")]) from None
    return World(corpus.load(root), families)


def load(folder: Path, world: World, mode: Mode = Mode.SCORING) -> Partition:
    """Read and check a partition.

    Args:
        folder: holds the files named above.
        world: the corpus that is served.
        mode: `STRUCTURE` reads header, queries and targets only.

    Raises:
        PartitionError: with all faults of all files. Counts that are not those of `SIZES` are faults of a partition
            with final labels; of a provisional one they are told in `shortfalls`.
    """
    tables = _read(folder, mode)
    head = tables.head
    missing = shortfalls(tables.queries.values, SIZES[head.partition]) if head else ()
    faults = [*tables.row_faults(), *_structure_faults(tables, world, missing)]
    if mode is Mode.SCORING:
        faults += _scoring_faults(tables, world)
    if faults or head is None:
        raise PartitionError(faults)
    return Partition(
        header=head,
        queries=tables.queries.values,
        targets={targets.query: targets for targets in tables.targets.values},
        pool=next(iter(tables.pool_header.values), None),
        candidates=tables.pool.values,
        judgements=tables.judgements.values,
        audits={audit.query: audit for audit in tables.audits.values},
        shortfalls=missing,
    )


def _read(folder: Path, mode: Mode) -> _Tables:
    scoring = mode is Mode.SCORING
    kept = scoring and is_there(folder / POOLING_FILE)
    return _Tables(
        read_document(folder / HEADER_FILE, Header),
        read_table(folder / QUERIES_FILE, Query),
        read_table(folder / TARGETS_FILE, Targets),
        read_document(folder / POOL_HEADER_FILE, PoolHeader) if scoring else Table(POOL_HEADER_FILE, (), ()),
        read_table(folder / POOL_FILE, Candidate) if scoring else Table(POOL_FILE, (), ()),
        read_table(folder / JUDGEMENTS_FILE, Judgement) if scoring else Table(JUDGEMENTS_FILE, (), ()),
        read_table(folder / AUDITS_FILE, Audit) if scoring else Table(AUDITS_FILE, (), ()),
        read_document(folder / POOLING_FILE, Pooling) if kept else Table(POOLING_FILE, (), ()),
    )


def _structure_faults(tables: _Tables, world: World, missing: Iterable[str]) -> list[Fault]:
    head = tables.head
    counted = structure.count_faults(tables.queries, head, missing) if head else ()
    return [
        *structure.query_faults(tables.queries, head, world),
        *counted,
        *structure.target_faults(tables.targets, tables.queries, world),
    ]


def _scoring_faults(tables: _Tables, world: World) -> list[Fault]:
    faults = [
        *judged.header_faults(tables.header, world),
        *judged.subset_faults(tables.queries),
        *judged.pool_faults(tables.pool, tables.pool_header, tables.queries, world),
        *judged.judgement_faults(tables.judgements, tables.pool, tables.head),
        *(fault for kept in tables.journal.values for fault in judged.journal_faults(tables.judgements, kept)),
        *judged.audit_faults(tables.audits, tables.queries, tables.head, world),
    ]
    if tables.pool.whole and tables.judgements.whole:
        qrels = derive(tables.pool.values, tables.judgements.values)
        faults += judged.grade_faults(tables.queries, qrels, world)
    return faults
