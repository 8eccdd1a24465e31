"""Exported files, filled in as a person would."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mambomeme_tui.records import SafetyClass

Row = dict[str, Any]


def read(path: Path) -> list[Row]:
    """The rows of an exported file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def write(path: Path, rows: list[Row]) -> Path:
    """Rows as a file."""
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def filled(
    path: Path, grade: int = 2, safety: SafetyClass = SafetyClass.SAFE, spoil: Callable[[list[Row]], object] = len
) -> Path:
    """The same file with one answer throughout, then spoilt."""
    rows = [row | {"grade": grade, "safety": str(safety)} for row in read(path)]
    spoil(rows)
    return write(path, rows)
