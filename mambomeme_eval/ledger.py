"""The file of raw judgements: every answer is on the disk before the next question is asked.

`judgements.jsonl` is appended to, under a lock, and its rows are never changed. A line that a crash left half-written
is put aside, and its question is asked again. The one way back is `withdraw`: a person takes back what he has just
answered, and the row moves to `withdrawn.jsonl`, so that everything that was ever answered stands in one of the two.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from filelock import FileLock, Timeout
from pydantic import TypeAdapter

from mambomeme_eval.benchmark import Judgement, PartitionError, Role
from mambomeme_eval.loading import JUDGEMENTS_FILE
from mambomeme_eval.loading_rows import Row, Table, is_record, is_there, read_table, to_lines
from mambomeme_eval.writing import synchronise, write_whole
from mambomeme_tui.errors import Fault, OutputError, UsageError
from mambomeme_tui.files import read_bytes

WITHDRAWN_FILE: Final = "withdrawn.jsonl"
REST_FILE: Final = f"{JUDGEMENTS_FILE}.rest"
LOCK_FILE: Final = ".judgements.lock"
LOCK_SECONDS: Final = 20.0
MOST_OF_A_ROW: Final = 64_000
"""Bytes; whatever is longer was never a row that a crash cut off."""
RECOVERED: Final = (
    "The last line of judgements.jsonl was half-written and was put into judgements.jsonl.rest; "
    "its question will be asked again."
)
COMPLETED: Final = "The last line of judgements.jsonl lacked only its line feed; its answer is kept."

Rows = tuple[Judgement, ...]
Rules = Callable[[Table[Judgement]], Iterable[Fault]]


class Ledger:
    """The raw judgements of one partition.

    Args:
        folder: of the partition.
        rules: what rows must meet together beyond their format.
    """

    def __init__(self, folder: Path, rules: Rules = lambda _: ()) -> None:
        self._folder = folder
        self._path = folder / JUDGEMENTS_FILE
        self._rules = rules
        self._known: tuple[tuple[int, int], Rows] | None = None

    def rows(self) -> Rows:
        """All rows; none where nobody has judged yet.

        Raises:
            PartitionError: the file has faults, also where its last line is half-written.
        """
        if not is_there(self._path):
            return ()
        stamp = self._stamp()
        if self._known is None or self._known[0] != stamp:
            table = read_table(self._path, Judgement)
            if faults := [*table.faults, *self._rules(table)]:
                raise PartitionError(faults, "file of judgements")
            self._known = stamp, table.values
        return self._known[1]

    def _stamp(self) -> tuple[int, int]:
        """Changes when somebody else writes, so that rows are read again only then."""
        status = self._path.stat()
        return status.st_size, status.st_mtime_ns

    def recover(self) -> str:
        """Mend a last line without its end; the sentence that tells it, or an empty text where there was none.

        A whole row gets its line feed; anything else is put aside.

        Raises:
            PartitionError: the rest is longer than any row, so that it is none that was cut off; it stays.
        """
        with self._alone():
            data = read_bytes(self._path) if is_there(self._path) else b""
            whole = data.rfind(b"\n") + 1
            rest = data[whole:]
            if len(rest) > MOST_OF_A_ROW:
                expected = f"a row and its line feed; these {len(rest)} bytes are longer than any row"
                fault = Fault(str(self._path), data.count(b"\n") + 1, "(line)", expected)
                raise PartitionError([fault], "file of judgements")
            if is_record(rest, Judgement):
                _append(self._path, "\n")
                return COMPLETED
            return self._put_aside(rest, whole) if rest else ""

    def _put_aside(self, rest: bytes, whole: int) -> str:
        """Cut the file to its whole rows, once the rest stands in another one."""
        _append_bytes(self._folder / REST_FILE, rest + b"\n")
        with self._path.open("r+b") as stream:
            stream.truncate(whole)
            os.fsync(stream.fileno())
        return RECOVERED

    def add(self, make: Callable[[Rows], Sequence[Judgement]]) -> Rows:
        """Append rows; one is written at once, several all or none.

        Args:
            make: is given all rows as they are under the lock; what it raises leaves the file as it was.

        Raises:
            OutputError: the file can't be written; it is as it was.
        """
        with self._alone():
            before = self.rows()
            new = tuple(make(before))
            text = to_lines(map(_checked, new))
            if len(new) == 1:
                _append(self._path, text)
            elif new:
                write_whole(self._path, (self._path.read_text("utf-8") if self._path.exists() else "") + text)
            if new:
                self._known = self._stamp(), (*before, *new)
            return new

    def withdraw(self, row: Judgement) -> None:
        """Take back a row that was just given.

        Raises:
            UsageError: it is not there any more, a third person has decided about it meanwhile, or another row of
                the person builds on it.
            OutputError: a file can't be written.
        """
        with self._alone():
            rows = self.rows()
            pair = [one for one in rows if (one.query, one.item) == (row.query, row.item)]
            if row not in pair:
                raise UsageError("That judgement is not there any more.")
            if any(one.role is Role.ADJUDICATOR and one.annotator != row.annotator for one in pair):
                raise UsageError("A third person has decided about that one meanwhile.")
            if any(one.annotator == row.annotator for one in pair[pair.index(row) + 1 :]):
                raise UsageError("You have judged that one a second time meanwhile, so that the first answer stays.")
            if any(self._rules(self._without(rows, row))):
                raise UsageError("Other judgements build on that one meanwhile, so that it stays.")
            _append(self._folder / WITHDRAWN_FILE, to_lines([row]))
            lines = self._path.read_text("utf-8").split("\n")
            del lines[rows.index(row)]  # the others stay as they were written
            write_whole(self._path, "\n".join(lines))

    def withdrawn(self) -> frozenset[tuple[str, str]]:
        """Queries and items of which an answer was taken back at some time.

        Raises:
            PartitionError: the file has faults.
        """
        path = self._folder / WITHDRAWN_FILE
        if not is_there(path):
            return frozenset()
        table = read_table(path, Judgement)
        if table.faults:
            raise PartitionError(table.faults, "file of judgements")
        return frozenset((row.query, row.item) for row in table.values)

    def _without(self, rows: Rows, row: Judgement) -> Table[Judgement]:
        """What the file will hold."""
        at = rows.index(row)
        left = (*rows[:at], *rows[at + 1 :])
        return Table(str(self._path), tuple(Row(line, one) for line, one in enumerate(left, 1)), ())

    @contextmanager
    def _alone(self) -> Iterator[None]:
        try:
            with FileLock(self._folder / LOCK_FILE, timeout=LOCK_SECONDS):
                yield
        except Timeout:
            raise OutputError(
                "Another process is writing judgements here.", "Wait until it is done, then try again."
            ) from None
        except OSError as error:
            raise OutputError(f"{JUDGEMENTS_FILE} can't be written: {error.strerror or error}.") from None


def _checked(row: Judgement) -> Judgement:
    """A row that can be read back: what can't be is never written."""
    return _ADAPTER.validate_json(to_lines([row]))


_ADAPTER: Final = TypeAdapter(Judgement)


def _append(path: Path, text: str) -> None:
    _append_bytes(path, text.encode())


def _append_bytes(path: Path, added: bytes) -> None:
    """Append bytes and wait until it is on the disk; what was written of it in vain is taken off again."""
    there = path.exists()
    with path.open("ab", buffering=0) as stream:
        before = stream.seek(0, os.SEEK_END)
        try:
            data = memoryview(added)
            while data:
                data = data[stream.write(data) :]
            os.fsync(stream.fileno())
        except OSError:
            stream.truncate(before)
            raise
    if not there:
        synchronise(path.parent)
