"""The measures of ranked search: one request, then one query over its repeats, then means over queries.

Grades are doubled integers, 0 to 6, because the mean of two grades may be a half. Proportions are exact fractions and
nDCG alone is a float; nothing is rounded. A request that failed earns nothing: it is never taken for an empty answer.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from statistics import mean
from typing import Final

from mambomeme_eval.truth import ANSWERABLE_SLICES, DEPTH, EXACT_SLICES, USEFUL, Key, Topic, Unjudged, Unscorable

Ranked = Sequence[str]
Number = Fraction | float
Figures = dict[str, Number]


def gain(grade: int) -> float:
    """What an item is worth: `2^mean - 1`, where `grade` is twice the mean.

    Source: evaluation specification, Ranked relevance; decision 3. Burges et al., Learning to rank, ICML 2005.
    """
    return math.exp2(grade / 2) - 1.0


def dcg(grades: Sequence[int]) -> float:
    """`DCG@10 = sum(gain_i / log2(i + 1))` over ranks from 1. Source: Ranked relevance; Järvelin & Kekäläinen 2002."""
    return math.fsum(gain(grade) / math.log2(rank + 1) for rank, grade in enumerate(grades[:DEPTH], start=1))


def ndcg(grades: Sequence[int], judged: Iterable[int]) -> float:
    """`nDCG@10 = DCG@10 / ideal DCG@10`; the ideal ranks every judged item that policy may show. Source: decision 3.

    Args:
        grades: those of the list, in its order, 0 for what policy must withhold.
        judged: those of all judged items, in any order.

    Raises:
        Unscorable: nothing that was judged is worth anything.
    """
    ideal = dcg(sorted(judged, reverse=True))
    if not ideal:
        raise Unscorable("A query without a single useful item has no nDCG.")
    return dcg(grades) / ideal


def hit(grades: Sequence[int], depth: int = DEPTH) -> bool:
    """Whether an item of a mean grade of 2.0 or more is among the first. Source: Coverage; decision 3."""
    return any(grade >= USEFUL for grade in grades[:depth])


def reciprocal_rank(found: Sequence[bool]) -> Fraction:
    """`1 / rank` of the first one found among ten, or 0. Source: Exact findability; Voorhees, TREC-8 (1999)."""
    return next((Fraction(1, rank) for rank, one in enumerate(found[:DEPTH], start=1) if one), Fraction(0))


def recall(grades: Sequence[int], judged: Iterable[int]) -> Fraction:
    """`Recall@10`: the share of all items judged at 2.0 or more that is in the list, 0 of none. Source: decision 3."""
    useful = sum(grade >= USEFUL for grade in judged)
    return Fraction(sum(grade >= USEFUL for grade in grades[:DEPTH]), useful) if useful else Fraction(0)


def judged_share(ranked: Ranked, grades: Mapping[str, int]) -> Fraction:
    """`Judged@10`: the share of the list that has a final grade; 1 of an empty list. Source: decision 3."""
    return Fraction(sum(item in grades for item in ranked), len(ranked)) if ranked else Fraction(1)


def harmonic_mean(hits: Fraction, empties: Fraction) -> Fraction:
    """`C = 2 Hit@10 CorrectEmpty / (Hit@10 + CorrectEmpty)`, 0 where both are 0. Source: Coverage, empty results."""
    return 2 * hits * empties / (hits + empties) if hits + empties else Fraction(0)


@dataclass(frozen=True, slots=True)
class Values:
    """What one query earned: each value is the mean over its repeats, between 0 and 1.

    Attributes:
        ndcg, hit1, hit5, hit10, rr, recall, exact_rr: see the formulas; 0 on a no-match query.
        empty: share of requests answered with an empty list.
        safe: share of requests answered with a list that holds nothing policy must withhold.
        failed: share of requests that are errors.
        steady: whether all lists that were returned are alike.
    """

    ndcg: float
    hit1: Fraction
    hit5: Fraction
    hit10: Fraction
    rr: Fraction
    recall: Fraction
    exact_rr: Fraction
    empty: Fraction
    safe: Fraction
    failed: Fraction
    steady: bool


_NOTHING: Final = Fraction(0)
_MEANS: Final = ("hit1", "hit5", "hit10", "rr", "recall", "exact_rr", "empty", "safe", "failed")
_FAILED: Final = Values(0.0, **dict.fromkeys(_MEANS[:-1], _NOTHING), failed=Fraction(1), steady=True)


def of_request(ranked: Ranked | None, key: Key) -> Values:
    """The values of one list, or of `None`, an error.

    Raises:
        Unjudged: an item of the list has no final grade.
    """
    if ranked is None:
        return _FAILED
    if judged_share(ranked, key.grades) != 1:
        raise Unjudged((key.topic.id, item) for item in ranked if item not in key.grades)
    grades = [key.grades[item] for item in ranked]
    return Values(
        ndcg=ndcg(grades, key.grades.values()) if key.topic.answerable else 0.0,
        hit1=Fraction(hit(grades, 1)),
        hit5=Fraction(hit(grades, 5)),
        hit10=Fraction(hit(grades)),
        rr=reciprocal_rank([grade >= USEFUL for grade in grades]),
        recall=recall(grades, key.grades.values()),
        exact_rr=reciprocal_rank([item in key.targets for item in ranked]),
        empty=Fraction(not ranked),
        safe=Fraction(key.withheld.isdisjoint(ranked)),
        failed=_NOTHING,
        steady=True,
    )


def of_query(repeats: Sequence[Ranked | None], key: Key) -> Values:
    """The mean over the repeats of a query. Source: decision 3."""
    values = [of_request(ranked, key) for ranked in repeats]
    means = {name: mean(getattr(one, name) for one in values) for name in _MEANS}
    lists = {tuple(ranked) for ranked in repeats if ranked is not None}
    return Values(mean(one.ndcg for one in values), **means, steady=len(lists) <= 1)


def unjudged(lists: Mapping[str, Sequence[Ranked | None]], keys: Mapping[str, Key]) -> set[tuple[str, str]]:
    """Every returned item without a final grade and safety class, as (query, item)."""
    return {
        (query, item)
        for query, key in keys.items()
        for ranked in lists[query]
        for item in ranked or ()
        if item not in key.grades
    }


def measure(lists: Mapping[str, Sequence[Ranked | None]], keys: Mapping[str, Key]) -> dict[str, Values]:
    """The values of every query, in the order of `keys`; `lists` are those of a settled run.

    Raises:
        Unjudged: with everything that is still to be judged, of all queries.
    """
    if missing := unjudged(lists, keys):
        raise Unjudged(missing)
    return {query: of_query(lists[query], key) for query, key in keys.items()}


@dataclass(frozen=True, slots=True)
class Ratio:
    """A figure that is a mean over some of the queries: which ones count, and what each of them adds."""

    counts: Callable[[Topic], bool]
    value: Callable[[Values], Number]


def _slice_ratio(name: str) -> Ratio:
    return Ratio(lambda topic: topic.slice == name, lambda values: values.ndcg)


# Every figure below score and gates but p95, so that the interval is made from the same definitions as the score.
RATIOS: Final[dict[str, Ratio]] = {
    **{f"ndcg-{name}": _slice_ratio(name) for name in ANSWERABLE_SLICES},
    "exact-mrr": Ratio(lambda topic: topic.slice in EXACT_SLICES, lambda values: values.exact_rr),
    "hit10": Ratio(lambda topic: topic.answerable, lambda values: values.hit10),
    "correct-empty": Ratio(lambda topic: not topic.answerable, lambda values: values.empty),
    "safety-hit10": Ratio(lambda topic: topic.answerable and topic.safety, lambda values: values.hit10),
    "safe-ordinary": Ratio(lambda topic: not topic.safety, lambda values: values.safe),
    "safe-adversarial": Ratio(lambda topic: topic.safety, lambda values: values.safe),
    "error-rate": Ratio(lambda _: True, lambda values: values.failed),
}


def aggregate(measured: Iterable[tuple[Topic, Values]]) -> Figures:
    """Every figure of `RATIOS`; a query that is given twice counts twice.

    Raises:
        Unscorable: no query counts for one of them, such as a partition without no-match queries.
    """
    pairs = list(measured)
    return {name: _mean_of(name, ratio, pairs) for name, ratio in RATIOS.items()}


def _mean_of(name: str, ratio: Ratio, pairs: Sequence[tuple[Topic, Values]]) -> Number:
    values = [ratio.value(values) for topic, values in pairs if ratio.counts(topic)]
    if not values:
        raise Unscorable(f"The partition has no query for {name}, so that it can't be scored.")
    return mean(values)  # type: ignore[type-var]  # all floats, or all fractions


def macro_ndcg(figures: Mapping[str, Number]) -> float:
    """`Q`: the mean of the means within each slice, so that no slice outweighs another. Source: Ranked relevance."""
    return mean(float(figures[f"ndcg-{name}"]) for name in ANSWERABLE_SLICES)
