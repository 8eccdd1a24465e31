"""The file of raw judgements: every answer is on the disk before the next question is asked.

`judgements.jsonl` is appended to, under a lock, and its rows are never changed. A line that a crash left half-written
is taken off, and its question is asked again. The one way back is `withdraw`: a person takes back what he has just
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
from mambomeme_eval.judging import synchronise, write_whole
from mambomeme_eval.loading import JUDGEMENTS_FILE
from mambomeme_eval.loading_rows import Table, read_table, to_lines
from mambomeme_tui.errors import Fault, OutputError, UsageError

WITHDRAWN_FILE: Final = "withdrawn.jsonl"
LOCK_FILE: Final = ".judgements.lock"
LOCK_SECONDS: Final = 20.0
RECOVERED: Final = (
    "The last line of judgements.jsonl was half-written and has been taken off; its question will be asked again."
)

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
        if not self._path.exists():
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
        """Take off a half-written last line; the sentence that tells it, or an empty text where there was none."""
        with self._alone():
            data = self._path.read_bytes() if self._path.exists() else b""
            whole = data.rfind(b"\n") + 1
            if whole == len(data):
                return ""
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
            UsageError: it is not there any more, or a third person has decided about it meanwhile.
            OutputError: a file can't be written.
        """
        with self._alone():
            rows = self.rows()
            pair = [one for one in rows if (one.query, one.item) == (row.query, row.item)]
            if row not in pair:
                raise UsageError("That judgement is not there any more.")
            if any(one.role is Role.ADJUDICATOR and one.annotator != row.annotator for one in pair):
                raise UsageError("A third person has decided about that one meanwhile.")
            _append(self._folder / WITHDRAWN_FILE, to_lines([row]))
            lines = self._path.read_text("utf-8").split("\n")
            del lines[rows.index(row)]  # the others stay as they were written
            write_whole(self._path, "\n".join(lines))

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
    """Append text and wait until it is on the disk; what was written of it in vain is taken off again."""
    there = path.exists()
    with path.open("ab", buffering=0) as stream:
        before = stream.seek(0, os.SEEK_END)
        try:
            data = memoryview(text.encode())
            while data:
                data = data[stream.write(data) :]
            os.fsync(stream.fileno())
        except OSError:
            stream.truncate(before)
            raise
    if not there:
        synchronise(path.parent)
