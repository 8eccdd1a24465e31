"""From candidates to one ranked list, and whether it is an answer at all.

Knows nothing of records: it works on positions, and only on those that it is told are allowed.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from mambomeme_tui.index.structure import Structure
from mambomeme_tui.index.vocabulary import Vocabulary
from mambomeme_tui.parameters import Parameters
from mambomeme_tui.retrieval.coverage import coverage
from mambomeme_tui.retrieval.fusion import fuse
from mambomeme_tui.retrieval.lexical import LexicalRoute
from mambomeme_tui.retrieval.naming import families_named
from mambomeme_tui.retrieval.query import Query
from mambomeme_tui.retrieval.restricting import Mask
from mambomeme_tui.retrieval.results import Candidate
from mambomeme_tui.retrieval.threshold import Evidence, probability

FIRST = 20
"""So many of each route's candidates are compared for whether the routes agree."""

Found = Mapping[str, Sequence[Candidate]]


class Ranking:
    """Ranks the candidates of one version."""

    def __init__(
        self, parameters: Parameters, structure: Structure, vocabulary: Vocabulary, lexical: LexicalRoute
    ) -> None:
        self._parameters = parameters
        self._structure = structure
        self._vocabulary = vocabulary
        self._lexical = lexical

    def rank(self, query: Query, found: Found, allowed: Mask, whole: bool = False) -> list[tuple[int, float]]:
        """Positions and scores, the best first.

        Args:
            query: one of filters alone is answered by all that they leave, in order.
            found: each route's candidates.
            allowed: (memes,), what may be an answer.
            whole: what no route found comes last, in order and with no score, as deep as candidates go.
        """
        if query.empty:
            return self._in_order(allowed, self._parameters.depth)
        weights = self._parameters.route_weights if len(found) > 1 else dict.fromkeys(found, 1.0)
        fused = fuse(found, weights, self._named(query, found, allowed), self._structure, self._parameters)
        ranked = [pair for pair in fused if allowed[pair[0]]]
        if whole:
            left = allowed.copy()
            left[[position for position, _ in ranked]] = False
            ranked += self._in_order(left, self._parameters.depth - len(ranked))
        return ranked

    def _in_order(self, allowed: Mask, most: int) -> list[tuple[int, float]]:
        return [(position, 0.0) for position in np.flatnonzero(allowed)[: max(0, most)].tolist()]

    def fits(self, evidence: Evidence, found: Found) -> bool:
        """Whether what was found is an answer, as far as the routes that were asked can tell."""
        told = self._parameters.thresholds["hybrid" if len(found) > 1 else next(iter(found))]
        return probability(evidence, told) >= told["least"]

    def coverage(self, query: Query, found: Found) -> float:
        """The largest share of the query that one of the first lexical candidates has, from 0 to 1."""
        return coverage(query, found.get("lexical", ()), self._lexical, self._vocabulary)

    def evidence(self, query: Query, found: Found, allowed: Mask) -> Evidence:
        """What speaks for an answer among these candidates, of which each is allowed."""
        families = [self._first_families(found.get(route, ())) for route in ("dense", "lexical")]
        return Evidence(
            coverage=self.coverage(query, found),
            cosine=max((one.cosine for one in found.get("dense", ())), default=0.0),
            named=max(self._named(query, found, allowed).values(), default=0.0),
            agreement=len(families[0] & families[1]) / max(1, len(families[0])),
        )

    def _named(self, query: Query, found: Found, allowed: Mask) -> dict[int, float]:
        """Families that the query names and of which something is allowed: the others are no answer to their names.

        Names are words: where the dense route answers alone they do not count.
        """
        named = families_named(query.meant, self._vocabulary.named) if "lexical" in found else {}
        members = {family: self._structure.members_of(family, len(allowed)) for family in named}
        return {family: share for family, share in named.items() if allowed[members[family]].any()}

    def _first_families(self, found: Sequence[Candidate]) -> set[int]:
        return set(self._structure.families[[one.position for one in found[:FIRST]]].tolist())
