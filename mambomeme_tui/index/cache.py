"""Vectors of texts that were embedded before, by the hash of the text and of the network that embedded it.

Everything in it can be made again: a cache that can't be read or written is done without, and an entry that does not
match its own checksum is no entry. Only the process that holds the lock on the data folder touches it.
"""

import hashlib
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing, suppress
from pathlib import Path

import numpy as np

from mambomeme_tui.encoder import DIMENSION, Vectors
from mambomeme_tui.index.layout import CACHE_FOLDER

_SCHEMA = "CREATE TABLE IF NOT EXISTS vectors (text BLOB PRIMARY KEY, vector BLOB, checksum BLOB) STRICT"
_BYTES = DIMENSION * 4
_FAILURES = (sqlite3.Error, UnicodeDecodeError)
"""What SQLite's reader raises on a damaged file: it may quote bytes of it that are no text."""


def cache_path(data: Path, network: str) -> Path:
    """The cache's file; `network` is the SHA-256 of the exported network."""
    return data / CACHE_FOLDER / f"vectors-{network[:16]}.sqlite"


def text_key(text: str) -> bytes:
    """What a text's vector is found by: the SHA-256 of its UTF-8."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


class VectorCache:
    """A cache, opened or begun anew. Use `close`, or what was added since the last `keep` is lost."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._connection: sqlite3.Connection | None = None
        with suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            if not self._open():
                self._begin_anew()

    def _open(self) -> bool:
        try:
            connection = sqlite3.connect(self._path, isolation_level=None)
        except _FAILURES:
            return False
        try:
            connection.execute("PRAGMA synchronous = OFF")  # what a power cut garbles has a wrong checksum
            connection.execute("PRAGMA journal_mode = TRUNCATE")
            connection.execute(_SCHEMA)
            connection.execute("BEGIN")
        except _FAILURES:
            connection.close()
            return False
        self._connection = connection
        return True

    def _begin_anew(self) -> None:
        for path in self._path.parent.glob(f"{self._path.name}*"):
            path.unlink()
        self._open()

    def get(self, text: str) -> Vectors | None:
        """The vector of a text, of shape (384,), if it is known."""
        key = text_key(text)
        row = self._fetch("SELECT vector, checksum FROM vectors WHERE text = ?", key)
        if row is None or len(row[0]) != _BYTES or row[1] != _checksum(key, row[0]):
            return None
        return np.frombuffer(row[0], "<f4").astype(np.float32)

    def _fetch(self, statement: str, key: bytes) -> tuple[bytes, bytes] | None:
        if self._connection is None:
            return None
        try:
            found: tuple[bytes, bytes] | None = self._connection.execute(statement, (key,)).fetchone()
        except _FAILURES:
            self._give_up()
            return None
        return found

    def put(self, text: str, vector: Vectors) -> None:
        """Remember a text's vector, of shape (384,)."""
        key, value = text_key(text), vector.astype("<f4").tobytes()
        self._write("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)", [(key, value, _checksum(key, value))])

    def keep(self) -> None:
        """Keep what was added, whatever happens next."""
        self._write("COMMIT")
        self._write("BEGIN")

    def close(self) -> None:
        """Keep what was added, and close."""
        self._write("COMMIT")
        self._give_up()

    def _write(self, statement: str, rows: Sequence[tuple[bytes, ...]] | None = None) -> None:
        if self._connection is None:
            return
        try:
            self._connection.execute(statement) if rows is None else self._connection.executemany(statement, rows)
        except _FAILURES:
            self._give_up()

    def _give_up(self) -> None:
        if self._connection is not None:
            with suppress(*_FAILURES):
                self._connection.close()
            self._connection = None


def shrink(path: Path, texts: Iterable[str]) -> int:
    """Forget every text but these; returns how many were forgotten. A cache that can't be read is removed."""
    wanted = {text_key(text) for text in texts}
    try:
        with closing(sqlite3.connect(f"file:{path}?mode=rw", uri=True)) as connection:
            with connection:
                known = [key for (key,) in connection.execute("SELECT text FROM vectors")]
                gone = [(key,) for key in known if key not in wanted]
                connection.executemany("DELETE FROM vectors WHERE text = ?", gone)
            with suppress(*_FAILURES):  # it needs room for a second copy; without it the room is used later
                connection.execute("VACUUM")
    except _FAILURES:
        for left_over in path.parent.glob(f"{path.name}*"):  # its journal belongs to no other file
            with suppress(IsADirectoryError, PermissionError):  # a folder of that name is not ours to remove
                left_over.unlink(missing_ok=True)
        return 0
    return len(gone)


def _checksum(key: bytes, value: bytes) -> bytes:
    return hashlib.sha256(key + value).digest()[:8]
