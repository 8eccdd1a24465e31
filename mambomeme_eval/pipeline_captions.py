"""Records of a file of captions, one JSON object with `template` and `text` a line, for measuring at scale.

Each template is a family, each caption an item of it. Whatever the file holds, every record keeps the rules of a
corpus: ids are valid and unique, texts are printable, not empty and no longer than a corpus allows. The same file
gives the same records. No text of it leaves this process but into the index.
"""

import gzip
import json
import random
import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from mambomeme_tui.corpus import Corpus, situations_digest
from mambomeme_tui.digests import hash_json
from mambomeme_tui.errors import UsageError
from mambomeme_tui.paths import bundled
from mambomeme_tui.policy import POLICY_FILE, load_policy
from mambomeme_tui.records import Family, Meme, Rights, Safety, SafetyClass
from mambomeme_tui.retrieval.query import understand
from mambomeme_tui.text import fold, printable

LONGEST: Final = 1000
"""Characters that a corpus allows in a text."""
LONGEST_SLUG: Final = 56
"""Of the 64 that are allowed: the rest is kept for a number."""
YEAR: Final = 2020

_CLEARED = Rights("various", "a file of captions", "for measuring only", "none", cleared=True)


@dataclass(frozen=True, slots=True)
class Caption:
    """One row of the file, as it stands there."""

    template: str
    text: str


@dataclass(frozen=True, slots=True)
class Captions:
    """The records, how many rows there were, how many were left out as empty, and how many texts were cut."""

    corpus: Corpus
    rows: int
    left_out: int
    shortened: int


def load(file: Path) -> Captions:
    """Read a gzipped file of captions.

    Raises:
        UsageError: it can't be read, or is no such file; says nothing of its content.
    """
    policy_file = bundled("corpus") / POLICY_FILE
    policy = load_policy(policy_file)
    maker = RecordMaker(policy.version)
    try:
        memes = sorted(filter(None, map(maker.make, _rows(file))), key=lambda meme: meme.id)
    except (OSError, EOFError, zlib.error, ValueError, KeyError, TypeError) as error:
        raise UsageError(f"{file} is no readable file of captions ({type(error).__name__}).") from None
    if not memes:
        raise UsageError(f"{file} holds no captions.")
    digest = hash_json([policy.digest, *(meme.content_hash for meme in memes)])
    corpus = Corpus(tuple(memes), policy, policy_file, digest, situations_digest(memes))
    return Captions(corpus, maker.rows, maker.rows - len(memes), maker.shortened)


def _rows(file: Path) -> Iterator[Caption]:
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            yield Caption(row["template"], row["text"])


class RecordMaker:
    """Makes one record after the other.

    Args:
        policy: the version of the safety policy that the records name.

    Attributes:
        rows: how many captions came by.
        shortened: how many had a text that was cut.
    """

    def __init__(self, policy: str) -> None:
        self.rows = 0
        self.shortened = 0
        self._families: dict[str, Family] = {}
        self._slugs: set[str] = set()
        self._counts: dict[str, int] = {}
        self._safety = Safety(SafetyClass.SAFE, (), policy)

    def make(self, caption: Caption) -> Meme | None:
        """The record, or None where the template or the text holds nothing that could be printed."""
        self.rows += 1
        name, whole = _short(printable(caption.template)), printable(caption.text)
        if not name or not whole:
            return None
        self.shortened += len(whole) > LONGEST
        family = self._families.get(name) or self._begin(name)
        number = self._counts[family.id] = self._counts[family.id] + 1
        return _record(family, f"{family.id}.c{number:06d}", _short(whole), self._safety)

    def _begin(self, name: str) -> Family:
        slug = "-".join(re.findall("[a-z0-9]+", fold(name)))[:LONGEST_SLUG].strip("-") or "template"
        identifier, number = slug, 1
        while identifier in self._slugs:
            number += 1
            identifier = f"{slug}-{number}"
        self._slugs.add(identifier)
        self._counts[identifier] = 0
        # no sentence that all families share: its words would stand in every document
        family = Family(identifier, name, (), "template", (), "", (name,), (), YEAR, name, name, name)
        self._families[name] = family
        return family


def _short(text: str) -> str:
    return text[:LONGEST].strip()


def _record(family: Family, identifier: str, quote: str, safety: Safety) -> Meme:
    meme = Meme(
        id=identifier,
        family=family,
        title=family.name,
        quote=quote,
        meaning=family.meaning,
        picture=family.picture,
        tags=(),
        language="en",
        media="",
        exact_hash="",
        perceptual_hash="",
        group=identifier,
        change="",
        rights=_CLEARED,
        safety=safety,
        content_hash="",
    )
    return replace(meme, content_hash=hash_json(meme.content()))


def queries(memes: Sequence[Meme], count: int, seed: int) -> list[str]:
    """At most `count` different queries: two or three words that follow one another in a caption picked at random."""
    chance = random.Random(seed)  # noqa: S311  # an order, no secret
    found: dict[str, None] = {}
    for text in _picked(memes, chance):
        words = text.split()
        length = chance.choice((2, 3))
        if len(words) >= length:
            start = chance.randrange(len(words) - length + 1)
            query = " ".join(words[start : start + length])
            if not understand(query).empty:
                found[query] = None
        if len(found) == count:
            break
    return list(found)


def _picked(memes: Sequence[Meme], chance: random.Random) -> Iterable[str]:
    return (memes[at].quote for at in chance.sample(range(len(memes)), len(memes)))
