"""Ways to spoil the rows of a partition, and the faults that are then told."""

from collections.abc import Callable
from pathlib import Path

import pytest

from mambomeme_eval.benchmark import Partition, PartitionError
from mambomeme_eval.loading import Mode, load
from tests.eval.partitions import Draft, bundled_world

Spoil = Callable[[Draft], object]
OTHER_HASH = "f" * 64


def faults_of(draft: Draft, folder: Path, mode: Mode = Mode.SCORING) -> list[tuple[str, int, str]]:
    """File, line and field of every fault of a partition that must be refused."""
    with pytest.raises(PartitionError) as raised:
        load(draft.write(folder), bundled_world(), mode)
    assert raised.value.exit_code == 3
    assert str(len(raised.value.faults)) in raised.value.message
    return [(Path(one.file).name, one.line, one.field) for one in raised.value.faults]


def loaded(draft: Draft, folder: Path, mode: Mode = Mode.SCORING) -> Partition:
    """The partition that is loaded from the rows."""
    return load(draft.write(folder), bundled_world(), mode)


def set_(rows: str, at: int, **values: object) -> Spoil:
    """Change values of one row."""
    return lambda draft: getattr(draft, rows)[at].update(values)


def add(rows: str, row: Callable[[Draft], object]) -> Spoil:
    """Add a row."""
    return lambda draft: getattr(draft, rows).append(row(draft))


def header(**values: object) -> Spoil:
    """Change values of the header."""
    return lambda draft: draft.header.update(values)


def drop(rows: str, at: int) -> Spoil:
    """Take a row away."""
    return lambda draft: getattr(draft, rows).pop(at)
