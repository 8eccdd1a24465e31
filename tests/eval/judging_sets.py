"""Small pools of real items to be judged, and people who judge them."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from mambomeme_eval.benchmark import Judgement
from mambomeme_eval.desk import Desk, annotator_desk, ledger_of
from mambomeme_eval.judging import Judging, open_judging
from mambomeme_eval.pool_writing import Extended, Made, extend
from mambomeme_tui.paths import bundled
from mambomeme_tui.records import SafetyClass
from tests.eval.partitions import bundled_world, small

NOW = datetime(2024, 5, 1, 12, tzinfo=UTC)
MADE = Made("v-0123456789ab", ("bm25", "hybrid"), 10, 5)
FAMILIES = ("john-cena", "salt-bae", "this-is-fine", "grumpy-cat", "doge", "stonks", "rickroll", "nyan-cat")
ITEMS = tuple(one for one in sorted(bundled_world().serving) if one.partition(".")[0] in FAMILIES)
FOUND: dict[str, Sequence[str]] = {"dev-001": ITEMS[:20], "dev-003": ITEMS[10:30], "dev-006": ITEMS[30:41]}
"""Fifty-one candidates, of which two are shown twice."""


def partition(folder: Path) -> Path:
    """Queries and targets without a pool or a judgement."""
    small().write(folder)
    for name in ("pool.json", "pool.jsonl", "judgements.jsonl", "audits.jsonl"):
        (folder / name).unlink()
    return folder


def grown(folder: Path, found: dict[str, Sequence[str]], seed: int = 7) -> Extended:
    """Add candidates to the pool of a partition."""
    return extend(folder, bundled_world(), found, MADE, seed)


def opened(folder: Path) -> Judging:
    """The pool of a partition, on the bundled corpus."""
    return open_judging(folder, bundled_world(), bundled("corpus"))


def pooled(folder: Path, found: dict[str, Sequence[str]] | None = None) -> Judging:
    """A partition with a pool, opened."""
    grown(partition(folder), FOUND if found is None else found)
    return opened(folder)


def answer(desk: Desk, grade: int = 2, safety: SafetyClass = SafetyClass.SAFE, most: int | None = None) -> None:
    """Judge what is left at a desk, or the first few of it, each with the same answer."""
    ledger = ledger_of(desk.judging)
    for task in desk.open(ledger.rows())[:most]:
        row = desk.row(task, grade, safety, NOW)
        ledger.add(lambda _, row=row: [row])  # type: ignore[misc]


def judged(judging: Judging, **grades: int) -> Judging:
    """Everything judged by these people, each with one grade throughout."""
    for name, grade in grades.items():
        answer(annotator_desk(judging, name), grade)
    return judging


def rows(judging: Judging) -> tuple[Judgement, ...]:
    """All rows on the disk."""
    return ledger_of(judging).rows()
