"""What filters look up: for every facet the entries that its memes have, and which memes have each of them.

An entry is known by its folded words, and found by their stems, as plain words are; spellings that fold to the same are
one. Of entries that only withheld memes have, only these words are kept: they are looked up for whoever names them, and
nobody is told of them. The files are never written again; the same memes give the same bytes.
"""

import heapq
import json
import re
from array import array
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mambomeme_tui import rights
from mambomeme_tui.files import read_json
from mambomeme_tui.index.arrays import save_array
from mambomeme_tui.records import Meme, SafetyClass
from mambomeme_tui.text import fold, printable, stem, words

FACETS = ("tag", "from", "template", "who", "type", "lang", "year")
FACETS_FOLDER = "facets"
NAMES_FILE = "facets.json"
STARTS_FILE = "facet_starts.npy"
POSITIONS_FILE = "facet_positions.npy"
FILES = (NAMES_FILE, STARTS_FILE, POSITIONS_FILE)
LAST_YEAR = 9999
_YEAR_SIGNS = str.maketrans({"\u2013": "-", "\u2014": "-", "\u2265": ">=", "\u2264": "<="})
_YEARS = re.compile(
    r"(?P<sign>[<>]=?) ?(?P<bound>[0-9]{4})|(?P<only>[0-9]{4})"
    r"|(?P<first>[0-9]{4})? ?(?:-|\.{2,3}) ?(?P<last>[0-9]{4})?"
)

Positions = NDArray[np.int32]


def year_range(value: str) -> tuple[int, int] | None:
    """First and last year that a value stands for; None for anything that is none.

    `2012`, `2012-2015` or `2012..2015`, `2012-` (and later), `-2012` (and earlier), `>2015`, `>=2015`, `<2010`,
    `<=2010`, each with or without blanks around its signs.
    """
    found = _YEARS.fullmatch(fold(value).translate(_YEAR_SIGNS))
    if not found:
        return None
    if found["only"]:
        return int(found["only"]), int(found["only"])
    if found["sign"]:
        year, strictly = int(found["bound"]), len(found["sign"]) == 1
        return (year + strictly, LAST_YEAR) if found["sign"][0] == ">" else (0, year - strictly)
    if not (found["first"] or found["last"]):
        return None
    first, last = sorted((int(found["first"] or 0), int(found["last"] or LAST_YEAR)))
    return first, last


def entries_of(meme: Meme) -> Iterator[tuple[str, str]]:
    """Facet and text of everything that a meme can be filtered by, each pair once."""
    family = meme.family
    texts = {
        "tag": (*meme.tags, *family.topics),
        "from": (family.franchise,),
        "template": (family.name, *family.aliases),
        "who": family.people,
        "type": (family.kind,),
        "lang": (meme.language,),
        "year": (str(family.year),),
    }
    for name in FACETS:
        for text in dict.fromkeys(texts[name]):
            yield name, text


class _Collected:
    """The memes of each spelling, gathered by key: facet and folded words."""

    def __init__(self, memes: Iterable[Meme]) -> None:
        self.users: dict[tuple[str, str], array[int]] = {}
        shown: list[bool] = []
        for position, meme in enumerate(memes):
            withheld = meme.safety.level is not SafetyClass.SAFE or rights.withheld_because(meme.rights)
            shown.append(not withheld)
            for entry in entries_of(meme):
                self.users.setdefault(entry, array("i")).append(position)
        self.shown = np.array(shown, bool)

    def spellings(self) -> dict[tuple[str, str], list[tuple[str, Positions]]]:
        """Spellings and their memes, by facet and key, the keys of a facet in order; texts without words are none."""
        found: dict[tuple[str, str], list[tuple[str, Positions]]] = {}
        for (name, text), users in self.users.items():
            if key := " ".join(words(text)):
                found.setdefault((name, key), []).append((printable(text), np.array(users, np.int32)))
        return {entry: found[entry] for entry in sorted(found, key=lambda one: (FACETS.index(one[0]), one[1]))}

    def spelling(self, spelt: list[tuple[str, Positions]]) -> str:
        """The spelling that most memes that may be shown have, the first of equals; empty where none has one."""
        counts: Counter[str] = Counter()
        for text, users in spelt:
            counts[text] += int(self.shown[users].sum())
        most = max(counts.values())
        return min(text for text, count in counts.items() if count == most) if most else ""


def create(folder: Path, memes: Iterable[Meme]) -> None:
    """Write the facets of these memes into new files of an existing folder; a meme's position is its turn."""
    collected = _Collected(memes)
    columns: dict[str, tuple[list[str], list[str], list[int]]] = {name: ([], [], []) for name in FACETS}
    parts: list[Positions] = [np.empty(0, np.int32)]
    for (name, key), spelt in collected.spellings().items():
        users = np.unique(np.concatenate([users for _, users in spelt]))
        keys, spellings, counts = columns[name]
        keys.append(key)
        spellings.append(collected.spelling(spelt))
        counts.append(int(collected.shown[users].sum()))
        parts.append(users)
    text = json.dumps(columns, ensure_ascii=False, separators=(",", ":"))
    (folder / NAMES_FILE).write_text(text + "\n", encoding="utf-8")
    save_array(folder / STARTS_FILE, np.cumsum([len(users) for users in parts], dtype=np.int64))
    save_array(folder / POSITIONS_FILE, np.concatenate(parts))


class _Joined:
    """Texts in one, each between blanks and ended by a new line, so that all of them are searched at once."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._lengths = [len(text) + 3 for text in texts]
        self._offsets = list(accumulate(self._lengths[:-1], initial=0))
        self._joined = "".join(f" {text} \n" for text in texts)

    def containing(self, sought: str) -> list[int]:
        """Numbers of the texts in which this stands, blanks around them included; ascending."""
        found, at = [], self._joined.find(sought)
        while at >= 0:
            number = bisect_right(self._offsets, at) - 1
            found.append(number)
            at = self._joined.find(sought, self._offsets[number] + self._lengths[number])
        return found


@dataclass(frozen=True)
class _Table:
    """The entries of one facet, by key."""

    keys: list[str]
    spellings: list[str]
    counts: list[int]
    first: int
    """Number of the first entry among those of all facets."""

    @cached_property
    def typed(self) -> _Joined:
        """The keys as they are."""
        return _Joined(self.keys)

    @cached_property
    def stemmed(self) -> _Joined:
        """The stems of their words; made when somebody filters, for it takes a while."""
        return _Joined([_stems(key.split(" ")) for key in self.keys])


def _stems(found: Iterable[str]) -> str:
    return " ".join(map(stem, found))


@dataclass(frozen=True, slots=True)
class Facets:
    """Opened facets.

    Attributes:
        tables: the entries of each facet.
        starts: (entries + 1,), where each entry's memes start.
        users: (links,), positions of the memes of one entry after the other, ascending within each.
    """

    tables: dict[str, _Table]
    starts: NDArray[np.int64]
    users: Positions

    def positions(self, name: str, value: str) -> Positions:
        """Positions of the memes with an entry in which the value's words stand in sequence, in any form; ascending.

        The values of `year` are those of `year_range`. An unknown facet, and a value without words, has no memes.
        """
        table = self.tables.get(name)
        numbers = [] if table is None else self._years(table, value) if name == "year" else _matching(table, value)
        parts = [self.users[self.starts[number] : self.starts[number + 1]] for number in numbers]
        if len(parts) == 1:
            return np.array(parts[0])
        found = np.zeros(max((int(part[-1]) + 1 for part in parts), default=0), bool)
        for part in parts:
            found[part] = True
        return np.flatnonzero(found).astype(np.int32)

    def _years(self, table: _Table, value: str) -> list[int]:
        first, last = year_range(value) or (1, 0)
        return [table.first + number for number, key in enumerate(table.keys) if first <= int(key) <= last]

    def has(self, name: str, value: str) -> bool:
        """Whether a meme that may be shown has an entry in which the value's folded words stand in sequence."""
        table = self.tables.get(name)
        if table is None:
            return False
        numbers = self._years(table, value) if name == "year" else _matching(table, value)
        return any(table.counts[number - table.first] for number in numbers)

    def complete(self, name: str, prefix: str, limit: int = 8) -> list[str]:
        """Spellings with a word that starts with the folded prefix, those of most memes first, ties by their words.

        Several words must stand in sequence, the last of them begun. An empty prefix has all entries.
        """
        table = self.tables.get(name)
        typed = " ".join(words(prefix))
        if table is None or (prefix.strip() and not typed):
            return []
        fitting = table.typed.containing(f" {typed}") if typed else range(len(table.keys))
        known = (number for number in fitting if table.counts[number])
        best = heapq.nsmallest(limit, known, key=lambda number: (-table.counts[number], number))
        return [table.spellings[number] for number in best]


def _matching(table: _Table, value: str) -> list[int]:
    key = _stems(words(value))
    return [table.first + number for number in table.stemmed.containing(f" {key} ")] if key else []


def load(folder: Path) -> Facets:
    """Open checked facets."""
    data = read_json(folder / NAMES_FILE)
    tables: dict[str, _Table] = {}
    first = 0
    for name in FACETS:
        keys, spellings, counts = data[name]
        tables[name] = _Table(keys, spellings, counts, first)
        first += len(keys)
    starts = np.load(folder / STARTS_FILE)
    return Facets(tables, starts, np.load(folder / POSITIONS_FILE, mmap_mode="r"))
