"""How far the people who judged agree, with one another and with themselves.

Only the two independent annotators of a candidate are compared, as they answered before any third person; what an
annotator says to a candidate that he sees again is compared with his own first answer. Everything is unrounded, and a
proportion keeps its two integers.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

import numpy as np
from numpy.typing import NDArray

from mambomeme_eval.benchmark import USEFUL, WHOLE_GRADE, Candidate, Judgement, Role
from mambomeme_eval.qrels import ANNOTATORS, MOST_DIFFERENCE

LEVELS: Final = 4
"""Grades 0 to 3."""
Grades = Sequence[Sequence[int]]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Rate:
    """A proportion as two integers."""

    count: int
    total: int

    @property
    def value(self) -> Fraction | None:
        """The proportion, or None of nothing."""
        return Fraction(self.count, self.total) if self.total else None


@dataclass(frozen=True, slots=True)
class Likeness:
    """How alike pairs of answers are.

    Attributes:
        exact: the same grade.
        within_one: grades that differ by one or less.
        useful: both 2 or better, or neither.
        safety: the same safety class.
    """

    exact: Rate
    within_one: Rate
    useful: Rate
    safety: Rate


@dataclass(frozen=True, slots=True)
class Kappa:
    """Quadratic kappa of two people, over the candidates that both judged; None where it is undefined."""

    people: tuple[str, str]
    candidates: int
    kappa: float | None


@dataclass(frozen=True, slots=True)
class Agreement:
    """Everything that is published (decisions 8).

    Attributes:
        candidates: how many have both their annotators.
        alpha: Krippendorff's, ordinal, over these; None where it is undefined.
        kappa: quadratic, the mean of `pairs` by their candidates; None where none is defined.
        pairs: of each two people who judged something together, by their names.
        between: the two annotators of each candidate.
        third: the candidates that a third person decided; others may still wait for one.
        own: each person against himself, by his name.
    """

    candidates: int
    alpha: float | None
    kappa: float | None
    pairs: tuple[Kappa, ...]
    between: Likeness
    third: Rate
    own: dict[str, Likeness]


def krippendorff_alpha(units: Grades, levels: int = LEVELS) -> float | None:
    """Krippendorff's alpha with the ordinal metric: `1 - observed / expected disagreement`, at most 1.

    With the coincidences `o_ck` (each ordered pair of values within a unit of m values counts 1/(m-1)), their margins
    `n_c` and their sum `n`:

        alpha = 1 - (n - 1) * sum_c<k(o_ck * d_ck) / sum_c<k(n_c * n_k * d_ck)
        d_ck = (n_c/2 + n_c+1 + ... + n_k-1 + n_k/2) ** 2

    Source: Krippendorff, "Computing Krippendorff's Alpha-Reliability", 2011, sections C and E.

    Args:
        units: the grades, 0 to `levels - 1`, that each unit got; units with fewer than two are left out.

    Returns:
        None where nothing can disagree: no unit is left, or all of them got one and the same grade.
    """
    counts = np.array([np.bincount(unit, minlength=levels) for unit in units if len(unit) > 1], dtype=np.float64)
    if not len(counts):
        return None
    coincidences = _coincidences(counts)
    margins = coincidences.sum(axis=1)
    distances = _ordinal_distances(margins)
    expected = float((np.outer(margins, margins) * distances).sum())
    if expected == 0:
        return None
    return 1.0 - float(margins.sum() - 1) * float((coincidences * distances).sum()) / expected


def _coincidences(counts: Floats) -> Floats:
    """Levels x levels; each unit adds its ordered pairs of values, weighted by 1/(its values - 1)."""
    weights = 1.0 / (counts.sum(axis=1) - 1.0)
    pairs = (counts * weights[:, np.newaxis]).T @ counts
    matched: Floats = pairs - np.diag((counts * weights[:, np.newaxis]).sum(axis=0))
    return matched


def _ordinal_distances(margins: Floats) -> Floats:
    """Levels x levels: the squared share of values that lie between two grades, half of each end counted."""
    middles = np.cumsum(margins) - margins / 2.0
    distances: Floats = (middles[:, np.newaxis] - middles[np.newaxis, :]) ** 2
    return distances


def quadratic_kappa(first: Sequence[int], second: Sequence[int], levels: int = LEVELS) -> float | None:
    """Cohen's kappa with quadratic weights: `1 - sum(w * observed) / sum(w * expected)`, `w = (i - j) ** 2`.

    Source: Cohen, "Weighted kappa", Psychological Bulletin 70, 1968; quadratic weights as in Fleiss & Cohen 1973.

    Args:
        first: the grades of one person, 0 to `levels - 1`.
        second: those of another one, of the same units in the same order.

    Returns:
        None where nothing can disagree: there are no units, or both people gave one and the same grade throughout.

    Raises:
        ValueError: the two are not of the same length.
    """
    if len(first) != len(second):
        raise ValueError("two people must have judged the same units")
    one, other = np.asarray(first, dtype=np.int64), np.asarray(second, dtype=np.int64)
    by_one, by_other = np.bincount(one, minlength=levels), np.bincount(other, minlength=levels)
    weights = np.subtract.outer(np.arange(levels), np.arange(levels)) ** 2
    expected = int((np.outer(by_one, by_other) * weights).sum())
    observed = len(one) * int(((one - other) ** 2).sum())
    return (expected - observed) / expected if expected else None


def likeness(pairs: Iterable[tuple[Judgement, Judgement]]) -> Likeness:
    """How alike the two answers of each pair are."""
    compared = list(pairs)
    total = len(compared)
    least = USEFUL // WHOLE_GRADE
    return Likeness(
        exact=Rate(sum(one.grade == other.grade for one, other in compared), total),
        within_one=Rate(sum(abs(one.grade - other.grade) <= MOST_DIFFERENCE for one, other in compared), total),
        useful=Rate(sum((one.grade >= least) == (other.grade >= least) for one, other in compared), total),
        safety=Rate(sum(one.safety is other.safety for one, other in compared), total),
    )


def agreement(candidates: Iterable[Candidate], judgements: Iterable[Judgement]) -> Agreement:
    """The agreement on a pool; a judgement counts only for the content that the pool names, in any order of rows."""
    rows: dict[tuple[str, str, str], list[Judgement]] = {
        (one.query, one.item, one.content_hash): [] for one in candidates
    }
    decided = set()
    for row in judgements:
        about = row.query, row.item, row.content_hash
        if row.role is Role.ANNOTATOR and about in rows:
            rows[about].append(row)
        elif row.role is Role.ADJUDICATOR:
            decided.add(about)
    paired = {about: pair for about, found in rows.items() if (pair := _pair(found))}
    pairs = list(paired.values())
    kappas = _kappas(pairs)
    return Agreement(
        candidates=len(pairs),
        alpha=krippendorff_alpha([[one.grade, other.grade] for one, other in pairs]),
        kappa=_mean(kappas),
        pairs=kappas,
        between=likeness(pairs),
        third=Rate(len(decided & paired.keys()), len(pairs)),
        own=_own(rows.values()),
    )


def _pair(about: Sequence[Judgement]) -> tuple[Judgement, Judgement] | None:
    """The first answers of the two annotators, by their names, or None where there are not two."""
    first = sorted((row for row in about if not row.repeat), key=lambda row: row.annotator)
    return (first[0], first[1]) if len({row.annotator for row in first}) == len(first) == ANNOTATORS else None


def _kappas(pairs: Iterable[tuple[Judgement, Judgement]]) -> tuple[Kappa, ...]:
    """Kappa is one of two fixed people, each with his own margins, so that every two have their own."""
    grades: dict[tuple[str, str], list[tuple[int, int]]] = defaultdict(list)
    for one, other in pairs:
        grades[one.annotator, other.annotator].append((one.grade, other.grade))
    return tuple(
        Kappa(people, len(both), quadratic_kappa([one for one, _ in both], [other for _, other in both]))
        for people, both in sorted(grades.items())
    )


def _mean(kappas: Iterable[Kappa]) -> float | None:
    defined = [(one.kappa, one.candidates) for one in kappas if one.kappa is not None]
    total = sum(count for _, count in defined)
    return sum(kappa * count for kappa, count in defined) / total if total else None


def _own(groups: Iterable[Sequence[Judgement]]) -> dict[str, Likeness]:
    pairs: dict[str, list[tuple[Judgement, Judgement]]] = defaultdict(list)
    for about in groups:
        first = {row.annotator: row for row in about if not row.repeat}
        for row in about:
            if row.repeat and row.annotator in first:
                pairs[row.annotator].append((first[row.annotator], row))
    return {name: likeness(pairs[name]) for name in sorted(pairs)}
