"""Whether the screen bears a marker out: done after the clock has stopped, against the engine's own list.

A request is right only if its marker is the awaited one, names the engine's list and version, came right after the
frame that completes list and status, and the screen shows status and every title in rank order.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import islice, product
from typing import Final

from mambomeme_eval.bench import marker as markers
from mambomeme_eval.bench.marker import Marker
from mambomeme_eval.bench.program import Observed
from mambomeme_eval.bench.references import Listed, Reference
from mambomeme_eval.bench.screen import answer_rows
from mambomeme_eval.pty import layout
from mambomeme_eval.pty.replay import Frame
from mambomeme_tui.retrieval.results import State
from mambomeme_tui.text import printable

_MOST_READINGS: Final = 4096
"""How many lists are tried where several items have the same title and quote."""


class Error(StrEnum):
    """Why a request is an error.

    `timeout`: nothing came in time. `ended`: the program is gone. `marker`: a marker that nobody awaited, that can't
    be read, or whose stamps can't be. `state`: the program failed, or says that a part of it did not answer.
    `version`: the list is of another version. `twice`: an id stands twice. `stranger`: an item that the version does
    not hold. `wrong-list`: any other list than the engine's. `early`: a marker before its frame. `screen`: the screen
    never shows what the marker says.
    """

    TIMEOUT = "timeout"
    ENDED = "ended"
    MARKER = "marker"
    STATE = "state"
    VERSION = "version"
    TWICE = "twice"
    STRANGER = "stranger"
    WRONG_LIST = "wrong-list"
    EARLY = "early"
    SCREEN = "screen"


@dataclass(frozen=True, slots=True)
class Judged:
    """The verdict on one request.

    Attributes:
        error: empty where the screen bears the marker out.
        milliseconds: what the marker says, where there is one that can be read.
        shown: the ids of a wrong list, where the screen and the digest tell them.
    """

    error: Error | None
    milliseconds: float | None
    shown: tuple[str, ...] = field(default=())


def judge(seen: Observed, reference: Reference, catalogue: Sequence[Listed], timeout_ms: float) -> Judged:
    """Judge a request; of several faults the first in the order of `_faults` is named."""
    marker = seen.marked[0]
    if marker is None or seen.stray or len(seen.marked) > 1 or not _is_awaited(marker, seen):
        return Judged(Error.MARKER, marker.milliseconds if marker else None)
    taken = marker.milliseconds
    if marker.state != "answered" or reference.state != State.COMPLETE or layout.is_narrowed(seen.settled):
        return Judged(Error.STATE, taken)
    if marker.version != reference.version:
        return Judged(Error.VERSION, taken)
    if (marker.digest, marker.count) != (reference.digest, len(reference.hits)):
        shown = read_list(seen.settled, marker, catalogue)
        return Judged(_name_wrong_list(shown, seen.settled, catalogue), taken, shown)
    return Judged(Error.TIMEOUT if taken >= timeout_ms else _screen_error(seen, reference), taken)


def _is_awaited(marker: Marker, seen: Observed) -> bool:
    """One submission, one marker with its number, and stamps that lie in between those from outside."""
    return marker.request == seen.number and seen.written <= marker.accepted <= marker.flushed <= seen.read


def _screen_error(seen: Observed, reference: Reference) -> Error | None:
    if not shows(seen.settled, reference):
        return Error.SCREEN
    complete = seen.at_marker.whole and shows(seen.at_marker, reference)
    if not complete or seen.redrawn or not seen.drawn.issuperset(answer_rows(seen.at_marker)):
        return Error.EARLY
    return None


def shows(frame: Frame, reference: Reference) -> bool:
    """Whether the screen shows the whole answer: heading, status, and every title and quote in rank order."""
    room = layout.split(frame) - 4
    count = f"{len(reference.hits)} for" if reference.hits else "nothing for"
    hits = layout.hits(frame)
    return (
        layout.says(layout.heading(frame), f"{count} “{printable(reference.sentence)}”", room)
        and _status_says(layout.status(frame), reference)
        and len(hits) == len(reference.hits)
        and all(
            hit.rank == str(rank) and is_shown_as(item, hit)
            for rank, (hit, item) in enumerate(zip(hits, reference.hits, strict=True), 1)
        )
    )


def _status_says(status: str, reference: Reference) -> bool:
    count = f"{len(reference.hits)} found" if reference.hits else "nothing found"
    figures = [part for part in status.lstrip("✓! ").split("  ")[0].split(" · ") if part not in layout.MANNERS]
    return (
        len(figures) == 4
        and figures[0] == count
        and figures[1].removesuffix(" ms").isdecimal()
        and figures[2:] == [reference.route, reference.version]
    )


def is_shown_as(item: Listed, hit: layout.ShownHit) -> bool:
    """Whether a hit on the screen can be this item."""
    title, quote = printable(item.title), printable(item.quote)
    return layout.says(hit.title, title, hit.title_room) and layout.says(hit.quote, quote, hit.quote_room)


def read_list(frame: Frame, marker: Marker, catalogue: Sequence[Listed]) -> tuple[str, ...]:
    """The ids on the screen, proven by the marker's digest; empty where they can't be told."""
    shown = [[item.id for item in catalogue if is_shown_as(item, hit)] for hit in layout.hits(frame)]
    readings = islice(product(*shown), _MOST_READINGS) if shown else ()
    return next((ids for ids in readings if markers.digest(ids) == marker.digest), ())


def _name_wrong_list(shown: Sequence[str], frame: Frame, catalogue: Sequence[Listed]) -> Error:
    if shown:
        return Error.TWICE if len(set(shown)) < len(shown) else Error.WRONG_LIST
    unknown = (hit for hit in layout.hits(frame) if not any(is_shown_as(item, hit) for item in catalogue))
    return Error.STRANGER if any(unknown) else Error.WRONG_LIST
