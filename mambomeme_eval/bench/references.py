"""What the engine finds, computed in a process of its own: the lists that the screen is compared with."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mambomeme_eval.bench import marker


@dataclass(frozen=True, slots=True)
class Listed:
    """A hit as the screen has to show it."""

    id: str
    title: str
    quote: str


@dataclass(frozen=True, slots=True)
class Reference:
    """The engine's answer to one query by one route.

    Attributes:
        sentence: what the engine made of the query, mended where it is misspelt.
        state: `complete`, or which part did not answer.
        routes: id -> the routes that found it.
        steady: whether every repeat gave the same list.
    """

    sentence: str
    route: str
    version: str
    state: str
    hits: tuple[Listed, ...]
    routes: Mapping[str, tuple[str, ...]]
    steady: bool = True

    @property
    def ids(self) -> tuple[str, ...]:
        """The ranked ids."""
        return tuple(hit.id for hit in self.hits)

    @property
    def digest(self) -> str:
        """That of the ranked ids, as a marker has it."""
        return marker.digest(self.ids)


@dataclass(frozen=True, slots=True)
class References:
    """All answers on one version.

    Attributes:
        lists: (route, id of the query) -> the answer.
        catalogue: everything that the version holds.
    """

    version: str
    corpus: str
    lists: Mapping[tuple[str, str], Reference]
    catalogue: tuple[Listed, ...]


def from_json(answer: dict[str, Any]) -> References:
    """References as the engine's process tells them."""
    version = answer["version"]
    lists = {
        (one["route"], one["query"]): Reference(
            sentence=one["sentence"],
            route=one["route"],
            version=version,
            state=one["state"],
            hits=tuple(Listed(*hit) for hit in one["hits"]),
            routes={item: tuple(names) for item, names in one["routes"].items()},
            steady=one["steady"],
        )
        for one in answer["lists"]
    }
    return References(version, answer["corpus"], lists, tuple(Listed(*item) for item in answer["catalogue"]))
