"""No undo and no crash makes the file of judgements unreadable, and nothing of what was answered is thrown away."""

from dataclasses import replace
from pathlib import Path

import pytest

from mambomeme_eval.agreement import agreement
from mambomeme_eval.benchmark import PartitionError
from mambomeme_eval.desk import annotator_desk, ledger_of
from mambomeme_eval.ledger import COMPLETED, REST_FILE, Ledger
from mambomeme_eval.loading import load
from mambomeme_eval.loading_rows import to_lines
from mambomeme_eval.progress import lines, progress
from mambomeme_tui.errors import Fault, UsageError
from mambomeme_tui.records import SafetyClass
from tests.eval.judging_sets import NOW, answer, pooled
from tests.eval.partitions import bundled_world
from tests.eval.test_judgements import row


def test_what_its_person_judged_again_is_not_withdrawn(tmp_path: Path) -> None:
    judging = pooled(tmp_path / "p")
    desk, ledger = annotator_desk(judging, "ann"), ledger_of(judging)
    answer(desk)
    repeated = next(task.pair for task in desk.tasks if task.repeat)
    first = next(one for one in ledger.rows() if (one.query, one.item) == repeated)
    with pytest.raises(UsageError, match="second time"):
        ledger.withdraw(first)
    assert len(ledger_of(judging).rows()) == 53
    assert not (judging.folder / "withdrawn.jsonl").exists()


def test_nothing_is_withdrawn_on_which_a_rule_rests(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path, lambda table: [Fault("f", 1, "x", "two")] if len(table.rows) == 1 else [])
    Ledger(tmp_path).add(lambda _: [row(1), row(2)])
    with pytest.raises(UsageError, match="build on"):
        ledger.withdraw(row(2))
    assert len(ledger.rows()) == 2


def test_a_row_that_lacks_only_its_line_feed_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "judgements.jsonl"
    path.write_text(to_lines([row(1), row(2)]).removesuffix("\n"))
    ledger = Ledger(tmp_path)
    assert ledger.recover() == COMPLETED
    assert path.read_text() == to_lines([row(1), row(2)])
    assert not (tmp_path / REST_FILE).exists()


def test_what_is_longer_than_any_row_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "judgements.jsonl"
    text = to_lines([row(1)]) + "x" * 64_001
    path.write_text(text)
    with pytest.raises(PartitionError) as raised:
        Ledger(tmp_path).recover()
    assert [(one.line, one.field) for one in raised.value.faults] == [(2, "(line)")]
    assert path.read_text() == text


def test_every_rest_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "judgements.jsonl"
    for rest in ("half", "another"):
        path.write_text(to_lines([row(1)]) + rest)
        Ledger(tmp_path).recover()
    assert (tmp_path / REST_FILE).read_text() == "half\nanother\n"


def test_a_judgement_of_a_pool_that_never_was_is_a_fault(tmp_path: Path) -> None:
    judging = pooled(tmp_path / "p")
    answer(annotator_desk(judging, "ann"), most=2)
    path = judging.folder / "judgements.jsonl"
    path.write_text(path.read_text().replace(judging.pool.version, "f" * 64, 1))
    with pytest.raises(PartitionError) as raised:
        ledger_of(judging).rows()
    assert [(one.line, one.field) for one in raised.value.faults] == [(1, "pool")]
    (judging.folder / "audits.jsonl").write_text("")
    with pytest.raises(PartitionError) as raised:
        load(judging.folder, bundled_world())
    assert (1, "pool") in [(one.line, one.field) for one in raised.value.faults]


def test_repetitions_are_counted_by_rows_whatever_was_drawn(tmp_path: Path) -> None:
    judging = pooled(tmp_path / "p")
    desk = annotator_desk(judging, "ann")
    answer(desk)
    drawn = {task.pair for task in desk.tasks if task.repeat}
    other = next(task for task in desk.tasks if task.pair not in drawn)
    again = replace(desk.row(other, 1, SafetyClass.SAFE, NOW), repeat=True)
    ledger_of(judging).add(lambda _: [again])
    known = ledger_of(judging).rows()
    (person,) = progress(judging, known).people
    assert (person.repeats, person.repeats_in_all) == (3, 3)
    assert agreement(judging.candidates, known).own["ann"].exact.total == 3


def test_one_is_told_in_the_singular(tmp_path: Path) -> None:
    judging = pooled(tmp_path / "p", {"dev-001": ("salt-bae.cat-fur",)})
    told = lines(progress(judging, ()))
    assert told[:2] == ["0 of 1 candidate of 1 query has its final grade", "  1 waits for two annotators; 0 judged it"]
