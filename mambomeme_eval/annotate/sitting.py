"""One sitting of a person: the current candidate, the half-given answer, and the way back. Knows no screen.

An answer is a grade first and a safety class then; nothing is preset, and with the second key it is on the disk. That
the grade comes first makes a key that bounces harmless.
"""

from collections.abc import Callable
from datetime import UTC, datetime

from mambomeme_eval.benchmark import Judgement
from mambomeme_eval.desk import Desk, Taken, Task
from mambomeme_eval.ledger import Ledger, Rows
from mambomeme_tui.errors import UsageError
from mambomeme_tui.records import SafetyClass

GRADES = range(4)


def utc_now() -> datetime:
    """The time of an answer."""
    return datetime.now(UTC)


class Sitting:
    """Asks what is left at a desk.

    Attributes:
        task: the current candidate, or None once nothing is left.
        grade: the one given for it, or None.
        fresh: whether its query is another one than that of the candidate before.
        notice: one sentence for the person, or an empty text.
        done: how many of `total` this person has judged, repetitions included.
    """

    def __init__(self, desk: Desk, ledger: Ledger, now: Callable[[], datetime] = utc_now) -> None:
        self.desk = desk
        self._ledger = ledger
        self._now = now
        self.notice = ledger.recover()
        rows = ledger.rows()
        self._queue = desk.open(rows)
        self._at = 0
        self._given: list[tuple[int, Judgement]] = []
        mine = sum(row.annotator == desk.annotator and row.role is desk.role for row in rows)
        self._earlier = mine
        self.grade: int | None = None
        self.fresh = True
        self._skip(rows)

    @property
    def task(self) -> Task | None:
        """The current candidate."""
        return self._queue[self._at] if self._at < len(self._queue) else None

    @property
    def done(self) -> int:
        """How many this person has judged."""
        return self._earlier + len(self._given)

    @property
    def total(self) -> int:
        """How many he will have judged at the end."""
        return self.done + len(self._queue) - self._at

    def choose_grade(self, grade: int) -> None:
        """Give the grade, or another one instead."""
        if self.task is not None and grade in GRADES:
            self.grade, self.notice = grade, ""

    def choose_safety(self, safety: SafetyClass) -> None:
        """Complete the answer: it is on the disk when this returns.

        Raises:
            OutputError: it could not be written.
        """
        task = self.task
        if task is None:
            return
        if self.grade is None:
            self.notice = "First the grade: 0, 1, 2 or 3."
            return
        row = self.desk.row(task, self.grade, safety, self._now())
        self.grade, self.notice = None, ""
        try:
            self._ledger.add(lambda rows: [self._still(task, row, rows)])
        except Taken as taken:
            self.notice = taken.message
        else:
            self._given.append((self._at, row))
        self._go(self._at + 1)
        self._skip(self._ledger.rows())

    def undo(self) -> None:
        """Take back the grade, or else the last answer of this sitting, which is asked again."""
        if self.grade is not None:
            self.grade, self.notice = None, ""
            return
        if not self._given:
            self.notice = "There is no answer of this sitting to take back."
            return
        at, row = self._given.pop()
        try:
            self._ledger.withdraw(row)
        except UsageError as error:
            self._earlier += 1  # it stands, and can't be taken back any more
            self.notice = error.message
            return
        self.notice = "The last answer was taken back."
        self._go(at)

    def _still(self, task: Task, row: Judgement, rows: Rows) -> Judgement:
        if not self.desk.is_open(task, rows):
            if _key(row) in map(_key, rows):
                raise Taken("You judged that candidate elsewhere meanwhile; this answer was not kept.")
            raise Taken("That candidate got all its judgements meanwhile; this answer was not kept.")
        return row

    def _go(self, at: int) -> None:
        before = self.task
        self._at = at
        after = self.task
        self.fresh = not (before and after and before.candidate.query == after.candidate.query)

    def _skip(self, rows: Rows) -> None:
        """Pass by what others have completed meanwhile."""
        while self.task is not None and not self.desk.is_open(self.task, rows):
            self._go(self._at + 1)


def _key(row: Judgement) -> tuple[str, str, str, bool]:
    return row.query, row.item, row.annotator, row.repeat
