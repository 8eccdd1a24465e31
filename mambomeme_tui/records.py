"""The records that everything else speaks of: Family, Meme, Rights, Safety.

They are immutable once made, know nothing of files or indexes, and are complete: what an item inherits from its
family (rights, safety, language, meaning, picture) stands on the item itself, so that no reader can forget to look.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Self


class SafetyClass(StrEnum):
    """What policy may do with an item: show it, show it only when asked to, or never show it."""

    SAFE = "safe"
    SENSITIVE = "sensitive"
    BLOCKED = "blocked"


@dataclass(frozen=True, slots=True)
class Rights:
    """Who made an item and under which terms it may be shown; only `cleared` items are ever shown."""

    creator: str
    source: str
    licence: str
    attribution: str
    cleared: bool


@dataclass(frozen=True, slots=True)
class Safety:
    """The safety class of an item, why it has it, and the version of the policy that it was judged by."""

    level: SafetyClass
    reasons: tuple[str, ...]
    policy: str


@dataclass(frozen=True, slots=True)
class Family:
    """One meme template, entity or format: what all its items share.

    `year` is the year in which it became a meme; `origin` says in a sentence where it comes from; `meaning` when a
    person sends it; `picture` what is literally seen. `situations` say in everyday words when somebody would look for
    it: they help to find an item and are no part of what it is.
    """

    id: str
    name: str
    aliases: tuple[str, ...]
    kind: str
    people: tuple[str, ...]
    franchise: str
    topics: tuple[str, ...]
    actions: tuple[str, ...]
    year: int
    origin: str
    meaning: str
    picture: str
    situations: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Meme:
    """One item that can be found, shown and chosen.

    `id` is `family.slug` and never changes. `quote` is what stands in the picture, as a reader would see it.
    `media` is a path below the corpus folder, or empty while the item has no picture of its own; `exact_hash` is the
    SHA-256 and `perceptual_hash` the perceptual hash of that file, both in hex and empty with it. True copies share
    their original's id as `group`; `change` says what makes a copy differ from it, and is empty on an original. The
    family is the template group. `content_hash` is the SHA-256 (hex) of the record's canonical JSON
    without itself and the situations, so that whoever judged an item judged all that it covers.
    """

    id: str
    family: Family
    title: str
    quote: str
    meaning: str
    picture: str
    tags: tuple[str, ...]
    language: str
    media: str
    exact_hash: str
    perceptual_hash: str
    group: str
    change: str
    rights: Rights
    safety: Safety
    content_hash: str

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain JSON values."""
        return {name: _plain(getattr(self, name)) for name in Meme.__slots__}

    def content(self) -> dict[str, Any]:
        """What `content_hash` is taken of."""
        content = self.to_dict() | {"content_hash": ""}
        del content["family"]["situations"]
        return content

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """The inverse of `to_dict`; lists become tuples again."""
        safety = data["safety"]
        return cls(
            **{
                **_frozen(data),
                "family": Family(**_frozen(data["family"])),
                "rights": Rights(**data["rights"]),
                "safety": Safety(SafetyClass(safety["level"]), tuple(safety["reasons"]), safety["policy"]),
            }
        )


def _frozen(data: dict[str, Any]) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in data.items()}


def _plain(value: object) -> object:
    """A table of a record as a dictionary; `dataclasses.asdict` does the same eight times as slowly."""
    if isinstance(value, Family | Rights | Safety):
        return {name: getattr(value, name) for name in value.__slots__}
    return value
