"""Mixed queries made from the bundled families: six kinds, evenly, in a seeded order, no text twice."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from mambomeme_tui.records import Meme
from mambomeme_tui.text import printable

WORDS_OF_A_DESCRIPTION: Final = 7


@dataclass(frozen=True, slots=True)
class MixedQuery:
    """A query and the kind of memory it stands for."""

    kind: str
    text: str


def mixed(memes: Sequence[Meme], count: int, seed: int) -> list[MixedQuery]:
    """At most `count` queries, each kind in turn; fewer only where the memes give no more."""
    chance = random.Random(seed)  # noqa: S311  # an order, no secret
    sources = {kind: _texts(make, memes, chance) for kind, make in KINDS.items()}
    found: dict[str, MixedQuery] = {}
    while len(found) < count and any(sources.values()):
        for kind, texts in sources.items():
            if texts and len(found) < count:
                text = texts.pop()
                found.setdefault(text.casefold(), MixedQuery(kind, text))
    ordered = list(found.values())
    chance.shuffle(ordered)
    return ordered


def _texts(make: Callable[[Meme, random.Random], str], memes: Sequence[Meme], chance: random.Random) -> list[str]:
    texts = list(dict.fromkeys(printable(make(meme, chance)) for meme in memes))
    chance.shuffle(texts)
    return [text for text in texts if text]


def _name(meme: Meme, chance: random.Random) -> str:
    return chance.choice([meme.family.name, *meme.family.aliases])


def _misspelt(meme: Meme, chance: random.Random) -> str:
    """The name with two neighbouring letters swapped."""
    name = meme.family.name
    at = chance.randrange(len(name) - 1) if len(name) > 1 else 0
    return name[:at] + name[at : at + 2][::-1] + name[at + 2 :]


def _quote(meme: Meme, chance: random.Random) -> str:
    return _some_words(meme.quote.replace(" / ", " "), chance)


def _topic(meme: Meme, chance: random.Random) -> str:
    return " ".join(
        chance.sample([*meme.family.topics, *meme.tags], k=min(2, len(meme.family.topics) + len(meme.tags)))
    )


def _meaning(meme: Meme, chance: random.Random) -> str:
    return _some_words(meme.meaning, chance)


def _picture(meme: Meme, chance: random.Random) -> str:
    return _some_words(meme.picture, chance)


def _some_words(text: str, chance: random.Random) -> str:
    words = text.split()
    start = chance.randrange(max(1, len(words) - WORDS_OF_A_DESCRIPTION + 1))
    return " ".join(words[start : start + WORDS_OF_A_DESCRIPTION])


KINDS: Final[dict[str, Callable[[Meme, random.Random], str]]] = {
    "name": _name,
    "misspelt": _misspelt,
    "quote": _quote,
    "topic": _topic,
    "meaning": _meaning,
    "picture": _picture,
}
