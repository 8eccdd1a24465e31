"""The engine path: every query of a partition through the Python engine, in process, in shuffled blocks.

Nothing is cached and one request is made at a time. Its times are the engine's own and never stand for the time that a
person waits, which only the program in a terminal has.
"""

import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, TextIO

from mambomeme_eval.benchmark import LIMIT, Partition, Query
from mambomeme_eval.figures import milliseconds
from mambomeme_eval.loading_rows import is_there
from mambomeme_eval.machine import identity
from mambomeme_eval.pooling import pcg64
from mambomeme_eval.runs import Request, RunHeader, partition_digest, to_line
from mambomeme_tui.errors import UsageError
from mambomeme_tui.retrieval.engine import Engine
from mambomeme_tui.retrieval.results import State

SYSTEMS: Final = {"bm25": "lexical", "dense": "dense", "hybrid": "hybrid"}
"""What the scorecard calls a system, and the route of the engine that it is."""

Progress = Callable[[str, int, int], None]


def blocks(queries: Sequence[Query], count: int, seed: int) -> list[list[Query]]:
    """So many seeded permutations of all queries (PCG64), one block a repeat."""
    ordered = sorted(queries, key=lambda query: query.id)
    found = []
    for number in range(count):
        keys = pcg64(seed, "block", number).random_raw(len(ordered)).tolist()
        found.append([query for _, query in sorted(zip(keys, ordered, strict=True), key=lambda pair: pair[0])])
    return found


def run_engine(
    engine: Engine, partition: Partition, system: str, repeats: int, seed: int, out: Path, progress: Progress
) -> Path:
    """Run one system and write its run, which gets its name once it is whole; returns the file.

    Args:
        engine: both routes loaded.
        partition: whose queries are asked.
        system: one of `SYSTEMS`.
        repeats: how often every query is asked.
        seed: of the order.
        out: an existing folder.
        progress: hears the system, and how many requests of how many were made.

    Raises:
        UsageError: there is a run of the system already.
        OSError: the run can't be written.
    """
    header = RunHeader(
        system=system,
        interface="engine",
        version=engine.version.name,
        corpus=str(engine.version.manifest.corpus["digest"]),
        partition=str(partition.header.partition),
        seed=seed,
        repeats=repeats,
        identity=identity(),
        queries=partition_digest(partition),
    )
    path = run_file(out, system)
    part = path.with_name(f".{path.name}.part")
    try:
        with part.open("w", encoding="utf-8", buffering=1) as stream:  # line by line
            stream.write(to_line(header))
            _ask_all(engine, partition, system, repeats, seed, stream, progress)
            os.fsync(stream.fileno())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
    return path


def run_file(out: Path, system: str) -> Path:
    """Where the run of a system goes.

    Raises:
        UsageError: a file is there already; a run is never written over.
    """
    path = out / f"{system}.jsonl"
    if is_there(path):
        raise UsageError(f"{path} is there already.", "Name another folder with --out.")
    return path


def _ask_all(
    engine: Engine, partition: Partition, system: str, repeats: int, seed: int, stream: TextIO, progress: Progress
) -> None:
    total = repeats * len(partition.queries)
    done = 0
    for repeat, block in enumerate(blocks(partition.queries, repeats, seed)):
        for query in block:
            stream.write(to_line(ask(engine, query, SYSTEMS[system], repeat)))
            done += 1
            progress(system, done, total)


def ask(engine: Engine, query: Query, route: str, repeat: int) -> Request:
    """One request; an exception of the engine is an error, never an empty list, and so is half an answer."""
    started = time.perf_counter_ns()
    try:
        result = engine.search(query.text, route, LIMIT)
    except Exception as error:  # whatever it is, the other requests are made
        return Request(query.id, repeat, None, None, type(error).__name__)
    passed = milliseconds(started, time.perf_counter_ns())
    if result.state is not State.COMPLETE:
        return Request(query.id, repeat, None, passed, str(result.state))
    routes = {hit.meme.id: tuple(sorted(hit.routes)) for hit in result.hits}
    return Request(query.id, repeat, tuple(hit.meme.id for hit in result.hits), passed, routes=routes)
