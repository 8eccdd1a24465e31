"""The file mode is blind, goes there and back, and takes in nothing of a file that has a fault."""

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mambomeme_eval.benchmark import PartitionError
from mambomeme_eval.desk import Desk, annotator_desk, ledger_of
from mambomeme_eval.export import TakenIn, export, question, take_in
from mambomeme_eval.judging import Judging
from mambomeme_tui.errors import OutputError
from tests.eval.files_of_answers import Row, filled, read, write
from tests.eval.judging_sets import MADE, NOW, answer, grown, judged, opened, pooled, rows

FIELDS = {
    *("number", "of", "query", "text", "title", "quote", "shows", "meaning", "tags", "language", "template", "aliases"),
    *("people", "franchise", "kind", "year", "media", "moving", "content_hash", "pool", "guideline", "annotator"),
    *("role", "grade", "safety"),
}


def exported(judging: Judging, name: str = "ann") -> tuple[Desk, Path]:
    desk, path = annotator_desk(judging, name), judging.folder.parent / f"{name}.answers"
    export(desk, ledger_of(judging), path)
    return desk, path


def test_a_file_shows_the_items_in_the_persons_order_and_nothing_else(tmp_path: Path) -> None:
    judging = judged(pooled(tmp_path / "p"), bob=3)
    desk, path = exported(judging)
    found = read(path)
    assert [row["number"] for row in found] == list(range(1, 54))
    assert [row["content_hash"] for row in found] == [task.candidate.content_hash for task in desk.tasks]
    assert {frozenset(row) for row in found} == {frozenset(FIELDS)}
    assert {(row["grade"], row["safety"]) for row in found} == {(None, None)}
    text = path.read_text()
    assert not any(system in text for system in ("bm25", "hybrid", "lexical", MADE.index))
    assert "bob" not in text
    meme = judging.world.memes[desk.tasks[0].candidate.item]
    assert (found[0]["title"], found[0]["quote"], found[0]["shows"]) == (meme.title, meme.quote, meme.picture)
    assert (found[0]["text"], found[0]["media"]) == (judging.queries[found[0]["query"]].text, meme.media)


def test_a_repeated_candidate_looks_like_any_other(tmp_path: Path) -> None:
    _, path = exported(pooled(tmp_path / "p"))
    found = read(path)
    pairs = [(row["query"], row["content_hash"]) for row in found]
    twice = {pair for pair in pairs if pairs.count(pair) == 2}
    assert len(twice) == 2
    for pair in twice:
        one, other = (row for row in found if (row["query"], row["content_hash"]) == pair)
        assert one | {"number": 0} == other | {"number": 0}


def test_answers_go_in_with_their_places_and_repetitions(tmp_path: Path) -> None:
    judging = pooled(tmp_path / "p")
    desk, path = exported(judging)
    write(path, [row | {"grade": row["number"] % 4, "safety": "safe"} for row in read(path)])
    assert take_in(desk, ledger_of(judging), path, NOW) == TakenIn(53, 0, 0)
    for row, task in zip(rows(judging), desk.tasks, strict=True):
        assert (row.query, row.item, row.repeat, row.position) == (*task.pair, task.repeat, task.number)
        assert row.grade == task.number % 4
    assert desk.open(rows(judging)) == []


def test_the_order_of_lines_does_not_matter(tmp_path: Path) -> None:
    judging = pooled(tmp_path / "p")
    desk, path = exported(judging)
    filled(path, spoil=lambda found: found.reverse())
    take_in(desk, ledger_of(judging), path, NOW)
    assert [row.position for row in rows(judging)] == list(range(1, 54))


def test_the_rest_of_what_was_judged_on_the_screen_can_be_judged_in_a_file(tmp_path: Path) -> None:
    judging = pooled(tmp_path / "p")
    answer(annotator_desk(judging, "ann"), most=20)
    desk, path = exported(judging)
    assert [row["number"] for row in read(path)] == list(range(21, 54))
    assert take_in(desk, ledger_of(judging), filled(path), NOW).appended == 33
    other, again = exported(judging, "bob")
    assert export(desk, ledger_of(judging), tmp_path / "none") == 0
    assert not (tmp_path / "none").exists()
    assert take_in(other, ledger_of(judging), filled(again), NOW).appended == 53


def set_(at: int, **values: object) -> Callable[[list[Row]], object]:
    return lambda found: found[at].update(values)


SPOILT: list[tuple[Callable[[list[Row]], object], int, str]] = [
    (set_(4, grade=None), 5, "grade"),
    (set_(4, safety=None), 5, "safety"),
    (set_(4, grade=4), 5, "grade"),
    (set_(4, grade=-1), 5, "grade"),
    (set_(4, grade="2"), 5, "grade"),
    (set_(4, grade=2.5), 5, "grade"),
    (set_(4, grade=True), 5, "grade"),
    (set_(4, safety="harmless"), 5, "safety"),
    (set_(4, content_hash="f" * 64), 5, "content_hash"),
    (set_(4, pool="f" * 64), 5, "pool"),
    (set_(4, guideline="2"), 5, "guideline"),
    (set_(4, annotator="bob"), 5, "annotator"),
    (set_(4, role="adjudicator"), 5, "role"),
    (set_(4, query="dev-002"), 5, "query"),
    (set_(4, text="another"), 5, "text"),
    (set_(4, quote="another"), 5, "quote"),
    (set_(4, number=54), 5, "number"),
    (set_(4, number=0), 5, "number"),
    (set_(4, remark="funny"), 5, "remark"),
    (set_(4, of=54), 53, "of"),
    (lambda found: found[4].pop("title"), 5, "title"),
    (lambda found: found.pop(4), 52, "of"),
    (lambda found: found.append(found[4]), 5, "number"),
]


@pytest.mark.parametrize(("spoil", "line", "field"), SPOILT)
def test_one_fault_anywhere_and_nothing_goes_in(
    tmp_path: Path, spoil: Callable[[list[Row]], object], line: int, field: str
) -> None:
    judging = pooled(tmp_path / "p")
    desk, path = exported(judging)
    with pytest.raises(PartitionError) as raised:
        take_in(desk, ledger_of(judging), filled(path, spoil=spoil), NOW)
    assert (line, field) in [(one.line, one.field) for one in raised.value.faults]
    assert rows(judging) == ()
    assert not (judging.folder / "judgements.jsonl").exists()


def test_all_faults_are_told_at_once(tmp_path: Path) -> None:
    judging = pooled(tmp_path / "p")
    desk, path = exported(judging)

    def spoil(found: list[Row]) -> None:
        found[2]["grade"] = 7
        found[5] |= {"grade": None, "safety": None, "title": "x"}
        found[9]["pool"] = "f" * 64

    with pytest.raises(PartitionError) as raised:
        take_in(desk, ledger_of(judging), filled(path, spoil=spoil), NOW)
    assert [(one.line, one.field) for one in raised.value.faults] == [
        (3, "grade"),
        (6, "grade"),
        (6, "safety"),
        (6, "title"),
        (10, "pool"),
    ]
    assert "5 faults" in raised.value.message


@settings(deadline=None, max_examples=25)  # the disk may be slow
@given(data=st.data())
def test_a_file_that_was_cut_anywhere_is_refused(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    judging = pooled(tmp_path_factory.mktemp("cut") / "p")
    desk, path = exported(judging)
    whole = filled(path).read_bytes()
    path.write_bytes(whole[: data.draw(st.integers(0, len(whole) - 1))])
    with pytest.raises(PartitionError):
        take_in(desk, ledger_of(judging), path, NOW)
    assert rows(judging) == ()


def test_a_file_of_an_older_pool_is_refused(tmp_path: Path) -> None:
    judging = pooled(tmp_path / "p")
    _, path = exported(judging)
    grown(judging.folder, {"dev-002": ("john-cena.shy-bug",)})
    after = opened(judging.folder)
    with pytest.raises(PartitionError) as raised:
        take_in(annotator_desk(after, "ann"), ledger_of(after), filled(path), NOW)
    assert {one.field for one in raised.value.faults} == {"pool"}


def test_a_file_goes_in_once(tmp_path: Path) -> None:
    judging = pooled(tmp_path / "p")
    desk, path = exported(judging)
    take_in(desk, ledger_of(judging), filled(path), NOW)
    before = rows(judging)
    assert take_in(desk, ledger_of(judging), path, NOW) == TakenIn(0, 53, 0)
    assert rows(judging) == before


def test_two_people_may_finish_before_a_third_file_comes_in(tmp_path: Path) -> None:
    judging = pooled(tmp_path / "p")
    desk, path = exported(judging, "dee")
    judged(judging, ann=2, bob=2)
    before = rows(judging)
    assert take_in(desk, ledger_of(judging), filled(path), NOW) == TakenIn(0, 0, 53)
    assert rows(judging) == before


def test_what_was_completed_meanwhile_is_passed_by_and_the_rest_goes_in(tmp_path: Path) -> None:
    judging = pooled(tmp_path / "p")
    desk, path = exported(judging)
    answer(desk, most=5)
    assert take_in(desk, ledger_of(judging), filled(path), NOW) == TakenIn(48, 5, 0)
    assert sorted(row.position for row in rows(judging)) == list(range(1, 54))


def test_rows_that_were_left_out_are_told_even_where_the_count_was_changed_too(tmp_path: Path) -> None:
    judging = pooled(tmp_path / "p")
    desk, path = exported(judging)
    left = [row | {"of": 43, "grade": 2, "safety": "safe"} for row in read(path)[:43]]
    with pytest.raises(PartitionError) as raised:
        take_in(desk, ledger_of(judging), write(path, left), NOW)
    assert [(one.line, one.field) for one in raised.value.faults] == [(43, "of")]
    assert "10 were left out" in raised.value.faults[0].expected
    assert rows(judging) == ()


def test_what_was_taken_back_since_the_export_need_not_be_in_the_file(tmp_path: Path) -> None:
    judging = pooled(tmp_path / "p")
    desk = annotator_desk(judging, "ann")
    answer(desk, most=3)
    _, path = exported(judging)
    ledger = ledger_of(judging)
    ledger.withdraw(ledger.rows()[-1])
    assert take_in(desk, ledger, filled(path), NOW) == TakenIn(50, 0, 0)


@pytest.mark.parametrize(
    ("field", "value"), [("annotator", "bob"), ("role", "adjudicator"), ("guideline", "2"), ("pool", "f" * 64)]
)
def test_a_file_of_somebody_or_something_else_is_told_once(tmp_path: Path, field: str, value: str) -> None:
    judging = pooled(tmp_path / "p")
    desk, path = exported(judging)
    filled(path, spoil=lambda found: [row.update({field: value}) for row in found])
    with pytest.raises(PartitionError) as raised:
        take_in(desk, ledger_of(judging), path, NOW)
    assert [(one.line, one.field) for one in raised.value.faults] == [(1, field)]


def test_an_export_that_fails_leaves_no_half_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    judging = pooled(tmp_path / "p")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OutputError, match="No space left"):
        exported(judging)
    assert not (tmp_path / "ann.answers").exists()


def test_a_file_that_is_there_is_not_written_over(tmp_path: Path) -> None:
    judging = pooled(tmp_path / "p")
    path = tmp_path / "mine"
    path.write_text("a night's work")
    with pytest.raises(OutputError, match="File exists"):
        export(annotator_desk(judging, "ann"), ledger_of(judging), path)
    assert path.read_text() == "a night's work"


def test_no_control_code_or_direction_override_of_an_item_reaches_the_file(tmp_path: Path) -> None:
    judging = pooled(tmp_path / "p", {"dev-001": ("salt-bae.cat-fur",)})
    hostile = "a\x1b[31m\u202eb\x9bc [red]d[/red]"
    meme = judging.world.memes["salt-bae.cat-fur"]
    judging.world.memes["salt-bae.cat-fur"] = replace(meme, quote=hostile, title=hostile, tags=(hostile,))
    try:
        desk = annotator_desk(judging, "ann")
        told = question(desk, desk.tasks[0], 1)
    finally:
        judging.world.memes["salt-bae.cat-fur"] = meme
    assert told.quote == told.title == told.tags[0]
    assert told.quote.isprintable()
    assert "[red]d[/red]" in told.quote
    assert json.loads(json.dumps(told.quote)) == told.quote
