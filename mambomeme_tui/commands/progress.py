"""A progress line for a person on a terminal; silent where the output is no terminal."""

import contextlib
from types import TracebackType
from typing import Self, TextIO

from mambomeme_tui.stages import in_words


class ProgressLine:
    """Rewrites one line; called with a stage, how much of it is done, and how much there is."""

    def __init__(self, stream: TextIO | None) -> None:
        self._stream = stream if stream is not None and stream.isatty() else None

    def __enter__(self) -> Self:
        return self

    def __call__(self, stage: str, done: int, total: int) -> None:
        if self._stream:
            counted = f" {done}/{total}" if total > 1 else ""
            self._rewrite(f"{in_words(stage)}{counted}")

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._stream:
            self._rewrite("")

    def _rewrite(self, line: str) -> None:
        assert self._stream is not None
        with contextlib.suppress(OSError):  # a terminal that went away stops no work
            self._stream.write(f"\r\x1b[K{line}")
            self._stream.flush()
