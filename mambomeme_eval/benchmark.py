"""The data model of benchmark v1: what a partition is made of, and how large each must be.

The records are immutable and are rows of the partition's files at once: their annotations are the format that
`loading` checks, so that no second description of it can differ. What several rows must say together is checked there.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Annotated, Any, ClassVar, Final, Literal

from pydantic import ConfigDict, Field

from mambomeme_eval.benchmark_values import STRICT, Digest, Instant, ItemId, Line, Name, Number, Slug, Typed, Version
from mambomeme_tui.digests import hash_json
from mambomeme_tui.errors import Fault, MamboError
from mambomeme_tui.records import SafetyClass

BENCHMARK: Final = "v1"
LIMIT: Final = 10
"""The most results a list has, and the least depth of a pool."""
WHOLE_GRADE: Final = 2
"""How many units of a final grade make one grade: final grades are doubled integers, 0 to 6."""
USEFUL: Final = 2 * WHOLE_GRADE
"""The least final grade that satisfies a query: a mean of 2.0 (decisions 3)."""


class PartitionName(StrEnum):
    """Which of the two partitions."""

    DEVELOPMENT = "development"
    HIDDEN = "hidden"


class Labels(StrEnum):
    """Whether grades were made by people on a partition of full size; `provisional` stands beside every figure."""

    PROVISIONAL = "provisional"
    FINAL = "final"


class Kind(StrEnum):
    """Whether an item of the corpus satisfies the query."""

    ANSWERABLE = "answerable"
    NO_MATCH = "no-match"


class Slice(StrEnum):
    """The primary slices, in their order."""

    NAME = "name"
    QUOTE = "quote"
    TOPIC = "topic"
    SEMANTIC = "semantic"
    VISUAL = "visual"
    NOISY = "noisy"


EXACT_SLICES: Final = frozenset({Slice.NAME, Slice.QUOTE})
"""The slices whose every query has an exact target."""


class Mark(StrEnum):
    """The subsets that cut across the slices."""

    MULTI_CUE = "multi-cue"
    FILTER = "filter"
    SAFETY = "safety"


class Role(StrEnum):
    """Who judged: one of the two independent annotators, or the third whose word is final."""

    ANNOTATOR = "annotator"
    ADJUDICATOR = "adjudicator"


class PartitionError(MamboError):
    """A file of the benchmark breaks its format or the rules; `faults` holds everything that was found.

    Args:
        faults: each is kept once, in file order.
        subject: what has them.
    """

    exit_code = 3

    def __init__(self, faults: Iterable[Fault], subject: str = "partition") -> None:
        self.faults = sorted(set(faults))
        count = len(self.faults)
        super().__init__(
            f"The {subject} has {count} fault{'s' if count != 1 else ''}.",
            "Mend the lines named above and run the command again.",
        )


@dataclass(frozen=True, slots=True)
class Header:
    """`partition.json`: what the partition is, and the versions of everything that it was made with.

    `corpus` is the digest of the corpus that was judged and audited; a row about another one does not count.
    """

    benchmark: Literal["v1"]
    partition: PartitionName
    labels: Labels
    corpus: Digest
    policy: Version
    guideline: Version
    judgement_set: Number
    __pydantic_config__: ClassVar[ConfigDict] = STRICT


@dataclass(frozen=True, slots=True)
class Query:
    """A row of `queries.jsonl`.

    Attributes:
        slice: the primary slice; empty exactly on a no-match query.
        family: the query family, which paraphrases share.
        templates: ids of the corpus families that it is about; empty exactly on a no-match query.
        note: what the searcher had in mind.
    """

    id: Slug
    text: Typed
    kind: Kind
    slice: Slice | Literal[""]
    family: Slug
    marks: tuple[Mark, ...]
    templates: tuple[Slug, ...]
    note: Line
    __pydantic_config__: ClassVar[ConfigDict] = STRICT

    @property
    def answerable(self) -> bool:
        """Whether an item of the corpus satisfies it."""
        return self.kind is Kind.ANSWERABLE

    @property
    def safety(self) -> bool:
        """Whether it belongs to the safety/adversarial subset."""
        return Mark.SAFETY in self.marks


@dataclass(frozen=True, slots=True)
class Targets:
    """A row of `targets.jsonl`: the exact targets of a query, items or groups of true copies by their original's id."""

    query: Slug
    items: tuple[ItemId, ...]
    groups: tuple[ItemId, ...]
    __pydantic_config__: ClassVar[ConfigDict] = STRICT


@dataclass(frozen=True, slots=True)
class Candidate:
    """A row of `pool.jsonl`: an item to be judged for a query; which system found it where is not known here."""

    query: Slug
    item: ItemId
    content_hash: Digest
    __pydantic_config__: ClassVar[ConfigDict] = STRICT


@dataclass(frozen=True, slots=True)
class PoolHeader:
    """`pool.json`: the pool's version (see `pool_version`), the systems pooled, and how many results of each."""

    version: Digest
    systems: Annotated[tuple[Name, ...], Field(min_length=1)]
    depth: Annotated[int, Field(ge=LIMIT)]
    __pydantic_config__: ClassVar[ConfigDict] = STRICT


@dataclass(frozen=True, slots=True)
class Judgement:
    """A row of `judgements.jsonl`: one person's answer about one candidate, as it was given.

    Attributes:
        content_hash: of the item's record as it was shown.
        annotator: a pseudonym.
        grade: usefulness alone, 0 to 3.
        position: at which the candidate was presented, from 1.
        repeat: whether the annotator saw it for the second time, which measures him and never counts as a grade.
        pool: version of the pool that was judged.
    """

    query: Slug
    item: ItemId
    content_hash: Digest
    annotator: Name
    role: Role
    grade: Annotated[int, Field(ge=0, le=3)]
    safety: SafetyClass
    position: Number
    repeat: bool
    guideline: Version
    pool: Digest
    time: Instant
    __pydantic_config__: ClassVar[ConfigDict] = STRICT


@dataclass(frozen=True, slots=True)
class Inspection:
    """An annotator's word on a no-match query: `absent` where no item of the corpus satisfies it."""

    name: Name
    absent: bool
    __pydantic_config__: ClassVar[ConfigDict] = STRICT


@dataclass(frozen=True, slots=True)
class Audit:
    """A row of `audits.jsonl`: a no-match query, checked against the whole corpus with the digest `corpus`.

    `checked` are the canonical fields that were searched, `nearest` the items that the annotators were shown.
    """

    query: Slug
    corpus: Digest
    checked: tuple[Name, ...]
    nearest: tuple[ItemId, ...]
    annotators: tuple[Inspection, ...]
    time: Instant
    __pydantic_config__: ClassVar[ConfigDict] = STRICT


@dataclass(frozen=True, slots=True)
class Partition:
    """A loaded partition; its rows keep the order of their files.

    Attributes:
        pool: and `candidates`, `judgements`, `audits`: empty where only the structure was loaded.
        shortfalls: one sentence for each count that is not the one of `SIZES`.
    """

    header: Header
    queries: tuple[Query, ...]
    targets: Mapping[str, Targets]
    pool: PoolHeader | None
    candidates: tuple[Candidate, ...]
    judgements: tuple[Judgement, ...]
    audits: Mapping[str, Audit]
    shortfalls: tuple[str, ...]

    @property
    def provisional(self) -> bool:
        """Whether the word has to stand beside every figure."""
        return self.header.labels is Labels.PROVISIONAL or bool(self.shortfalls)


@dataclass(frozen=True, slots=True)
class Size:
    """How many queries a partition has: answerable ones a slice, no-match ones, and of each those marked safety."""

    per_slice: int
    no_match: int
    safety_answerable: int
    safety_no_match: int

    @property
    def answerable(self) -> int:
        """Answerable queries in all slices."""
        return self.per_slice * len(Slice)


SIZES: Final[Mapping[PartitionName, Size]] = {
    PartitionName.DEVELOPMENT: Size(per_slice=15, no_match=30, safety_answerable=15, safety_no_match=5),
    PartitionName.HIDDEN: Size(per_slice=30, no_match=60, safety_answerable=30, safety_no_match=10),
}
"""Decisions 1."""


def shortfalls(queries: Sequence[Query], size: Size) -> tuple[str, ...]:
    """A sentence for each count that is not the wanted one; the safety mark is counted inside the kinds."""
    counted = [(f"slice {one}", sum(query.slice == one for query in queries), size.per_slice) for one in Slice]
    kinds = ((Kind.ANSWERABLE, size.safety_answerable), (Kind.NO_MATCH, size.safety_no_match))
    counted.append(("no-match", sum(not query.answerable for query in queries), size.no_match))
    counted.extend(
        (f"safety {kind}", sum(query.safety and query.kind is kind for query in queries), wanted)
        for kind, wanted in kinds
    )
    return tuple(f"{name}: {found} of {wanted} queries" for name, found, wanted in counted if found != wanted)


def pool_version(candidates: Iterable[Candidate]) -> str:
    """The version of a pool: SHA-256 of the canonical JSON of its sorted rows, whatever their order in the file."""
    return hash_json(sorted([one.query, one.item, one.content_hash] for one in candidates))


def to_row(record: Any) -> dict[str, Any]:
    """A record as plain JSON values; the inverse of reading it."""
    return asdict(record)
