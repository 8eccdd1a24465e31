"""Writing to standard output and standard error, whatever they are: a terminal, a full disk, a closed pipe, nothing."""

import contextlib
import io
import sys
from collections.abc import Iterator

from mambomeme_tui.errors import OutputError, ReaderGone


@contextlib.contextmanager
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
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        raise ReaderGone("Nobody reads the answer.") from None
    except OSError as error:
        raise OutputError(f"The answer can't be written: {error.strerror}.") from None


def tell(line: str) -> None:
    """A line for a person, on standard error; if that can't be written, the answer is still worth its exit code."""
    if sys.stderr is not None:  # or it would go to standard output
        with contextlib.suppress(OSError):
            print(line, file=sys.stderr, flush=True)
