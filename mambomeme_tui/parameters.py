"""The numbers that decide a ranking, in one frozen record that every version's manifest carries.

They are chosen on the development partition alone. A version answers with the numbers it was published with, so that
two runs on one version can't differ.
"""

from dataclasses import asdict, dataclass, field
from typing import Any, Self


@dataclass(frozen=True, slots=True)
class Parameters:
    """Ranking parameters.

    Attributes:
        field_weights: how often a term counts for each time that it stands in a lexical field.
        bm25_b: length normalisation, 0 (none) to 1 (full).
        bm25_k1: saturation of term frequency, above 0.
        depth: how many candidates each route hands to fusion.
        route_weights: each route's weight in fusion.
        situations_share: how much of the nearest situations each meme gets on top of its cosines, for each share of
            the query that its words can't find.
        family_share: how much of the best score in its family each meme gets on top.
        name_bonus: what a meme gets on top whose family's name is the whole query.
        thresholds: for each route the logistic model of whether anything fits: `bias`, the weights of the evidence,
            and `least`, the probability from which on something does.
        exact_rows: up to so many vectors all of them are compared; beyond, Annoy says with which.
        annoy_trees: how many trees the nearest-neighbour index has.
        annoy_search: how many nodes Annoy looks at for each candidate that is asked of it.
    """

    field_weights: dict[str, float] = field(
        default_factory=lambda: {
            "names": 3.0,
            "people": 2.0,
            "quote": 3.0,
            "topics": 1.2,
            "meaning": 1.0,
            "situations": 0.8,
            "picture": 1.0,
        }
    )
    bm25_b: float = 0.5
    bm25_k1: float = 1.2
    depth: int = 200
    route_weights: dict[str, float] = field(default_factory=lambda: {"lexical": 0.5, "dense": 0.5})
    situations_share: float = 2.0
    family_share: float = 0.7
    name_bonus: float = 0.5
    thresholds: dict[str, dict[str, float]] = field(
        default_factory=lambda: {
            "lexical": {"bias": -3.89, "coverage": 5.57, "named": 8.73, "least": 0.26},
            "dense": {"bias": -6.17, "cosine": 11.74, "least": 0.36},
            "hybrid": {
                "bias": -8.36,
                "coverage": 3.76,
                "cosine": 9.05,
                "named": 4.34,
                "agreement": 3.66,
                "least": 0.2,
            },
        }
    )
    exact_rows: int = 150_000
    annoy_trees: int = 50
    annoy_search: int = 60

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """The inverse of `to_dict`."""
        return cls(**data)
