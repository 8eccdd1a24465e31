"""Agreement, against published figures, other people's programs, and constructed answers."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from mambomeme_eval.agreement import Agreement, Rate, agreement, krippendorff_alpha, likeness, quadratic_kappa
from mambomeme_eval.agreement_text import lines, to_dict
from mambomeme_eval.benchmark import Candidate, Judgement, Role
from mambomeme_tui.records import SafetyClass

HASH = "a" * 64
SAFE, SENSITIVE = SafetyClass.SAFE, SafetyClass.SENSITIVE
_ = None
# Krippendorff 2011, section C to F: four observers, twelve units, values 1 to 5; its ordinal alpha is 0.815
PUBLISHED = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, _, _, _],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, _, 3],
    [_, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, _],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, _],
]
GRADES = st.integers(0, 3)
PAIRS = st.lists(st.tuples(GRADES, GRADES), min_size=1, max_size=60)
UNITS = st.lists(st.lists(GRADES, min_size=0, max_size=4), max_size=30)


def test_alpha_is_the_published_one() -> None:
    units = [[value - 1 for value in column if value is not None] for column in zip(*PUBLISHED, strict=True)]
    alpha = krippendorff_alpha(units, levels=5)
    assert alpha is not None
    assert round(alpha, 3) == 0.815


def test_kappa_is_that_of_a_table_worked_out_by_hand() -> None:
    # observed: 0 + 1 + 1 + 4; expected of chance: both have the margins 2, 1, 1 over four units
    first, second = [0, 0, 1, 2], [0, 1, 2, 0]
    expected = Fraction(2 * (1 * 1 + 1 * 4) + 1 * (2 * 1 + 1 * 1) + 1 * (2 * 4 + 1 * 1), 4)
    assert quadratic_kappa(first, second, levels=3) == float(1 - Fraction(1 + 1 + 4) / expected)


def matrix(units: list[list[int]]) -> Any:
    table = np.full((4, len(units)), np.nan)
    for at, unit in enumerate(units):
        table[: len(unit), at] = unit
    return table


@given(UNITS)
def test_alpha_is_that_of_another_program(units: list[list[int]]) -> None:
    paired = [value for unit in units if len(unit) > 1 for value in unit]
    if len(set(paired)) < 2:
        assert krippendorff_alpha(units) is None
        return
    table = matrix([unit for unit in units if len(unit) > 1])
    oracle = krippendorff.alpha(table, level_of_measurement="ordinal", value_domain=[0, 1, 2, 3])
    assert krippendorff_alpha(units) == pytest.approx(oracle, abs=1e-12)


@given(PAIRS)
def test_kappa_is_that_of_another_program(pairs: list[tuple[int, int]]) -> None:
    first, second = map(list, zip(*pairs, strict=True))
    if len(set(first) | set(second)) < 2:
        assert quadratic_kappa(first, second) is None
        return
    oracle = cohen_kappa_score(first, second, weights="quadratic", labels=[0, 1, 2, 3])
    assert quadratic_kappa(first, second) == pytest.approx(oracle, abs=1e-12)


@given(PAIRS)
def test_perfect_agreement_is_one_and_who_is_first_does_not_matter(pairs: list[tuple[int, int]]) -> None:
    first, second = map(list, zip(*pairs, strict=True))
    assert quadratic_kappa(first, second) == quadratic_kappa(second, first)
    assert krippendorff_alpha(pairs) == krippendorff_alpha([(other, one) for one, other in pairs])
    for value in (quadratic_kappa(first, first), krippendorff_alpha([(one, one) for one in first])):
        assert value == (1.0 if len(set(first)) > 1 else None)


def test_opposite_answers_are_worse_than_chance() -> None:
    assert quadratic_kappa([0, 3], [3, 0]) == -1.0
    alpha = krippendorff_alpha([[0, 3], [3, 0]])
    assert alpha is not None
    assert alpha < 0


def test_two_lists_of_different_length_are_no_pairs() -> None:
    with pytest.raises(ValueError, match="same units"):
        quadratic_kappa([0, 1], [0])


def test_nothing_judged_has_no_agreement() -> None:
    assert krippendorff_alpha([]) is krippendorff_alpha([[1], []]) is quadratic_kappa([], []) is None
    found = agreement([], [])
    assert (found.candidates, found.alpha, found.kappa, found.third.value) == (0, None, None, None)
    assert "undefined" in lines(found)[1]


def row(item: int, who: str, grade: int, safety: SafetyClass = SAFE, **other: object) -> Judgement:
    one = Judgement(
        "q", f"f.i{item}", HASH, who, Role.ANNOTATOR, grade, safety, 1, False, "1", HASH, "2024-05-01T12:00:00+00:00"
    )
    return replace(one, **other)  # type: ignore[arg-type]


CANDIDATES = [Candidate("q", f"f.i{item}", HASH) for item in range(6)]
ROWS = [
    row(0, "ann", 3),
    row(0, "bob", 3),  # the same
    row(1, "ann", 1),
    row(1, "bob", 2),  # within one, but only one of them useful
    row(2, "bob", 0),
    row(2, "ann", 2),  # goes to a third for its grades
    row(3, "ann", 2, SENSITIVE),
    row(3, "bob", 3),  # waits for a third for its safety
    row(4, "ann", 3),  # waits for the second
    row(2, "cyd", 3, role=Role.ADJUDICATOR),
    row(0, "ann", 1, repeat=True),
    row(1, "ann", 1, repeat=True),
    row(3, "bob", 3, SENSITIVE, repeat=True),
    row(0, "dee", 0, content_hash="b" * 64),  # of other content
    row(9, "ann", 0),  # of no candidate
    row(9, "bob", 3),
]


def worked_out() -> Agreement:
    return agreement(CANDIDATES, ROWS)


def test_every_rate_is_the_one_counted_by_hand() -> None:
    found = worked_out()
    assert found.candidates == 4
    assert found.between.exact == Rate(1, 4)
    assert found.between.within_one == Rate(3, 4)
    assert found.between.useful == Rate(2, 4)
    assert found.between.safety == Rate(3, 4)
    assert found.third == Rate(1, 4)
    assert found.third.value == Fraction(1, 4)


@pytest.mark.parametrize("first", range(4))
@pytest.mark.parametrize("second", range(4))
def test_two_grades_agree_on_two_or_better_where_both_or_neither_reach_it(first: int, second: int) -> None:
    found = likeness([(row(0, "ann", first), row(0, "bob", second))])
    assert found.useful.count == ((first in (2, 3) and second in (2, 3)) or (first in (0, 1) and second in (0, 1)))
    assert found.within_one.count == ({first, second} not in ({0, 2}, {1, 3}, {0, 3}))


def test_people_are_compared_with_their_own_first_answers() -> None:
    own = worked_out().own
    assert list(own) == ["ann", "bob"]
    assert (own["ann"].exact, own["ann"].within_one, own["ann"].useful) == (Rate(1, 2), Rate(1, 2), Rate(1, 2))
    assert (own["bob"].exact, own["bob"].safety) == (Rate(1, 1), Rate(0, 1))


def test_alpha_and_kappa_are_over_the_two_annotators_alone() -> None:
    found = worked_out()
    pairs = [(3, 3), (1, 2), (2, 0), (2, 3)]
    assert found.alpha == krippendorff_alpha(pairs)
    assert [(one.people, one.candidates) for one in found.pairs] == [(("ann", "bob"), 4)]
    assert found.kappa == quadratic_kappa([one for one, _ in pairs], [other for _, other in pairs])


def test_each_two_people_have_their_own_kappa_and_the_mean_weighs_their_candidates() -> None:
    rows = [row(0, "ann", 3), row(0, "bob", 3), row(1, "ann", 0), row(1, "bob", 0)]
    rows += [row(item, who, grade) for item, who, grade in [(2, "ann", 0), (2, "dee", 3), (3, "ann", 3), (3, "dee", 0)]]
    rows += [row(4, "bob", 1), row(4, "dee", 1)]
    found = agreement(CANDIDATES, rows)
    assert [(one.people, one.kappa) for one in found.pairs] == [
        (("ann", "bob"), 1.0),
        (("ann", "dee"), -1.0),
        (("bob", "dee"), None),
    ]
    assert found.kappa == 0.0
    assert "ann and dee: quadratic kappa -1.000 on 2 candidates" in lines(found)


@given(st.permutations(ROWS))
def test_the_order_of_rows_does_not_matter(rows: list[Judgement]) -> None:
    assert agreement(CANDIDATES, rows) == worked_out()


def test_what_is_printed_has_three_places_and_both_integers_and_no_control_code() -> None:
    rows = [*ROWS, row(5, "e\x1b[2J", 1), row(5, "e\x1b[2J", 1, repeat=True)]
    told = lines(agreement(CANDIDATES, rows))
    assert f"  {'within one grade':<30} 0.750  (3 of 4)" in told
    assert f"  {'went to a third':<30} 0.250  (1 of 4)" in told
    assert all(text.isprintable() for text in told)


def test_json_figures_are_unrounded() -> None:
    found = worked_out()
    assert to_dict(found)["alpha"] == found.alpha
    assert to_dict(found)["between"]["useful"] == {"count": 2, "total": 4}
