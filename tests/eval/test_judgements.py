"""Orders are a person's own and complete, and no answer is lost, doubled or half-kept, whatever ends the program."""

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from functools import cache
from itertools import groupby, pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mambomeme_eval import ledger as ledger_module
from mambomeme_eval.adjudication import adjudicator_desk
from mambomeme_eval.benchmark import Candidate, Judgement, PartitionError, Role
from mambomeme_eval.desk import annotator_desk, ledger_of, order
from mambomeme_eval.ledger import COMPLETED, RECOVERED, REST_FILE, Ledger
from mambomeme_eval.loading_rows import to_lines
from mambomeme_eval.progress import lines, progress
from mambomeme_tui.errors import OutputError, UsageError
from mambomeme_tui.records import SafetyClass
from tests.eval.judging_sets import NOW, answer, grown, judged, opened, pooled, rows
from tests.eval.partitions import audit

ROOT = Path(__file__).parents[2]
HASH = "a" * 64


def candidates(sizes: list[int]) -> list[Candidate]:
    return [Candidate(f"q{query}", f"f.i{item}", HASH) for query, size in enumerate(sizes) for item in range(size)]


def row(number: int, annotator: str = "ann", **other: object) -> Judgement:
    one = Judgement(
        f"q{number}", "a.b", HASH, annotator, Role.ANNOTATOR, 2, SafetyClass.SAFE, 1, False, "1", HASH, NOW.isoformat()
    )
    return replace(one, **other)  # type: ignore[arg-type]


SIZES = st.lists(st.integers(1, 40), min_size=1, max_size=6)


@given(SIZES, st.sampled_from(["ann", "bob", "日本"]), st.integers(0, 2**63 - 1))
def test_everything_is_asked_once_and_one_in_twenty_twice_half_a_batch_later(
    sizes: list[int], who: str, seed: int
) -> None:
    batch = candidates(sizes)
    asked = order(batch, seed, who, Role.ANNOTATOR, 1)
    first = [one for one, repeat in asked if not repeat]
    again = [one for one, repeat in asked if repeat]
    assert Counter(first) == Counter(batch)
    assert len(again) == len(set(again)) == len(batch) // 20
    for one in again:
        assert asked.index((one, True)) - asked.index((one, False)) >= len(batch) // 2
    assert len(list(groupby(first, key=lambda one: one.query))) == len(sizes)


@given(SIZES, st.integers(0, 1000))
def test_a_repetition_never_cuts_a_query_in_two(sizes: list[int], seed: int) -> None:
    asked = order(candidates(sizes), seed, "ann", Role.ANNOTATOR, 1)
    first = [at for at, (_, repeat) in enumerate(asked) if not repeat]
    for at, after in pairwise(first):
        assert after == at + 1 or asked[at][0].query != asked[after][0].query


@given(SIZES, st.integers(0, 1000), st.randoms(use_true_random=False))
def test_an_order_depends_on_seed_person_role_and_batch_and_on_nothing_else(
    sizes: list[int], seed: int, chance: object
) -> None:
    batch = candidates(sizes)
    shuffled = list(batch)
    chance.shuffle(shuffled)  # type: ignore[attr-defined]
    assert order(shuffled, seed, "ann", Role.ANNOTATOR, 1) == order(batch, seed, "ann", Role.ANNOTATOR, 1)


def test_two_people_two_seeds_two_roles_and_two_batches_have_different_orders() -> None:
    batch = candidates([12, 30, 7])
    same = (batch, 1, "ann", Role.ANNOTATOR, 1)
    others = [(batch, 2, *same[2:]), (batch, 1, "bob", *same[3:]), (*same[:3], Role.ADJUDICATOR, 1), (*same[:4], 2)]
    orders = [[one for one, repeat in order(*each) if not repeat] for each in [same, *others]]
    assert all(one != other for at, one in enumerate(orders) for other in orders[:at])


def test_an_order_never_changes_from_one_release_to_the_next() -> None:
    asked = order(candidates([3, 2]), 1, "ann", Role.ANNOTATOR, 1)
    assert [(one.query, one.item) for one, _ in asked] == PINNED


PINNED = [("q1", "f.i0"), ("q1", "f.i1"), ("q0", "f.i2"), ("q0", "f.i0"), ("q0", "f.i1")]


def test_a_third_annotator_is_asked_nothing_and_a_repetition_only_of_ones_own(tmp_path: Path) -> None:
    judging = judged(pooled(tmp_path / "p"), ann=2, bob=2)
    assert annotator_desk(judging, "dee").open(rows(judging)) == []
    assert Counter((one.annotator, one.repeat) for one in rows(judging)) == {
        ("ann", False): 51,
        ("ann", True): 2,
        ("bob", False): 51,
        ("bob", True): 2,
    }
    assert progress(judging, rows(judging)).waiting == {}


def test_three_people_at_once_leave_two_judgements_of_each_candidate(tmp_path: Path) -> None:
    judging = pooled(tmp_path / "p")
    answer(annotator_desk(judging, "ann"), most=30)
    answer(annotator_desk(judging, "bob"), most=40)
    for name in ("dee", "ann", "bob"):
        answer(annotator_desk(judging, name))
    first = Counter((one.query, one.item) for one in rows(judging) if not one.repeat)
    assert set(first.values()) == {2}
    assert len(first) == 51


def test_a_desk_goes_on_where_it_stopped(tmp_path: Path) -> None:
    judging = pooled(tmp_path / "p")
    answer(annotator_desk(judging, "ann"), most=17)
    desk = annotator_desk(opened(judging.folder), "ann")
    assert desk.open(rows(judging)) == list(desk.tasks[17:])
    assert [one.position for one in rows(judging)] == list(range(1, 18))


@pytest.mark.parametrize("name", ["", " ann", "an\x1b[31mn", "x" * 65, "a\nb"])
def test_a_pseudonym_that_no_row_can_hold_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match="pseudonym"):
        annotator_desk(pooled(tmp_path / "p"), name)


def test_times_are_told_in_utc(tmp_path: Path) -> None:
    desk = annotator_desk(pooled(tmp_path / "p"), "ann")
    local = datetime(2024, 5, 1, 14, 30, tzinfo=timezone(timedelta(hours=2)))
    assert desk.row(desk.tasks[0], 3, SafetyClass.SAFE, local).time == "2024-05-01T12:30:00+00:00"


WRITER = """
import sys
from pathlib import Path
from dataclasses import replace
from mambomeme_eval.ledger import Ledger
from tests.eval.test_judgements import row
ledger, name = Ledger(Path(sys.argv[1])), sys.argv[2]
for number in range(int(sys.argv[3])):
    ledger.add(lambda _: [row(number, name)])
    print(number, flush=True)
"""


def writer(folder: Path, name: str, count: int) -> "subprocess.Popen[str]":
    command = [sys.executable, "-c", WRITER, str(folder), name, str(count)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def test_an_answer_that_was_acknowledged_survives_a_kill(tmp_path: Path) -> None:
    with writer(tmp_path, "ann", 10_000) as process:
        assert process.stdout
        for _ in range(25):
            last = int(process.stdout.readline())
        process.send_signal(signal.SIGKILL)
        rest = process.stdout.read().split()
    last = int(rest[-1]) if rest else last
    ledger = Ledger(tmp_path)
    ledger.recover()
    found = [one.query for one in ledger.rows()]
    assert found in ([f"q{number}" for number in range(last + more)] for more in (1, 2))


def test_two_programs_at_once_write_whole_lines(tmp_path: Path) -> None:
    with writer(tmp_path, "ann", 40) as one, writer(tmp_path, "bob", 40) as other:
        assert one.wait() == other.wait() == 0
        one.communicate(), other.communicate()
    found = Counter(one.annotator for one in Ledger(tmp_path).rows())
    assert found == {"ann": 40, "bob": 40}


@cache
def three_rows() -> bytes:
    return to_lines([row(1), row(2, "日本"), row(3)]).encode()


@settings(deadline=None)  # the disk may be slow
@given(st.integers(0, len(three_rows())))
def test_a_line_that_was_cut_anywhere_is_told_put_aside_and_asked_again(cut: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = folder / "judgements.jsonl"
        path.write_bytes(three_rows()[:cut])
        whole = three_rows()[:cut].count(b"\n")
        ledger = Ledger(folder)
        broken = bool(cut) and three_rows()[cut - 1 : cut] != b"\n"
        if broken:
            with pytest.raises(PartitionError) as raised:
                ledger.rows()
            assert "half-written" in str(raised.value.faults[-1])
        complete = three_rows()[cut : cut + 1] == b"\n"
        assert ledger.recover() == (COMPLETED if complete else RECOVERED if broken else "")
        rest = three_rows()[:cut].rpartition(b"\n")[2]
        aside = folder / REST_FILE
        assert (aside.read_bytes() if aside.exists() else b"") == (rest + b"\n" if broken and not complete else b"")
        whole += complete
        assert len(ledger.rows()) == whole
        ledger.add(lambda _: [row(9)])
        assert [one.query for one in Ledger(folder).rows()] == [*["q1", "q2", "q3"][:whole], "q9"]
        assert ledger.recover() == ""


def test_an_answer_is_on_the_disk_before_it_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[bytes] = []
    real = os.fsync

    def seen(descriptor: int) -> None:
        real(descriptor)
        synced.append((tmp_path / "judgements.jsonl").read_bytes())

    monkeypatch.setattr(os, "fsync", seen)
    Ledger(tmp_path).add(lambda _: [row(1)])
    assert synced[0] == to_lines([row(1)]).encode()


def test_a_full_disk_leaves_the_file_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = Ledger(tmp_path)
    ledger.add(lambda _: [row(1)])

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    for new in ([row(2)], [row(2), row(3)]):
        monkeypatch.setattr(os, "fsync", full)
        with pytest.raises(OutputError, match="No space left"):
            ledger.add(lambda _, new=new: new)  # type: ignore[misc]
        monkeypatch.undo()
        assert (tmp_path / "judgements.jsonl").read_text() == to_lines([row(1)])
        assert [one.name for one in tmp_path.iterdir() if one.name.endswith("jsonl")] == ["judgements.jsonl"]
    ledger.add(lambda _: [row(2)])
    assert len(ledger.rows()) == 2


def test_several_rows_are_written_in_one_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = Ledger(tmp_path)
    ledger.add(lambda _: [row(1)])
    before = (tmp_path / "judgements.jsonl").stat().st_ino
    ledger.add(lambda found: [row(len(found) + 1), row(len(found) + 2)])
    assert (tmp_path / "judgements.jsonl").stat().st_ino != before
    assert [one.query for one in Ledger(tmp_path).rows()] == ["q1", "q2", "q3"]


def test_what_can_not_be_read_back_is_never_written(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="grade"):
        Ledger(tmp_path).add(lambda _: [row(1, grade=4)])
    assert Ledger(tmp_path).rows() == ()


def test_rows_that_another_program_adds_are_seen(tmp_path: Path) -> None:
    one, other = Ledger(tmp_path), Ledger(tmp_path)
    one.add(lambda _: [row(1)])
    assert len(other.rows()) == 1
    other.add(lambda _: [row(2)])
    assert len(one.rows()) == 2


def test_a_withdrawn_row_moves_and_leaves_the_others_as_they_were_written(tmp_path: Path) -> None:
    path = tmp_path / "judgements.jsonl"
    spaced = json.dumps(json.loads(to_lines([row(1, "bob")])), separators=(" , ", " : ")) + "\n"
    path.write_text(spaced)
    ledger = Ledger(tmp_path)
    ledger.add(lambda _: [row(2)])
    ledger.add(lambda _: [row(3, "bob")])
    ledger.withdraw(row(2))
    assert path.read_text() == spaced + to_lines([row(3, "bob")])
    assert (tmp_path / "withdrawn.jsonl").read_text() == to_lines([row(2)])
    with pytest.raises(UsageError, match="not there any more"):
        ledger.withdraw(row(2))
    assert (tmp_path / "withdrawn.jsonl").read_text() == to_lines([row(2)])


def test_a_row_on_which_a_third_has_decided_is_not_withdrawn(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    for one in (row(1, grade=0), row(1, "bob", grade=3), row(1, "cyd", role=Role.ADJUDICATOR)):
        ledger.add(lambda _, one=one: [one])  # type: ignore[misc]
    with pytest.raises(UsageError, match="third person"):
        ledger.withdraw(row(1, grade=0))
    ledger.withdraw(row(1, "cyd", role=Role.ADJUDICATOR))
    assert len(ledger.rows()) == 2


def test_a_lock_that_nobody_gives_back_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger_module, "LOCK_SECONDS", 0.05)
    with (
        ledger_module.FileLock(tmp_path / ledger_module.LOCK_FILE),
        pytest.raises(OutputError, match="Another process"),
    ):
        Ledger(tmp_path).add(lambda _: [row(1)])
    assert not (tmp_path / "judgements.jsonl").exists()


def test_rows_that_break_a_rule_are_told_before_anything_is_asked(tmp_path: Path) -> None:
    judging = judged(pooled(tmp_path / "p"), ann=2)
    path = judging.folder / "judgements.jsonl"
    path.write_text(path.read_text().replace('"guideline": "1"', '"guideline": "2"', 1))
    with pytest.raises(PartitionError) as raised:
        rows(judging)
    assert [(one.line, one.field) for one in raised.value.faults] == [(1, "guideline")]


def test_the_status_says_what_is_missing_for_a_score(tmp_path: Path) -> None:
    found = {f"dev-00{number}": ("john-cena.shy-bug", "salt-bae.cat-fur") for number in range(1, 7)}
    judging = pooled(tmp_path / "p", found)
    state = progress(judging, rows(judging))
    assert state.waiting == {"two annotators; 0 judged it": 12}
    assert (len(state.audits), state.complete) == (1, False)
    answer(annotator_desk(judging, "ann"), 3)
    answer(annotator_desk(judging, "bob"), 1, most=5)
    state = progress(judging, rows(judging))
    assert state.waiting == {"one adjudicator; 0 judged it": 5, "two annotators; 1 judged it": 7}
    assert [(one.name, one.judged, one.decided) for one in state.people] == [("ann", 12, 0), ("bob", 5, 0)]
    answer(annotator_desk(judging, "bob"), 3)
    answer(adjudicator_desk(judging, "cyd"), 2)
    (judging.folder / "audits.jsonl").write_text(json.dumps(audit("dev-007", "ann")) + "\n")
    state = progress(judging, rows(judging))
    assert state.complete
    told = lines(state)
    assert told[0] == "12 of 12 candidates of 6 queries have their final grade"
    assert "cyd: 0 judged, 0 of 0 repetitions, 5 decided as third" in told
    assert told[-2:] == ["the labels are provisional", "nothing is missing for a score"]


def test_the_status_counts_the_repetitions_that_are_done(tmp_path: Path) -> None:
    judging = pooled(tmp_path / "p")
    desk = annotator_desk(judging, "ann")
    first = next(task.number for task in desk.tasks if task.repeat)
    for more, done in ((first - 1, 0), (1, 1)):
        answer(desk, most=more)
        (person,) = progress(judging, rows(judging)).people
        assert (person.judged, person.repeats) == (first - 1, done)
    answer(desk)
    assert "ann: 51 judged, 2 of 2 repetitions" in lines(progress(judging, rows(judging)))


def test_the_status_tells_grades_that_contradict_their_queries(tmp_path: Path) -> None:
    judging = judged(pooled(tmp_path / "p", {"dev-001": ("salt-bae.cat-fur",)}), ann=1, bob=1)
    state = progress(judging, rows(judging))
    assert [(Path(one.file).name, one.line) for one in state.contradictions if one.line == 1] == [("queries.jsonl", 1)]
    assert not state.complete


def test_new_candidates_are_asked_of_everybody_after_the_old_ones(tmp_path: Path) -> None:
    judging = judged(pooled(tmp_path / "p"), ann=2, bob=2)
    grown(judging.folder, {"dev-002": ("john-cena.shy-bug",)})
    after = opened(judging.folder)
    for name in ("ann", "bob"):
        assert [task.pair for task in annotator_desk(after, name).open(rows(after))] == [
            ("dev-002", "john-cena.shy-bug")
        ]
    answer(annotator_desk(after, "ann"))
    assert rows(after)[-1].pool == after.pool.version != judging.pool.version
    assert ledger_of(after).rows()[-1].position == 54
