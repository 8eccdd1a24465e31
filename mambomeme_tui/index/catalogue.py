"""The catalogue: every record of a version in one SQLite file, by position and by id.

Positions count from 0 in the order of the ids; the Whoosh documents and the vectors use the same positions. A family
is stored once and joined to its items again when they are read. A published catalogue is only ever opened read-only
and immutable.
"""

import json
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

from mambomeme_tui import rights
from mambomeme_tui.records import Meme, SafetyClass

CATALOGUE_FILE = "catalogue.sqlite"
_FAMILIES = "CREATE TABLE families (id TEXT PRIMARY KEY, record TEXT NOT NULL) STRICT"
_MEMES = """CREATE TABLE memes (
    position INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, family TEXT NOT NULL REFERENCES families (id),
    level TEXT NOT NULL, rights_fault TEXT NOT NULL, record TEXT NOT NULL) STRICT"""
_WITHHELD = """SELECT position FROM memes
    WHERE rights_fault <> '' OR level NOT IN (SELECT value FROM json_each(?))"""
_SPELT = """SELECT position FROM memes JOIN families ON memes.family = families.id
    WHERE instr(memes.record, ?1) OR instr(families.record, ?1) ORDER BY position"""
_RECORDS = "SELECT memes.record, families.record FROM memes JOIN families ON memes.family = families.id"


def create(path: Path, memes: Iterable[Meme]) -> None:
    """Write a new catalogue; the file must not exist."""
    connection = sqlite3.connect(path)
    try:
        with connection:
            connection.execute(_FAMILIES)
            connection.execute(_MEMES)
            known: set[str] = set()
            for position, meme in enumerate(memes):
                record = meme.to_dict()
                family = record.pop("family")
                if meme.family.id not in known:
                    known.add(meme.family.id)
                    connection.execute("INSERT INTO families VALUES (?, ?)", (meme.family.id, _to_json(family)))
                fault = rights.withheld_because(meme.rights)
                row = (position, meme.id, meme.family.id, meme.safety.level, fault, _to_json(record))
                connection.execute("INSERT INTO memes VALUES (?, ?, ?, ?, ?, ?)", row)
            connection.execute("CREATE INDEX classes ON memes (level, rights_fault)")
    finally:
        connection.close()


def _to_json(record: dict[str, Any]) -> str:
    return json.dumps(record, ensure_ascii=False, sort_keys=True)


def _from_json(record: str, family: str) -> Meme:
    return Meme.from_dict(json.loads(record) | {"family": _family(family)})


@lru_cache(maxsize=64)
def _family(record: str) -> dict[str, Any]:
    """Memes that are read one after the other are mostly of few families; nobody changes what is returned."""
    data: dict[str, Any] = json.loads(record)
    return data


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
        rows = self._connection.execute(_WITHHELD, (json.dumps(sorted(shown)),))
        return frozenset(position for (position,) in rows)

    def at(self, positions: Sequence[int]) -> list[Meme]:
        """The memes at these positions, in their order."""
        one = f"{_RECORDS} WHERE position = ?"
        rows = [self._connection.execute(one, (position,)).fetchone() for position in positions]
        return [_from_json(*row) for row in rows]

    def spelt(self, sign: str) -> list[int]:
        """Positions of the memes in whose record, or whose family's, a sign stands that JSON writes as it is."""
        return [position for (position,) in self._connection.execute(_SPELT, (sign,))]

    def by_id(self, identifier: str) -> Meme | None:
        """The meme with this id, if there is one."""
        row = self._connection.execute(f"{_RECORDS} WHERE memes.id = ?", (identifier,)).fetchone()
        return _from_json(*row) if row else None

    def everything(self) -> Iterator[Meme]:
        """All memes by position."""
        for row in self._connection.execute(f"{_RECORDS} ORDER BY position"):
            yield _from_json(*row)

    def is_sound(self) -> bool:
        """Whether SQLite finds no fault in the file."""
        return bool(self._connection.execute("PRAGMA quick_check").fetchone() == ("ok",))

    def close(self) -> None:
        """Close the file."""
        self._connection.close()
