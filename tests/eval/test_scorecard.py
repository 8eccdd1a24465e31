"""Proves the card: what it computes for several systems at once, and how it is shown as text and as JSON."""

import json
import re
from dataclasses import replace
from typing import Any

import pytest

from mambomeme_eval.acceptance import KEEP, Claim
from mambomeme_eval.gates import RELEASE_GATES
from mambomeme_eval.scorecard import Card, System, Terms, assess, to_dict
from mambomeme_eval.scorecard_text import render
from mambomeme_eval.truth import Unjudged, Unscorable
from tests.eval.scoring import SAFE_RELEASE, perfect
from tests.eval.test_score import damaged

TERMS = Terms(SAFE_RELEASE, "provisional", seed=7, identity={"benchmark": "v1", "policy": "1"}, resamples=80)


def three(**terms: Any) -> Card:
    """BM25, a slow dense route that fails gates, and a hybrid that finds everything."""
    bm25, dense, hybrid = perfect(per_slice=5), damaged(1), perfect(per_slice=5)
    for query in bm25.queries("semantic"):
        bm25.answer(query, f"{query}.minor", f"{query}.good", f"{query}.half")
    routes = {query: {f"{query}.best": ["dense"], f"{query}.good": ["lexical", "dense"]} for query in hybrid.lists}
    systems = {"bm25": bm25.system(), "dense": dense.system(), "hybrid": System(hybrid.lists, hybrid.times, routes)}
    return assess(systems, hybrid.truth, replace(TERMS, **terms))


def test_each_system_has_its_row_in_the_order_given() -> None:
    card = three(claim=Claim.SEMANTIC)
    assert [row.system for row in card.rows] == ["bm25", "dense", "hybrid"]
    assert [row.verdict.passed for row in card.rows] == [True, False, True]
    assert card.rows[2].verdict.score == 100.0
    assert card.rows[2].interval.raw.p2_5 == card.rows[2].interval.raw.p97_5 == pytest.approx(100, abs=1e-9)
    assert card.rows[2].routes["topic"]["dense-only"].shown == 15
    assert card.rows[1].unsteady
    assert not card.rows[2].unsteady
    assert card.acceptance is not None
    assert card.acceptance.verdict == KEEP


def test_the_same_seed_makes_the_same_card() -> None:
    assert three() == three()
    assert three().rows[1].interval != three(seed=8).rows[1].interval


def test_every_line_with_a_figure_says_that_labels_are_provisional() -> None:
    text = render(three(claim=Claim.SEMANTIC))
    body = text[text.index("bm25  ") :]
    figures = [line for line in body.splitlines() if re.search(r"\d\.\d", line) and not re.search("[<%]|>=", line)]
    assert len(figures) > 30
    assert [line for line in figures if not line.endswith(" provisional")] == []
    assert "labels provisional" in text.splitlines()[0]
    assert "verdict: keep dense provisional" in text
    assert re.search(r"^topic .* 0\.000 0\.500 0\.500 provisional$", text, re.MULTILINE)  # routes of hybrid


def test_final_labels_stand_at_the_head_alone() -> None:
    text = render(three(labels="final", claim=Claim.SEMANTIC))
    assert "provisional" not in text
    assert text.startswith("MMTS-Search-v1, labels final\n")


@pytest.mark.parametrize("labels", ["provisional", "final"])
def test_the_text_fits_eighty_columns(labels: str) -> None:
    card = three(labels=labels, claim=Claim.OVERALL, release={}, critical={"wrong-artefact": ["x"]})
    longest = max(render(card).splitlines(), key=len)
    assert len(longest) <= 80, longest
    slow = replace(card.rows[0], p95=5000.0, p95_interval=(4999.9, None), system="a very long name of a system")
    assert max(map(len, render(replace(card, rows=(slow,))).splitlines())) <= 80


def test_the_text_marks_what_fails_and_rounds_without_hiding_it() -> None:
    case = perfect(per_slice=5)
    case.times.update({query: [1000.0] * 3 for query in case.times})
    text = render(assess({"bm25": case.system()}, case.truth, replace(TERMS, release={})))
    assert "1000.0!" in text
    assert text.count("FAILED!") == len(RELEASE_GATES)
    assert "bm25      reads: FAIL provisional\n" in text
    figures = r"59\.00 +95\.00 +FAIL +1\.000 1\.000 1\.000 1\.000 0\.000 1\.000"
    assert re.search(rf"^bm25 +{figures} provisional$", text, re.MULTILINE)


def test_what_came_from_outside_reaches_no_terminal_raw() -> None:
    case = perfect()
    card = assess({"b\x1b[2J": case.system()}, case.truth, replace(TERMS, identity={"host\x07": "\x1b[31mred\u202e"}))
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f\u202e]", render(card))


def leaves(value: Any, path: str = "") -> list[tuple[str, dict[str, Any], Any]]:
    """Every plain value with the object that holds it."""
    if isinstance(value, dict):
        plain = [(path, value, one) for one in value.values() if not isinstance(one, dict | list)]
        return plain + [leaf for key, one in value.items() for leaf in leaves(one, f"{path}.{key}")]
    return [leaf for one in value for leaf in leaves(one, path)] if isinstance(value, list) else []


@pytest.mark.parametrize("labels", ["provisional", "final"])
def test_every_figure_of_the_json_has_its_labels_beside_it(labels: str) -> None:
    data = json.loads(json.dumps(to_dict(three(labels=labels, claim=Claim.SEMANTIC)), allow_nan=False))
    numbers = [leaf for leaf in leaves(data) if isinstance(leaf[2], int | float) and not isinstance(leaf[2], bool)]
    assert len(numbers) > 200
    assert [path for path, holder, _ in numbers if holder.get("labels") != labels] == []


def test_the_json_holds_unrounded_figures_and_proportions_as_ratios() -> None:
    data = to_dict(three())
    hybrid, dense = data["rows"][2], data["rows"][1]
    assert data["score"] == "MMTS-Search-v1"
    assert (data["seed"], data["resamples"], data["identity"]) == ("7", "80", {"benchmark": "v1", "policy": "1"})
    assert hybrid["figures"]["hit10"] == {"value": 1.0, "ratio": "1/1", "labels": "provisional"}
    ratio = dense["figures"]["safe-ordinary"]
    assert ratio["value"] == int(ratio["ratio"].split("/")[0]) / int(ratio["ratio"].split("/")[1])
    assert dense["verdict"]["raw"]["value"] == three().rows[1].verdict.raw
    assert [gate["name"] for gate in hybrid["verdict"]["gates"]][-3:] == list(RELEASE_GATES)
    assert data["acceptance"] is None


def test_what_is_unjudged_in_any_system_is_listed_for_all_of_them() -> None:
    first, second = perfect(), perfect()
    for case, item in ((first, "topic-1.bad"), (second, "topic-1.half")):
        case.answer("topic-1", item)
    del first.qrels["topic-1"]["topic-1.bad"], first.qrels["topic-1"]["topic-1.half"]
    with pytest.raises(Unjudged) as caught:
        assess({"bm25": first.system(), "hybrid": second.system()}, first.truth, TERMS)
    assert caught.value.missing == [("topic-1", "topic-1.bad"), ("topic-1", "topic-1.half")]


def test_an_error_needs_no_judgement() -> None:
    case = perfect()
    case.lists["topic-1"][0] = ["nowhere.nothing"]
    row = assess({"bm25": case.system()}, case.truth, TERMS).rows[0]
    assert row.errors == {"an item that is not in the manifest": 1}
    assert row.figures["error-rate"] == pytest.approx(1 / 84)


def test_terms_that_make_no_sense_are_refused_in_one_sentence() -> None:
    case = perfect()
    with pytest.raises(Unscorable, match=r"^Deciding about the dense route needs the systems bm25 and hybrid\.$"):
        assess({"bm25": case.system()}, case.truth, replace(TERMS, claim=Claim.OVERALL))
    with pytest.raises(Unscorable, match=r"^Labels are provisional or final\.$"):
        assess({"bm25": case.system()}, case.truth, replace(TERMS, labels="good"))
