"""The words and names of a version, which misspelt queries are repaired by.

Only what anybody may be shown is in it: a repair must not tell of what policy withholds.
"""

import json
import sys
from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from mambomeme_tui import rights
from mambomeme_tui.files import read_json
from mambomeme_tui.index.structure import family_numbers
from mambomeme_tui.index.views import lexical_fields
from mambomeme_tui.records import Meme, SafetyClass
from mambomeme_tui.text import STOP_WORDS, stem, words

VOCABULARY_FOLDER = "vocabulary"
_KNOWN_FILE = "known.json"
_COMMON_FILE = "common.txt"
COMMON = {"en": 2.9, "de": 4.0, "es": 4.0, "fr": 4.0, "pt": 4.0}
"""For each language the least frequency of a common word, on the Zipf scale (the logarithm of its uses in a billion
words); in English the commonest misspellings lie just below it."""
UNCOMMON, COMMONEST = 2.0, 7.0
"""Where on the same scale every other word is taken to stand, and where a word stands that tells nothing at all."""
_NO_VOWELS = str.maketrans("", "", "aeiou")
LEAST_NAME = 4
"""Letters that a name has at least to be found as a whole; shorter ones resemble too much."""


def consonants(word: str) -> str:
    """A word as somebody in a hurry types it: its first letter, then no vowels."""
    return word[:1] + word[1:].translate(_NO_VOWELS)


@dataclass(frozen=True)
class Vocabulary:
    """What is known.

    Attributes:
        counts: how often each folded word is used.
        ordered: those words, sorted.
        ordered_names: names without blanks, sorted.
        stems: the stems of all of them.
        names: names and aliases as a person would read them, by their words without blanks.
        named: the numbers of the families that a name stands for, by its words.
        common: words that are right although the index has none of them, with how common they are (`COMMON`).
    """

    counts: dict[str, int]
    ordered: tuple[str, ...]
    ordered_names: tuple[str, ...]
    stems: frozenset[str]
    names: dict[str, str]
    named: dict[tuple[str, ...], tuple[int, ...]]
    common: dict[str, float]

    def knows(self, word: str) -> bool:
        """Whether a folded word, or another form of it, is in the index; stop words always are."""
        return word in self.counts or word in STOP_WORDS or stem(word) in self.stems

    @cached_property
    def by_consonants(self) -> dict[str, str]:
        """The most used word, the first of equals, by its first letter and the consonants after it."""
        found: dict[str, str] = {}
        for word in sorted(self.counts, key=lambda word: (-self.counts[word], word)):
            found.setdefault(consonants(word), word)
        return found

    def rarity(self, word: str) -> float:
        """How much a folded word tells: 0 for the commonest ones of a language, 1 for those that few people use."""
        return max(0.0, COMMONEST - self.common.get(word, UNCOMMON)) / (COMMONEST - UNCOMMON)

    def begun(self, start: str) -> str:
        """The most used word that starts like this, the first of equals; empty where there is none."""
        return min(_starting(self.ordered, start), key=lambda word: (-self.counts[word], word), default="")

    def name_begun(self, start: str) -> str:
        """The shortest name, by its words, that starts like this without blanks; empty where there is none."""
        return self.names.get(
            min(_starting(self.ordered_names, start), key=lambda name: (len(name), name), default=""), ""
        )


def _starting(ordered: Sequence[str], start: str) -> Sequence[str]:
    return ordered[bisect_left(ordered, start) : bisect_left(ordered, start + chr(sys.maxunicode))]


def common_words() -> dict[str, float]:
    """Folded words that are in use whether a meme has them or not, and how common they are in the language that uses
    them most: to mend them would be to know better."""
    from wordfreq import (
        iter_wordlist,
        zipf_frequency,
    )  # its lists take a second to read, and only publishing needs them

    found: dict[str, float] = {}
    for language, least in COMMON.items():
        for listed in iter_wordlist(language):
            frequency = round(zipf_frequency(listed, language), 1)
            if zipf_frequency(listed, language) < least:
                break
            for word in filter(str.isalpha, words(listed)):
                found[word] = max(found.get(word, 0.0), frequency)
    return dict(sorted(found.items()))


def create(folder: Path, memes: Sequence[Meme], common: Mapping[str, float]) -> None:
    """Write the vocabulary of these memes into a new folder, with words that are right whether they occur or not."""
    counts: Counter[str] = Counter()
    names: dict[str, str] = {}
    named: dict[str, set[int]] = {}
    numbers = family_numbers(memes)
    for meme in memes:
        if meme.safety.level is not SafetyClass.SAFE or rights.withheld_because(meme.rights):
            continue
        for text in lexical_fields(meme).values():
            counts.update(words(text))
        for name in (meme.family.name, *meme.family.aliases, *meme.family.people):
            parts = words(name)
            if any(part not in STOP_WORDS for part in parts):
                named.setdefault(" ".join(parts), set()).add(numbers[meme.family.id])
            if len(joined := "".join(parts)) >= LEAST_NAME:
                names.setdefault(joined, " ".join(parts))
    stems = sorted(set(map(stem, counts)))  # stemming them all takes longer than anybody should wait for a search
    standing = sorted((name, sorted(families)) for name, families in named.items())
    data = {"words": sorted(counts.items()), "stems": stems, "names": sorted(names.items()), "named": standing}
    folder.mkdir()
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    (folder / _KNOWN_FILE).write_text(text + "\n", encoding="utf-8")
    (folder / _COMMON_FILE).write_text(_lines(common), encoding="utf-8")


def _lines(common: Mapping[str, float]) -> str:
    """A line for each frequency, with its words after it: much quicker to read than JSON."""
    lines: dict[float, list[str]] = {}
    for word, frequency in common.items():
        lines.setdefault(frequency, []).append(word)
    return "".join(f"{frequency} {' '.join(lines[frequency])}\n" for frequency in sorted(lines))


def load(folder: Path) -> Vocabulary:
    """Read a checked vocabulary."""
    data = read_json(folder / _KNOWN_FILE)
    common: dict[str, float] = {}
    for line in (folder / _COMMON_FILE).read_text(encoding="utf-8").splitlines():
        frequency, *listed = line.split(" ")
        common.update(dict.fromkeys(listed, float(frequency)))
    counts = {str(word): int(count) for word, count in data["words"]}
    names = {str(key): str(name) for key, name in data["names"]}
    named = {tuple(name.split(" ")): tuple(families) for name, families in data["named"]}
    return Vocabulary(
        counts, tuple(sorted(counts)), tuple(sorted(names)), frozenset(data["stems"]), names, named, common
    )
