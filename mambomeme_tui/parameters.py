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
        field_weights: multiplies a term's BM25F score in each lexical field.
        bm25_b: length normalisation of every lexical field, 0 (none) to 1 (full).
        bm25_k1: saturation of term frequency, above 0.
        depth: how many candidates each route hands to fusion.
        fusion_k: the constant k of reciprocal rank fusion (Cormack, Clarke and Buettcher, SIGIR 2009).
        route_weights: each route's weight in fusion.
        dense_floor: the least cosine at which a dense candidate counts beside lexical ones.
        dense_alone_floor: the same where no query word is in the index or the dense route answers alone. Both floors
            are provisional, set by eye, until they are calibrated.
        annoy_trees: how many trees the nearest-neighbour index has.
        annoy_search: how many nodes Annoy looks at for each candidate that is asked of it.
    """

    field_weights: dict[str, float] = field(
        default_factory=lambda: {
            "names": 3.0,
            "people": 2.0,
            "quote": 2.0,
            "topics": 1.2,
            "meaning": 1.0,
            "picture": 1.0,
        }
    )
    bm25_b: float = 0.6
    bm25_k1: float = 1.2
    depth: int = 100
    fusion_k: int = 60
    route_weights: dict[str, float] = field(default_factory=lambda: {"lexical": 1.0, "dense": 1.0})
    dense_floor: float = 0.2
    dense_alone_floor: float = 0.45
    annoy_trees: int = 50
    annoy_search: int = 40

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """The inverse of `to_dict`."""
        return cls(**data)
