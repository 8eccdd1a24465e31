"""What people judge: a partition with its pool, opened and checked, and how the pool came to be.

    pooling.json        the seed of all orders, and one entry for each time that candidates were added

`pool.jsonl` only grows, batch after batch, so that nobody's order changes when candidates are added. A pool that is not
the one its files name is refused: an answer must never land on another candidate than the one that was shown.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

from mambomeme_eval import loading_judgements as rules
from mambomeme_eval.benchmark import Candidate, Header, PartitionError, PoolHeader, Query, Targets, pool_version
from mambomeme_eval.journal import POOLING_FILE, Pooling
from mambomeme_eval.loading import HEADER_FILE, POOL_FILE, POOL_HEADER_FILE, QUERIES_FILE, Mode, load
from mambomeme_eval.loading_rows import Table, is_there, read_document, read_table
from mambomeme_eval.loading_structure import World
from mambomeme_tui.errors import Fault, UsageError


@dataclass(frozen=True, slots=True)
class Judging:
    """An opened partition with its pool.

    Attributes:
        root: the corpus folder, below which the pictures lie.
        queries: by id, in the order of the partition.
        candidates: in the order of the file, batch after batch.
        table: the same as it was read, with lines.
    """

    folder: Path
    root: Path
    world: World
    header: Header
    queries: Mapping[str, Query]
    targets: Mapping[str, Targets]
    pool: PoolHeader
    pooling: Pooling
    table: Table[Candidate]

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        """All candidates of all queries."""
        return self.table.values

    def batches(self) -> list[tuple[Candidate, ...]]:
        """The candidates of each batch."""
        ends = list(accumulate(batch.added for batch in self.pooling.batches))
        return [self.candidates[start:end] for start, end in zip([0, *ends], ends, strict=False)]


def open_judging(folder: Path, world: World, root: Path) -> Judging:
    """Open a partition's pool for judging.

    Args:
        folder: of the partition.
        world: the corpus that is served.
        root: the corpus folder that it was read from.

    Raises:
        PartitionError: queries, targets or pool have faults, or belong to another corpus or policy.
        UsageError: there is no pool yet.
    """
    partition = load(folder, world, Mode.STRUCTURE)
    if not is_there(folder / POOL_HEADER_FILE):
        raise UsageError("The partition has no pool to judge.", "Run `mambomeme-eval pool` first.")
    pool = read_document(folder / POOL_HEADER_FILE, PoolHeader)
    table = read_table(folder / POOL_FILE, Candidate)
    pooling = read_document(folder / POOLING_FILE, Pooling)
    faults = [*pool.faults, *table.faults, *pooling.faults, *_faults(folder, world, table, pool, pooling)]
    if faults:
        raise PartitionError(faults, "pool")
    return Judging(
        folder,
        root,
        world,
        partition.header,
        {query.id: query for query in partition.queries},
        partition.targets,
        pool.values[0],
        pooling.values[0],
        table,
    )


def _faults(
    folder: Path, world: World, table: Table[Candidate], pool: Table[PoolHeader], pooling: Table[Pooling]
) -> Iterator[Fault]:
    header = read_document(folder / HEADER_FILE, Header)
    yield from rules.header_faults(header, world)
    yield from rules.pool_faults(table, pool, read_table(folder / QUERIES_FILE, Query), world)
    again = "the pool as it is; `mambomeme-eval pool` completes one that was interrupted"
    for made in pooling.values if table.whole else ():
        last = made.batches[-1]
        if last.version != pool_version(table.values) or sum(one.added for one in made.batches) != len(table.rows):
            yield pooling.fault(1, "batches", again)
        elif any(head.judgement_set < last.judgement_set for head in header.values):
            yield header.fault(1, "judgement_set", again)
