"""Fusion: the routes' scores on one scale, the families' share, and names.

Scores are fused, not ranks: on the development partition that found more (docs/retrieval.md). Each route's scores are
brought to 0..1 between its last candidate and its first, then added by weight (CombSUM, Fox and Shaw, TREC-2 1994). A
meme gets a share of the best score in its family on top, since whoever looks for a quote is helped by the family's
other memes, and a bonus where the query names its family.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from mambomeme_tui.index.structure import Structure
from mambomeme_tui.parameters import Parameters
from mambomeme_tui.retrieval.results import Candidate

FAMILIES = 20
"""So many of the best families hand their share to members that no route found."""
MEMBERS = 64
"""As many memes as a family has at most in a corpus of families."""

Scores = NDArray[np.float64]


def normalise(scores: Scores, depth: int) -> Scores:
    """Scores, descending, to 0..1: 1 is the best, 0 the last of `depth`, or no score at all where there are fewer."""
    if not len(scores):
        return scores
    low = float(scores[depth - 1]) if len(scores) >= depth else min(0.0, float(scores[-1]))
    reach = float(scores[0]) - low
    return (scores - low) / reach if reach > 0 else np.ones(len(scores))


def fuse(
    found: Mapping[str, Sequence[Candidate]],
    weights: Mapping[str, float],
    named: Mapping[int, float],
    structure: Structure,
    parameters: Parameters,
) -> list[tuple[int, float]]:
    """One list of (position, score), descending by score, ties by position.

    Args:
        found: each route's candidates, the best first.
        weights: of the routes.
        named: the families that the query names, with their share of it.
        structure: of the version.
        parameters: of the version: `depth`, `family_share`, `name_bonus`.
    """
    positions, scores = _added(found, weights, parameters.depth)
    families = structure.families[positions]
    best: dict[int, float] = {}
    for family, score in zip(families.tolist(), scores.tolist(), strict=True):
        best[family] = max(best.get(family, 0.0), score)
    extra = {family: parameters.family_share * score for family, score in best.items()}
    for family, share in named.items():
        extra[family] = extra.get(family, 0.0) + parameters.name_bonus * share
    positions, scores = _with_members(positions, scores, extra, structure)
    scores = scores + np.array([extra.get(family, 0.0) for family in structure.families[positions].tolist()])
    order = np.lexsort((positions, -scores))
    return list(zip(positions[order].tolist(), scores[order].tolist(), strict=True))


def _added(
    found: Mapping[str, Sequence[Candidate]], weights: Mapping[str, float], depth: int
) -> tuple[NDArray[np.int64], Scores]:
    """Positions, ascending, and the weighted sum of each one's normalised scores."""
    lists = {
        route: (
            np.array([one.position for one in candidates], np.int64),
            normalise(np.array([one.score for one in candidates]), depth),
        )
        for route, candidates in found.items()
    }
    positions = np.unique(np.concatenate([np.empty(0, np.int64), *(places for places, _ in lists.values())]))
    scores = np.zeros(len(positions))
    for route, (places, values) in lists.items():
        scores[np.searchsorted(positions, places)] += weights[route] * values
    return positions, scores


def _with_members(
    positions: NDArray[np.int64], scores: Scores, extra: Mapping[int, float], structure: Structure
) -> tuple[NDArray[np.int64], Scores]:
    """The same with the other members of the best families, who have no score of their own."""
    best = sorted(extra, key=lambda family: (-extra[family], family))[:FAMILIES]
    members = np.concatenate([np.empty(0, np.int64), *(structure.members_of(family, MEMBERS) for family in best)])
    everybody = np.union1d(positions, members)
    wider = np.zeros(len(everybody))
    wider[np.searchsorted(everybody, positions)] = scores
    return everybody, wider
