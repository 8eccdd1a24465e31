"""Completes filters while they are typed: what could stand in the place of a token, and what could follow it.

A value is completed by what the version has and may show, as `Facets.complete` says. Whatever is offered is understood
by `syntax.parse` as a filter that finds the entry it was made of, but for a name alone, which waits for its value.
"""

import re

from mambomeme_tui.index.facets import FACETS, Facets
from mambomeme_tui.retrieval.syntax import ALIASES, QUOTES
from mambomeme_tui.text import words

LEAST_NAME = 2
"""Letters of a facet's name from which on it is offered: one begins too many words."""
LONGEST_TOKEN = 200
"""Characters before the cursor that are looked at; nobody types more of a value by hand."""
_NAMES = "|".join((*FACETS, *ALIASES))
_VALUE = re.compile(
    rf"(?<!\S)(?P<minus>-?)(?P<name>(?ai:{_NAMES})):(?:(?P<mark>[{QUOTES}])(?P<quoted>[^{QUOTES}]*)|(?P<bare>[^\s{QUOTES}]*))\Z"
)
_NAME = re.compile(r"(?<!\S)(?P<minus>-?)(?P<name>(?ai:[a-z]+))\Z")


def complete_query(typed: str, cursor: int, facets: Facets) -> list[str]:
    """Whole tokens for the place of the one that ends at the cursor, the likeliest first; see `token_start`."""
    found = _value_at(typed, cursor)
    if found:
        lead, name, value = _lead(found), _facet(found), _typed_value(found)
        spellings = facets.complete(name, value) if name != "year" or value.isdigit() or not value else []
        return [f"{lead}{quoted}" for one in spellings if (quoted := _as_value(one))]
    begun = _name_at(typed, cursor)
    if not begun or len(begun["name"]) < LEAST_NAME:
        return []
    return [f"{begun['minus']}{name}:" for name in FACETS if name.startswith(begun["name"].lower())]


def token_start(typed: str, cursor: int) -> int:
    """Where the token begins that `complete_query` would replace up to the cursor; the cursor where there is none."""
    found = _value_at(typed, cursor) or _name_at(typed, cursor)
    return found.start() if found else max(0, min(cursor, len(typed)))


def continuation(typed: str, facets: Facets) -> str:
    """What could be typed next to complete the token at the end of a query; empty where nothing is known.

    Unlike a whole token it can only be added to: it goes on with the word that was begun, and without an opening quote
    it has hyphens for blanks, which find the same.
    """
    found = _value_at(typed, len(typed))
    if not found:
        offered = complete_query(typed, len(typed), facets)
        return offered[0][len(typed) - token_start(typed, len(typed)) :] if offered else ""
    for token in complete_query(typed, len(typed), facets):
        rest = _rest(_typed_value(found), token[len(_lead(found)) :], " " if found["mark"] else "-")
        if rest is not None and (rest or found["mark"]):
            return f'{rest}"' if found["mark"] else rest
    return ""


def _rest(value: str, spelling: str, blank: str) -> str | None:
    """The words of a spelling from the end of those that were typed on; None where they can't be added to these."""
    typed, whole = blank.join(words(value)), blank.join(words(spelling))
    if not whole.isascii() or (value and not (value[-1].isalnum() or value[-1] == blank)):
        return None  # pairs of ideographs overlap, and after any other sign a letter would begin a word
    begun = f"{blank}{typed}{blank if typed and value[-1] == blank else ''}"
    at = f"{blank}{whole}".find(begun)
    return f"{blank}{whole}"[at + len(begun) :] if at >= 0 else None


def _value_at(typed: str, cursor: int) -> re.Match[str] | None:
    """The filter, with or without a value, that ends at the cursor."""
    return _VALUE.search(typed, max(0, cursor - LONGEST_TOKEN), cursor) if _ends_token(typed, cursor) else None


def _name_at(typed: str, cursor: int) -> re.Match[str] | None:
    """The word of plain letters that ends at the cursor."""
    return _NAME.search(typed, max(0, cursor - LONGEST_TOKEN), cursor) if _ends_token(typed, cursor) else None


def _ends_token(typed: str, cursor: int) -> bool:
    return 0 < cursor <= len(typed) and (cursor == len(typed) or typed[cursor].isspace())


def _lead(found: re.Match[str]) -> str:
    return f"{found['minus']}{found['name']}:"


def _facet(found: re.Match[str]) -> str:
    name = found["name"].lower()
    return ALIASES.get(name, name)


def _typed_value(found: re.Match[str]) -> str:
    return (found["quoted"] if found["mark"] else found["bare"]) or ""


def _as_value(spelling: str) -> str:
    """A spelling as the value of a filter, without marks that would end it early."""
    bare = " ".join(re.sub(f"[{QUOTES}]", " ", spelling).split())
    return f'"{bare}"' if " " in bare else bare
