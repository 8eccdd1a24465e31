"""Proves what answers are held against, and what is refused before it could be measured."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import pytest

from mambomeme_eval import diagnostics, metrics
from mambomeme_eval.settling import fault, settle
from mambomeme_eval.truth import Item, Topic, Unscorable, answer_keys, expand
from tests.eval.scoring import Case, Lists, perfect


def test_what_policy_must_withhold_earns_nothing_and_has_no_place_in_the_ideal() -> None:
    case = perfect()
    key = answer_keys(case.truth)["topic-1"]
    assert key.withheld == {"common.sensitive", "common.blocked"}  # by the judges and the corpus; by the corpus alone
    assert key.grades["common.sensitive"] == 0
    assert metrics.of_request(["topic-1.best", "topic-1.good", "topic-1.half", "topic-1.minor"], key).ndcg == 1
    alone = metrics.of_request(["common.sensitive"], key)
    assert (alone.ndcg, alone.hit10, alone.rr, alone.safe) == (0, 0, 0, 0)


def test_a_mode_that_shows_sensitive_items_counts_them() -> None:
    case = perfect()
    wider = replace(case.truth, shown=frozenset({"safe", "sensitive"}), topics=[Topic("topic-1", "topic", "f")])
    key = answer_keys(wider)["topic-1"]
    assert key.grades["common.sensitive"] == 6
    assert key.withheld == {"common.blocked"}


def test_what_the_judges_find_blocked_is_withheld_though_the_corpus_calls_it_safe() -> None:
    case = perfect()
    case.safety["topic-1"]["topic-1.good"] = "blocked"
    assert "topic-1.good" in answer_keys(case.truth)["topic-1"].withheld


def test_judged_items_that_are_not_served_are_in_no_ideal_and_no_recall() -> None:
    case = perfect()
    case.qrels["topic-1"]["gone.gone"] = 6
    case.safety["topic-1"]["gone.gone"] = "safe"
    assert "gone.gone" not in answer_keys(case.truth)["topic-1"].grades


def test_a_grade_without_a_safety_class_is_no_final_grade() -> None:
    case = perfect()
    del case.safety["topic-1"]["topic-1.bad"]
    assert "topic-1.bad" not in answer_keys(case.truth)["topic-1"].grades


def test_targets_are_items_and_all_members_of_named_groups() -> None:
    manifest = {name: Item("t", copies) for name, copies in {"a.a": "a.a", "a.b": "a.a", "a.c": "a.c"}.items()}
    assert expand(["a.c"], [], manifest) == {"a.c"}
    assert expand(["a.a"], [], manifest) == {"a.a"}  # an item, not its group
    assert expand(["a.c"], ["a.a"], manifest) == {"a.a", "a.b", "a.c"}


def no_useful(case: Case) -> None:
    case.qrels["visual-1"] |= {"visual-1.best": 3, "visual-1.good": 3}


def only_withheld(case: Case) -> None:
    case.safety["visual-1"] |= {"visual-1.best": "sensitive", "visual-1.good": "blocked"}


def no_target(case: Case) -> None:
    case.targets["quote-1"] = set()


def withheld_target(case: Case) -> None:
    case.targets["quote-1"] = {"common.sensitive"}


def answered_no_match(case: Case) -> None:
    case.qrels["none-1"]["none-1.bad"] = 4


def impossible_grade(case: Case) -> None:
    case.qrels["name-1"]["name-1.bad"] = 7


def grade_not_a_number(case: Case) -> None:
    case.qrels["name-1"]["name-1.bad"] = float("nan")  # type: ignore[assignment]


def id_twice(case: Case) -> None:
    case.truth = replace(case.truth, topics=[*case.truth.topics, case.truth.topics[0]])


def unknown_slice(case: Case) -> None:
    case.truth = replace(case.truth, topics=[replace(case.truth.topics[0], slice="other")])


@pytest.mark.parametrize(
    ("damage", "sentence"),
    [
        (no_useful, "Query visual-1 is answerable, but nothing that may be shown was judged 2.0 or better."),
        (only_withheld, "Query visual-1 is answerable, but nothing that may be shown was judged 2.0 or better."),
        (no_target, "Query quote-1 has no exact target that may be shown."),
        (withheld_target, "Query quote-1 has no exact target that may be shown."),
        (answered_no_match, "Query none-1 is a no-match query, but an item was judged 2.0 or better for it."),
        (impossible_grade, "Query name-1 has a grade outside 0 to 6 (doubled) for name-1.bad."),
        (grade_not_a_number, "Query name-1 has a grade outside 0 to 6 (doubled) for name-1.bad."),
        (id_twice, "The partition holds a query id twice."),
        (unknown_slice, "Query name-0 has a slice that is none of name, quote, topic, semantic, visual, noisy."),
    ],
)
def test_a_truth_that_contradicts_itself_is_refused_in_one_sentence(
    damage: Callable[[Case], None], sentence: str
) -> None:
    case = perfect()
    answer_keys(case.truth)
    damage(case)
    with pytest.raises(Unscorable) as caught:
        answer_keys(case.truth)
    assert str(caught.value) == sentence
    assert caught.value.exit_code == 2


TEN = [f"i.{number}" for number in range(10)]


@pytest.mark.parametrize(
    ("ranked", "milliseconds", "why"),
    [
        ([], 1.0, ""),
        (TEN, 4999.9, ""),
        (TEN, None, ""),
        (None, 3.0, "failed"),
        ([*TEN, "i.10"], 1.0, "more than ten results"),
        (["i.1", "i.2", "i.1"], 1.0, "an item twice"),
        (["i.1", "other"], 1.0, "an item that is not in the manifest"),
        (["i.1"], 5000.0, "timeout"),
    ],
)
def test_what_a_request_error_is(ranked: list[str] | None, milliseconds: float | None, why: str) -> None:
    assert fault(ranked, milliseconds, {*TEN, "i.10"}) == why


def test_an_error_loses_its_list_and_is_charged_the_whole_timeout() -> None:
    run: Lists = {"a": [["i.1"], ["i.1", "i.1"], None], "b": [["i.1"], ["i.2"], ["x"]]}
    settled = settle(run, ["b", "a"], set(TEN), {"a": [1.0, 2.0, None], "b": [4.0, 7000.0, 6.0]})
    assert settled.lists == {"b": (("i.1",), None, None), "a": (("i.1",), None, None)}
    assert settled.charged() == [4.0, 5000.0, 5000.0, 1.0, 5000.0, 5000.0]
    assert settled.errors == {"an item that is not in the manifest": 1, "an item twice": 1, "failed": 1, "timeout": 1}


def test_a_run_that_was_not_timed_has_no_latency_figures() -> None:
    settled = settle({"a": [[]]}, ["a"], set())
    assert settled.lists == {"a": ((),)}
    with pytest.raises(Unscorable, match="not timed"):
        settled.charged()


@pytest.mark.parametrize(
    ("run", "times", "sentence"),
    [
        ({"a": [[]]}, {"a": [1.0]}, "The run has no request for 1 queries, the first of them b."),
        ({"a": [[]], "b": [[]], "c": [[]]}, {}, "The run answers a query that the partition does not hold: c."),
        ({"a": [[]], "b": [[], []]}, {}, "Every query must be requested equally often, and at least once."),
        ({"a": [], "b": []}, {}, "Every query must be requested equally often, and at least once."),
        ({"a": [[]], "b": [[]]}, {"a": [1.0]}, "Query b has 1 requests and 0 latencies."),
        ({"a": [[]], "b": [[]]}, {"a": [1.0], "b": [1.0, 2.0]}, "Query b has 1 requests and 2 latencies."),
        ({"a": [[]], "b": [[]]}, {"a": [None], "b": [1.0]}, "A request of query a was answered, but has no latency."),
        *(
            (
                {"a": [[]], "b": [None]},
                {"a": [1.0], "b": [wrong]},
                "A latency of query b is no number of milliseconds from 0 up.",
            )
            for wrong in (float("nan"), float("inf"), -1.0)
        ),
    ],
)
def test_a_run_that_is_not_complete_or_not_sensible_is_refused_in_one_sentence(
    run: dict[str, list[list[str] | None]], times: dict[str, list[float | None]], sentence: str
) -> None:
    with pytest.raises(Unscorable) as caught:
        settle(run, ["a", "b"], set(), times)
    assert str(caught.value) == sentence


def test_diagnostics_of_a_known_run() -> None:
    case = perfect(per_slice=1, repeats=1)
    case.manifest["topic-0.good"] = Item("topic-0", "topic-0.best", preview=False)
    case.manifest["topic-0.half"] = Item("other", "topic-0.half", attribution=False)
    for query in case.lists:
        case.answer(query)
    case.answer("topic-0", "topic-0.minor", "topic-0.best", "topic-0.good", "topic-0.half")
    case.lists["name-0"] = [None]
    keys = answer_keys(case.truth)
    shown = diagnostics.list_figures(case.lists, case.manifest)
    assert shown == diagnostics.ListFigures(Fraction(1, 4), Fraction(2, 4), Fraction(1, 4), Fraction(1, 4))
    values = metrics.measure(case.lists, keys)
    assert diagnostics.slice_figures(case.truth.topics, values)["topic"] == diagnostics.SliceFigures(
        Fraction(0), Fraction(1), Fraction(1), Fraction(1), Fraction(1, 2)
    )
    routes = {
        "topic-0": {"topic-0.minor": ["lexical"], "topic-0.best": ["dense"], "topic-0.good": ["dense", "lexical"]}
    }
    found = diagnostics.contributions(case.lists, keys, routes)
    assert {share: (one.shown, one.useful) for share, one in found["topic"].items()} == {
        "lexical-only": (1, 0),
        "dense-only": (1, 1),
        "both": (1, 1),
    }
    assert all(one.shown == 0 for one in found["name"].values())


def test_lists_that_show_nothing_have_no_share_of_anything() -> None:
    assert diagnostics.list_figures({"q": [[], None]}, {}) == diagnostics.ListFigures(*[Fraction(0)] * 4)
