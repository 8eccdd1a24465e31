"""Proves that what is called held out is, that a fit is the engine's own model, and what each threshold costs."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from mambomeme_eval.metrics import aggregate, macro_ndcg
from mambomeme_eval.metrics import measure as measure_lists
from mambomeme_eval.retrieval.calibration import (
    LEASTS,
    RECIPES,
    Answer,
    Earned,
    Recipe,
    calibrate,
    fit,
    held_out,
    matrix,
)
from mambomeme_eval.truth import ANSWERABLE_SLICES, Unjudged, Unscorable, answer_keys
from mambomeme_tui.retrieval.threshold import EVIDENCE, Evidence, probability
from tests.eval.scoring import Case, naive_score, perfect

LEAST = dict.fromkeys(RECIPES, 0.3)


def drawn(count: int, seed: int = 7) -> list[Evidence]:
    """Evidence at random, between 0 and 1."""
    shares = np.random.default_rng(seed).random((count, len(EVIDENCE)))
    return [Evidence(*row) for row in shares.tolist()]


def told_apart(evidence: Sequence[Evidence], seed: int = 3) -> list[bool]:
    """Labels that the evidence tells, though not without fail."""
    noise = np.random.default_rng(seed).normal(0, 0.4, len(evidence))
    return [bool(sum(asdict(one).values()) > 2.4 + off) for one, off in zip(evidence, noise, strict=True)]


def one_by_one(rows: NDArray[np.float64], labels: Sequence[bool], families: Sequence[str], C: float) -> list[float]:
    """Held-out probabilities by a plain loop over the rows; the class weights are written out."""
    told = []
    for row, own in zip(rows, families, strict=True):
        rest = [at for at, family in enumerate(families) if family != own]
        known = [labels[at] for at in rest]
        weights = [len(known) / (2 * known.count(label)) for label in known]
        model = LogisticRegression(C=C, max_iter=5000).fit(rows[rest], known, sample_weight=weights)
        told.append(float(model.predict_proba(row[None])[0, 1]))
    return told


@pytest.mark.parametrize("recipe", RECIPES.values(), ids=RECIPES)
def test_each_row_is_judged_by_a_model_that_never_saw_its_family(recipe: Recipe) -> None:
    evidence = drawn(40)
    rows, labels = matrix(evidence, recipe.evidence), told_apart(evidence)
    families = [f"family {at % 13}" for at in range(40)]  # of three or four, of both kinds
    before = held_out(rows, labels, families, recipe.C)
    assert before == pytest.approx(one_by_one(rows, labels, families, recipe.C), abs=1e-4)
    own = [at for at, family in enumerate(families) if family == "family 5"]
    turned = [not label if at in own else label for at, label in enumerate(labels)]
    after = held_out(rows, turned, families, recipe.C)
    assert after[own].tolist() == before[own].tolist()
    others = [at for at in range(40) if at not in own]
    assert not np.isclose(after[others], before[others], atol=1e-6).any()


@pytest.mark.parametrize("recipe", RECIPES.values(), ids=RECIPES)
def test_the_fitted_numbers_are_the_engines_own_model(recipe: Recipe) -> None:
    evidence = drawn(60)
    rows, labels = matrix(evidence, recipe.evidence), told_apart(evidence)
    told = fit(rows, labels, recipe)
    assert list(told) == ["bias", *recipe.evidence]
    by_hand = LogisticRegression(C=recipe.C, class_weight="balanced", max_iter=5000).fit(rows, labels)
    expected = by_hand.predict_proba(rows)[:, 1]
    assert [probability(one, told) for one in evidence] == pytest.approx(expected.tolist(), abs=1e-12)


@pytest.mark.parametrize("recipe", RECIPES.values(), ids=RECIPES)
def test_the_fit_is_where_the_regularised_loss_of_balanced_classes_is_flat(recipe: Recipe) -> None:
    """The gradient of |w|^2 / 2 + C sum(s_i loss_i), with s_i = n / (2 n_class), is 0 in w and in the bias."""
    evidence = drawn(60)
    rows, labels = matrix(evidence, recipe.evidence), told_apart(evidence)
    told = fit(rows, labels, recipe)
    balance = np.array([len(labels) / (2 * labels.count(label)) for label in labels])
    surplus = balance * [probability(one, told) - label for one, label in zip(evidence, labels, strict=True)]
    weights = np.array([told[name] for name in recipe.evidence])
    assert labels.count(True) != labels.count(False)
    assert np.abs(weights).max() > 0.5
    assert weights / recipe.C + rows.T @ surplus == pytest.approx(np.zeros(len(weights)), abs=0.02)
    assert surplus.sum() == pytest.approx(0, abs=0.02)


def test_a_matrix_has_the_pieces_that_were_asked_for_in_their_order() -> None:
    one, other = Evidence(0.1, 0.2, 0.3, 0.4), Evidence(0.5, 0.6, 0.7, 0.8)
    assert matrix([one, other], ["named", "coverage"]).tolist() == [[0.3, 0.1], [0.7, 0.5]]
    assert RECIPES["hybrid"].evidence == EVIDENCE
    assert all(set(recipe.evidence) <= set(EVIDENCE) for recipe in RECIPES.values())


def answered(case: Case, evidence: Sequence[Evidence | None], shown: Sequence[bool]) -> dict[str, Answer]:
    """The case's own lists; of a no-match query the useless item that it has."""
    return {
        topic.id: Answer(tuple(case.lists[topic.id][0] or ([] if topic.slice else [f"{topic.id}.bad"])), one, is_shown)
        for topic, one, is_shown in zip(case.truth.topics, evidence, shown, strict=True)
    }


def spoilt() -> Case:
    """Lists that differ in what they are worth; asked once, so that each has one repeat."""
    case = perfect(repeats=1)
    case.answer("name-1", "name-1.bad", "name-1.best")
    case.answer("topic-2", "topic-2.minor")
    case.answer("semantic-0", "semantic-0.half", "semantic-0.good")
    case.answer("visual-3")
    return case


def emptied(case: Case, answers: Mapping[str, Answer], shown: Mapping[str, bool]) -> Case:
    """The case as it is seen where just these lists are shown."""
    lists: Any = {name: [list(answers[name].ranked) if shown[name] else []] for name in answers}
    return replace(case, lists=lists)


def test_an_operating_point_is_worth_what_its_lists_are_worth_emptied_by_hand() -> None:
    case = spoilt()
    topics = case.truth.topics
    pairs = zip(drawn(28), topics, strict=True)
    evidence: list[Evidence | None] = []
    evidence += [replace(one, cosine=one.cosine / 2 + 0.4 * topic.answerable) for one, topic in pairs]
    evidence[2] = evidence[27] = None  # the model has no say in them: one is always shown, one never
    answers = answered(case, evidence, [at % 3 == 2 for at in range(28)])
    told = calibrate({"dense": answers}, case.truth, LEAST)["dense"]
    judged = [at for at in range(28) if evidence[at]]
    labels, families = [topics[at].answerable for at in judged], [topics[at].family for at in judged]
    rows = np.array([[evidence[at].cosine] for at in judged])  # type: ignore[union-attr]
    expected = dict(zip(judged, one_by_one(rows, labels, families, RECIPES["dense"].C), strict=True))
    assert told.auc == pytest.approx(roc_auc_score(labels, list(expected.values())))
    keys, seen = answer_keys(case.truth), set()
    for point, least in zip(told.points, LEASTS, strict=True):
        shown = {one.id: expected[at] >= least if at in expected else at == 2 for at, one in enumerate(topics)}
        left = emptied(case, answers, shown)
        figures = aggregate((keys[name].topic, one) for name, one in measure_lists(left.lists, keys).items())
        assert (point.least, point.Q, point.E) == (least, macro_ndcg(figures), float(figures["exact-mrr"]))
        assert (point.hit10, point.correct_empty) == (float(figures["hit10"]), float(figures["correct-empty"]))
        slices = {name: figures[f"ndcg-{name}"] for name in ANSWERABLE_SLICES}
        assert (point.lowest, slices[point.slice]) == (min(slices.values()), min(slices.values()))
        # by other code: safety, latency and reliability are 1 here, and give 20 to a whole score
        assert point.points == pytest.approx(naive_score(left, topics) - 20)
        assert ("hit10" in point.failed) is (point.hit10 < 0.7)
        assert ("correct-empty" in point.failed) is (point.correct_empty < 0.6)
        assert (f"ndcg-{point.slice}" in point.failed) is (point.lowest < 0.3)
        seen.add((point.hit10, point.correct_empty))
    assert len(seen) > 5, "the threshold decides something"
    by_version = {name: one.shown for name, one in answers.items()}
    assert told.published == Earned(answers, keys).at(LEAST["dense"], by_version)
    assert told.published.points == pytest.approx(naive_score(emptied(case, answers, by_version), topics) - 20)


@pytest.mark.parametrize("system", RECIPES)
def test_where_the_evidence_tells_them_apart_nothing_is_lost(system: str) -> None:
    case = perfect()
    evidence = [Evidence(*[float(topic.answerable)] * len(EVIDENCE)) for topic in case.truth.topics]
    told = calibrate({system: answered(case, evidence, [False] * 28)}, case.truth, LEAST)[system]
    assert told.auc == 1.0
    assert {(one.hit10, one.correct_empty, one.Q, one.E, one.C) for one in told.points} == {(1.0,) * 5}
    assert all(one.points == pytest.approx(80) and one.failed == () for one in told.points)
    assert (told.published.hit10, told.published.correct_empty, told.published.points) == (0.0, 1.0, 0.0)


@pytest.mark.parametrize(
    ("left", "kind"), [("name-0 name-1", "no-match"), ("none-0 none-1", "answerable"), ("name-0 none-0 none-1", "answ")]
)
def test_kinds_of_which_a_family_may_be_the_only_one_are_refused(left: str, kind: str) -> None:
    """Whichever family is left out, a model must see both kinds."""
    case = perfect()
    evidence = [one if topic.id in left else None for topic, one in zip(case.truth.topics, drawn(28), strict=True)]
    with pytest.raises(Unscorable, match=rf"^A threshold needs {kind}\S* queries of at least two families\.$"):
        calibrate({"hybrid": answered(case, evidence, [True] * 28)}, case.truth, LEAST)


def test_two_queries_of_one_family_are_one_family() -> None:
    case = perfect()
    topics = [replace(one, family="the same") if one.id in ("none-0", "none-1") else one for one in case.truth.topics]
    truth = replace(case.truth, topics=topics)
    evidence = [None if one.id in ("none-2", "none-3") else told for one, told in zip(topics, drawn(28), strict=True)]
    with pytest.raises(Unscorable, match="no-match queries of at least two families"):
        calibrate({"hybrid": answered(case, evidence, [True] * 28)}, truth, LEAST)


def test_what_is_not_judged_is_named_over_all_systems() -> None:
    case = perfect()
    answers = answered(case, drawn(28), [True] * 28)
    strange = {one: answers | {"name-1": replace(answers["name-1"], ranked=(f"quote-{one}.best",))} for one in (1, 2)}
    with pytest.raises(Unjudged) as caught:
        calibrate({"bm25": strange[1], "hybrid": strange[2]}, case.truth, LEAST)
    assert caught.value.missing == [("name-1", "quote-1.best"), ("name-1", "quote-2.best")]
