"""Weighted reciprocal rank fusion (Cormack, Clarke and Buettcher, SIGIR 2009)."""

from collections.abc import Mapping, Sequence


def reciprocal_rank_fusion(
    rankings: Mapping[str, Sequence[int]], weights: Mapping[str, float], k: int
) -> list[tuple[int, float]]:
    """Fuse rankings of positions into one list of (position, score).

    score(p) = sum over routes of weights[route] / (k + rank of p in that route), ranks counting from 1. Descending by
    score; ties go to the better best rank, then to the lower position.
    """
    scores: dict[int, float] = {}
    best: dict[int, int] = {}
    for route, ranking in rankings.items():
        for rank, position in enumerate(ranking, 1):
            scores[position] = scores.get(position, 0.0) + weights[route] / (k + rank)
            best[position] = min(best.get(position, rank), rank)
    return sorted(scores.items(), key=lambda pair: (-pair[1], best[pair[0]], pair[0]))
