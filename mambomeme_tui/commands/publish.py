"""`mambomeme publish`: builds the version of a corpus where it is missing, and makes it current."""

import os
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from types import FrameType

from mambomeme_tui import paths
from mambomeme_tui.commands.output import answering, tell
from mambomeme_tui.commands.progress import ProgressLine
from mambomeme_tui.config import Settings
from mambomeme_tui.index.pipeline import Progress, StageFigures
from mambomeme_tui.index.publish import Published, publish
from mambomeme_tui.parameters import Parameters
from mambomeme_tui.stages import WAITING
from mambomeme_tui.text import printable


def run(settings: Settings, source: str | None, porcelain: bool, tied: bool = False, wait: bool = False) -> int:
    """Publish; prints the version's name and each stage's figures. `tied`: end when standard input does."""
    if tied:
        threading.Thread(target=_end_with_input, name="tie", daemon=True).start()
    signal.signal(signal.SIGTERM, _leave)
    corpus = paths.bundled("corpus") if source is None else paths.expand(source)

    def work(progress: Progress) -> Published:
        return publish(settings.data_dir, corpus, Parameters(), progress, _waiting(progress) if wait else None)

    if porcelain:
        work(_print_step)
        return 0
    with ProgressLine(sys.stderr) as progress:
        done = work(progress)
    with answering():
        print("\n".join(_table(done.stages) if done.built else []), end="\n" if done.built else "")
        print(f"{done.name} is current.")
    return 0


def _waiting(progress: Progress) -> Callable[[str], None]:
    def told(holder: str) -> None:
        progress(WAITING, 0, 1)
        tell(f"mambomeme: {printable(holder)} is writing there; waiting for it.")

    return told


def _table(stages: Sequence[StageFigures]) -> list[str]:
    """Throughput by stage; megabytes of what was read or written for it."""
    lines = [f"{'stage':<12} {'items':>9} {'seconds':>9} {'items/s':>11} {'MB/s':>8}"]
    for one in stages:
        rates = f"{one.items_per_second:>11,.0f} {one.megabytes_per_second:>8,.1f}"
        lines.append(f"{one.stage:<12} {one.items:>9,} {one.seconds:>9.2f} {rates}  {one.note}".rstrip())
    return lines


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
