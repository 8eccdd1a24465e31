"""What a search returns: immutable hits with their evidence, and where the time went."""

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from mambomeme_tui.records import Meme
from mambomeme_tui.retrieval.threshold import Evidence


class State(StrEnum):
    """How complete an answer is.

    `complete`: every part of the asked route answered. `dense-loading` and `dense-failed`: hybrid was asked for and
    only the lexical route could answer. `query-shortened`: the query was longer than what is searched for.
    """

    COMPLETE = "complete"
    DENSE_LOADING = "dense-loading"
    DENSE_FAILED = "dense-failed"
    QUERY_SHORTENED = "query-shortened"


@dataclass(frozen=True, slots=True)
class Candidate:
    """One route's opinion: a meme's position in the catalogue, the route's score, and what the score rests on.

    `basis` and `cosine` are of the nearest vector, where the dense route is asked.
    """

    position: int
    score: float
    basis: str = ""
    cosine: float = 0.0


@dataclass(frozen=True, slots=True)
class RouteEvidence:
    """At which rank (from 1) a route found a hit, and with which score (BM25F, or mean of cosines)."""

    rank: int
    score: float


@dataclass(frozen=True, slots=True)
class Hit:
    """One displayed result; `score` is the fused one, and `copies` counts the true copies that it stands for.

    A hit without a route was found by its family alone, or by an exact phrase that no route can look for.
    """

    rank: int
    meme: Meme
    score: float
    routes: dict[str, RouteEvidence]
    why: tuple[str, ...]
    copies: int = 0

    def to_dict(self) -> dict[str, Any]:
        """The hit as the JSON contract of `mambomeme find --json` has it."""
        meme = self.meme
        return {
            "rank": self.rank,
            "id": meme.id,
            "family": meme.family.id,
            "title": meme.title,
            "quote": meme.quote,
            "score": self.score,
            "routes": {name: asdict(evidence) for name, evidence in self.routes.items()},
            "why": list(self.why),
            "copies": self.copies,
            "media": meme.media or None,
            "rights": asdict(meme.rights),
            "safety": asdict(meme.safety),
        }


@dataclass(frozen=True, slots=True)
class Timing:
    """Milliseconds of each stage, by the monotonic clock; `total` also holds what lies between the stages."""

    encode: float = 0.0
    lexical: float = 0.0
    dense: float = 0.0
    fusion: float = 0.0
    policy: float = 0.0
    total: float = 0.0


@dataclass(frozen=True, slots=True)
class SearchResult:
    """At most `limit` hits, ranked, no id twice, each of the named version.

    Where nothing fits, `hits` is empty and `nearest` holds what comes nearest, which is shown only if asked for.
    `repaired` is what was searched for in the place of a misspelt query, and empty where that was the query itself.
    `evidence` is what was judged when it was decided whether anything fits. It is None where that is no question: for
    an empty query, for filters alone, where filters leave nothing, and beside an exact phrase, which something has or
    nothing. The JSON contract has it not.
    """

    query: str
    route: str
    version: str
    state: State
    timing: Timing
    hits: tuple[Hit, ...]
    repaired: str = ""
    nearest: tuple[Hit, ...] = ()
    evidence: Evidence | None = None

    def to_dict(self) -> dict[str, Any]:
        """The result as the JSON contract of `mambomeme find --json` has it."""
        return {
            "query": self.query,
            "repaired": self.repaired,
            "route": self.route,
            "version": self.version,
            "state": str(self.state),
            "timing_ms": {name: round(value, 3) for name, value in asdict(self.timing).items()},
            "hits": [hit.to_dict() for hit in self.hits],
            "nearest": [hit.to_dict() for hit in self.nearest],
        }
