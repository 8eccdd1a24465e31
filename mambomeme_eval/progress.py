"""What is still missing before a partition can be scored: grades, third opinions, audits, and what contradicts."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from mambomeme_eval import loading_judgements as rules
from mambomeme_eval.benchmark import Audit, Header, Query, Role
from mambomeme_eval.counting import counted
from mambomeme_eval.desk import annotator_desk
from mambomeme_eval.judging import Judging
from mambomeme_eval.ledger import Rows
from mambomeme_eval.loading import AUDITS_FILE, HEADER_FILE, QUERIES_FILE
from mambomeme_eval.loading_rows import Table, is_there, read_document, read_table
from mambomeme_eval.qrels import derive
from mambomeme_tui.errors import Fault
from mambomeme_tui.text import printable

MOST_LINES: Final = 10


@dataclass(frozen=True, slots=True)
class Person:
    """What one person has judged, and how many of his repetitions are done."""

    name: str
    judged: int
    repeats: int
    repeats_in_all: int
    decided: int


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a partition is.

    Attributes:
        candidates: of the pool, for `queries` queries.
        waiting: what candidates without a final grade wait for, and how many do; empty once all have one.
        people: everybody who judged, by name.
        audits: no-match queries without an audit that holds for the corpus, a fault each.
        contradictions: final grades that say something else than the kinds of their queries, a fault each.
        provisional: whether the labels say so.
    """

    candidates: int
    queries: int
    waiting: dict[str, int]
    people: tuple[Person, ...]
    audits: tuple[Fault, ...]
    contradictions: tuple[Fault, ...]
    provisional: bool

    @property
    def complete(self) -> bool:
        """Whether nothing is missing for a score."""
        return not (self.waiting or self.audits or self.contradictions)


def progress(judging: Judging, rows: Rows) -> Progress:
    """How far the judging of a partition is."""
    qrels = derive(judging.candidates, rows)
    queries = read_table(judging.folder / QUERIES_FILE, Query)
    header = read_document(judging.folder / HEADER_FILE, Header)
    return Progress(
        candidates=len(judging.candidates),
        queries=len({one.query for one in judging.candidates}),
        waiting=dict(sorted(Counter(one.wanted for one in qrels.missing).items())),
        people=tuple(_person(judging, rows, name) for name in sorted({row.annotator for row in rows})),
        audits=tuple(_audit_faults(judging, queries)),
        contradictions=tuple(rules.grade_faults(queries, qrels, judging.world)),
        provisional=any(head.labels == "provisional" for head in header.values),
    )


def _audit_faults(judging: Judging, queries: Table[Query]) -> Iterator[Fault]:
    path = judging.folder / AUDITS_FILE
    table: Table[Audit] = read_table(path, Audit) if is_there(path) else Table(str(path), (), ())
    yield from table.faults
    yield from rules.audit_faults(table, queries, judging.header, judging.world)


def _person(judging: Judging, rows: Rows, name: str) -> Person:
    own = [row for row in rows if row.annotator == name]
    annotated = [row for row in own if row.role is Role.ANNOTATOR]
    first = {(row.query, row.item) for row in annotated if not row.repeat}
    again = {(row.query, row.item) for row in annotated if row.repeat}
    asked = {task.pair for task in annotator_desk(judging, name).tasks if task.repeat} & first
    return Person(name, len(first), len(again), len(asked | again), len(own) - len(annotated))


def lines(found: Progress) -> list[str]:
    """A progress for a person, plain printable text."""
    final = found.candidates - sum(found.waiting.values())
    of = f"{counted(found.candidates, 'candidate')} of {counted(found.queries, 'query', 'queries')}"
    told = [f"{final} of {of} {'has its' if found.candidates == 1 else 'have their'} final grade"]
    told += [f"  {counted(count, 'waits', 'wait')} for {wanted}" for wanted, count in found.waiting.items()]
    told += ["nobody has judged yet"] if not found.people else []
    for one in found.people:
        decided = f", {one.decided} decided as third" if one.decided else ""
        name = printable(one.name)
        told.append(
            f"{name}: {one.judged} judged, {one.repeats} of {counted(one.repeats_in_all, 'repetition')}{decided}"
        )
    told += _section("audits of no-match queries are missing or have expired", found.audits)
    told += _section("final grades contradict their queries", found.contradictions)
    if found.provisional:
        told.append("the labels are provisional")
    told.append("nothing is missing for a score" if found.complete else "a score can't be made yet")
    return told


def _section(title: str, faults: tuple[Fault, ...]) -> list[str]:
    if not faults:
        return []
    more = [f"  and {len(faults) - MOST_LINES} more"] if len(faults) > MOST_LINES else []
    return [f"{len(faults)} {title}:", *(f"  {printable(str(one))}" for one in faults[:MOST_LINES]), *more]
