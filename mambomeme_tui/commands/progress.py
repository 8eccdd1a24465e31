"""A progress line for a person on a terminal; silent where the output is no terminal."""

from types import TracebackType
from typing import Self, TextIO

STAGES = {
    "start": "starting",
    "catalogue": "reading the corpus",
    "words": "indexing words",
    "encoder": "loading the encoder",
    "meanings": "encoding meanings",
}


class ProgressLine:
    """Rewrites one line; called with a stage, how much of it is done, and how much there is."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._live = stream.isatty()

    def __enter__(self) -> Self:
        return self

    def __call__(self, stage: str, done: int, total: int) -> None:
        if self._live:
            counted = f" {done}/{total}" if total > 1 else ""
            self._stream.write(f"\r\x1b[K{STAGES.get(stage, stage)}{counted}")
            self._stream.flush()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live:
            self._stream.write("\r\x1b[K")
            self._stream.flush()
