"""`mambomeme publish`: builds the version of a corpus where it is missing, and makes it current."""

import os
import signal
import sys
import threading
from types import FrameType

from mambomeme_tui import paths
from mambomeme_tui.commands.output import answering
from mambomeme_tui.commands.progress import ProgressLine
from mambomeme_tui.config import Settings
from mambomeme_tui.index.publish import publish
from mambomeme_tui.parameters import Parameters


def run(settings: Settings, source: str | None, porcelain: bool, tied: bool = False) -> int:
    """Publish; prints the version's name. `tied`: end when standard input does."""
    if tied:
        threading.Thread(target=_end_with_input, name="tie", daemon=True).start()
    signal.signal(signal.SIGTERM, _leave)
    corpus = paths.bundled("corpus") if source is None else paths.expand(source)
    if porcelain:
        publish(settings.data_dir, corpus, Parameters(), _print_step)
    else:
        with ProgressLine(sys.stderr) as progress:
            name = publish(settings.data_dir, corpus, Parameters(), progress)
        with answering():
            print(f"{name} is current.")
    return 0


def _end_with_input() -> None:
    while os.read(0, 1024):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


def _print_step(stage: str, done: int, total: int) -> None:
    with answering():
        print(stage, done, total)


def _leave(number: int, _frame: FrameType | None) -> None:
    """Leave by an exception, so that scratch folders are cleared on the way out."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # or a second one would interrupt the clearing
    sys.exit(128 + number)
