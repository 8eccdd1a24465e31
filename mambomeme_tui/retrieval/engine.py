"""The engine: one query through the asked route to at most ten hits that policy allows.

Safe to call from one worker thread while another thread loads the dense route. It keeps no result and no query. A
hybrid search never becomes lexical silently: the result's state says so.
"""

import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from mambomeme_tui import rights, safety
from mambomeme_tui.config import ROUTES
from mambomeme_tui.errors import MamboError, ModelUnavailable, UsageError
from mambomeme_tui.index import facets, structure, vocabulary
from mambomeme_tui.index.store import Version, model_folder, open_version
from mambomeme_tui.retrieval.explain import explain
from mambomeme_tui.retrieval.lexical import LexicalRoute
from mambomeme_tui.retrieval.query import Query, understand
from mambomeme_tui.retrieval.ranking import Ranking
from mambomeme_tui.retrieval.repair import repair
from mambomeme_tui.retrieval.restricting import Mask, Restrictions
from mambomeme_tui.retrieval.results import Candidate, Hit, RouteEvidence, SearchResult, State, Timing
from mambomeme_tui.safety import ViewingMode

if TYPE_CHECKING:
    from mambomeme_tui.retrieval.dense import DenseRoute

LIMIT = 10
Cancelled = Callable[[], bool]


class SearchCancelled(Exception):
    """A newer query made this one pointless; there is no result."""


class _Clock:
    """Milliseconds of each stage, measured one after the other."""

    def __init__(self) -> None:
        self.started = self._last = time.perf_counter()
        self.stages: dict[str, float] = {}

    def lap(self, stage: str) -> None:
        now = time.perf_counter()
        self.stages[stage] = self.stages.get(stage, 0.0) + (now - self._last) * 1000
        self._last = now

    def timing(self) -> Timing:
        return Timing(**self.stages, total=(time.perf_counter() - self.started) * 1000)


class Engine:
    """Search on one version.

    Args:
        data: the data folder; its current version, or the last good one, is checked and opened. The dense route is
            not loaded yet.
        mode: what policy may show.

    Raises:
        IndexUnavailable: no version can be served.
    """

    def __init__(self, data: Path, mode: ViewingMode = ViewingMode.STANDARD) -> None:
        self._data = data
        self._lock = threading.Lock()
        self.version: Version = open_version(data)
        self._classes = self.version.policy.modes[mode]
        self.size = len(self.version.catalogue)
        self._shown = np.ones(self.size, bool)
        self._shown[list(self.version.catalogue.withheld(self._classes))] = False
        self._closed = False
        folder, parameters = self.version.folder, self.version.parameters
        self._lexical = LexicalRoute(folder, parameters)
        self._dense: DenseRoute | None = None
        self._structure = structure.load(folder / structure.STRUCTURE_FILE)
        self._vocabulary = vocabulary.load(folder / vocabulary.VOCABULARY_FOLDER)
        self.facets = facets.load(folder / facets.FACETS_FOLDER)
        self._ranking = Ranking(parameters, self._structure, self._vocabulary, self._lexical)
        self._restrictions = Restrictions(self._shown, self.facets, self._lexical.impacts, self.version.catalogue)
        self._copies = np.bincount(self._structure.groups[self._shown], minlength=self.size)
        self.dense_error: MamboError | None = None

    @property
    def shown(self) -> int:
        """How many memes policy may show; what it withholds is not even counted."""
        return int(self._shown.sum())

    @property
    def dense_ready(self) -> bool:
        """Whether the dense route can answer."""
        return self._dense is not None

    def load_dense(self) -> None:
        """Load the dense route; a failure is kept in `dense_error` and told by every result that misses it."""
        try:
            from mambomeme_tui.retrieval.dense import DenseRoute

            model = model_folder(self._data, self.version.manifest)
            self._dense = DenseRoute(self.version.folder, model, self.size, self.version.parameters)
        except MamboError as error:
            self.dense_error = error
        except Exception as error:  # the libraries below raise anything at all on a file they can't read
            self.dense_error = ModelUnavailable(f"The dense route failed to load ({type(error).__name__}).")

    def search(
        self,
        typed: str,
        route: str = "hybrid",
        limit: int = LIMIT,
        cancelled: Cancelled = lambda: False,
        as_typed: bool = False,
    ) -> SearchResult:
        """Find memes.

        Args:
            typed: anything; cleaned before use.
            route: `hybrid`, `lexical` or `dense`.
            limit: the most hits to return, from 1.
            cancelled: asked between the stages.
            as_typed: misspelt words are not mended.

        Raises:
            SearchCancelled: `cancelled` said so.
            ModelUnavailable: the dense route alone was asked for and is not there.
            UsageError: there is no such route.
        """
        if route not in ROUTES:
            raise UsageError(f"There is no route called {route!r}; there are {', '.join(ROUTES)}.")
        with self._lock:
            clock = _Clock()
            query = understand(typed) if as_typed else understand(typed, self._mend)
            allowed = self._restrictions.allowed(query.syntax, stop=lambda: _stop_if(cancelled))
            wider = self._restrictions.allowed(query.syntax, phrases=False) if not allowed.any() else allowed
            candidates = {} if query.empty else self._candidates(query, route, wider, clock, cancelled)
            standing = wider is allowed and bool(query.syntax.phrases)
            ranked = self._ranking.rank(query, candidates, wider, whole=standing) if query.asks else []
            judged = wider is allowed and not query.empty and not standing
            evidence = self._ranking.evidence(query, candidates, allowed) if judged else None
            fits = self._ranking.fits(evidence, candidates) if evidence else wider is allowed
            clock.lap("fusion")
            hits = self._hits(query, ranked, candidates, limit)
            clock.lap("policy")
            state = self._state(query, route, candidates)
            shown, nearest = (hits, ()) if fits else ((), hits)
            timing = clock.timing()
            name = self.version.name
            return SearchResult(query.shown, route, name, state, timing, shown, query.repaired, nearest, evidence)

    def _mend(self, sentence: str) -> str:
        return repair(sentence, self._vocabulary)

    def _candidates(
        self, query: Query, route: str, allowed: Mask, clock: _Clock, cancelled: Cancelled
    ) -> dict[str, list[Candidate]]:
        """Each route's candidates; what is not allowed has no say in ranks, scores or explanations either."""
        dense = self._dense_for(route)
        found: dict[str, list[Candidate]] = {}
        if route != "dense":
            found["lexical"] = self._lexical.search(query, allowed)
            clock.lap("lexical")
        _stop_if(cancelled)
        if dense:
            vector = dense.encode(query)
            clock.lap("encode")
            _stop_if(cancelled)
            covered = self._ranking.coverage(query, found) if found else 1.0
            found["dense"] = dense.search(vector, allowed, covered)
            clock.lap("dense")
        _stop_if(cancelled)
        return found

    def _dense_for(self, route: str) -> "DenseRoute | None":
        if route == "lexical":
            return None
        if route == "dense" and self._dense is None:
            raise self.dense_error or ModelUnavailable("The dense route is still loading.", "Try again in a second.")
        return self._dense

    def _hits(
        self, query: Query, ranked: list[tuple[int, float]], candidates: dict[str, list[Candidate]], limit: int
    ) -> tuple[Hit, ...]:
        """The last step: policy again, on the records themselves, then the places are filled."""
        evidence = {name: _by_position(found) for name, found in candidates.items()}
        hits: list[Hit] = []
        groups: set[str] = set()
        for start in range(0, len(ranked), limit):
            batch = ranked[start : start + limit]
            for (position, score), meme in zip(batch, self.version.catalogue.at([p for p, _ in batch]), strict=True):
                if meme.group in groups:
                    continue  # a true copy of a hit that stands higher already
                if rights.withheld_because(meme.rights) or safety.withheld_because(meme.safety, self._classes):
                    continue
                found = {name: ranks[position] for name, ranks in evidence.items() if position in ranks}
                routes = {name: RouteEvidence(rank, one.score) for name, (rank, one) in found.items()}
                dense = found["dense"][1] if "dense" in found else None
                groups.add(meme.group)
                copies = int(self._copies[self._structure.groups[position]]) - 1
                hits.append(Hit(len(hits) + 1, meme, score, routes, explain(query, meme, dense), copies))
                if len(hits) == limit:
                    return tuple(hits)
        return tuple(hits)

    def _state(self, query: Query, route: str, candidates: dict[str, list[Candidate]]) -> State:
        if query.empty:
            return State.COMPLETE
        # the dense route may have become ready while this search went on without it
        without_dense = "dense" not in candidates if candidates else self._dense is None
        if route == "hybrid" and without_dense:
            return State.DENSE_FAILED if self.dense_error else State.DENSE_LOADING
        return State.QUERY_SHORTENED if query.shortened else State.COMPLETE

    def close(self) -> None:
        """Let go of the version's files; a second time it does nothing."""
        with self._lock:
            if not self._closed:
                self._closed = True
                self._lexical.close()
                self._dense = None
                self.version.close()


def _by_position(found: Iterable[Candidate]) -> dict[int, tuple[int, Candidate]]:
    return {one.position: (rank, one) for rank, one in enumerate(found, 1)}


def _stop_if(cancelled: Cancelled) -> None:
    if cancelled():
        raise SearchCancelled
