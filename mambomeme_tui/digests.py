"""Hashes that identify files and records. SHA-256 throughout, always in hex."""

import hashlib
import json
from pathlib import Path
from typing import Any


def hash_file(path: Path) -> str:
    """SHA-256 of a file, read in blocks."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def hash_json(value: Any) -> str:
    """SHA-256 of the canonical JSON of `value`: keys sorted, no blanks, UTF-8."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def family_files(root: Path) -> list[Path]:
    """The family files below a corpus folder, sorted by name."""
    return sorted((root / "families").glob("*.toml"))


def source_digest(root: Path) -> str:
    """SHA-256 over the bytes of all files that records are made of: tells cheaply whether a version is up to date."""
    others = [path for path in (root / "policy.toml", root / "manifest.json") if path.is_file()]
    return hash_json([(path.name, hash_file(path)) for path in [*family_files(root), *others]])
