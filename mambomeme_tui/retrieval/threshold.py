"""Whether anything fits: a calibrated judgement on what both routes know of a query.

Four pieces of evidence, each between 0 and 1: how much of the query's rare words the best candidate has, how near the
nearest vector is, how much of the query is a name, and how far both routes speak of the same families. A logistic
model of them, fitted on the development partition and cross-validated over its families (docs/retrieval.md), gives the
probability that something fits.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Final


@dataclass(frozen=True, slots=True)
class Evidence:
    """What speaks for an answer.

    Attributes:
        coverage: the largest share of the query's rare words that one candidate has (`retrieval/coverage.py`).
        cosine: of the nearest vector; 0 without the dense route.
        named: the share of the query's letters that are the name of a family.
        agreement: the share of the families that the dense route finds first which the lexical one finds first too.
    """

    coverage: float
    cosine: float
    named: float
    agreement: float


EVIDENCE: Final = tuple(field.name for field in fields(Evidence))
"""The names of all pieces, in their order."""


def probability(evidence: Evidence, model: Mapping[str, float]) -> float:
    """That something fits: 1 / (1 + exp(-(bias + the weighted evidence)))."""
    logit = model["bias"] + sum(model.get(name, 0.0) * getattr(evidence, name) for name in EVIDENCE)
    return 1 / (1 + math.exp(-max(-500.0, min(500.0, logit))))
