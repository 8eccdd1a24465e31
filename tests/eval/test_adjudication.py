"""The third person gets the cases of the rule and no other, is another person, and has the last word."""

from dataclasses import replace
from pathlib import Path

import pytest

from mambomeme_eval.adjudication import adjudicator_desk
from mambomeme_eval.benchmark import PartitionError
from mambomeme_eval.desk import annotator_desk, ledger_of
from mambomeme_eval.export import TakenIn, export, take_in
from mambomeme_eval.judging import Judging
from mambomeme_eval.qrels import derive
from mambomeme_tui.records import SafetyClass
from tests.eval.files_of_answers import filled
from tests.eval.judging_sets import NOW, answer, judged, pooled, rows

SAFE, SENSITIVE, BLOCKED = SafetyClass.SAFE, SafetyClass.SENSITIVE, SafetyClass.BLOCKED
ANSWERS = {  # what bob says where ann says 2 and safe; whether it goes to a third
    0: (0, SAFE, True),
    1: (1, SAFE, False),
    2: (2, SAFE, False),
    3: (3, SAFE, False),
    4: (2, SENSITIVE, True),
    5: (3, BLOCKED, True),
}


@pytest.fixture
def judging(tmp_path: Path) -> Judging:
    """Six candidates that ann and bob have judged, three of them cases for a third."""
    made = pooled(tmp_path / "p", {"dev-001": [f"john-cena.{slug}" for slug in SLUGS]})
    judged(made, ann=2)
    bob, ledger = annotator_desk(made, "bob"), ledger_of(made)
    for task in bob.open(ledger.rows()):
        grade, safety, _ = ANSWERS[SLUGS.index(task.candidate.item.partition(".")[2])]
        row = bob.row(task, grade, safety, NOW)
        ledger.add(lambda _, row=row: [row])  # type: ignore[misc]
    return made


SLUGS = ["camera-off", "camo-trousers", "curtain-toddler", "fan-selfie", "lisbon-savings", "shy-bug"]
CASES = {f"john-cena.{SLUGS[at]}" for at, (_, _, third) in ANSWERS.items() if third}


def test_only_the_cases_of_the_rule_are_open_to_a_third(judging: Judging) -> None:
    left = adjudicator_desk(judging, "cyd").open(rows(judging))
    assert {task.candidate.item for task in left} == CASES
    assert not any(task.repeat for task in left)


@pytest.mark.parametrize("name", ["ann", "bob"])
def test_neither_of_the_two_is_the_third(judging: Judging, name: str) -> None:
    assert adjudicator_desk(judging, name).open(rows(judging)) == []


def test_the_third_is_final_and_leaves_no_case(judging: Judging, tmp_path: Path) -> None:
    desk, path = adjudicator_desk(judging, "cyd"), tmp_path / "cases"
    assert export(desk, ledger_of(judging), path) == 3
    assert take_in(desk, ledger_of(judging), filled(path, 1, BLOCKED), NOW).appended == 3
    qrels = derive(judging.candidates, rows(judging))
    assert qrels.complete
    assert {item for item, grade in qrels.grades["dev-001"].items() if grade == 2} == CASES
    assert {item for item, level in qrels.safety["dev-001"].items() if level is BLOCKED} == CASES
    for name in ("cyd", "dee"):
        assert adjudicator_desk(judging, name).open(rows(judging)) == []
        assert annotator_desk(judging, name).open(rows(judging)) == []


def test_a_case_that_another_third_has_decided_is_passed_by(judging: Judging, tmp_path: Path) -> None:
    desk, path = adjudicator_desk(judging, "cyd"), tmp_path / "cases"
    export(desk, ledger_of(judging), path)
    answer(adjudicator_desk(judging, "dee"), most=1)
    before = rows(judging)
    assert take_in(desk, ledger_of(judging), filled(path, 1), NOW) == TakenIn(2, 0, 1)
    assert rows(judging)[: len(before)] == before


def test_a_file_of_an_annotator_is_none_of_a_third(judging: Judging, tmp_path: Path) -> None:
    path = tmp_path / "cases"
    export(adjudicator_desk(judging, "cyd"), ledger_of(judging), path)
    with pytest.raises(PartitionError) as raised:
        take_in(adjudicator_desk(judging, "dee"), ledger_of(judging), filled(path, 1), NOW)
    assert {"annotator"} <= {one.field for one in raised.value.faults}
    assert len(rows(judging)) == 12


def test_a_third_sees_nothing_of_what_the_two_have_said(judging: Judging, tmp_path: Path) -> None:
    desk = adjudicator_desk(judging, "cyd")
    export(desk, ledger_of(judging), tmp_path / "one")
    path = judging.folder / "judgements.jsonl"
    other = [replace(one, grade=3 - one.grade, safety=SAFE) for one in rows(judging)]
    ledger = ledger_of(judging)
    path.unlink()
    ledger.add(lambda _: [one for one in other if one.item not in CASES])
    for one in other:
        if one.item in CASES:
            grade = 0 if one.annotator == "ann" else 3
            ledger.add(lambda _, one=one, grade=grade: [replace(one, grade=grade)])  # type: ignore[misc]
    export(desk, ledger, tmp_path / "other")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "other").read_bytes()
