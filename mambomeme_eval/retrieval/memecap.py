"""Reads memes and known-item queries that other people wrote, in the format of MemeCap's open part.

    corpus.jsonl.gz        id, title, text      queries-dev.jsonl.gz    id, text, kind
    qrels-dev.tsv.gz       query-id, corpus-id, score, under a header line

Every query has exactly one right answer, which is in the corpus. No text of it leaves this process but into a temporary
index, and no message quotes one.
"""

import gzip
import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from mambomeme_tui.errors import UsageError
from mambomeme_tui.text import printable

CORPUS_FILE: Final = "corpus.jsonl.gz"
QUERIES_FILE: Final = "queries-dev.jsonl.gz"
ANSWERS_FILE: Final = "qrels-dev.tsv.gz"


@dataclass(frozen=True, slots=True)
class Described:
    """A meme as it was posted: the title, which may be empty, and what is seen in the picture."""

    id: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class KnownItem:
    """A query of a kind, and the id of the one meme that it was written about."""

    text: str
    kind: str
    answer: str


@dataclass(frozen=True, slots=True)
class MemeCap:
    """The memes and the queries, in the order of their files."""

    memes: tuple[Described, ...]
    queries: tuple[KnownItem, ...]


def read(folder: Path) -> MemeCap:
    """Read a folder.

    Raises:
        UsageError: a file can't be read, or says something else than it should; nothing of its content is told.
    """
    memes = tuple(Described(*one) for one in _table(folder / CORPUS_FILE, ("id", "title", "text")))
    asked = _table(folder / QUERIES_FILE, ("id", "text", "kind"))
    answers = dict(_answers(folder / ANSWERS_FILE))
    known = {meme.id for meme in memes}
    if not memes or not asked or any(answers.get(query) not in known for query, _, _ in asked):
        raise UsageError(f"{folder} does not hold memes, and queries that each have one of them for an answer.")
    return MemeCap(memes, tuple(KnownItem(text, printable(kind), answers[query]) for query, text, kind in asked))


def _table(path: Path, fields: tuple[str, ...]) -> list[tuple[str, ...]]:
    """The named fields of each row; the first is its id."""
    try:
        rows = [tuple(_text(json.loads(line), name) for name in fields) for line in _lines(path)]
    except (OSError, EOFError, zlib.error, ValueError, KeyError, TypeError, RecursionError) as error:
        raise _unreadable(path, error) from None
    if len({row[0] for row in rows}) < len(rows):
        raise UsageError(f"{path} holds an id twice.")
    return rows


def _text(row: Any, name: str) -> str:
    if not isinstance(row[name], str):
        raise TypeError(name)
    return str(row[name])


def _answers(path: Path) -> Iterator[tuple[str, str]]:
    """Each query with its answer; one that has several is a fault."""
    try:
        pairs = [(query, item) for query, item, _ in (line.rstrip("\n").split("\t") for line in _lines(path))][1:]
    except (OSError, EOFError, zlib.error, ValueError) as error:
        raise _unreadable(path, error) from None
    if len({query for query, _ in pairs}) < len(pairs):
        raise UsageError(f"{path} gives a query more than one answer.")
    yield from pairs


def _lines(path: Path) -> Iterator[str]:
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as lines:
        yield from lines


def _unreadable(path: Path, error: Exception) -> UsageError:
    return UsageError(f"{path} is no readable file of MemeCap ({type(error).__name__}).")
