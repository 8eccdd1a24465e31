"""A search session: the latest search wins, one worker answers, and loading never blocks asking.

A loader opens the version (building it where none can be served) and then the dense route; a worker answers the
newest request and forgets the ones before it; a watcher notices when another version is served than the one that is
open, which stays open until somebody asks to switch. The listener hears everything, called from those threads.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from mambomeme_tui.errors import IndexUnavailable, MamboError
from mambomeme_tui.session_events import (
    Answer,
    Building,
    DenseFailed,
    DenseReady,
    LexicalReady,
    OtherServed,
    SearchFailed,
    SessionEvent,
    SwitchFailed,
    Unavailable,
)
from mambomeme_tui.telling import why_nothing

if TYPE_CHECKING:
    from mambomeme_tui.index.facets import Facets
    from mambomeme_tui.index.rebuild import Rebuild
    from mambomeme_tui.retrieval.engine import Engine

LOOK_EVERY = 1.0
"""Seconds between two looks at which version is served."""


@dataclass(frozen=True, slots=True)
class _Request:
    number: int
    typed: str
    route: str
    limit: int
    as_typed: bool


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
        self._retired: list[Engine] = []
        self._served: tuple[str, int, int] = ("", 0, 0)
        self._switching = threading.Lock()

    def start(self) -> None:
        """Begin loading; returns at once."""
        self._run("loader", self._load)
        self._run("worker", self._work)

    def switch(self) -> None:
        """Open the version that is served now in the place of the one that is open; returns at once.

        Both routes are loaded before anything changes, and searches go on meanwhile in the old one.
        """
        self._run("switcher", self._switch)

    def submit(self, typed: str, route: str, limit: int, as_typed: bool = False) -> int:
        """Ask; returns the request's number, counted from 1. Any earlier request that has no answer gets none."""
        with self._changed:
            self._latest += 1
            self._pending = _Request(self._latest, typed, route, limit, as_typed)
            self._changed.notify_all()
            return self._latest

    @property
    def facets(self) -> "Facets | None":
        """What filters can ask of the version that is open; None while there is none."""
        return self._engine.facets if self._engine else None

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

    def _run(self, name: str, work: Callable[[], None]) -> None:
        threading.Thread(target=self._guarded, args=(work,), name=name, daemon=True).start()

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
        try:
            engine = self._open()
            ready = _describe(self._data, engine)
        except MamboError as error:
            self._tell(Unavailable(error))  # whoever publishes meanwhile is still noticed
        else:
            with self._changed:
                self._engine = engine
                self._changed.notify_all()
            self._tell(ready)
            engine.load_dense()
            self._tell(DenseFailed(engine.dense_error) if engine.dense_error else DenseReady())
        self._watch()

    def _look(self) -> tuple[str, int, int]:
        """The name of the served version, and inode and time of its folder, for it may be built anew under its name."""
        from mambomeme_tui.index.layout import VERSIONS_FOLDER
        from mambomeme_tui.index.pointer import current_name

        try:
            name = current_name(self._data)
            found = (self._data / VERSIONS_FOLDER / name).stat()
        except (IndexUnavailable, OSError):
            return "", 0, 0
        return name, found.st_ino, found.st_mtime_ns

    def _watch(self) -> None:
        last = self._served
        while not self._is_closed_after(LOOK_EVERY):
            seen = self._look()
            if seen[0] and seen != last:
                self._tell(OtherServed("" if self._is_open(seen) else seen[0]))
            last = seen if seen[0] else last

    def _is_open(self, seen: tuple[str, int, int]) -> bool:
        """Whether this is what a switch would open again."""
        engine = self._engine
        if engine is None or engine.dense_error or engine.version.instead_of:
            return False  # what was damaged may be whole by now
        return seen[0] == engine.version.name

    def _is_closed_after(self, seconds: float) -> bool:
        with self._changed:
            return self._changed.wait_for(lambda: self._closed, seconds)

    def _switch(self) -> None:
        from mambomeme_tui.retrieval.engine import Engine

        if not self._switching.acquire(blocking=False):
            return  # one switch at a time; whatever is served when it opens is what it opens
        try:
            served = self._look()
            if self._is_open(served):
                self._tell(SwitchFailed(MamboError("The index that is served is open already.")))
                return
            engine = Engine(self._data)
            engine.load_dense()
            ready = _describe(self._data, engine)
            with self._changed:
                if self._engine:
                    self._retired.append(self._engine)
                self._engine, self._served = engine, served
                self._changed.notify_all()
            self._tell(ready)
            self._tell(DenseFailed(engine.dense_error) if engine.dense_error else DenseReady())
        except MamboError as error:
            self._tell(SwitchFailed(error))
        except Exception as error:
            self._tell(SwitchFailed(MamboError(f"The index can't be opened ({type(error).__name__}).")))
        finally:
            self._switching.release()

    def _open(self) -> "Engine":
        from mambomeme_tui.retrieval.engine import Engine

        self._served = self._look()
        try:
            return Engine(self._data)
        except IndexUnavailable:
            from mambomeme_tui.index.rebuild import Rebuild
            from mambomeme_tui.index.sources import may_build_anew

            if not may_build_anew(self._data):
                raise  # the bundled corpus is not what somebody published here

            self._tell(Building("start", 0, 1))
            self._rebuild = Rebuild(self._data)
            if self._closed:
                self._rebuild.stop()
            self._rebuild.run(lambda stage, done, total: self._tell(Building(stage, done, total)))
            self._served = self._look()
            return Engine(self._data)

    def _work(self) -> None:
        while request := self._next():
            self._answer(request)
        if self._engine:
            self._engine.close()

    def _next(self) -> _Request | None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._closed or self._retired or (self._pending and self._engine))
                retired, self._retired = self._retired, []
                request, self._pending = (None, self._pending) if retired else (self._pending, None)
            for engine in retired:  # no search is under way: this thread runs them all
                engine.close()
            if not retired:
                return None if self._closed else request

    def _answer(self, request: _Request) -> None:
        from mambomeme_tui.retrieval.engine import SearchCancelled

        assert self._engine is not None

        def outdated() -> bool:
            return request.number != self._latest

        try:
            result = self._engine.search(
                request.typed, request.route, request.limit, outdated, as_typed=request.as_typed
            )
            reason = "" if result.hits else why_nothing(result, self._engine.facets)
        except SearchCancelled:
            return
        except MamboError as error:
            self._tell(SearchFailed(request.number, error))
        except Exception as error:
            self._tell(SearchFailed(request.number, MamboError(f"The search failed ({type(error).__name__}).")))
        else:
            if not outdated():
                self._tell(Answer(request.number, result, reason))


def _describe(data: Path, engine: "Engine") -> LexicalReady:
    from mambomeme_tui.index.sources import is_up_to_date

    version = engine.version
    stale, damaged = not is_up_to_date(data, version.manifest), version.instead_of is not None
    return LexicalReady(version.name, engine.shown, stale, damaged)
