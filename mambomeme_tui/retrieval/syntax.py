"""What may stand in a query beside words: filters, "exact phrases" and -exclusions.

Nothing here is ever an error, and whoever does not know of it is not in its way: a text that is not quite a filter or a
phrase (an unknown name, no value yet, a quote that does not end) stays words to search for. But a minus right before a
letter, a digit or a pictograph always leaves out, as two of them do: nobody wishes for what he puts a minus to.
"""

import re
from dataclasses import dataclass
from typing import Any

from mambomeme_tui.index.facets import FACETS, year_range
from mambomeme_tui.text import pictographs, printable, words

MOST_PARTS = 16
"""Filters, phrases and exclusions that are heeded, of each kind; each costs a look-up, and a query may be anything."""
QUOTES = '"\u201c\u201d\u201e\u201f'
"""Any of them opens and any closes: keyboards and pasted texts mix them."""
ALIASES = {"language": "lang", "person": "who", "franchise": "from", "kind": "type"}
_NAMES = "|".join((*FACETS, *ALIASES))
_QUOTED = f"[{QUOTES}](?P<{{}}>[^{QUOTES}]+)[{QUOTES}]"
_FILTER = (
    rf"(?<!\S)(?P<minus>-{{0,2}})(?P<name>(?ai:{_NAMES})):"
    rf"(?:{_QUOTED.format('quoted')}|(?P<value>[^\s{QUOTES}]++)(?!\S))"
)
_EXCLUDED = (
    rf"(?<!\S)-{{1,2}}(?:[{QUOTES}](?P<words>[^{QUOTES}]+)(?:[{QUOTES}]|\Z)"
    rf"|(?!(?ai:{_NAMES}):)(?P<word>[^\s!-/:-@\[-`{{-~{QUOTES}][^\s{QUOTES}]*))"
)
_PHRASE = rf"(?<!\w){_QUOTED.format('phrase')}"
_PART = re.compile(f"{_FILTER}|{_EXCLUDED}|{_PHRASE}")


@dataclass(frozen=True, slots=True)
class Filter:
    """One condition on what is found: it has, or has not, an entry of the facet `name` that fits `value`."""

    name: str
    value: str
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Syntax:
    """A query in its parts.

    Attributes:
        plain: what is searched for: the cleaned text without filters, exclusions and the marks of phrases.
        phrases: the text of each exact phrase, distinct, in order; each has a word.
        excluded: each word or phrase that must not occur, or pictographs, likewise.
        filters: likewise.
    """

    plain: str
    phrases: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    filters: tuple[Filter, ...] = ()


def parse(typed: str) -> Syntax:
    """Take a query apart, whatever it is; of each kind of part the first 16 are heeded, further ones stay plain."""
    parts = _Parts()
    plain = _PART.sub(parts.take, printable(typed))
    return Syntax(" ".join(plain.split()), tuple(parts.phrases), tuple(parts.excluded), tuple(parts.filters))


class _Parts:
    """Collects the parts of one query, and says what of each stays plain."""

    def __init__(self) -> None:
        self.phrases: dict[str, None] = {}
        self.excluded: dict[str, None] = {}
        self.filters: dict[Filter, None] = {}

    def take(self, found: re.Match[str]) -> str:
        """What stays of a match in the plain text: nothing, a phrase's words, or all where it is no part."""
        if found["phrase"]:
            return f" {found['phrase']} " if _add(self.phrases, found["phrase"]) else found[0]
        if found["name"]:
            return " " if self._take_filter(found) else found[0]
        text = found["words"] or found["word"]
        return " " if _add(self.excluded, text, bool(pictographs(text))) else found[0]

    def _take_filter(self, found: re.Match[str]) -> bool:
        name = found["name"].lower()
        name = ALIASES.get(name, name)
        value = " ".join((found["quoted"] or found["value"]).split())
        if not words(value) or (name == "year" and not year_range(value)):
            return False
        return _room(self.filters, Filter(name, value, bool(found["minus"])))


def _add(parts: dict[str, None], text: str, says_something: bool = False) -> bool:
    return (says_something or bool(words(text))) and _room(parts, " ".join(text.split()))


def _room(parts: dict[Any, None], part: str | Filter) -> bool:
    """Add a part, and say whether it is among the parts now."""
    if len(parts) < MOST_PARTS:
        parts[part] = None
    return part in parts
