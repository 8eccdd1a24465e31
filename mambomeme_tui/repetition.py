"""Where sentences of a corpus repeat one another: authors write every sentence anew, and this shows where they did not.

A phrase is three words in a row none of which is a stop word; the words of a family's own names do not count.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from mambomeme_tui.records import Meme
from mambomeme_tui.text import STOP_WORDS, words

PHRASE = 3


@dataclass(frozen=True, slots=True)
class Repetition:
    """A phrase and the places (family and field) of all sentences that share it."""

    phrase: str
    places: tuple[str, ...]


def sentences(memes: Iterable[Meme]) -> dict[tuple[str, str], str]:
    """Every distinct meaning and description by (family, field); items add their own where they have one."""
    found: dict[tuple[str, str], str] = {}
    for meme in memes:
        found[meme.family.id, "meaning"] = meme.family.meaning
        found[meme.family.id, "picture"] = meme.family.picture
        if meme.meaning != meme.family.meaning:
            found[meme.family.id, f"{meme.group} meaning"] = meme.meaning
        if meme.picture != meme.family.picture:
            found[meme.family.id, f"{meme.group} picture"] = meme.picture
    return found


def repetitions(memes: Sequence[Meme]) -> tuple[list[Repetition], float]:
    """Phrases that families share, and the share of sentences that have one, 0 to 1."""
    names = {meme.family.id: _name_words(meme) for meme in memes}
    places: dict[str, dict[tuple[str, str], None]] = defaultdict(dict)
    told = sentences(memes)
    for (family, field), text in told.items():
        for phrase in _phrases(text, names[family]):
            places[phrase][family, field] = None
    shared = {phrase: found for phrase, found in places.items() if len({family for family, _ in found}) > 1}
    touched = {place for found in shared.values() for place in found}
    listed = [Repetition(phrase, tuple(f"{a}: {b}" for a, b in found)) for phrase, found in sorted(shared.items())]
    return listed, len(touched) / len(told) if told else 0.0


def _name_words(meme: Meme) -> frozenset[str]:
    family = meme.family
    return frozenset(word for name in (family.name, *family.aliases, *family.people) for word in words(name))


def _phrases(text: str, names: frozenset[str]) -> Iterator[str]:
    found = words(text)
    for at in range(len(found) - PHRASE + 1):
        phrase = found[at : at + PHRASE]
        if not any(word in STOP_WORDS or word in names for word in phrase):
            yield " ".join(phrase)
