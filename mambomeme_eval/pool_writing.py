"""Writes a pool, or adds to one what is not in it yet, which begins a new judgement set.

The journal `pooling.json` is written first and the partition's header last, each in one step. When this is
interrupted, the same command completes it; until then nobody can judge or score the pool.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from mambomeme_eval import loading_judgements as rules
from mambomeme_eval.benchmark import Candidate, Header, PartitionError, PoolHeader, Query, pool_version, to_row
from mambomeme_eval.journal import POOLING_FILE, Batch, Pooling
from mambomeme_eval.loading import HEADER_FILE, POOL_FILE, POOL_HEADER_FILE, QUERIES_FILE
from mambomeme_eval.loading_rows import is_there, read_document, read_table, to_lines
from mambomeme_eval.loading_structure import World
from mambomeme_eval.writing import write_whole
from mambomeme_tui.errors import Fault, UsageError


@dataclass(frozen=True, slots=True)
class Made:
    """How the candidates of one run were found; see `Batch`."""

    index: str
    systems: tuple[str, ...]
    depth: int
    near_misses: int


@dataclass(frozen=True, slots=True)
class Extended:
    """What a run did: how many candidates it added, how many there are now, and which judgement set holds them."""

    added: int
    total: int
    judgement_set: int
    version: str


@dataclass(frozen=True, slots=True)
class _Before:
    header: Header
    candidates: tuple[Candidate, ...]
    systems: tuple[str, ...]
    depth: int
    seed: int | None
    batches: tuple[Batch, ...]


def seed_of(folder: Path) -> int | None:
    """The seed of a partition's pool, or None where there is no pool yet.

    Raises:
        PartitionError: `pooling.json` can't be read.
    """
    if not is_there(folder / POOLING_FILE):
        return None
    table = read_document(folder / POOLING_FILE, Pooling)
    if table.faults:
        raise PartitionError(table.faults, "pool")
    return table.values[0].seed


def extend(folder: Path, world: World, found: Mapping[str, Sequence[str]], made: Made, seed: int) -> Extended:
    """Add the found candidates that the pool of a partition does not hold yet.

    Args:
        found: query -> ids of items; the file gets them in this order.
        seed: of all orders; that of the pool where there is one.

    Raises:
        PartitionError: the pool that is there has faults, or belongs to another corpus or policy.
        UsageError: its rows were changed by something else, or it has another seed.
        OutputError: a file can't be written.
    """
    before = _before(folder, world)
    if before.seed not in (None, seed):
        raise UsageError(f"The pool has the seed {before.seed}, which can't be changed.")
    known = {(one.query, one.item) for one in before.candidates}
    pairs = [(query, item) for query, items in found.items() for item in items if (query, item) not in known]
    new = [Candidate(query, item, world.memes[item].content_hash) for query, item in dict.fromkeys(pairs)]
    candidates = (*before.candidates, *new)
    if not candidates:
        raise UsageError("There is nothing to be judged: no system found anything, and nothing was named.")
    version = pool_version(candidates)
    header = replace(before.header, judgement_set=_set_number(before, bool(new)))
    batches = before.batches
    if new:
        batches += (Batch(version, len(new), header.judgement_set, world.corpus.digest, **to_row(made)),)
    systems = tuple(dict.fromkeys([*before.systems, *made.systems]))
    pool = PoolHeader(version, systems, max(before.depth, made.depth))
    _write(folder, Pooling(seed, batches), candidates, pool, header)
    return Extended(len(new), len(candidates), header.judgement_set, version)


def _set_number(before: _Before, grows: bool) -> int:
    """The first pool belongs to the set that the header names; each later growth begins another one."""
    current = max([before.header.judgement_set, *(batch.judgement_set for batch in before.batches)])
    return current + (grows and bool(before.batches))


def _before(folder: Path, world: World) -> _Before:
    header = read_document(folder / HEADER_FILE, Header)
    faults: list[Fault] = [*header.faults, *rules.header_faults(header, world)]
    if faults:
        raise PartitionError(faults)
    if not is_there(folder / POOL_FILE):
        return _Before(header.values[0], (), (), 0, None, ())
    table = read_table(folder / POOL_FILE, Candidate)
    pool, pooling = (
        read_document(folder / POOL_HEADER_FILE, PoolHeader),
        read_document(folder / POOLING_FILE, Pooling),
    )
    faults = [*table.faults, *pooling.faults]
    # a header of another version is what an interruption leaves; it is written again below
    faults += rules.pool_faults(table, replace(pool, rows=()), read_table(folder / QUERIES_FILE, Query), world)
    if faults:
        raise PartitionError(faults, "pool")
    made, rows = pooling.values[0], table.values
    systems = pool.values[0].systems if pool.values else made.batches[0].systems
    depth = max([made.batches[0].depth, *(one.depth for one in pool.values)])
    return _Before(header.values[0], rows, systems, depth, made.seed, _batches_of(rows, made))


def _batches_of(candidates: Sequence[Candidate], made: Pooling) -> tuple[Batch, ...]:
    """The batches that the rows hold; the journal may have one more, whose rows were not written any more."""
    version = pool_version(candidates)
    for count in range(len(made.batches), 0, -1):
        batches = made.batches[:count]
        if batches[-1].version == version and sum(batch.added for batch in batches) == len(candidates):
            return batches
    raise UsageError(
        f"The rows of {POOL_FILE} are not those that {POOLING_FILE} names.",
        "Take both files from where they were last used together.",
    )


def _write(folder: Path, pooling: Pooling, rows: Sequence[Candidate], pool: PoolHeader, header: Header) -> None:
    """Write what differs from what is there, in the order that a later run can complete."""
    texts = {
        POOLING_FILE: _document(pooling),
        POOL_FILE: to_lines(rows),
        POOL_HEADER_FILE: _document(pool),
        HEADER_FILE: _document(header),
    }
    for name, text in texts.items():
        path = folder / name
        if not path.is_file() or path.read_bytes() != text.encode():
            write_whole(path, text)


def _document(record: Any) -> str:
    return json.dumps(to_row(record), indent=2, ensure_ascii=False) + "\n"
