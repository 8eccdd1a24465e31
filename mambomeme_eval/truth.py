"""What the measures hold answers against: topics, final grades, exact targets, and the items that are served.

`answer_keys` joins them under one safety policy and refuses what can't be scored. Nothing here reads a file.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from mambomeme_tui.errors import UsageError
from mambomeme_tui.text import printable

ANSWERABLE_SLICES: Final = ("name", "quote", "topic", "semantic", "visual", "noisy")
EXACT_SLICES: Final = frozenset({"name", "quote"})
DEPTH: Final = 10
USEFUL: Final = 4  # a mean grade of 2.0, doubled
HIGHEST: Final = 6
_NAMED: Final = 10


class Unscorable(UsageError):
    """No figure can be made of what was given: it contradicts itself, or it is not complete."""


class Unjudged(Unscorable):
    """Items were returned that have no final grade; `missing` holds all of them as (query, item), sorted."""

    def __init__(self, missing: Iterable[tuple[str, str]]) -> None:
        self.missing = sorted(set(missing))
        named = ", ".join(f"{printable(query)} {printable(item)}" for query, item in self.missing[:_NAMED])
        more = f" and {len(self.missing) - _NAMED} more" if len(self.missing) > _NAMED else ""
        super().__init__(f"Not everything returned has a final grade and safety class: {named}{more}.")


@dataclass(frozen=True, slots=True)
class Topic:
    """A query of a partition: `slice` is empty on a no-match query, `safety` says that it has that mark."""

    id: str
    slice: str
    family: str
    safety: bool = False

    @property
    def answerable(self) -> bool:
        """Whether something in the corpus satisfies it."""
        return bool(self.slice)


@dataclass(frozen=True, slots=True)
class Item:
    """An item of the published manifest.

    Attributes:
        template: its family.
        copies: its equivalence group, named by the original's id; its own id where it is no copy.
        level: its safety class in the corpus: safe, sensitive or blocked.
        cleared: whether its rights are cleared and complete.
        preview, attribution: whether it can be shown as a picture, and says whose it is.
    """

    template: str
    copies: str
    level: str = "safe"
    cleared: bool = True
    preview: bool = True
    attribution: bool = True


@dataclass(frozen=True, slots=True)
class Truth:
    """Everything that is known about the right answers.

    Attributes:
        topics: the queries, in the order of the partition.
        qrels: query -> item -> doubled final grade (0 to 6).
        safety: query -> item -> final safety class.
        targets: query -> exact-target items, equivalence groups already expanded (`expand`).
        manifest: every item of the corpus, those that are not served with the reason.
        shown: the safety classes that policy may show.
    """

    topics: Sequence[Topic]
    qrels: Mapping[str, Mapping[str, int]]
    safety: Mapping[str, Mapping[str, str]]
    targets: Mapping[str, Collection[str]]
    manifest: Mapping[str, Item]
    shown: Collection[str] = frozenset({"safe"})


@dataclass(frozen=True, slots=True)
class Key:
    """What is right for one topic: only items of the manifest that have both a final grade and a final safety class.

    Attributes:
        grades: doubled; 0 for an item that is not served, for its safety or its rights, and which so has no place in
            the ideal either.
        withheld: the judged items that the safety policy must withhold, by the corpus or by the judges.
        targets: the exact targets that are served.
    """

    topic: Topic
    grades: Mapping[str, int]
    withheld: frozenset[str]
    targets: frozenset[str]


def expand(items: Iterable[str], groups: Iterable[str], manifest: Mapping[str, Item]) -> frozenset[str]:
    """Exact targets as items: those named, and every member of the equivalence groups named by their original."""
    named = frozenset(groups)
    return frozenset(items) | {name for name, item in manifest.items() if item.copies in named}


def answer_keys(truth: Truth) -> dict[str, Key]:
    """The key of every topic, in order.

    Raises:
        Unscorable: a topic twice, an unknown slice, a grade out of range, an answerable query without a useful item
            or without a needed exact target, or a no-match query that an item answers.
    """
    keys = {topic.id: _key(topic, truth) for topic in truth.topics}
    if len(keys) != len(truth.topics):
        raise Unscorable("The partition holds a query id twice.")
    for key in keys.values():
        _check(key)
    return keys


def _key(topic: Topic, truth: Truth) -> Key:
    judged, classes = truth.qrels.get(topic.id, {}), truth.safety.get(topic.id, {})
    if wrong := [item for item, grade in judged.items() if type(grade) is not int or not 0 <= grade <= HIGHEST]:
        raise Unscorable(f"Query {printable(topic.id)} has a grade outside 0 to 6 (doubled) for {printable(wrong[0])}.")
    known = {item: grade for item, grade in judged.items() if item in truth.manifest and item in classes}
    withheld = frozenset(item for item in known if not _may_show(classes[item], truth.manifest[item], truth.shown))
    unserved = withheld.union(item for item, facts in truth.manifest.items() if not facts.cleared)
    targets = frozenset(truth.targets.get(topic.id, ())) & truth.manifest.keys() - unserved
    return Key(topic, {item: 0 if item in unserved else grade for item, grade in known.items()}, withheld, targets)


def _may_show(judged: str, item: Item, shown: Collection[str]) -> bool:
    """Both the judges' class and the corpus's must be shown: either of them alone is a reason to withhold."""
    return judged in shown and item.level in shown


def _check(key: Key) -> None:
    name, useful = printable(key.topic.id), any(grade >= USEFUL for grade in key.grades.values())
    if key.topic.slice and key.topic.slice not in ANSWERABLE_SLICES:
        raise Unscorable(f"Query {name} has a slice that is none of {', '.join(ANSWERABLE_SLICES)}.")
    if key.topic.answerable and not useful:
        raise Unscorable(f"Query {name} is answerable, but nothing that may be shown was judged 2.0 or better.")
    if useful and not key.topic.answerable:
        raise Unscorable(f"Query {name} is a no-match query, but an item was judged 2.0 or better for it.")
    if key.topic.slice in EXACT_SLICES and not key.targets:
        raise Unscorable(f"Query {name} has no exact target that may be shown.")
