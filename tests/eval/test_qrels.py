"""Final grades follow the rule of two annotators and a third, checked against the rule written down a second time."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mambomeme_eval.benchmark import Candidate, Judgement, Role
from mambomeme_eval.qrels import Missing, decide, derive, needs_adjudicator
from mambomeme_tui.records import SafetyClass

HASH = "a" * 64
SAFE, SENSITIVE, BLOCKED = SafetyClass.SAFE, SafetyClass.SENSITIVE, SafetyClass.BLOCKED
ANN, BOB, CYD = ("ann", Role.ANNOTATOR), ("bob", Role.ANNOTATOR), ("cyd", Role.ADJUDICATOR)
SELF = ("ann", Role.ADJUDICATOR)


def row(
    person: tuple[str, Role], grade: int, safety: SafetyClass = SAFE, repeat: bool = False, item: str = "a.b"
) -> Judgement:
    return Judgement("q", item, HASH, *person, grade, safety, 1, repeat, "1", HASH, "2024-05-01T12:00:00+00:00")


AGREED = {  # smaller and larger grade of two annotators of one mind about safety: the doubled final grade
    (0, 0): 0,
    (0, 1): 1,
    (1, 1): 2,
    (1, 2): 3,
    (2, 2): 4,
    (2, 3): 5,
    (3, 3): 6,
}


@pytest.mark.parametrize(("first", "second"), list(product(range(4), repeat=2)))
def test_two_grades_give_their_mean_unless_they_are_further_apart_than_one(first: int, second: int) -> None:
    rows = [row(ANN, first), row(BOB, second)]
    known = AGREED.get((min(first, second), max(first, second)))
    assert decide(rows) == ((known, SAFE) if known is not None else "one adjudicator; 0 judged it")
    assert needs_adjudicator(rows) is (known is None)


@pytest.mark.parametrize("final", [0, 1, 2, 3])
def test_the_third_is_final_and_not_averaged(final: int) -> None:
    assert decide([row(ANN, 0), row(BOB, 3), row(CYD, final, SENSITIVE)]) == (2 * final, SENSITIVE)


def test_a_disagreement_on_safety_alone_needs_the_third_whose_grade_is_final_too() -> None:
    rows = [row(ANN, 2, SAFE), row(BOB, 2, BLOCKED)]
    assert decide(rows) == "one adjudicator; 0 judged it"
    assert decide([*rows, row(CYD, 0, BLOCKED)]) == (0, BLOCKED)


def test_the_safety_that_both_name_is_final() -> None:
    assert decide([row(ANN, 2, SENSITIVE), row(BOB, 3, SENSITIVE)]) == (5, SENSITIVE)


def test_a_third_who_was_not_needed_changes_nothing() -> None:
    assert decide([row(ANN, 2), row(BOB, 3), row(CYD, 0, BLOCKED)]) == (5, SAFE)


@pytest.mark.parametrize(
    ("rows", "wanted"),
    [
        ([], "two annotators; 0 judged it"),
        ([row(ANN, 3)], "two annotators; 1 judged it"),
        ([row(CYD, 3)], "two annotators; 0 judged it"),
        ([row(ANN, 3), row(CYD, 3)], "two annotators; 1 judged it"),
        ([row(ANN, 3), row(ANN, 3)], "one judgement of each person, and no second one"),
        ([row(ANN, 0), row(BOB, 3), row(SELF, 3)], "one judgement of each person, and no second one"),
        ([row(ANN, 3), row(BOB, 3), row(("dee", Role.ANNOTATOR), 3)], "two annotators; 3 judged it"),
        ([row(ANN, 0), row(BOB, 3), row(CYD, 1), row(("dee", Role.ADJUDICATOR), 1)], "one adjudicator; 2 judged it"),
        ([row(ANN, 3), row(BOB, 3, repeat=True)], "two annotators; 1 judged it"),
    ],
)
def test_what_the_rule_cannot_decide_is_missing_and_says_why(rows: list[Judgement], wanted: str) -> None:
    assert decide(rows) == wanted
    derived = derive([Candidate("q", "a.b", HASH)], rows)
    assert derived.missing == (Missing("q", "a.b", wanted),)
    assert not derived.grades
    assert not derived.safety
    assert not derived.complete


def test_a_judgement_of_other_content_does_not_count() -> None:
    rows = [row(ANN, 3), row(BOB, 3)]
    assert derive([Candidate("q", "a.b", "b" * 64)], rows).grades == {}
    assert derive([Candidate("q", "a.b", HASH)], rows).grades == {"q": {"a.b": 6}}


def test_a_candidate_graded_zero_is_judged_and_one_outside_the_pool_is_not_there() -> None:
    rows = [row(ANN, 0), row(BOB, 0), row(ANN, 3, item="c.d"), row(BOB, 3, item="c.d")]
    derived = derive([Candidate("q", "a.b", HASH)], rows)
    assert derived.grades == {"q": {"a.b": 0}}
    assert derived.safety == {"q": {"a.b": SAFE}}
    assert derived.complete


PEOPLE = st.sampled_from([ANN, BOB, ("dee", Role.ANNOTATOR), CYD])
ROWS = st.lists(
    st.builds(
        row, PEOPLE, st.integers(0, 3), st.sampled_from(SafetyClass), st.booleans(), st.sampled_from(["a.b", "c.d"])
    ),
    max_size=9,
)
POOL = [Candidate("q", "a.b", HASH), Candidate("q", "c.d", HASH), Candidate("q", "e.f", HASH)]


@given(ROWS, st.randoms(use_true_random=False))
def test_neither_the_order_of_rows_nor_repetitions_matter(rows: list[Judgement], chance: object) -> None:
    shuffled = [one for one in rows if not one.repeat]
    chance.shuffle(shuffled)  # type: ignore[attr-defined]
    assert derive(POOL, shuffled) == derive(POOL, rows)


@given(ROWS)
def test_every_candidate_is_graded_or_missing_and_never_both(rows: list[Judgement]) -> None:
    derived = derive(POOL, rows)
    graded = set(derived.grades.get("q", {}))
    assert graded == set(derived.safety.get("q", {}))
    assert graded | {one.item for one in derived.missing} == {"a.b", "c.d", "e.f"}
    assert graded.isdisjoint(one.item for one in derived.missing)
    assert all(0 <= grade <= 6 for grade in derived.grades.get("q", {}).values())
