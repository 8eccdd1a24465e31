"""The manifest of a version: what it was made from and with, and the SHA-256 of every file in it.

`verify` compares every byte before anything is opened: a Whoosh index is unpickled and an Annoy tree is mapped, so
that neither may be touched while it could be something else. The same records, parameters, code and libraries give
the same manifest to the byte: what differs from one build to the next, times and speeds, stands in `build.json`.
"""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

from mambomeme_tui.digests import hash_file, hash_json
from mambomeme_tui.errors import DamagedVersion
from mambomeme_tui.files import read_json

FORMAT = 3
MANIFEST_FILE = "manifest.json"
BUILD_FILE = "build.json"


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
        code: the program's version, the commit where it is known, and the digest of the sources that make an index.
        corpus: digest and counts of the records, and the policy's version and digest.
        model: identity of the encoder: weights, exported network with sizes and hashes, preprocessing, parity with
            sentence-transformers and the libraries that made the export.
        embedding: count, dimension, type, order and hash of the vectors, and the recall of Annoy against exact search.
        parameters: weights, depths, fusion constant and thresholds, see `mambomeme_tui.parameters`.
        libraries: versions of the libraries that made the files.
        files: every file but `manifest.json` and `build.json`, by path.
    """

    format: int
    version: str
    code: dict[str, str]
    corpus: dict[str, Any]
    model: dict[str, Any]
    embedding: dict[str, Any]
    parameters: dict[str, Any]
    libraries: dict[str, str]
    files: tuple[FileEntry, ...]

    def write(self, folder: Path) -> None:
        """Write the manifest beside the files that it names, with a digest of itself."""
        _write_signed(folder / MANIFEST_FILE, asdict(self))

    @classmethod
    def read(cls, folder: Path) -> Self:
        """Read a manifest.

        Raises:
            DamagedVersion: it is missing, unreadable, altered, of another format, or not of this shape.
        """
        try:
            data = _read_signed(folder / MANIFEST_FILE)
            if data["format"] != FORMAT:
                raise DamagedVersion(f"Version {folder.name} has format {data['format']}, not {FORMAT}.")
            manifest = cls(**{**data, "files": tuple(FileEntry(**entry) for entry in data["files"])})
            _check_shape(manifest)
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            reason = type(error).__name__
            raise DamagedVersion(f"The manifest of version {folder.name} can't be read ({reason}).") from None
        return manifest


@dataclass(frozen=True, slots=True)
class BuildRecord:
    """What differs from one build of a version to the next: when it was (UTC, ISO 8601), and each stage's figures."""

    created: str
    stages: tuple[dict[str, Any], ...]

    def write(self, folder: Path) -> None:
        """Write the record beside the manifest, with a digest of itself."""
        _write_signed(folder / BUILD_FILE, asdict(self))

    @classmethod
    def read(cls, folder: Path) -> Self:
        """Read a record.

        Raises:
            DamagedVersion: it is missing, unreadable, altered or not of this shape.
        """
        try:
            data = _read_signed(folder / BUILD_FILE)
            return cls(created=str(data.pop("created")), stages=tuple(data.pop("stages")), **data)
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            reason = type(error).__name__
            raise DamagedVersion(f"The build record of version {folder.name} can't be read ({reason}).") from None


def _check_shape(manifest: Manifest) -> None:
    """What readers rely on is there and of its type; whoever signs a manifest anew can have written anything.

    Raises:
        TypeError, KeyError, AttributeError: it is not.
    """
    texts = [manifest.version, manifest.code["sources"], manifest.corpus["digest"], manifest.model["folder"]]
    numbers = [manifest.corpus["items"], *(manifest.embedding[name] for name in ("items", "rows", "links"))]
    for entry in manifest.model["files"].values():
        texts.append(entry["sha256"])
        numbers.append(entry["size"])
    wrong = [one for one in texts if not isinstance(one, str)] + [one for one in numbers if type(one) is not int]
    if wrong or not isinstance(manifest.parameters, dict):
        raise TypeError("another shape")


def _write_signed(path: Path, data: dict[str, Any]) -> None:
    signed = data | {"digest": hash_json(data)}
    text = json.dumps(signed, indent=2, sort_keys=True, ensure_ascii=False)
    path.write_text(text + "\n", encoding="utf-8")


def _read_signed(path: Path) -> dict[str, Any]:
    data: dict[str, Any] = read_json(path)
    if data.pop("digest") != hash_json(data):
        kind = "manifest" if path.name == MANIFEST_FILE else "build record"
        raise DamagedVersion(f"The {kind} of version {path.parent.name} was altered.")
    return data


def list_files(folder: Path) -> tuple[FileEntry, ...]:
    """Entries for every file below a folder but the manifest and the build record, sorted by path."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file() and path not in _unlisted(folder))
    return tuple(FileEntry(path.relative_to(folder).as_posix(), path.stat().st_size, hash_file(path)) for path in paths)


def verify(folder: Path, entries: tuple[FileEntry, ...], what: str = "") -> None:
    """Compare files with their entries; a file that no entry names is a fault too.

    Args:
        folder: holds the files.
        entries: what they should be.
        what: what a person is told it is; "version" and its name, where nothing is said.

    Raises:
        DamagedVersion: naming the first file that differs.
    """
    what = what or f"version {folder.name}"
    named = {entry.path for entry in entries}
    for path in sorted(folder.rglob("*")):
        relative = path.relative_to(folder).as_posix()
        if not path.is_dir() and relative not in named and path not in _unlisted(folder):
            raise DamagedVersion(
                f"{what[:1].upper()}{what[1:]} holds a file that its manifest does not name: {relative}."
            )
    for entry in entries:
        try:
            path = folder / entry.path
            same = path.stat().st_size == entry.size and hash_file(path) == entry.sha256
        except (OSError, ValueError, TypeError):  # no such file, or a name that can't be one
            same = False
        if not same:
            raise DamagedVersion(f"In {what}, {entry.path} is not what the manifest says.")


def _unlisted(folder: Path) -> tuple[Path, Path]:
    return folder / MANIFEST_FILE, folder / BUILD_FILE
