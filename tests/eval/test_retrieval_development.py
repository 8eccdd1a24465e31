"""Proves the figures of the judged queries against values by hand, and what is told where not everything is judged."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from mambomeme_eval import bootstrap
from mambomeme_eval.metrics import measure as measure_lists
from mambomeme_eval.retrieval import development
from mambomeme_eval.retrieval.development import figures, measure
from mambomeme_eval.truth import ANSWERABLE_SLICES, Unjudged, answer_keys
from mambomeme_tui.errors import IndexUnavailable
from mambomeme_tui.retrieval.engine import Engine
from tests.eval.partitions import Draft, Row, bundled_world, candidate, judgement, small
from tests.eval.scoring import average, decimal_ndcg, perfect

ROUTES = {"bm25": "lexical", "dense": "dense", "hybrid": "hybrid"}
RESAMPLES = 400


def values(told: dict[str, Any]) -> dict[str, float]:
    """The figures of a system without their intervals."""
    return {name: one["value"] for name, one in told["figures"].items()}


def test_a_perfect_system_has_one_for_everything() -> None:
    case = perfect()
    told = figures({"bm25": case.system()}, case.truth, 1, RESAMPLES)["bm25"]
    assert list(told["figures"]) == ["Q", *ANSWERABLE_SLICES, "E", "hit10", "correct-empty"]
    assert all(one == {"value": 1.0, "low": 1.0, "high": 1.0} for one in told["figures"].values())
    assert told["milliseconds"] == {"count": 84, "p50": 100.0, "p95": 100.0, "p99": 100.0, "max": 100.0}
    assert told["errors"] == {}


def test_each_figure_falls_by_what_was_spoilt_and_by_nothing_else() -> None:
    case = perfect()
    case.answer("name-1")
    case.answer("topic-1", "topic-1.bad")
    case.answer("none-1", "none-1.bad")
    told = values(figures({"bm25": case.system()}, case.truth, 1, RESAMPLES)["bm25"])
    assert told == pytest.approx(
        {
            **dict.fromkeys(ANSWERABLE_SLICES, 1.0),
            "name": 3 / 4,
            "topic": 3 / 4,
            "Q": (4 + 3 / 4 + 3 / 4) / 6,
            "E": 7 / 8,
            "hit10": 22 / 24,
            "correct-empty": 3 / 4,
        }
    )


def test_intervals_are_those_of_the_bootstrap_and_hold_the_figure() -> None:
    case = perfect()
    for query in ("name-1", "quote-1", "quote-2"):  # high where one is missed, low where two are: no bound is another
        case.answer(query)
    told = figures({"bm25": case.system()}, case.truth, 5, RESAMPLES)["bm25"]["figures"]
    draws = bootstrap.draw(case.truth.topics, 5, RESAMPLES)
    lists = {query: [tuple(one or ()) for one in ranked] for query, ranked in case.lists.items()}
    earned = measure_lists(lists, answer_keys(case.truth))
    again = bootstrap.resample(draws, case.truth.topics, earned, {query: [100.0] for query in case.lists})
    for name, resampled in (
        ("name", again.figures["ndcg-name"]),
        ("quote", again.figures["ndcg-quote"]),
        ("Q", again.macro_ndcg()),
        ("E", again.figures["exact-mrr"]),
    ):
        ordered = sorted(resampled.tolist())
        assert (told[name]["low"], told[name]["high"]) == (ordered[9], ordered[389])  # the 10th and the 390th of 400
        assert told[name]["low"] < told[name]["value"] < told[name]["high"]
    assert told["topic"]["low"] == told["topic"]["high"] == 1.0


@pytest.mark.parametrize(("slow", "p95"), [(4, 100.0), (5, 900.0)])
def test_the_p95_of_84_requests_is_the_eightieth(slow: int, p95: float) -> None:
    case = perfect()
    for query in list(case.times)[:slow]:
        case.times[query][0] = 900.0
    told = figures({"bm25": case.system()}, case.truth, 1, RESAMPLES)["bm25"]["milliseconds"]
    assert (told["p50"], told["p95"], told["max"]) == (100.0, p95, 900.0)


def test_a_failed_request_is_counted_and_charged() -> None:
    case = perfect()
    case.fail("quote-2")
    told = figures({"bm25": case.system()}, case.truth, 1, RESAMPLES)["bm25"]
    assert told["errors"] == {"failed": 1}
    assert told["milliseconds"]["max"] == 5000.0
    assert values(told)["quote"] == pytest.approx((3 + 2 / 3) / 4)


def test_what_is_not_judged_is_counted_over_all_systems() -> None:
    one, other = perfect(), perfect()
    one.answer("name-1", "quote-1.best")
    other.answer("name-1", "quote-1.best", "quote-2.best")
    with pytest.raises(Unjudged) as refused:
        figures({"bm25": one.system(), "dense": other.system()}, one.truth, 1, RESAMPLES)
    assert refused.value.missing == [("name-1", "quote-1.best"), ("name-1", "quote-2.best")]


def returned(engine: Engine, draft: Draft) -> dict[str, dict[str, list[str]]]:
    """What each system answers to each query."""
    return {
        system: {one["id"]: [hit.meme.id for hit in engine.search(one["text"], route).hits] for one in draft.queries}
        for system, route in ROUTES.items()
    }


def judged_as_returned(engine: Engine) -> tuple[Draft, dict[str, dict[str, list[str]]]]:
    """The small partition in which everything that any system returns has a grade: 0 where it had none."""
    draft = small()
    lists = returned(engine, draft)
    known = {(one["query"], one["item"]) for one in draft.pool}
    found = {(query, item) for answers in lists.values() for query, items in answers.items() for item in items}
    for query, item in sorted(found - known):
        row = candidate(query, item)
        draft.pool.append(row)
        draft.judgements += [judgement(row, name, 0) for name in ("ann", "bob")]
    return draft, lists


def grades(draft: Draft, query: str) -> dict[str, int]:
    """The doubled grades of a query: twice the mean, or the third person's word where there is one."""
    told: dict[str, int] = {}
    for row in [one for one in draft.pool if one["query"] == query]:
        mine = [one for one in draft.judgements if _is_of(one, row) and not one["repeat"]]
        thirds = [one["grade"] * 2 for one in mine if one["role"] == "adjudicator"]
        told[row["item"]] = thirds[0] if thirds else sum(one["grade"] for one in mine)
    return told


def _is_of(one: Row, row: Row) -> bool:
    return (one["query"], one["item"]) == (row["query"], row["item"])


def ideal_share(ranked: Sequence[str], known: dict[str, int]) -> float:
    """nDCG@10 by another way of computing it."""
    return float(decimal_ndcg(tuple(known[item] for item in ranked), tuple(known.values())))


def test_the_engine_is_measured_by_its_own_lists(
    data_dir: Path, engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(development, "world_of", lambda _: bundled_world())
    draft, lists = judged_as_returned(engine)
    told = measure(data_dir, draft.write(tmp_path / "partition"), 3)
    assert (told["labels"], told["queries"], told["unjudged"]) == ("provisional", 7, 0)
    assert told["version"] == engine.version.name
    assert json.loads(json.dumps(told)) == told
    for system, answers in lists.items():
        found = values(told["systems"][system])
        slices = {
            one["slice"]: ideal_share(answers[one["id"]], grades(draft, one["id"]))
            for one in draft.queries
            if one["slice"]
        }
        assert {name: found[name] for name in slices} == pytest.approx(slices)
        assert found["Q"] == pytest.approx(average(list(slices.values())))
        assert found["correct-empty"] == float(not answers["dev-007"])
        assert told["systems"][system]["milliseconds"]["count"] == 7 * told["repeats"]


def test_where_not_all_is_judged_no_figure_is_told_but_how_many_are_missing(
    data_dir: Path, engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(development, "world_of", lambda _: bundled_world())
    draft = small()
    known = {(one["query"], one["item"]) for one in draft.pool}
    lists = returned(engine, draft)
    found = {(query, item) for answers in lists.values() for query, items in answers.items() for item in items}
    told = measure(data_dir, draft.write(tmp_path / "partition"), 3)
    assert told["systems"] is None
    assert told["unjudged"] == len(found - known) > 0


def test_a_folder_without_an_index_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(development, "world_of", lambda _: bundled_world())
    with pytest.raises(IndexUnavailable):
        measure(tmp_path / "nothing", small().write(tmp_path / "partition"), 3)
