"""The words and names of a version, which misspelt queries are repaired by.

Only what anybody may be shown is in it: a repair must not tell of what policy withholds.
"""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from mambomeme_tui import rights
from mambomeme_tui.files import read_json
from mambomeme_tui.index.structure import family_numbers
from mambomeme_tui.index.views import lexical_fields
from mambomeme_tui.records import Meme, SafetyClass
from mambomeme_tui.text import STOP_WORDS, stem, words

VOCABULARY_FILE = "vocabulary.json"
LEAST_NAME = 4
"""Letters that a name has at least to be found as a whole; shorter ones resemble too much."""


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What is known.

    Attributes:
        counts: how often each folded word is used.
        stems: the stems of all of them.
        names: names and aliases as a person would read them, by their words without blanks.
        named: the numbers of the families that a name stands for, by its words.
        common: words that are right although the index has none of them: whole tokens of the sentence encoder.
    """

    counts: dict[str, int]
    stems: frozenset[str]
    names: dict[str, str]
    named: dict[tuple[str, ...], tuple[int, ...]]
    common: frozenset[str]

    def knows(self, word: str) -> bool:
        """Whether a folded word, or another form of it, is in the index; stop words always are."""
        return word in self.counts or word in STOP_WORDS or stem(word) in self.stems


def whole_tokens(tokenizer: Path) -> list[str]:
    """The words among the tokens of a WordPiece tokenizer, sorted: pieces of words and signs are left out."""
    tokens = read_json(tokenizer)["model"]["vocab"]
    return sorted(token for token in tokens if len(token) > 1 and token.isalpha())


def create(path: Path, memes: Sequence[Meme], common: Iterable[str]) -> None:
    """Write the vocabulary of these memes into a new file, with words that are right whether they occur or not."""
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
    data["common"] = list(common)
    path.write_text(json.dumps(data, ensure_ascii=False, separators=(",", ":")) + "\n", encoding="utf-8")


def load(path: Path) -> Vocabulary:
    """Read a checked vocabulary."""
    data = read_json(path)
    counts = {str(word): int(count) for word, count in data["words"]}
    names = {str(key): str(name) for key, name in data["names"]}
    named = {tuple(name.split(" ")): tuple(families) for name, families in data["named"]}
    return Vocabulary(counts, frozenset(data["stems"]), names, named, frozenset(data["common"]))
