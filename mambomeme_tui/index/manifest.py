"""The manifest of a version: what it was made from and with, and the SHA-256 of every file in it.

`verify` compares every byte before anything is opened: a Whoosh index is unpickled and an Annoy tree is mapped, so
that neither may be touched while it could be something else.
"""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

from mambomeme_tui.digests import hash_file, hash_json
from mambomeme_tui.errors import DamagedVersion

FORMAT = 1
MANIFEST_FILE = "manifest.json"


@dataclass(frozen=True, slots=True)
class FileEntry:
    """One file of a version: its path below the version's folder, its size in bytes, its SHA-256 (hex)."""

    path: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """Everything that is needed to say what a version is, and to prove that it still is that.

    Attributes:
        format: raised when a reader of an older format could misread the files.
        version: the version's name, derived from what it was made from and with.
        created: UTC, ISO 8601.
        code: the program's version.
        corpus: digests and counts of the records.
        model: identity, hashes and preprocessing of the encoder.
        embedding: count, dimension, type, parity of the two encoders, recall of Annoy against exact search.
        parameters: ranking parameters, see `mambomeme_tui.parameters`.
        libraries: versions of the libraries that made the files.
        files: every file but the manifest itself, by path.
    """

    format: int
    version: str
    created: str
    code: str
    corpus: dict[str, Any]
    model: dict[str, Any]
    embedding: dict[str, Any]
    parameters: dict[str, Any]
    libraries: dict[str, str]
    files: tuple[FileEntry, ...]

    def write(self, folder: Path) -> None:
        """Write the manifest beside the files that it names, with a digest of itself."""
        data = asdict(self)
        data["digest"] = hash_json(data)
        text = json.dumps(data, indent=2, sort_keys=True, ensure_ascii=False)
        (folder / MANIFEST_FILE).write_text(text + "\n", encoding="utf-8")

    @classmethod
    def read(cls, folder: Path) -> Self:
        """Read a manifest.

        Raises:
            DamagedVersion: it is missing, unreadable, altered, of another format, or not of this shape.
        """
        try:
            data = json.loads((folder / MANIFEST_FILE).read_bytes())
            if data.pop("digest") != hash_json(data):
                raise DamagedVersion(f"The manifest of version {folder.name} was altered.")
            if data["format"] != FORMAT:
                raise DamagedVersion(f"Version {folder.name} has format {data['format']}, not {FORMAT}.")
            return cls(**{**data, "files": tuple(FileEntry(**entry) for entry in data["files"])})
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            reason = type(error).__name__
            raise DamagedVersion(f"The manifest of version {folder.name} can't be read ({reason}).") from None


def list_files(folder: Path) -> tuple[FileEntry, ...]:
    """Entries for every file below a folder but the manifest, sorted by path."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file() and path.name != MANIFEST_FILE)
    return tuple(FileEntry(path.relative_to(folder).as_posix(), path.stat().st_size, hash_file(path)) for path in paths)


def verify(folder: Path, entries: tuple[FileEntry, ...]) -> None:
    """Compare files with their entries; a file that no entry names is a fault too.

    Raises:
        DamagedVersion: naming the first file that differs.
    """
    present = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    if extra := sorted(present - {entry.path for entry in entries} - {MANIFEST_FILE}):
        raise DamagedVersion(f"Version {folder.name} holds a file that its manifest does not name: {extra[0]}.")
    for entry in entries:
        try:
            path = folder / entry.path
            same = path.stat().st_size == entry.size and hash_file(path) == entry.sha256
        except (OSError, ValueError, TypeError):  # no such file, or a name that can't be one
            same = False
        if not same:
            raise DamagedVersion(f"In version {folder.name}, {entry.path} is not what the manifest says.")
