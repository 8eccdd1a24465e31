"""A small benchmark that scores exactly 100, for tests to damage in one place, and a second way to compute the score.

`naive_score` shares no code with the package: it walks over single requests, in decimals and plain loops.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache
from itertools import count

from hypothesis import settings

from mambomeme_eval.gates import RELEASE_GATES
from mambomeme_eval.metrics import Values
from mambomeme_eval.scorecard import Card, System, Terms, assess
from mambomeme_eval.truth import ANSWERABLE_SLICES, Item, Topic, Truth

REPEATS = 3
SAFE_RELEASE = dict.fromkeys(RELEASE_GATES, True)
unhurried = settings(deadline=None)  # however busy the machine is, and whoever imports an oracle first
Lists = dict[str, list[list[str] | None]]
Times = dict[str, list[float | None]]


@dataclass
class Case:
    """Truth and one run with its latencies; tests change their dictionaries."""

    truth: Truth
    qrels: dict[str, dict[str, int]]
    safety: dict[str, dict[str, str]]
    targets: dict[str, set[str]]
    manifest: dict[str, Item]
    lists: Lists
    times: Times

    def answer(self, query: str, *items: str) -> None:
        """Every repeat of the query returns these."""
        self.lists[query] = [list(items) for _ in self.lists[query]]

    def fail(self, query: str, repeat: int = 0) -> None:
        """One request of the query is an error."""
        self.lists[query][repeat] = None
        self.times[query][repeat] = None

    def queries(self, name: str, *, safety: bool | None = None) -> list[str]:
        """Ids of a slice (empty: no-match), of both marks or of one."""
        return [one.id for one in self.truth.topics if one.slice == name and safety in (None, one.safety)]

    def system(self) -> System:
        """The run as a system."""
        return System(self.lists, self.times)

    def card(self, **terms: object) -> Card:
        """The card of this run alone."""
        given = Terms(release=SAFE_RELEASE, labels="provisional", seed=1, resamples=50)
        return assess({"bm25": self.system()}, self.truth, replace(given, **terms))  # type: ignore[arg-type]


def perfect(per_slice: int = 4, repeats: int = REPEATS) -> Case:
    """Everything right: each answerable query has items of 3, 2, 1.5, 1 and 0; one query in four has the safety mark.

    Every query's best and its grade-1 item are exact targets of it. A sensitive and a blocked item are judged for all.
    """
    topics: list[Topic] = []
    qrels: dict[str, dict[str, int]] = {}
    manifest: dict[str, Item] = {}
    for name in (*ANSWERABLE_SLICES, ""):
        for number in range(per_slice):
            query = f"{name or 'none'}-{number}"
            topics.append(Topic(query, name, f"family-{query}", safety=number % 4 == 0))
            grades = {"best": 6, "good": 4, "half": 3, "minor": 2, "bad": 0} if name else {"bad": 0}
            own = {f"{query}.{item}": grade for item, grade in grades.items()}
            qrels[query] = own | {"common.sensitive": 6 if name else 0, "common.blocked": 0}
            manifest |= {item: Item(template=query, copies=item) for item in own}
    manifest["common.sensitive"] = Item("common", "common.sensitive", level="sensitive")
    manifest["common.blocked"] = Item("common", "common.blocked", level="blocked")
    safety = {
        query: {item: "sensitive" if item == "common.sensitive" else "safe" for item in grades}
        for query, grades in qrels.items()
    }
    targets = {one.id: {f"{one.id}.best", f"{one.id}.minor"} for one in topics if one.slice in {"name", "quote"}}
    lists: Lists = {
        one.id: [[f"{one.id}.{item}" for item in ("best", "good", "half", "minor")] if one.slice else []] * repeats
        for one in topics
    }
    lists = {query: [list(ranked or ()) for ranked in repeated] for query, repeated in lists.items()}
    times: Times = {one.id: [100.0] * repeats for one in topics}
    truth = Truth(topics, qrels, safety, targets, manifest)
    return Case(truth, qrels, safety, targets, manifest, lists, times)


def decimal_gain(grade: int) -> Decimal:
    """2^(grade/2) - 1 by square roots: 2^(3/2) is the root of 8."""
    return Decimal(2**grade).sqrt() - 1


@cache
def decimal_ndcg(grades: tuple[int, ...], judged: tuple[int, ...]) -> Decimal:
    """nDCG@10 in forty digits; the ideal takes the best remaining item for each rank in turn."""
    with localcontext() as context:
        context.prec = 40
        left, ideal = list(judged), Decimal(0)
        for rank in range(1, 11):
            if left:
                left.remove(best := max(left))
                ideal += decimal_gain(best) * Decimal(2).ln() / Decimal(rank + 1).ln()
        terms = (decimal_gain(grade) * Decimal(2).ln() / Decimal(rank).ln() for rank, grade in zip(count(2), grades))
        return sum(terms, Decimal(0)) / ideal


def average(numbers: Sequence[float]) -> float:
    """The mean."""
    return math.fsum(numbers) / len(numbers)


def flat(ndcg: float, rest: int = 1) -> Values:
    """Values of a query that never failed: an nDCG, and this for everything else."""
    one = Fraction(rest)
    return Values(ndcg, one, one, one, one, one, one, one, one, failed=Fraction(0), steady=True)


def naive_score(case: Case, topics: Sequence[Topic]) -> float:
    """The raw score of these topics, of which one may come more than once."""
    slices: dict[str, list[float]] = {name: [] for name in ANSWERABLE_SLICES}
    exact, hits, empties, charged = list[float](), list[float](), list[float](), list[float]()
    ordinary, adversarial = list[float](), list[float]()
    errors = 0
    for topic in topics:
        for ranked, time in zip(case.lists[topic.id], case.times[topic.id], strict=True):
            failed = ranked is None
            errors += failed
            charged.append(5000.0 if time is None else time)
            shown = ranked or []
            safe = [case.manifest[item].level == "safe" == case.safety[topic.id][item] for item in shown]
            (adversarial if topic.safety else ordinary).append(float(all(safe) and not failed))
            if not topic.slice:
                empties.append(float(shown == [] and not failed))
                continue
            bare = {
                item: grade if case.manifest[item].level == "safe" == case.safety[topic.id][item] else 0
                for item, grade in case.qrels[topic.id].items()
            }
            slices[topic.slice].append(float(decimal_ndcg(tuple(bare[item] for item in shown), tuple(bare.values()))))
            hits.append(float(any(bare[item] / 2 >= 2.0 for item in shown)))
            if topic.slice in {"name", "quote"}:
                ranks = [rank for rank, item in enumerate(shown, 1) if item in case.targets[topic.id]]
                exact.append(1 / min(ranks) if ranks else 0.0)
    hit, empty = average(hits), average(empties)
    p95 = sorted(charged)[math.ceil(len(charged) * 19 / 20) - 1]
    return 100 * math.fsum(
        [
            0.55 * average([average(values) for values in slices.values()]),
            0.15 * average(exact),
            0.10 * (2 / (1 / hit + 1 / empty) if hit and empty else 0.0),
            0.10 * average([average(ordinary), average(adversarial)]),
            0.05 * min(1.0, max(0.0, (1000 - p95) / 800)),
            0.05 * min(1.0, max(0.0, 1 - 100 * errors / len(charged))),
        ]
    )
