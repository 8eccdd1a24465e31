"""The catalogue: every record of a version in one SQLite file, by position and by id.

Positions count from 0 in the order of the ids; the Whoosh documents and the vectors use the same positions. A
published catalogue is only ever opened read-only and immutable.
"""

import json
import sqlite3
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from urllib.parse import quote

from mambomeme_tui import rights
from mambomeme_tui.records import Meme, SafetyClass

CATALOGUE_FILE = "catalogue.sqlite"
_SCHEMA = """CREATE TABLE memes (
    position INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, level TEXT NOT NULL, rights_fault TEXT NOT NULL,
    record TEXT NOT NULL) STRICT"""


def create(path: Path, memes: Iterable[Meme]) -> None:
    """Write a new catalogue; the file must not exist."""
    connection = sqlite3.connect(path)
    try:
        with connection:
            connection.execute(_SCHEMA)
            rows = (
                (position, meme.id, meme.safety.level, rights.withheld_because(meme.rights), _to_json(meme))
                for position, meme in enumerate(memes)
            )
            connection.executemany("INSERT INTO memes VALUES (?, ?, ?, ?, ?)", rows)
    finally:
        connection.close()


def _to_json(meme: Meme) -> str:
    return json.dumps(meme.to_dict(), ensure_ascii=False, sort_keys=True)


class Catalogue:
    """A published catalogue. One caller at a time, from any thread."""

    def __init__(self, path: Path) -> None:
        uri = f"file:{quote(str(path))}?mode=ro&immutable=1"
        self._connection = sqlite3.connect(uri, uri=True, check_same_thread=False)

    def __len__(self) -> int:
        (count,) = self._connection.execute("SELECT count(*) FROM memes").fetchone()
        return int(count)

    def withheld(self, shown: Collection[SafetyClass]) -> frozenset[int]:
        """Positions of the memes that are not of these classes, or whose rights are not in order."""
        rows = self._connection.execute("SELECT position, level, rights_fault FROM memes")
        return frozenset(position for position, level, fault in rows if fault or level not in shown)

    def at(self, positions: Sequence[int]) -> list[Meme]:
        """The memes at these positions, in their order."""
        one = "SELECT record FROM memes WHERE position = ?"
        rows = [self._connection.execute(one, (position,)).fetchone() for position in positions]
        return [Meme.from_dict(json.loads(record)) for (record,) in rows]

    def by_id(self, identifier: str) -> Meme | None:
        """The meme with this id, if there is one."""
        row = self._connection.execute("SELECT record FROM memes WHERE id = ?", (identifier,)).fetchone()
        return Meme.from_dict(json.loads(row[0])) if row else None

    def close(self) -> None:
        """Close the file."""
        self._connection.close()
