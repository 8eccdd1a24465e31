"""`mambomeme publish`: builds the version of a corpus where it is missing, and makes it current."""

import signal
import sys
from types import FrameType

from mambomeme_tui import paths
from mambomeme_tui.commands.output import answering
from mambomeme_tui.commands.progress import ProgressLine
from mambomeme_tui.config import Settings
from mambomeme_tui.index.publish import publish
from mambomeme_tui.parameters import Parameters


def run(settings: Settings, source: str | None, porcelain: bool) -> int:
    """Publish; prints the version's name."""
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


def _print_step(stage: str, done: int, total: int) -> None:
    with answering():
        print(stage, done, total)


def _leave(number: int, _frame: FrameType | None) -> None:
    """Leave by an exception, so that scratch folders are cleared on the way out."""
    sys.exit(128 + number)
