"""A program in a terminal together with its screen: type, wait until the screen has settled, get the frames.

While it reads it only looks for a sign among the bytes; the emulator runs when output is quiet, so that it takes no
processor time from the program while that works.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Final, Self

from mambomeme_eval.pty.replay import Frame, Replay
from mambomeme_eval.pty.terminal import PATIENCE, ProgramEnded, Terminal

QUIET: Final = 0.06
"""Seconds without output after which a screen counts as settled."""
SIGN_PATIENCE: Final = 0.5
"""Seconds without the sign after which the screen is looked at all the same."""


class Driven:
    """Runs a program, with the arguments of `Terminal`."""

    def __init__(self, argv: Sequence[str], settings: Mapping[str, str]) -> None:
        self.terminal = Terminal(argv, settings)
        self._replay = Replay()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.terminal.__exit__(kind, error, at)

    def settle(
        self,
        ready: Callable[[list[Frame]], bool],
        sign: bytes = b"",
        quiet: float = QUIET,
        patience: float = PATIENCE,
    ) -> list[Frame]:
        """The frames since the last call, once output is quiet and they are `ready`, or patience ended.

        Args:
            ready: looks at the frames so far, of which there is at least one.
            sign: bytes without which it's not worth looking.
        """
        frames: list[Frame] = []
        deadline = time.monotonic() + patience
        while time.monotonic() < deadline:
            self.terminal.read_until(lambda: sign in self.terminal.unread, quiet, SIGN_PATIENCE)
            frames += self._replay.feed(self.terminal.take())
            if frames and frames[-1].whole and ready(frames):
                break
        return frames

    def settle_or_fail(
        self, shows: Callable[[Frame], bool], what: str, sign: bytes = b"", quiet: float = QUIET
    ) -> list[Frame]:
        """As `settle`, for a last frame that shows something.

        Raises:
            ProgramEnded: it never did.
        """
        frames = self.settle(lambda so_far: shows(so_far[-1]), sign, quiet)
        if not frames or not shows(frames[-1]):
            raise ProgramEnded(f"The program never showed {what}.")
        return frames
