"""The journal of a pool, `pooling.json`: the seed of all orders, and one entry for each time candidates were added."""

from dataclasses import dataclass
from typing import Annotated, ClassVar, Final

from pydantic import ConfigDict, Field

from mambomeme_eval.benchmark import LIMIT
from mambomeme_eval.benchmark_values import STRICT, Digest, Name, Number

POOLING_FILE: Final = "pooling.json"


@dataclass(frozen=True, slots=True)
class Batch:
    """Candidates that were added together.

    Attributes:
        version: of the pool with this batch and all before it.
        added: how many candidates.
        judgement_set: the judgement set that the batch began.
        corpus: digest of the corpus that was searched.
        index: the name of the version of the index that answered.
        systems: what was pooled, each to `depth` results.
        near_misses: how many results of the hybrid system just below the depth were added.
    """

    version: Digest
    added: Number
    judgement_set: Number
    corpus: Digest
    index: Name
    systems: Annotated[tuple[Name, ...], Field(min_length=1)]
    depth: Annotated[int, Field(ge=LIMIT)]
    near_misses: Annotated[int, Field(ge=0)]
    __pydantic_config__: ClassVar[ConfigDict] = STRICT


@dataclass(frozen=True, slots=True)
class Pooling:
    """`pooling.json`: how a pool came to be; the seed never changes."""

    seed: Annotated[int, Field(ge=0, lt=1 << 63)]
    batches: Annotated[tuple[Batch, ...], Field(min_length=1)]
    __pydantic_config__: ClassVar[ConfigDict] = STRICT
