"""One person's desk: what he is asked, in an order of his own, and the rows that his answers become.

Nobody sees what a system or another person thinks of a candidate. The order is drawn from the pool's seed and the
person's pseudonym: queries one after the other, so that one has to be understood only once, and the candidates of each
shuffled. One candidate in twenty comes a second time, half a batch later, without being marked.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain
from typing import Final

from pydantic import TypeAdapter, ValidationError

from mambomeme_eval import loading_judgements as rules
from mambomeme_eval.benchmark import Candidate, Judgement, Role
from mambomeme_eval.benchmark_values import Name
from mambomeme_eval.judging import Judging
from mambomeme_eval.ledger import Ledger, Rows
from mambomeme_eval.loading_rows import Table
from mambomeme_eval.pooling import pcg64
from mambomeme_eval.qrels import ANNOTATORS, Pair
from mambomeme_tui.errors import Fault, UsageError
from mambomeme_tui.records import Meme, SafetyClass

SHOWN_TWICE: Final = 20
"""One candidate in so many."""


class Taken(UsageError):
    """A candidate is not open to this person any more."""


@dataclass(frozen=True, slots=True)
class Task:
    """One question: is this item useful for this query? `number` is its place in the person's whole order, from 1."""

    number: int
    candidate: Candidate
    repeat: bool

    @property
    def pair(self) -> Pair:
        """The query and the item."""
        return self.candidate.query, self.candidate.item


May = Callable[[Task, str, Sequence[Judgement]], bool]
"""Whether a person may be asked a task, given all rows about its candidate."""


def order(batch: Sequence[Candidate], seed: int, who: str, role: Role, number: int) -> list[tuple[Candidate, bool]]:
    """A batch in a person's order, repetitions included; the order of the batch itself has no influence.

    Args:
        number: of the batch, from 1.
    """
    known = sorted(batch, key=lambda one: (one.query, one.item))
    queries = sorted({one.query for one in known})
    drawn = iter(pcg64(seed, role, who, number).random_raw(len(queries) + 2 * len(known)).tolist())
    of_query = dict(zip(queries, drawn, strict=False))
    keys = {one: (of_query[one.query], next(drawn), next(drawn)) for one in known}
    ordered = sorted(known, key=lambda one: (keys[one][0], one.query, keys[one][1]))
    again = len(ordered) // SHOWN_TWICE if role is Role.ANNOTATOR else 0
    half = len(ordered) // 2
    chosen = sorted(range(half), key=lambda at: keys[ordered[at]][2])[:again]
    return _with_repeats(ordered, sorted(chosen), half)


def _with_repeats(ordered: Sequence[Candidate], chosen: Sequence[int], apart: int) -> list[tuple[Candidate, bool]]:
    """Each chosen candidate again, at least `apart` places later and between two queries."""
    waiting = list(chosen)
    shown: list[tuple[Candidate, bool]] = []
    for at, one in enumerate(ordered):
        while waiting and at >= waiting[0] + apart and one.query != ordered[at - 1].query:
            shown.append((ordered[waiting.pop(0)], True))
        shown.append((one, False))
    return shown + [(ordered[at], True) for at in waiting]


@dataclass(frozen=True, slots=True)
class Desk:
    """One person's work on one pool.

    Attributes:
        tasks: all of it in its order, whatever is done already.
    """

    judging: Judging
    annotator: str
    role: Role
    tasks: tuple[Task, ...]
    may: May

    def open(self, rows: Rows) -> list[Task]:
        """What is left to be asked; a repetition is left where its first showing is, or is done."""
        by_pair = grouped(rows)
        left: list[Task] = []
        coming: set[Pair] = set()
        for task in self.tasks:
            if self.may(task, self.annotator, by_pair.get(task.pair, [])) or (task.repeat and task.pair in coming):
                left.append(task)
                coming.add(task.pair)
        return left

    def is_open(self, task: Task, rows: Rows) -> bool:
        """Whether a task may be asked now."""
        about = [row for row in rows if (row.query, row.item) == task.pair]
        return self.may(task, self.annotator, about)

    def meme(self, task: Task) -> Meme:
        """The item that is shown."""
        return self.judging.world.memes[task.candidate.item]

    def row(self, task: Task, grade: int, safety: SafetyClass, time: datetime) -> Judgement:
        """The row that an answer becomes."""
        one = task.candidate
        return Judgement(
            query=one.query,
            item=one.item,
            content_hash=one.content_hash,
            annotator=self.annotator,
            role=self.role,
            grade=grade,
            safety=safety,
            position=task.number,
            repeat=task.repeat,
            guideline=self.judging.header.guideline,
            pool=self.judging.pool.version,
            time=time.astimezone(UTC).isoformat(timespec="seconds"),
        )


def set_up(judging: Judging, annotator: str, role: Role, may: May) -> Desk:
    """A desk for a person in a role.

    Raises:
        UsageError: the pseudonym can't stand in a row.
    """
    try:
        TypeAdapter(Name).validate_python(annotator)
    except ValidationError:
        raise UsageError("A pseudonym is 1 to 64 printable characters, without blanks at its ends.") from None
    seed = judging.pooling.seed
    batches = (order(batch, seed, annotator, role, number) for number, batch in enumerate(judging.batches(), 1))
    shown = enumerate(chain.from_iterable(batches), 1)
    return Desk(judging, annotator, role, tuple(Task(number, *pair) for number, pair in shown), may)


def annotator_desk(judging: Judging, annotator: str) -> Desk:
    """The desk of one of the two independent annotators."""
    return set_up(judging, annotator, Role.ANNOTATOR, may_annotate)


def may_annotate(task: Task, annotator: str, about: Sequence[Judgement]) -> bool:
    """Each candidate has two annotators; neither judges it twice, but for a repetition after the first time."""
    own = [row for row in about if row.annotator == annotator]
    if task.repeat:
        return [(row.repeat, row.role) for row in own] == [(False, Role.ANNOTATOR)]
    others = {row.annotator for row in about if row.role is Role.ANNOTATOR}
    return not own and len(others) < ANNOTATORS


def grouped(rows: Sequence[Judgement]) -> dict[Pair, list[Judgement]]:
    """Rows by query and item."""
    found: dict[Pair, list[Judgement]] = {}
    for row in rows:
        found.setdefault((row.query, row.item), []).append(row)
    return found


def ledger_of(judging: Judging) -> Ledger:
    """The raw judgements of an opened pool, held to its rules."""

    def faults(table: Table[Judgement]) -> list[Fault]:
        known = rules.judgement_faults(table, judging.table, judging.header)
        return [*known, *rules.journal_faults(table, judging.pooling)]

    return Ledger(judging.folder, faults)
