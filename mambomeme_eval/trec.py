"""TREC files: qrels and runs as `trec_eval` reads them. Exports are for other tools; the JSONL rows stay the source.

Qrels hold doubled grades (0 to 6), because a half grade is no TREC grade; safety has no place in them.

A run file holds one repeat. Three things that TREC does not know are said by these rules:
- A query without any row is a failed request.
- An answer with no results is one row with the document `(empty)`, which no qrels judge and which so earns nothing.
- Order is by descending score, then by descending document name, as `trec_eval` has it, which keeps scores in single
  precision and ignores ranks. A run whose ranks say another order than its scores is refused; ranks of equal scores
  may say anything. Exported scores are whole numbers, all different.
"""

import re
import struct
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import isfinite
from pathlib import Path
from typing import Final

from mambomeme_eval.benchmark import LIMIT, WHOLE_GRADE, PartitionError
from mambomeme_tui.errors import Fault, UsageError
from mambomeme_tui.files import read_bytes

EMPTY: Final = "(empty)"
MOST_GRADE: Final = 3 * WHOLE_GRADE
Ranking = Sequence[str] | None
Run = dict[str, list[list[str] | None]]
"""Query -> one entry a repeat: the ranked ids, at most ten, or None for a failed request."""
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_TAG = re.compile(r"[!-~]+")
_COLUMNS_OF_QRELS, _COLUMNS_OF_A_RUN = 4, 6


def format_qrels(grades: Mapping[str, Mapping[str, int]]) -> str:
    """Doubled grades as a qrels file: query, 0, item, grade."""
    return "".join(f"{query} 0 {item} {grade}\n" for query, items in grades.items() for item, grade in items.items())


def read_qrels(path: Path, queries: Collection[str], items: Collection[str]) -> dict[str, dict[str, int]]:
    """Doubled grades from a qrels file.

    Raises:
        PartitionError: every line that is no such row, names an unknown query or item, has a grade outside 0 to 6, or
            judges an item a second time.
    """
    grades: dict[str, dict[str, int]] = {}
    faults: list[Fault] = []
    for line, columns in _lines(path, _COLUMNS_OF_QRELS, faults):
        query, _, item, grade = columns
        if query not in queries or item not in items:
            faults.append(Fault(str(path), line, "item", "a query of the partition and an item of the corpus"))
        elif not re.fullmatch("[0-9]", grade) or int(grade) > MOST_GRADE:
            faults.append(Fault(str(path), line, "grade", f"a doubled grade, 0 to {MOST_GRADE}"))
        elif item in grades.setdefault(query, {}):
            faults.append(Fault(str(path), line, "item", "one grade for each item of a query"))
        else:
            grades[query][item] = int(grade)
    if faults:
        raise PartitionError(faults, "qrels file")
    return grades


def format_run(ranked: Mapping[str, Ranking], items: Collection[str], tag: str) -> str:
    """One repeat as a run file.

    A list that is an error in itself (an id twice, more than ten, an id that is no item) is left out like any other
    failed request: it earns the same nothing, and no tool could read it.

    Args:
        ranked: query -> ranked ids, or None for a failed request.
        items: the ids of the published manifest.
        tag: the system's name, without blanks.

    Raises:
        UsageError: the tag can't stand in a run file.
    """
    if not _TAG.fullmatch(tag):
        raise UsageError("A run's tag is one word of ASCII characters.")
    valid = {query: ids for query, ids in ranked.items() if ids is not None and _valid(ids, items)}
    return "".join(
        f"{query} Q0 {item} {rank} {LIMIT + 1 - rank} {tag}\n"
        for query, ids in valid.items()
        for rank, item in enumerate(ids or [EMPTY], 1)
    )


def _valid(ids: Sequence[str], items: Collection[str]) -> bool:
    return len(ids) <= LIMIT and len(set(ids)) == len(ids) and all(item in items for item in ids)


def format_runs(run: Run, items: Collection[str], tag: str) -> list[str]:
    """Every repeat as a run file of its own.

    Raises:
        UsageError: the queries do not all have the same number of repeats.
    """
    if len({len(repeats) for repeats in run.values()}) > 1:
        raise UsageError("Every query of a run has the same number of repeats.")
    repeats = len(next(iter(run.values()), []))
    return [format_run({query: lists[at] for query, lists in run.items()}, items, tag) for at in range(repeats)]


@dataclass(frozen=True, slots=True)
class _Scored:
    line: int
    item: str
    rank: int
    score: float


def read_runs(paths: Iterable[Path], queries: Sequence[str], items: Collection[str]) -> Run:
    """Run files as a run: each file is one repeat, and a query that is missing in it failed.

    Args:
        paths: in the order of the repeats.
        queries: the ids of the partition's queries.
        items: the ids of the published manifest.

    Raises:
        PartitionError: every line with an unknown query or item, a score that is no finite number, a rank that is
            none or contradicts the scores, an item twice, or an eleventh result.
    """
    run: Run = {query: [] for query in queries}
    faults: list[Fault] = []
    for path in paths:
        scored = _scored(path, faults)
        for query, rows in scored.items():
            faults.extend(_query_faults(str(path), rows, known=query in run, items=items))
        for query in run:
            run[query].append(_ranked(scored[query]) if query in scored else None)
    if faults:
        raise PartitionError(faults, "run")
    return run


def _ranked(rows: Iterable[_Scored]) -> list[str]:
    ordered = sorted(rows, key=lambda row: (row.score, row.item), reverse=True)
    return [row.item for row in ordered if row.item != EMPTY]


def _scored(path: Path, faults: list[Fault]) -> dict[str, list[_Scored]]:
    found: dict[str, list[_Scored]] = defaultdict(list)
    for line, (query, _, item, rank, score, _) in _lines(path, _COLUMNS_OF_A_RUN, faults):
        number = _single(score)
        if number is None:
            faults.append(Fault(str(path), line, "score", "a finite number"))
        elif not re.fullmatch("[0-9]{1,9}", rank):
            faults.append(Fault(str(path), line, "rank", "a whole number"))
        else:
            found[query].append(_Scored(line, item, int(rank), number))
    return found


def _single(text: str) -> float | None:
    """A score as `trec_eval` keeps it, in single precision; None where it is no number or too large for that."""
    if not _NUMBER.fullmatch(text) or not isfinite(float(text)):
        return None
    try:
        return float(struct.unpack("<f", struct.pack("<f", float(text)))[0])
    except OverflowError:
        return None


def _query_faults(file: str, rows: Sequence[_Scored], known: bool, items: Collection[str]) -> Iterator[Fault]:
    if not known:
        yield Fault(file, rows[0].line, "query", "a query of the partition")
    seen: set[str] = set()
    for row in rows:
        if row.item in seen:
            yield Fault(file, row.line, "item", "no item twice for a query")
        if row.item not in items and (row.item != EMPTY or len(rows) > 1):
            yield Fault(file, row.line, "item", f"an item of the corpus, or {EMPTY} alone")
        seen.add(row.item)
    yield from (Fault(file, row.line, "query", f"at most {LIMIT} results") for row in rows[LIMIT:])
    above = -1
    for _, tied in groupby(sorted(rows, key=lambda row: row.score, reverse=True), key=lambda row: row.score):
        ranks = {row.rank: row.line for row in tied}
        if min(ranks) <= above:
            yield Fault(file, ranks[min(ranks)], "rank", "the order of the scores")
        above = max(above, *ranks)


def _lines(path: Path, columns: int, faults: list[Fault]) -> Iterator[tuple[int, list[str]]]:
    """The columns of every line that has so many; the others become faults."""
    try:
        text = read_bytes(path).decode("utf-8")
    except (OSError, UnicodeDecodeError):
        faults.append(Fault(str(path), 1, "(file)", "a readable file of UTF-8 text"))
        return
    *lines, rest = text.split("\n")
    for number, line in enumerate(lines, 1):
        found = line.split()
        if len(found) == columns:
            yield number, found
        else:
            faults.append(Fault(str(path), number, "(line)", f"{columns} columns"))
    if rest:
        faults.append(Fault(str(path), len(lines) + 1, "(line)", "a line feed at its end; the line is half-written"))
