"""Proves the formulas: against other libraries for whole grades, in decimals for half ones, and by their properties."""

import random
import warnings
from dataclasses import asdict
from decimal import Decimal
from fractions import Fraction
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mambomeme_eval import metrics
from mambomeme_eval.metrics import Values, ndcg, of_query, of_request
from mambomeme_eval.truth import ANSWERABLE_SLICES, Key, Topic, Unjudged, Unscorable
from tests.eval.scoring import decimal_gain, decimal_ndcg, flat, perfect, unhurried

GRADES = st.lists(st.integers(0, 6), max_size=10)
JUDGED = st.lists(st.integers(0, 6), min_size=1, max_size=30).filter(any)
EXACT = 1e-12


@st.composite
def judged_lists(draw: st.DrawFn) -> tuple[list[str], Key]:
    """A list of at most ten judged items, and the key that it is held against."""
    grades = dict(enumerate(draw(JUDGED)))
    named = {f"item.{number}": grade for number, grade in grades.items()}
    ranked = draw(st.lists(st.sampled_from(sorted(named)), unique=True, max_size=10))
    withheld = frozenset(draw(st.sets(st.sampled_from(sorted(named)), max_size=3)))
    kept = {item: 0 if item in withheld else grade for item, grade in named.items()} | {"item.good": 4, "item.bad": 0}
    targets = frozenset(draw(st.sets(st.sampled_from(sorted(kept)), max_size=3)))
    return ranked, Key(Topic("q", "name", "f"), kept, withheld, targets)


def whole_grade_cases() -> tuple[dict[str, dict[str, int]], dict[str, list[str]]]:
    """Judged items with grades of 0 to 3, and lists out of them; every query has something useful."""
    chance = random.Random(5)
    qrels: dict[str, dict[str, int]] = {}
    lists: dict[str, list[str]] = {}
    for number in range(60):
        items = {f"d{at}": chance.choice([0, 0, 0, 1, 1, 2, 3]) for at in range(chance.randint(1, 25))} | {"d0": 2}
        qrels[f"q{number}"] = items
        lists[f"q{number}"] = chance.sample(sorted(items), k=chance.randint(1, min(10, len(items))))
    return qrels, lists


def as_scores(lists: dict[str, list[str]]) -> dict[str, dict[str, float]]:
    """The lists as a run of those libraries, which sort by score."""
    return {query: {item: float(20 - at) for at, item in enumerate(ranked)} for query, ranked in lists.items()}


def measured(qrels: dict[str, dict[str, int]], lists: dict[str, list[str]]) -> dict[str, Values]:
    """The package's values for whole grades."""
    keys = {
        query: Key(
            Topic(query, "topic", query), {item: 2 * one for item, one in grades.items()}, frozenset(), frozenset()
        )
        for query, grades in qrels.items()
    }
    return {query: of_request(lists[query], key) for query, key in keys.items()}


@pytest.fixture
def _without_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    """ranx is compiled by numba, which for this little takes most of a minute and is not needed."""
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")


@pytest.mark.usefixtures("_without_compiler")
def test_whole_grades_are_measured_as_ir_measures_does() -> None:
    from ir_measures import RR, Judged, R, Success, iter_calc, nDCG

    qrels, lists = whole_grade_cases()
    fields = {
        nDCG(gains={0: 0, 1: 1, 2: 3, 3: 7}) @ 10: "ndcg",
        RR(rel=2) @ 10: "rr",
        R(rel=2) @ 10: "recall",
        Success(rel=2) @ 1: "hit1",
        Success(rel=2) @ 5: "hit5",
        Success(rel=2) @ 10: "hit10",
    }
    values = measured(qrels, lists)
    found = list(iter_calc([*fields, Judged @ 10], qrels, as_scores(lists)))
    assert len(found) == 7 * len(qrels)
    for one in found:
        ours = 1.0 if one.measure not in fields else float(getattr(values[one.query_id], fields[one.measure]))
        assert ours == pytest.approx(one.value, abs=EXACT, rel=0)


def test_whole_grades_are_measured_as_trec_eval_does_on_gains() -> None:
    import pytrec_eval

    qrels, lists = whole_grade_cases()
    gains = {query: {item: 2**grade - 1 for item, grade in grades.items()} for query, grades in qrels.items()}
    found = pytrec_eval.RelevanceEvaluator(gains, {"ndcg_cut_10"}).evaluate(as_scores(lists))
    for query, values in measured(qrels, lists).items():
        assert values.ndcg == pytest.approx(found[query]["ndcg_cut_10"], abs=EXACT, rel=0)


@pytest.mark.usefixtures("_without_compiler")
def test_whole_grades_are_measured_as_ranx_does_after_burges() -> None:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", module=r"(numba|ranx)\b")
        from ranx import Qrels, Run, evaluate

        qrels, lists = whole_grade_cases()
        names = ["ndcg_burges@10", "mrr@10-l2", "recall@10-l2", "hit_rate@5-l2"]
        run = Run(as_scores(lists))
        evaluate(Qrels(qrels), run, names, make_comparable=True)
    values = measured(qrels, lists)
    for name, field in zip(names, ["ndcg", "rr", "recall", "hit5"], strict=True):
        for query, value in run.scores[name].items():
            assert float(getattr(values[query], field)) == pytest.approx(value, abs=EXACT, rel=0)


@unhurried
@given(GRADES, JUDGED)
def test_half_grades_are_measured_as_in_forty_digits(grades: list[int], others: list[int]) -> None:
    judged = [*grades, *others]
    assert abs(Decimal(ndcg(grades, judged)) - decimal_ndcg(tuple(grades), tuple(judged))) < EXACT


@unhurried
@given(st.lists(st.integers(0, 6), min_size=1, max_size=5).filter(any))
def test_the_ideal_is_the_best_of_all_orders(judged: list[int]) -> None:
    best = max(metrics.dcg(order) for order in permutations(judged))
    assert ndcg(judged, judged) == pytest.approx(metrics.dcg(judged) / best, abs=EXACT, rel=0)


def test_known_values() -> None:
    assert [metrics.gain(grade) for grade in (0, 2, 4, 6)] == [0, 1, 3, 7]
    assert metrics.gain(3) == pytest.approx(float(decimal_gain(3)), abs=EXACT)
    assert metrics.gain(3) != (metrics.gain(2) + metrics.gain(4)) / 2  # the gain of the mean, not the mean gain
    assert metrics.dcg([6, 4]) == pytest.approx(7 + 3 * 0.6309297535714574, abs=EXACT)
    assert metrics.dcg([0] * 10 + [6]) == 0  # an eleventh is not counted
    assert ndcg([4], [6, 4]) == pytest.approx(3 / (7 + 3 * 0.6309297535714574), abs=EXACT)
    assert metrics.reciprocal_rank([False] * 9 + [True]) == Fraction(1, 10)
    assert metrics.reciprocal_rank([False] * 10 + [True]) == 0
    assert metrics.recall([4, 3, 6], [4, 3, 6, 5, 0]) == Fraction(2, 3)
    assert metrics.judged_share(["a", "b"], {"a": 0}) == Fraction(1, 2)
    assert metrics.judged_share([], {}) == 1


def test_a_grade_split_one_and_two_is_a_miss_and_two_and_two_a_hit() -> None:
    assert [metrics.hit([grade]) for grade in range(7)] == [False] * 4 + [True] * 3


def test_a_hit_is_looked_for_down_to_its_depth() -> None:
    grades = [0, 0, 0, 0, 4]
    assert (metrics.hit(grades, 1), metrics.hit(grades, 4), metrics.hit(grades, 5)) == (False, False, True)


@unhurried
@given(st.fractions(0, 1, max_denominator=50), st.fractions(0, 1, max_denominator=50))
def test_coverage_lies_between_both_terms_and_is_zero_where_one_is(hits: Fraction, empties: Fraction) -> None:
    found = metrics.harmonic_mean(hits, empties)
    assert min(hits, empties) * (hits * empties > 0) <= found <= max(hits, empties)
    assert (found == 0) == (hits * empties == 0)
    assert found == metrics.harmonic_mean(empties, hits)


def test_coverage_of_known_terms() -> None:
    assert metrics.harmonic_mean(Fraction(1, 2), Fraction(1)) == Fraction(2, 3)


@unhurried
@given(judged_lists())
def test_every_value_lies_between_zero_and_one(case: tuple[list[str], Key]) -> None:
    values = asdict(of_request(*case))
    assert all(0 <= value <= 1 for value in values.values())


@unhurried
@given(judged_lists(), st.integers(0, 8))
def test_the_better_of_two_neighbours_standing_first_never_lowers_anything(
    case: tuple[list[str], Key], at: int
) -> None:
    ranked, key = case
    pair = sorted(ranked[at : at + 2], key=lambda item: -key.grades[item])
    after, before = of_request([*ranked[:at], *pair, *ranked[at + 2 :]], key), of_request(ranked, key)
    assert after.ndcg >= before.ndcg - EXACT
    assert after.rr >= before.rr
    assert after.hit1 >= before.hit1
    assert (after.hit10, after.recall) == (before.hit10, before.recall)


@unhurried
@given(judged_lists())
def test_an_irrelevant_tail_changes_nothing_that_is_earned(case: tuple[list[str], Key]) -> None:
    ranked, key = case[0][:9], case[1]
    tail = Key(key.topic, key.grades, key.withheld, key.targets - {"item.bad"})
    before, after = of_request(ranked, tail), of_request([*ranked, "item.bad"], tail)
    assert {**asdict(before), "empty": 0} == {**asdict(after), "empty": 0}


@unhurried
@given(st.sampled_from(["name", "semantic", ""]), st.booleans())
def test_an_error_never_beats_an_empty_list(name: str, safety: bool) -> None:
    grades = {"a.a": 6} if name else {"a.a": 0}
    key = Key(Topic("q", name, "f", safety), grades, frozenset(), frozenset(grades))
    error, empty = asdict(of_request(None, key)), asdict(of_request([], key))
    assert (error.pop("failed"), empty.pop("failed")) == (1, 0)
    assert all(error[field] <= empty[field] for field in error)
    assert error["safe"] == error["empty"] == 0
    assert empty["safe"] == empty["empty"] == 1


def test_a_query_is_the_mean_of_its_repeats_and_an_error_is_one_of_them() -> None:
    key = Key(Topic("q", "name", "f"), {"a.a": 6, "a.b": 0}, frozenset({"a.b"}), frozenset({"a.a"}))
    values = of_query([["a.a"], ["a.b", "a.a"], None], key)
    assert values.ndcg == pytest.approx((1 + 0.6309297535714574 + 0) / 3, abs=EXACT)
    assert values.exact_rr == values.rr == Fraction(1, 2)
    assert (values.hit1, values.hit10) == (Fraction(1, 3), Fraction(2, 3))
    assert (values.safe, values.failed, values.empty) == (Fraction(1, 3), Fraction(1, 3), 0)
    assert not values.steady


@pytest.mark.parametrize("repeats", [[["a.a"], ["a.a"]], [["a.a"], None], [None, None], [[], []]])
def test_lists_that_are_alike_are_steady_and_an_error_has_no_list(repeats: list[list[str] | None]) -> None:
    key = Key(Topic("q", "name", "f"), {"a.a": 6}, frozenset(), frozenset({"a.a"}))
    assert of_query(repeats, key).steady


def test_the_order_alone_makes_a_query_unsteady() -> None:
    key = Key(Topic("q", "name", "f"), {"a.a": 6, "a.b": 6}, frozenset(), frozenset({"a.a"}))
    assert not of_query([["a.a", "a.b"], ["a.b", "a.a"]], key).steady


def test_everything_unjudged_is_listed_at_once_and_never_taken_for_zero() -> None:
    key = Key(Topic("q", "name", "f"), {"a.a": 6}, frozenset(), frozenset())
    with pytest.raises(Unjudged) as caught:
        metrics.measure({"q": [["x.x", "a.a"], ["x.y"]], "p": [["x.x"], []]}, {"q": key, "p": key})
    assert caught.value.missing == [("p", "x.x"), ("q", "x.x"), ("q", "x.y")]
    assert str(caught.value) == "Not everything returned has a final grade and safety class: p x.x, q x.x, q x.y."
    with pytest.raises(Unjudged):
        of_request(["x.x"], key)


def test_many_unjudged_are_counted_in_the_sentence_and_kept_in_full() -> None:
    error = Unjudged(("q", f"x.{number:02}\x1b[2J") for number in range(12))
    assert str(error).endswith("q x.09 [2J and 2 more.")
    assert len(error.missing) == 12


def test_means_are_within_slices_first_and_pooled_for_hits() -> None:
    both = [(name, safety) for name in ANSWERABLE_SLICES for safety in (False, True)]
    pairs = [(Topic(f"{name}{safety}", name, name, safety), flat(0.5)) for name, safety in both]
    pairs += [(Topic(f"more{at}", "topic", "t"), flat(1.0, 0)) for at in range(2)]
    pairs += [(Topic("none", "", "n"), flat(0.0, 0)), (Topic("nothing", "", "n", safety=True), flat(0.0))]
    figures = metrics.aggregate(pairs)
    assert figures["ndcg-topic"] == 0.75
    assert metrics.macro_ndcg(figures) == pytest.approx((5 * 0.5 + 0.75) / 6, abs=EXACT)
    assert figures["hit10"] == Fraction(12, 14)
    assert figures["safe-ordinary"] == Fraction(6, 9)
    assert figures["safe-adversarial"] == 1
    assert figures["correct-empty"] == Fraction(1, 2)


def test_hits_of_the_safety_mark_are_those_of_answerable_queries_alone() -> None:
    case = perfect()
    assert case.card().rows[0].figures["safety-hit10"] == 1
    case.answer("name-0", "name-0.minor")
    assert case.card().rows[0].figures["safety-hit10"] == Fraction(5, 6)


@pytest.mark.parametrize("name", ["", *ANSWERABLE_SLICES])
def test_a_partition_without_one_of_its_kinds_is_not_scored(name: str) -> None:
    case = perfect()
    kept = [topic for topic in case.truth.topics if topic.slice != name]
    with pytest.raises(Unscorable, match="has no query for"):
        metrics.aggregate((topic, flat(1.0)) for topic in kept)


def test_a_query_without_anything_useful_has_no_ndcg() -> None:
    with pytest.raises(Unscorable, match="no nDCG"):
        ndcg([0], [0, 0])
