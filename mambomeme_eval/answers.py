"""Standard output as the commands write to it: what can't arrive there is told as such, and as no fault of ours."""

import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from typing import IO, Any

from mambomeme_tui.errors import OutputError, ReaderGone


@contextmanager
def answering() -> Iterator[None]:
    """What is written to standard output inside arrives, or an error says that it did not.

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

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        with _arriving():
            return self._stream.write(text)

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
