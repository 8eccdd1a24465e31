"""The render marker: one private OSC sequence a submission, after the frame that completes its list was flushed.

Only with `MAMBOMEME_RENDER_MARKERS=1` in the environment; without it no byte of it exists. It is released only when
every line of the list and of the status shows that request's answer inside spans that were really written: a widget
that was asked to draw, or a frame that was displayed, proves nothing yet while others are on their way.
"""

import hashlib
import os
from dataclasses import dataclass
from typing import Any

from textual._compositor import ChopsUpdate, LayoutUpdate
from textual.driver import Driver
from textual.geometry import Region

from mambomeme_tui.retrieval.results import SearchResult
from mambomeme_tui.terminal import Stamped
from mambomeme_tui.ui.widgets.drawn import Drawn

VARIABLE = "MAMBOMEME_RENDER_MARKERS"
CODE = 7717


@dataclass(slots=True)
class _Awaited:
    """A submission whose marker is still to be released."""

    request: int
    accepted: int
    shown: object | None = None
    text: str = ""


def is_wanted() -> bool:
    """Whether markers are to be written."""
    return os.environ.get(VARIABLE) == "1"


def digest(ids: list[str]) -> str:
    """The first 16 hex digits of the SHA-256 of the ranked ids, a line each."""
    return hashlib.sha256("\n".join(ids).encode()).hexdigest()[:16]


class RenderMarker:
    """Follows submissions to the frame that completes them. Everything is called in the event loop."""

    def __init__(self) -> None:
        self._requests = 0
        self._awaited: _Awaited | None = None
        self._written: dict[Drawn, dict[int, object]] = {}

    def submitted(self, accepted: int) -> None:
        """Enter was accepted in the query box at this instant (monotonic nanoseconds)."""
        self._requests += 1
        self._awaited = _Awaited(self._requests, accepted)

    def answered(self, result: SearchResult) -> None:
        """The answer to the newest submission is about to be drawn."""
        if self._awaited and self._awaited.shown is None:
            ids = [hit.meme.id for hit in result.hits]
            self._await(result, f"state=answered;version={result.version};count={len(ids)};digest={digest(ids)}")

    def failed(self, shown: object) -> None:
        """The newest submission ended in an error, which is about to be drawn in the place of a list."""
        if self._awaited and self._awaited.shown is None:
            self._await(shown, f"state=failed;version=;count=0;digest={digest([])}")

    def _await(self, shown: object, text: str) -> None:
        assert self._awaited is not None
        self._awaited.shown, self._awaited.text = shown, text

    def displayed(self, update: Any, widgets: tuple[Drawn, ...], driver: Driver | None) -> None:
        """A frame went into the writer's queue; release the marker where it completes what is awaited."""
        for widget in widgets:
            written = self._written.setdefault(widget, {})
            for y in range(widget.region.height):
                if _covers(update, widget.region, y):
                    written[y] = widget.drawn.get(y)
        awaited = self._awaited
        if awaited and awaited.shown is not None and driver is not None and self._complete(awaited.shown, widgets):
            self._awaited = None
            driver.write(Stamped.of(lambda flushed: _sequence(awaited, flushed)))

    def _complete(self, shown: object, widgets: tuple[Drawn, ...]) -> bool:
        return all(self._written[widget].get(y) is shown for widget in widgets for y in range(widget.region.height))


def _covers(update: Any, region: Region, y: int) -> bool:
    """Whether a line of a region lies inside what an update writes."""
    if isinstance(update, LayoutUpdate):
        return update.region.contains_region(Region(region.x, region.y + y, region.width, 1))
    if not isinstance(update, ChopsUpdate):
        return False
    reached = region.x
    for _, start, end in sorted(span for span in update.spans if span[0] == region.y + y):
        if start <= reached < end:
            reached = end
    return reached >= region.right


def _sequence(awaited: _Awaited, flushed: int) -> str:
    head, times = f"mambomeme;request={awaited.request}", f"accepted={awaited.accepted};flushed={flushed}"
    return f"\x1b]{CODE};{head};{awaited.text};{times}\x1b\\"
