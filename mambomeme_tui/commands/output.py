"""Writing to standard output and standard error, whatever they are: a terminal, a full disk, a closed pipe, nothing."""

import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from typing import Any

from mambomeme_tui.errors import OutputError, ReaderGone


@contextmanager
def answering() -> Iterator[None]:
    """What is written to standard output inside arrives, or an error says that it did not.

    An error of anything else inside, such as a file that can't be read, stays what it is.

    Raises:
        ReaderGone: nobody reads any more.
        OutputError: it can't be written.
    """
    if sys.stdout is None:
        raise OutputError("The answer can't be written: standard output is closed.")
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a terminal without UTF-8 still gets every answer
    answer = _Answer(sys.stdout)
    with redirect_stdout(answer):
        try:
            yield
        except SystemExit:  # help and version
            answer.flush()
            raise
        except BaseException:
            with suppress(OutputError):
                answer.flush()
            raise
        answer.flush()


class _Answer:
    """A stream whose errors are those of the answer; everything else is that of the stream."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    @property
    def buffer(self) -> "_Answer":
        """The same for bytes."""
        return _Answer(self._stream.buffer)

    def write(self, data: Any) -> int:
        with _arriving():
            return int(self._stream.write(data))

    def flush(self) -> None:
        with _arriving():
            self._stream.flush()


@contextmanager
def _arriving() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise ReaderGone("Nobody reads the answer.") from None
    except OSError as error:
        raise OutputError(f"The answer can't be written: {error.strerror}.") from None


def tell(line: str) -> None:
    """A line for a person, on standard error; if that can't be written, the answer is still worth its exit code."""
    if sys.stderr is not None:  # or it would go to standard output
        with suppress(OSError):
            print(line, file=sys.stderr, flush=True)
