"""Fits the model of whether anything fits, and tells what each `least` would cost.

Pure computing, on what each route answered to every query of a partition. Every operating point in a table rests on
held-out probabilities: no query is judged by a model that saw a query of its family.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import LeaveOneGroupOut, cross_val_predict

from mambomeme_eval.gates import RULES
from mambomeme_eval.metrics import Figures, Values, aggregate, harmonic_mean, macro_ndcg, measure, unjudged
from mambomeme_eval.score import WEIGHTS
from mambomeme_eval.truth import ANSWERABLE_SLICES, Key, Truth, Unjudged, Unscorable, answer_keys
from mambomeme_tui.retrieval.threshold import EVIDENCE, Evidence

Floats = NDArray[np.float64]

LEASTS: Final = tuple(percent / 100 for percent in range(10, 61, 2))
MOST_STEPS: Final = 5000


@dataclass(frozen=True, slots=True)
class Recipe:
    """How the model of a route is fitted.

    Attributes:
        evidence: which pieces it weighs.
        C: inverse strength of the regularisation.
    """

    evidence: tuple[str, ...]
    C: float


RECIPES: Final = {
    # A route weighs what it knows when it answers alone; C is what was best of 1, 3, 10, 30, 100 when first fitted.
    "bm25": Recipe(("coverage", "named"), 100.0),
    "dense": Recipe(("cosine",), 10.0),
    "hybrid": Recipe(EVIDENCE, 30.0),  # both routes know everything there is
}


@dataclass(frozen=True, slots=True)
class Answer:
    """What a route answers to a query, whether or not it is taken for an answer.

    Attributes:
        ranked: at most ten ids: the hits, or what comes nearest where only the model stands against it.
        evidence: what was judged, or None where the model has no say.
        shown: whether the published version took it for an answer.
    """

    ranked: tuple[str, ...]
    evidence: Evidence | None
    shown: bool


Answers = Mapping[str, Answer]
"""By query."""


@dataclass(frozen=True, slots=True)
class Point:
    """What a threshold leaves of every figure that it can change, each from 0 to 1.

    Attributes:
        least: the probability from which on something fits.
        Q, E, hit10, correct_empty, C: as the scorecard has them.
        lowest: the smallest nDCG@10 of a slice, and `slice` its name.
        points: 100 (0.55 Q + 0.15 E + 0.10 C), what these give to the score.
        failed: the gates that fail.
    """

    least: float
    Q: float
    lowest: float
    slice: str
    E: float
    hit10: float
    correct_empty: float
    C: float
    points: float
    failed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Calibration:
    """What was found for a route.

    Attributes:
        auc: of the held-out probabilities.
        model: `bias` and the weight of each piece of evidence, fitted on all queries.
        points: one for each of `LEASTS`, held out.
        published: what the version itself showed; its model may have been fitted on these very queries.
    """

    auc: float
    model: dict[str, float]
    points: tuple[Point, ...]
    published: Point


def calibrate(answers: Mapping[str, Answers], truth: Truth, published: Mapping[str, float]) -> dict[str, Calibration]:
    """Fit and price the model of every system.

    Args:
        answers: those of each system of `RECIPES`, to every topic.
        truth: everything that is known about the right answers.
        published: the `least` of each system's version.

    Raises:
        Unjudged: with everything that any of the systems returned and that has no final grade.
        Unscorable: there are too few families of a kind, or no query for a figure.
    """
    keys = answer_keys(truth)
    lists = [{query: [one.ranked] for query, one in found.items()} for found in answers.values()]
    if missing := [pair for one in lists for pair in unjudged(one, keys)]:
        raise Unjudged(missing)
    return {name: _of_one(RECIPES[name], found, keys, published[name]) for name, found in answers.items()}


def _of_one(recipe: Recipe, answers: Answers, keys: Mapping[str, Key], published: float) -> Calibration:
    judged = {query: one for query in keys if (one := answers[query].evidence) is not None}
    labels = [keys[query].topic.answerable for query in judged]
    families = [keys[query].topic.family for query in judged]
    _check(labels, families)
    evidence = matrix(judged.values(), recipe.evidence)
    probabilities = held_out(evidence, labels, families, recipe.C)
    earned = Earned(answers, keys)
    shown = {query: one.shown for query, one in answers.items()}
    return Calibration(
        auc=float(roc_auc_score(labels, probabilities)),
        model=fit(evidence, labels, recipe),
        points=tuple(
            earned.at(least, shown | dict(zip(judged, (probabilities >= least).tolist(), strict=True)))
            for least in LEASTS
        ),
        published=earned.at(published, shown),
    )


def _check(labels: Sequence[bool], families: Sequence[str]) -> None:
    """Whichever family is left out, both kinds must remain."""
    for label, kind in ((True, "answerable"), (False, "no-match")):
        if len({family for family, one in zip(families, labels, strict=True) if one is label}) < 2:
            raise Unscorable(f"A threshold needs {kind} queries of at least two families.")


def matrix(evidence: Iterable[Evidence], names: Sequence[str]) -> Floats:
    """A row a query, a column a piece of evidence, each from 0 to 1."""
    return np.array([[getattr(one, name) for name in names] for one in evidence], np.float64)


def _unfitted(C: float) -> LogisticRegression:
    return LogisticRegression(C=C, class_weight="balanced", max_iter=MOST_STEPS)


def held_out(evidence: Floats, labels: Sequence[bool], families: Sequence[str], C: float) -> Floats:
    """The probability that something fits for each row, by a model fitted on all families but the row's own."""
    left_out = LeaveOneGroupOut()
    options = {"groups": families, "cv": left_out, "method": "predict_proba"}
    found: Floats = cross_val_predict(_unfitted(C), evidence, labels, **options)[:, 1]
    return found


def fit(evidence: Floats, labels: Sequence[bool], recipe: Recipe) -> dict[str, float]:
    """`bias` and weights on all rows, as `threshold.probability` takes them."""
    model = _unfitted(recipe.C).fit(evidence, labels)
    return {"bias": float(model.intercept_[0])} | dict(zip(recipe.evidence, model.coef_[0].tolist(), strict=True))


class Earned:
    """What each query earns with its list and without it, measured once for all operating points.

    Raises:
        Unjudged: an item of a list has no final grade.
    """

    def __init__(self, answers: Answers, keys: Mapping[str, Key]) -> None:
        self._keys = keys
        self._with: dict[str, Values] = measure({query: [answers[query].ranked] for query in keys}, keys)
        self._without: dict[str, Values] = measure({query: [()] for query in keys}, keys)

    def at(self, least: float, shown: Mapping[str, bool]) -> Point:
        """The figures where just these lists are shown and all others are empty.

        Raises:
            Unscorable: the partition has no query for one of them.
        """
        return _point(
            least,
            aggregate(
                (key.topic, (self._with if shown[query] else self._without)[query]) for query, key in self._keys.items()
            ),
        )


def _point(least: float, figures: Figures) -> Point:
    lowest = min(ANSWERABLE_SLICES, key=lambda name: figures[f"ndcg-{name}"])
    parts = {
        "Q": macro_ndcg(figures),
        "E": figures["exact-mrr"],
        "C": harmonic_mean(Fraction(figures["hit10"]), Fraction(figures["correct-empty"])),
    }
    return Point(
        least=least,
        **{name: float(value) for name, value in parts.items()},
        lowest=float(figures[f"ndcg-{lowest}"]),
        slice=lowest,
        hit10=float(figures["hit10"]),
        correct_empty=float(figures["correct-empty"]),
        points=float(100 * sum(WEIGHTS[name] * Fraction(value) for name, value in parts.items())),
        failed=tuple(rule.name for rule in RULES if rule.name in figures and not rule.holds(figures[rule.name])),
    )
