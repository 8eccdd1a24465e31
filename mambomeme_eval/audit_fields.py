"""The canonical fields of an item, and where the words of a query stand in them.

Both sides go through `mambomeme_tui.text`, as in the index. A check looks at whole fields and never at a selection of
the best: what it does not name, it did not find.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Final

from rapidfuzz import fuzz

from mambomeme_tui import text
from mambomeme_tui.records import Meme

FAMILY_FIELDS: Final = ("name", "aliases", "people", "franchise", "topics", "actions", "origin", "kind", "year")
ITEM_FIELDS: Final = ("title", "quote", "meaning", "picture", "tags", "language")
FIELDS: Final = (*FAMILY_FIELDS, *ITEM_FIELDS)
"""Everything that says what an item is; rights and safety say what may be done with it."""
EVERYWHERE: Final = "(all)"
FUZZY: Final = 85.0
"""The least RapidFuzz ratio, 0 to 100, at which two spellings may be the same word or phrase. One letter in
seven wrong, or one in five doubled, stays above it; most different words lie below it."""
LEAST_FUZZY_LENGTH: Final = 5
"""Of shorter words one changed letter makes another word."""
LEAST_SQUASHED_LENGTH: Final = 8
"""Shorter texts stand by chance across the ends of words where blanks do not count."""


class How(StrEnum):
    """How the words of a query were found, the surest first."""

    PHRASE = "phrase"
    TERMS = "terms"
    FUZZY = "fuzzy"
    SPREAD = "spread"


@dataclass(frozen=True, slots=True)
class Finding:
    """Where the words of a query stand in an item.

    Attributes:
        item: its id.
        field: one of `FIELDS`, or `(all)` where the words are spread over several.
        how: `phrase`: the words in a row; `terms`: all stems; `fuzzy`: a spelling like it; `spread`: all stems or
            spellings like them, in different fields.
    """

    item: str
    field: str
    how: How


def values(meme: Meme) -> Iterator[tuple[str, str]]:
    """Every canonical field of an item with each of its values; empty ones are left out."""
    for field in FIELDS:
        value = getattr(meme.family if field in FAMILY_FIELDS else meme, field)
        for one in value if isinstance(value, tuple) else (str(value),):
            if one:
                yield field, one


@dataclass(frozen=True, slots=True)
class Seen:
    """A text as the checks compare it: folded, its words in a row, the same without blanks, and its stems."""

    folded: str
    row: str
    squashed: str
    stems: frozenset[str]


@lru_cache(maxsize=1 << 16)
def seen(value: str) -> Seen:
    """A text of a query or a field, normalised."""
    found = text.words(value)
    return Seen(text.fold(value), " ".join(found), "".join(found), frozenset(text.terms(value)))


def compare(query: Seen, value: Seen) -> How | None:
    """How one value of a field holds a query as a whole, if it does."""
    if not query.row:  # pictographs alone, which are no words
        return How.PHRASE if query.folded and query.folded in value.folded else None
    if f" {query.row} " in f" {value.row} ":
        return How.PHRASE
    if query.stems <= value.stems:
        return How.TERMS
    alike = _similar(query.row, value.row, LEAST_FUZZY_LENGTH)
    return How.FUZZY if alike or _similar(query.squashed, value.squashed, LEAST_SQUASHED_LENGTH) else None


def _similar(query: str, value: str, least: int) -> bool:
    """Whether a value, or a part of a longer one, is spelt like a query; a shorter one is no part of it."""
    if min(len(query), len(value)) < least:
        return False
    ratio = fuzz.partial_ratio if len(value) > len(query) else fuzz.ratio
    return ratio(query, value, score_cutoff=FUZZY) >= FUZZY


def spellings(stems: frozenset[str], vocabulary: Sequence[str]) -> list[frozenset[str]]:
    """For each stem of a query the stems of a vocabulary that are it, or are spelt like it."""
    return [frozenset(word for word in vocabulary if word == stem or _alike(stem, word)) for stem in sorted(stems)]


def _alike(one: str, other: str) -> bool:
    if min(len(one), len(other)) < LEAST_FUZZY_LENGTH:
        return False
    return fuzz.ratio(one, other, score_cutoff=FUZZY) >= FUZZY
