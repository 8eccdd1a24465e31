"""What is reported and never scored: where hits stand by slice, what repeats in lists, and which route found what.

Rates are over the results that were displayed: every list of every repeat that is no error.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from statistics import mean
from typing import Final

from mambomeme_eval.metrics import Ranked, Values
from mambomeme_eval.truth import ANSWERABLE_SLICES, USEFUL, Item, Key, Topic

Lists = Mapping[str, Sequence[Ranked | None]]
Routes = Mapping[str, Mapping[str, Collection[str]]]
SHARES: Final = ("lexical-only", "dense-only", "both")


@dataclass(frozen=True, slots=True)
class SliceFigures:
    """One slice, each figure the mean over its queries."""

    hit1: Fraction
    hit5: Fraction
    hit10: Fraction
    recall: Fraction
    mrr: Fraction


@dataclass(frozen=True, slots=True)
class ListFigures:
    """Shares of displayed results.

    Attributes:
        duplicates: copies of a result that stands above them in their list.
        templates: results whose template stands above them in their list.
        no_preview, no_attribution: results that can't be shown as a picture, or say nothing of whose they are.
    """

    duplicates: Fraction
    templates: Fraction
    no_preview: Fraction
    no_attribution: Fraction


@dataclass(frozen=True, slots=True)
class Contribution:
    """How many displayed results, and useful ones among them, these routes found."""

    shown: int
    useful: int


def slice_figures(topics: Sequence[Topic], values: Mapping[str, Values]) -> dict[str, SliceFigures]:
    """Hit@1, Hit@5, Hit@10, Recall@10 and MRR of every slice that has queries."""
    found = {}
    for name in ANSWERABLE_SLICES:
        if chosen := [values[topic.id] for topic in topics if topic.slice == name]:
            found[name] = SliceFigures(
                *(mean(getattr(one, field) for one in chosen) for field in ("hit1", "hit5", "hit10", "recall", "rr"))
            )
    return found


def list_figures(lists: Lists, manifest: Mapping[str, Item]) -> ListFigures:
    """What repeats and what is missing in the lists of a settled run."""
    shown = [[manifest[item] for item in ranked] for repeats in lists.values() for ranked in repeats if ranked]
    count = max(1, sum(map(len, shown)))
    return ListFigures(
        Fraction(sum(repeated(item.copies for item in ranked) for ranked in shown), count),
        Fraction(sum(repeated(item.template for item in ranked) for ranked in shown), count),
        Fraction(sum(not item.preview for ranked in shown for item in ranked), count),
        Fraction(sum(not item.attribution for ranked in shown for item in ranked), count),
    )


def repeated(names: Iterable[str]) -> int:
    """How many of them came before."""
    ordered = list(names)
    return len(ordered) - len(set(ordered))


def contributions(lists: Lists, keys: Mapping[str, Key], routes: Routes) -> dict[str, dict[str, Contribution]]:
    """Slice -> share -> results; `routes` maps query -> item -> the routes that found it, `lexical` and `dense`."""
    found: dict[str, dict[str, Contribution]] = {}
    for name in ANSWERABLE_SLICES:
        results = [
            (_share(routes.get(query, {}).get(item, ())), key.grades[item] >= USEFUL)
            for query, key in keys.items()
            if key.topic.slice == name
            for ranked in lists[query]
            for item in ranked or ()
        ]
        found[name] = {
            share: Contribution(
                sum(one == share for one, _ in results), sum(one == share and useful for one, useful in results)
            )
            for share in SHARES
        }
    return found


def _share(routes: Collection[str]) -> str:
    names = {"lexical", "dense"} & set(routes)
    return "both" if len(names) == 2 else f"{names.pop()}-only" if names else ""
