"""The file mode of judging: the open questions of one person as JSONL rows, and the answered file back again.

A row holds the query and what the item says and shows; nothing of systems, ranks, scores, exact targets or other
people's answers. The person fills in `grade` and `safety` and changes nothing else. Import tells every fault and then
takes in nothing; only what got all its judgements since the export is passed by.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, ClassVar, Final

from pydantic import ConfigDict, Field

from mambomeme_eval.annotate.picture import moves, picture_path
from mambomeme_eval.benchmark import Judgement, PartitionError, Role
from mambomeme_eval.benchmark_values import STRICT
from mambomeme_eval.desk import Desk, Task
from mambomeme_eval.ledger import Ledger, Rows
from mambomeme_eval.loading_rows import Row, Table, read_table, to_lines
from mambomeme_eval.qrels import Pair
from mambomeme_eval.writing import write_new
from mambomeme_tui.errors import Fault, OutputError
from mambomeme_tui.records import SafetyClass
from mambomeme_tui.text import printable

ANSWERS: Final = ("grade", "safety")


@dataclass(frozen=True, slots=True)
class Question:
    """A row of the file: one candidate as a judge sees it.

    Attributes:
        number: the candidate's place in the person's order.
        of: how many rows the file has.
        query, text: the query's id, and what was typed.
        template: the name of the item's family; with it `aliases`, `people`, `franchise`, `kind` and `year`.
        title: and `quote` (what stands in the picture), `meaning` (when one sends it), `shows` (what is seen), `tags`,
            `language`: of the item itself.
        media: the picture's path below the corpus folder; `moving` says whether it is animated.
        grade, safety: to be filled in.
    """

    number: int
    of: int
    query: str
    text: str
    title: str
    quote: str
    shows: str
    meaning: str
    tags: tuple[str, ...]
    language: str
    template: str
    aliases: tuple[str, ...]
    people: tuple[str, ...]
    franchise: str
    kind: str
    year: int
    media: str
    moving: bool
    content_hash: str
    pool: str
    guideline: str
    annotator: str
    role: Role
    grade: Annotated[int, Field(ge=0, le=3)] | None
    safety: SafetyClass | None
    __pydantic_config__: ClassVar[ConfigDict] = STRICT


def question(desk: Desk, task: Task, of: int) -> Question:
    """A task as a row without an answer; all texts printable."""
    meme, judging = desk.meme(task), desk.judging
    family, path = meme.family, picture_path(judging.root, meme.media)
    return Question(
        number=task.number,
        of=of,
        query=task.candidate.query,
        text=judging.queries[task.candidate.query].text,
        title=printable(meme.title),
        quote=printable(meme.quote),
        shows=printable(meme.picture),
        meaning=printable(meme.meaning),
        tags=_printable(meme.tags),
        language=meme.language,
        template=printable(family.name),
        aliases=_printable(family.aliases),
        people=_printable(family.people),
        franchise=printable(family.franchise),
        kind=printable(family.kind),
        year=family.year,
        media=printable(meme.media),
        moving=path is not None and moves(path),
        content_hash=task.candidate.content_hash,
        pool=judging.pool.version,
        guideline=judging.header.guideline,
        annotator=desk.annotator,
        role=desk.role,
        grade=None,
        safety=None,
    )


def _printable(texts: Sequence[str]) -> tuple[str, ...]:
    return tuple(printable(text) for text in texts)


def export(desk: Desk, ledger: Ledger, path: Path) -> int:
    """Write what is left for a person to a new file, in his order; how many rows that is. None: no file.

    Raises:
        OutputError: the file is there already, or can't be written.
    """
    left = desk.open(ledger.rows())
    if left:
        text = to_lines(question(desk, task, len(left)) for task in left)
        try:
            write_new(path, text)  # never over what somebody has filled in
        except OSError as error:
            reason = error.strerror or str(error)
            raise OutputError(f"{printable(str(path))} can't be written: {reason}.") from None
    return len(left)


@dataclass(frozen=True, slots=True)
class TakenIn:
    """What an import did: rows appended, passed by as the person judged them elsewhere, and as others did."""

    appended: int
    own: int
    closed: int


def take_in(desk: Desk, ledger: Ledger, path: Path, now: datetime) -> TakenIn:
    """Append the answers of a file but for those to what is not open any more.

    Raises:
        PartitionError: with every fault of the file; nothing was appended.
    """
    table = read_table(path, Question)
    if foreign := _foreign(desk, table):
        raise PartitionError([foreign], "file of answers")
    faults = [*table.faults, *_faults(desk, table)]
    passed: list[bool] = []

    def make(rows: Rows) -> list[Judgement]:
        tasks = {task.number: task for task in desk.tasks}
        known = [row for row in table.rows if row.value.number in tasks]
        done = [(row, tasks[row.value.number]) for row in sorted(known, key=lambda row: row.value.number)]
        left = desk.open(rows)
        lost = _incomplete(desk, table, left, ledger.withdrawn())
        if all_faults := [*faults, *lost, *_alone(desk, table, done, rows)]:
            raise PartitionError(all_faults, "file of answers")
        numbers, own = {task.number for task in left}, _own(desk, rows)
        passed.extend((*task.pair, task.repeat) in own for _, task in done if task.number not in numbers)
        return [_answer(desk, task, row.value, now) for row, task in done if task.number in numbers]

    appended = len(ledger.add(make))
    return TakenIn(appended, sum(passed), len(passed) - sum(passed))


def _own(desk: Desk, rows: Rows) -> set[tuple[str, str, bool]]:
    return {(row.query, row.item, row.repeat) for row in rows if row.annotator == desk.annotator}


def _foreign(desk: Desk, table: Table[Question]) -> Fault | None:
    """One fault for a whole file that was exported for somebody or something else, in place of one for each row."""
    judging = desk.judging
    for name, wanted, told in (
        ("annotator", desk.annotator, f"a file of {printable(desk.annotator)}; this one is somebody else's"),
        ("role", desk.role, f"a file of an {desk.role}; this one is of another role"),
        ("guideline", judging.header.guideline, "the guideline as it is now; the file is of another one"),
        ("pool", judging.pool.version, "the pool as it is now; the file is of another one, so export it again"),
    ):
        if table.rows and all(getattr(row.value, name) != wanted for row in table.rows):
            return table.fault(1, name, told)
    return None


def _incomplete(
    desk: Desk, table: Table[Question], left: Sequence[Task], withdrawn: Collection[Pair]
) -> Iterator[Fault]:
    """An annotator's file holds all that is open to him: nothing opens after an export but what was taken back."""
    held = {row.value.number for row in table.rows}
    lost = [task for task in left if task.number not in held and task.pair not in withdrawn]
    if desk.role is Role.ANNOTATOR and table.whole and table.rows and lost:
        wanted = len(table.rows) + len(lost)
        yield table.fault(len(table.rows), "of", f"{wanted} rows, as many as are open; {len(lost)} were left out")


def _answer(desk: Desk, task: Task, answered: Question, now: datetime) -> Judgement:
    if answered.grade is None or answered.safety is None:
        raise ValueError("an answer that was not checked")
    return desk.row(task, answered.grade, answered.safety, now)


def _alone(desk: Desk, table: Table[Question], done: list[tuple[Row[Question], Task]], rows: Rows) -> Iterator[Fault]:
    """Repetitions without their first answers."""
    open_now = {task.number for task in desk.open(rows)}
    given = {task.pair for _, task in done if not task.repeat}
    first = {(row.query, row.item) for row in rows if row.annotator == desk.annotator}
    for row, task in done:
        if task.number in open_now and task.repeat and task.pair not in given | first:
            yield table.fault(row.line, "number", "a candidate whose first row is in the file too")


def _faults(desk: Desk, table: Table[Question]) -> Iterator[Fault]:
    """Every row is the one that was exported but for its answers, and every row that was exported is there."""
    tasks = {task.number: task for task in desk.tasks}
    counts = Counter(row.value.number for row in table.rows)
    for row in table.rows:
        given = row.value
        if given.number not in tasks:
            yield table.fault(row.line, "number", "a number that was exported")
            continue
        if counts[given.number] > 1:
            yield table.fault(row.line, "number", f"each number once; {given.number} is there more often")
        yield from _changed(table, row, question(desk, tasks[given.number], given.of))
        yield from (table.fault(row.line, name, "an answer; it is empty") for name in ANSWERS if _empty(given, name))
    if table.whole:
        yield from _count_faults(table)


def _empty(given: Question, name: str) -> bool:
    return getattr(given, name) is None


def _changed(table: Table[Question], row: Row[Question], asked: Question) -> Iterator[Fault]:
    given = replace(row.value, grade=None, safety=None)
    for field in fields(Question):
        name, wanted = field.name, getattr(asked, field.name)
        if getattr(given, name) != wanted:
            yield table.fault(row.line, name, f"{_told(wanted)}, which is what is there to be judged now")


def _told(value: Any) -> str:
    text = str(list(value) if isinstance(value, tuple) else value)
    return ascii(text if len(text) <= 80 else text[:79] + "…")


def _count_faults(table: Table[Question]) -> Iterator[Fault]:
    wanted = {row.value.of for row in table.rows}
    if not table.rows:
        yield table.fault(1, "(count)", "at least one row")
    elif wanted != {len(table.rows)}:
        told = ", ".join(map(str, sorted(wanted)))
        yield table.fault(len(table.rows), "of", f"{told} rows, as many as were exported; there are {len(table.rows)}")
