"""The one error tree: what a person is told, what to do next, and the exit code.

    MamboError              70  a bug of ours, or something nobody foresaw
    ├── UsageError           2  the command line or a setting is wrong
    ├── CorpusError          3  the corpus files break the format; carries every fault found
    ├── IndexUnavailable     4  no version can be served, and none could be built
    │   └── DamagedVersion   4  a version does not match its manifest
    ├── ModelUnavailable     4  the encoder's weights are missing or are not the expected ones
    ├── TerminalUnsuitable   5  there is no terminal here that can show the interface
    └── OutputError          6  the answer could not be written to where it was to go
        └── ReaderGone     141  whoever read the answer stopped reading; nobody is told

`find` adds one code that is no error: 1, nothing was found. Signals end the program with 128 + their number.
Every message is one sentence without a query in it, so that it may be logged.
"""

from dataclasses import dataclass

NOTHING_FOUND = 1


class MamboError(Exception):
    """Base of all errors that are told to a person.

    Args:
        message: one sentence, what went wrong.
        hint: one sentence, what to do next; may be empty.
    """

    exit_code = 70

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()


class UsageError(MamboError):
    """The command line or a setting is wrong."""

    exit_code = 2


@dataclass(frozen=True, slots=True, order=True)
class Fault:
    """One fault in one corpus file; `line` counts from 1, `field` is a dotted path such as `items.2.quote`."""

    file: str
    line: int
    field: str
    expected: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.field}: {self.expected}"


class CorpusError(MamboError):
    """The corpus breaks its format; `faults` holds everything that was found, in file order."""

    exit_code = 3

    def __init__(self, faults: list[Fault]) -> None:
        self.faults = sorted(faults)
        count = len(self.faults)
        super().__init__(
            f"The corpus has {count} fault{'s' if count != 1 else ''}.",
            "Mend the lines named above and run the command again.",
        )


class IndexUnavailable(MamboError):
    """No version of the index can be served, and none could be built."""

    exit_code = 4


class DamagedVersion(IndexUnavailable):
    """A version does not match its manifest, so it is not opened."""


class ModelUnavailable(MamboError):
    """The sentence encoder's weights are missing, or are not the ones that were expected."""

    exit_code = 4


class TerminalUnsuitable(MamboError):
    """The interface needs a terminal that can move its cursor, and there is none."""

    exit_code = 5


class OutputError(MamboError):
    """The answer could not be written to where it was to go."""

    exit_code = 6


class ReaderGone(OutputError):
    """Whoever read the answer stopped reading: no error of ours, and nobody is left to tell."""

    exit_code = 141
