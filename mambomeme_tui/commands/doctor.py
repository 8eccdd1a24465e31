"""`mambomeme doctor`: looks for whatever could keep the program from working, and says what to do about it.

It changes nothing. Every finding is one line: a mark, what was looked at, what was found, and what to do.
"""

import importlib
import os
import platform
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from mambomeme_tui import __version__, opening
from mambomeme_tui.commands.output import answering
from mambomeme_tui.config import Settings
from mambomeme_tui.errors import IndexUnavailable, MamboError
from mambomeme_tui.index.layout import VERSIONS_FOLDER
from mambomeme_tui.index.pointer import current_name, version_names
from mambomeme_tui.index.sources import is_up_to_date
from mambomeme_tui.index.store import check, model_folder
from mambomeme_tui.index.verification import verify_version
from mambomeme_tui.index.weights import weights_folder
from mambomeme_tui.index.writing import holder, is_locked
from mambomeme_tui.text import printable

ROOM = 500_000_000
"""Bytes: the encoder's export, two versions of the bundled corpus, and the cache."""
LIBRARIES = ("annoy", "numpy", "onnxruntime", "tokenizers", "whoosh", "textual")


class Mark(StrEnum):
    """How good a finding is; only BAD makes the command fail."""

    GOOD = "ok"
    DOUBTFUL = "!"
    BAD = "x"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at."""

    mark: Mark
    about: str
    found: str
    advice: str = ""


def run(settings: Settings) -> int:
    """Look at everything and print it; returns 0, or 4 where something keeps the program from working."""
    findings = list(examine(settings))
    with answering():
        for one in findings:
            print(f"{one.mark:<2} {one.about:<10}", printable(f"{one.found} {one.advice}"))
    return IndexUnavailable.exit_code if any(one.mark is Mark.BAD for one in findings) else 0


def examine(settings: Settings) -> Iterator[Finding]:
    """Every finding, one after the other."""
    data = settings.data_dir
    yield Finding(Mark.GOOD, "program", f"MamboMeme {__version__}, Python {platform.python_version()}.")
    yield _libraries()
    yield _weights()
    yield _folder(data)
    yield _room(data)
    yield from _versions(data)
    yield _encoder(data)
    yield _writer(data)
    yield _terminal()
    yield _encoding()
    yield _viewer()


def _libraries() -> Finding:
    for name in LIBRARIES:
        try:
            importlib.import_module(name)
        except ImportError as error:
            return Finding(Mark.BAD, "libraries", f"{name} can't be loaded: {error}.", "Install MamboMeme again.")
    return Finding(Mark.GOOD, "libraries", f"{', '.join(LIBRARIES)} load.")


def _weights() -> Finding:
    try:
        weights_folder()
    except MamboError as error:
        return Finding(Mark.DOUBTFUL, "weights", error.message, f"{error.hint} They are needed to publish.")
    return Finding(Mark.GOOD, "weights", "The sentence encoder's weights are the expected ones.")


def _folder(data: Path) -> Finding:
    nearest = next(path for path in (data, *data.parents) if os.path.exists(path))  # noqa: PTH110  # never raises
    if not nearest.is_dir():
        advice = "Move it away, or name a folder in MAMBOMEME_DATA_DIR."
        return Finding(Mark.BAD, "data", f"{nearest} is no folder.", advice)
    if not os.access(nearest, os.W_OK | os.X_OK):
        return Finding(Mark.DOUBTFUL, "data", f"{nearest} can't be written.", "Searching works, publishing does not.")
    return Finding(Mark.GOOD, "data", f"{data} can be written.")


def _room(data: Path) -> Finding:
    free = shutil.disk_usage(next(path for path in (data, *data.parents) if os.path.isdir(path))).free  # noqa: PTH112
    if free < ROOM:
        advice = "A first publication may not fit; `mambomeme prune` removes old versions."
        return Finding(Mark.DOUBTFUL, "room", f"{free / 1e6:,.0f} MB are free.", advice)
    return Finding(Mark.GOOD, "room", f"{free / 1e9:,.1f} GB are free.")


def _versions(data: Path) -> Iterator[Finding]:
    names = version_names(data)
    try:
        served = current_name(data)
    except IndexUnavailable as error:
        yield Finding(Mark.BAD, "index", error.message, error.hint)
        served = ""
    for name in names:
        try:
            check(data, name)
            manifest = verify_version(data / VERSIONS_FOLDER / name)
        except IndexUnavailable as error:
            mark = Mark.BAD if name == served else Mark.DOUBTFUL
            advice = "Run `mambomeme publish`." if name == served else "Run `mambomeme prune`."
            yield Finding(mark, "version", error.message, advice)
            continue
        told = f"{name} is whole{' and served' if name == served else ''}."
        stale = name == served and not is_up_to_date(data, manifest)
        advice = "It is older than the corpus or the program: run `mambomeme publish`." if stale else ""
        yield Finding(Mark.DOUBTFUL if stale else Mark.GOOD, "version", told, advice)
    if served and served not in names:
        yield Finding(Mark.BAD, "index", f"{served} should be served and is not there.", "Run `mambomeme publish`.")


def _encoder(data: Path) -> Finding:
    for name in version_names(data):
        try:
            model_folder(data, check(data, name))
        except IndexUnavailable:
            continue
        except MamboError as error:
            return Finding(Mark.BAD, "encoder", error.message, error.hint)
        return Finding(Mark.GOOD, "encoder", "The encoder's export is whole.")
    return Finding(Mark.DOUBTFUL, "encoder", "No version is whole that would name one.", "Run `mambomeme publish`.")


def _writer(data: Path) -> Finding:
    if is_locked(data):
        return Finding(Mark.DOUBTFUL, "writing", f"{holder(data)} is writing.", "Searching works meanwhile.")
    return Finding(Mark.GOOD, "writing", "Nobody writes at the moment.")


def _terminal() -> Finding:
    from mambomeme_tui.terminal import require_terminal

    try:
        require_terminal()
    except MamboError as error:
        return Finding(Mark.DOUBTFUL, "terminal", error.message, "`mambomeme find` works everywhere.")
    columns, rows = shutil.get_terminal_size()
    colours = "without colours" if os.environ.get("NO_COLOR") else os.environ.get("COLORTERM", "") or "256 colours"
    if columns < 40 or rows < 8:
        return Finding(Mark.DOUBTFUL, "terminal", f"{columns} by {rows} is small.", "Make it larger.")
    return Finding(Mark.GOOD, "terminal", f"{os.environ.get('TERM', '')}, {columns} by {rows}, {colours}.")


def _encoding() -> Finding:
    name = getattr(sys.stdout, "encoding", None) or "none"
    if name.lower().replace("-", "") != "utf8":
        return Finding(Mark.DOUBTFUL, "encoding", f"The output is in {name}.", "Set LANG to a UTF-8 locale.")
    return Finding(Mark.GOOD, "encoding", "UTF-8.")


def _viewer() -> Finding:
    try:
        return Finding(Mark.GOOD, "viewer", f"{opening.viewer_command()[0]} opens pictures.")
    except MamboError as error:
        return Finding(Mark.DOUBTFUL, "viewer", error.message, error.hint)
