"""What people judge: a partition with its pool, opened and checked, and how the pool came to be.

    pooling.json        the seed of all orders, and one entry for each time that candidates were added

`pool.jsonl` only grows, batch after batch, so that nobody's order changes when candidates are added. A pool that is not
the one its files name is refused: an answer must never land on another candidate than the one that was shown.
"""

import os
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Annotated, ClassVar, Final

from pydantic import ConfigDict, Field

from mambomeme_eval import loading_judgements as rules
from mambomeme_eval.benchmark import LIMIT, Candidate, Header, PartitionError, PoolHeader, Query, Targets, pool_version
from mambomeme_eval.benchmark_values import STRICT, Digest, Name, Number
from mambomeme_eval.loading import HEADER_FILE, POOL_FILE, POOL_HEADER_FILE, QUERIES_FILE, Mode, load
from mambomeme_eval.loading_rows import Table, read_document, read_table
from mambomeme_eval.loading_structure import World
from mambomeme_tui.errors import Fault, OutputError, UsageError

POOLING_FILE: Final = "pooling.json"


@dataclass(frozen=True, slots=True)
class Batch:
    """Candidates that were added together.

    Attributes:
        version: of the pool with this batch and all before it.
        added: how many candidates.
        judgement_set: the judgement set that the batch began.
        corpus: digest of the corpus that was searched.
        index: the name of the version of the index that answered.
        systems: what was pooled, each to `depth` results.
        near_misses: how many results of the hybrid system just below the depth were added.
    """

    version: Digest
    added: Number
    judgement_set: Number
    corpus: Digest
    index: Name
    systems: Annotated[tuple[Name, ...], Field(min_length=1)]
    depth: Annotated[int, Field(ge=LIMIT)]
    near_misses: Annotated[int, Field(ge=0)]
    __pydantic_config__: ClassVar[ConfigDict] = STRICT


@dataclass(frozen=True, slots=True)
class Pooling:
    """`pooling.json`: how a pool came to be; the seed never changes."""

    seed: Annotated[int, Field(ge=0, lt=1 << 63)]
    batches: Annotated[tuple[Batch, ...], Field(min_length=1)]
    __pydantic_config__: ClassVar[ConfigDict] = STRICT


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
    if not (folder / POOL_HEADER_FILE).exists():
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


def write_whole(path: Path, text: str) -> None:
    """Replace a file in one step: whoever reads it sees the old text or the new one, also after a crash.

    Raises:
        OutputError: it can't be written; the old text is still there.
    """
    scratch = ""
    try:
        descriptor, scratch = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)
        with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
            os.fchmod(descriptor, path.stat().st_mode & 0o777 if path.exists() else 0o644)
            stream.write(text)
            stream.flush()
            os.fsync(descriptor)
        Path(scratch).replace(path)
        synchronise(path.parent)
    except OSError as error:
        if scratch:
            Path(scratch).unlink(missing_ok=True)
        raise OutputError(f"{path.name} can't be written: {error.strerror or error}.") from None


def synchronise(folder: Path) -> None:
    """Make the names in a folder as durable as the files that they name."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
