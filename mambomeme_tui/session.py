"""A search session: the latest search wins, one worker answers, and loading never blocks asking.

Two threads: a loader opens the version (building it where none can be served) and then the dense route; a worker
answers the newest request and forgets the ones before it. The listener hears everything, called from those threads.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from mambomeme_tui.digests import source_digest
from mambomeme_tui.errors import IndexUnavailable, MamboError
from mambomeme_tui.paths import bundled

if TYPE_CHECKING:
    from mambomeme_tui.index.rebuild import Rebuild
    from mambomeme_tui.retrieval.engine import Engine
    from mambomeme_tui.retrieval.results import SearchResult


@dataclass(frozen=True, slots=True)
class Building:
    """The index is being built: so much of a stage is done."""

    stage: str
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class LexicalReady:
    """Words can be searched in this version; `stale` where the corpus on disk is a newer one."""

    version: str
    memes: int
    stale: bool


@dataclass(frozen=True, slots=True)
class DenseReady:
    """Meanings can be searched too."""


@dataclass(frozen=True, slots=True)
class DenseFailed:
    """Only words can be searched, for this reason."""

    error: MamboError


@dataclass(frozen=True, slots=True)
class Unavailable:
    """Nothing can be searched, for this reason."""

    error: MamboError


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of the request with this number."""

    number: int
    result: "SearchResult"


@dataclass(frozen=True, slots=True)
class SearchFailed:
    """The request with this number ended in an error."""

    number: int
    error: MamboError


SessionEvent = Building | LexicalReady | DenseReady | DenseFailed | Unavailable | Answer | SearchFailed


@dataclass(frozen=True, slots=True)
class _Request:
    number: int
    typed: str
    route: str
    limit: int


class Session:
    """Searches on one data folder.

    Args:
        data: the data folder.
        listener: hears every event, called from the session's threads; it must not block.
    """

    def __init__(self, data: Path, listener: Callable[[SessionEvent], None]) -> None:
        self._data = data
        self._listener = listener
        self._changed = threading.Condition()
        self._engine: Engine | None = None
        self._pending: _Request | None = None
        self._latest = 0
        self._closed = False
        self._rebuild: Rebuild | None = None

    def start(self) -> None:
        """Begin loading; returns at once."""
        threading.Thread(target=self._guarded, args=(self._load,), name="loader", daemon=True).start()
        threading.Thread(target=self._guarded, args=(self._work,), name="worker", daemon=True).start()

    def submit(self, typed: str, route: str, limit: int) -> int:
        """Ask; returns the request's number, counted from 1. Any earlier request that has no answer gets none."""
        with self._changed:
            self._latest += 1
            self._pending = _Request(self._latest, typed, route, limit)
            self._changed.notify_all()
            return self._latest

    def withdraw(self) -> None:
        """Forget the newest request: its answer is no longer wanted."""
        with self._changed:
            self._latest += 1
            self._pending = None

    def close(self) -> None:
        """Stop both threads as soon as they notice, and a build that was begun."""
        with self._changed:
            self._closed = True
            self._latest += 1
            self._changed.notify_all()
        if self._rebuild:
            self._rebuild.stop()

    def _guarded(self, work: Callable[[], None]) -> None:
        try:
            work()
        except MamboError as error:
            self._tell(Unavailable(error))
        except Exception as error:
            self._tell(Unavailable(MamboError(f"Something went wrong while loading ({type(error).__name__}).")))

    def _tell(self, event: SessionEvent) -> None:
        if not self._closed:
            self._listener(event)

    def _load(self) -> None:
        engine = self._open()
        stale = _is_stale(engine)
        with self._changed:
            self._engine = engine
            self._changed.notify_all()
        self._tell(LexicalReady(engine.version.name, engine.shown, stale))
        engine.load_dense()
        self._tell(DenseFailed(engine.dense_error) if engine.dense_error else DenseReady())

    def _open(self) -> "Engine":
        from mambomeme_tui.retrieval.engine import Engine

        try:
            return Engine(self._data)
        except IndexUnavailable:
            from mambomeme_tui.index.rebuild import Rebuild

            self._tell(Building("start", 0, 1))
            self._rebuild = Rebuild(self._data)
            if self._closed:
                self._rebuild.stop()
            self._rebuild.run(lambda stage, done, total: self._tell(Building(stage, done, total)))
            return Engine(self._data)

    def _work(self) -> None:
        while request := self._next():
            self._answer(request)
        if self._engine:
            self._engine.close()

    def _next(self) -> _Request | None:
        with self._changed:
            self._changed.wait_for(lambda: self._closed or (self._pending and self._engine))
            request, self._pending = self._pending, None
            return None if self._closed else request

    def _answer(self, request: _Request) -> None:
        from mambomeme_tui.retrieval.engine import SearchCancelled

        assert self._engine is not None

        def outdated() -> bool:
            return request.number != self._latest

        try:
            result = self._engine.search(request.typed, request.route, request.limit, outdated)
        except SearchCancelled:
            return
        except MamboError as error:
            self._tell(SearchFailed(request.number, error))
        except Exception as error:
            self._tell(SearchFailed(request.number, MamboError(f"The search failed ({type(error).__name__}).")))
        else:
            if not outdated():
                self._tell(Answer(request.number, result))


def _is_stale(engine: "Engine") -> bool:
    made_from = engine.version.manifest.corpus
    try:
        return bool(made_from["source"] == "bundled" and made_from["source_digest"] != source_digest(bundled("corpus")))
    except OSError:
        return False
