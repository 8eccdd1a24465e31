"""The product with one fault in it, for the tests of the benchmark: it is started like the product itself.

    python tests/eval/bench_mutant.py FAULT QUERY

The fault shows only in the searches for QUERY. The product is changed from outside and then run by its own `main`.
"""

import os
import signal
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from textual._context import active_app

from mambomeme_tui import cli
from mambomeme_tui.retrieval.engine import Engine
from mambomeme_tui.retrieval.results import Hit, SearchResult
from mambomeme_tui.ui import render_marker
from mambomeme_tui.ui.render_marker import RenderMarker
from mambomeme_tui.ui.widgets import bars
from mambomeme_tui.ui.widgets.results import ResultList

Marker = Any  # one that knows its own privates
fault, query = sys.argv[1:3]
asked: set[str] = set()
real_search, real_answered, real_line = Engine.search, RenderMarker.answered, ResultList.line
real_counts, real_sequence = bars._counts, render_marker._sequence


def ranked(hits: Iterable[Hit]) -> tuple[Hit, ...]:
    return tuple(replace(hit, rank=rank) for rank, hit in enumerate(hits, 1))


def stranger(hit: Hit) -> Hit:
    return replace(hit, meme=replace(hit.meme, id="nobody.knows", quote="Nobody ever saw this one"))


LISTS: dict[str, Callable[[tuple[Hit, ...]], tuple[Hit, ...]]] = {
    "wrong": lambda hits: ranked(reversed(hits)),
    "short": lambda hits: hits[:-1],
    "twice": lambda hits: ranked((hits[0], hits[0], *hits[2:])),
    "stranger": lambda hits: ranked((stranger(hits[0]), *hits[1:])),
}


def search(self: Engine, typed: str, *arguments: Any, **options: Any) -> SearchResult:
    result = real_search(self, typed, *arguments, **options)
    if typed != query:
        return result
    match fault:
        case "slow":
            time.sleep(30)
        case "crash":
            os._exit(9)
        case "stopped":
            os.kill(os.getpid(), signal.SIGSTOP)
        case "failing" if typed in asked:  # Enter, after the search as one types
            raise ValueError
        case "version":
            return replace(result, version="v-000000000000")
    asked.add(typed)
    return replace(result, hits=LISTS[fault](result.hits)) if fault in LISTS else result


def answered_early(self: Marker, result: SearchResult) -> None:
    real_answered(self, result)
    awaited = self._awaited
    if awaited and result.query == query:
        self._awaited = None
        driver = active_app.get()._driver
        assert driver is not None
        driver.write(real_sequence(awaited, time.monotonic_ns()))


def answered_never(self: Marker, result: SearchResult) -> None:
    real_answered(self, result)
    if result.query == query:
        self._awaited = None


def sequence(awaited: Any, flushed: int) -> str:
    text = real_sequence(awaited, flushed)
    result = awaited.shown
    if not isinstance(result, SearchResult) or result.query != query:
        return text
    changed = {
        "backdated": real_sequence(replace(awaited, accepted=awaited.accepted - 10**9), flushed),
        "garbled": text.replace("digest=", "digest="[:-1] + "!"),
        "doubled": text + text,
        "misnumbered": real_sequence(replace(awaited, request=awaited.request + 1), flushed),
    }
    return changed.get(fault, text)


def line_dropped(self: ResultList, y: int, width: int) -> Any:
    result = self.view.result
    return self.blank(width) if result and result.query == query and y == 6 else real_line(self, y, width)


def counts_wrong(result: SearchResult, manner: str) -> str:
    text = real_counts(result, manner)
    return text.replace("10 found", "11 found") if result.query == query else text


product: Any = Engine
product.search = search
render_marker._sequence = sequence
marker: Any = RenderMarker
marker.answered = {"early": answered_early, "never": answered_never}.get(fault, real_answered)
if fault == "dropped":
    listed: Any = ResultList
    listed.line = line_dropped
if fault == "count":
    bars._counts = counts_wrong
raise SystemExit(cli.main([]))
