"""The catalogue: every record of a version in one SQLite file, by position and by id.

Positions count from 0 in the order of the ids; the Whoosh documents and the vectors use the same positions. A
published catalogue is only ever opened read-only and immutable.
"""

import json
import sqlite3
from collections.abc import Iterable, Sequence
from pathlib import Path
from urllib.parse import quote

from mambomeme_tui.records import Meme

CATALOGUE_FILE = "catalogue.sqlite"
_SCHEMA = "CREATE TABLE memes (position INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, record TEXT NOT NULL) STRICT"


def create(path: Path, memes: Iterable[Meme]) -> None:
    """Write a new catalogue; the file must not exist."""
    connection = sqlite3.connect(path)
    try:
        with connection:
            connection.execute(_SCHEMA)
            rows = (
                (position, meme.id, json.dumps(meme.to_dict(), ensure_ascii=False, sort_keys=True))
                for position, meme in enumerate(memes)
            )
            connection.executemany("INSERT INTO memes VALUES (?, ?, ?)", rows)
    finally:
        connection.close()


class Catalogue:
    """A published catalogue. One caller at a time, from any thread."""

    def __init__(self, path: Path) -> None:
        uri = f"file:{quote(str(path))}?mode=ro&immutable=1"
        self._connection = sqlite3.connect(uri, uri=True, check_same_thread=False)

    def __len__(self) -> int:
        (count,) = self._connection.execute("SELECT count(*) FROM memes").fetchone()
        return int(count)

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
