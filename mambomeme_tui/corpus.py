"""Reads `families/*.toml` into records, or says every fault with its file, line and field.

A corpus is all or nothing to whoever indexes it: one fault anywhere raises `CorpusError`, but only after every file
was looked at. The order of the result is that of the item ids, whatever order the file system has.
"""

import os
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pydantic import ValidationError

from mambomeme_tui import frozen
from mambomeme_tui.corpus_format import FamilyFile, ItemTable, dotted, fault_of, line_of
from mambomeme_tui.digests import family_files, hash_json
from mambomeme_tui.errors import CorpusError, Fault
from mambomeme_tui.files import read_bytes
from mambomeme_tui.frozen import Picture
from mambomeme_tui.paths import bundled
from mambomeme_tui.policy import POLICY_FILE, Policy, load_policy
from mambomeme_tui.records import Family, Meme, Rights, Safety, SafetyClass


@dataclass(frozen=True, slots=True)
class Corpus:
    """A checked corpus: its items by id, its policy, and a digest that changes with any character of any of them.

    `digest` is that of the contents, which judgements are bound to; `situations` that of the situations, which only
    decide how items are found.
    """

    memes: tuple[Meme, ...]
    policy: Policy
    policy_file: Path
    digest: str
    situations: str = ""


def load(root: Path) -> Corpus:
    """Read and check every family below `root`; a corpus without a policy of its own has the bundled one.

    Raises:
        CorpusError: with all faults of all files; also where there is no family at all.
    """
    memes, faults = read_all(root)
    if not memes and not faults:
        faults.append(Fault(str(root / "families"), 1, "(folder)", "at least one family file"))
    if faults:
        raise CorpusError(faults)
    policy_file = policy_path(root)
    policy = load_policy(policy_file)
    digest = hash_json([policy.digest, *(meme.content_hash for meme in memes)])
    return Corpus(tuple(memes), policy, policy_file, digest, situations_digest(memes))


def situations_digest(memes: Iterable[Meme]) -> str:
    """SHA-256 over the situations of all families."""
    return hash_json(sorted({meme.family.id: meme.family.situations for meme in memes}.items()))


def policy_path(root: Path) -> Path:
    """The policy file that a corpus is judged by."""
    return root / POLICY_FILE if os.path.lexists(root / POLICY_FILE) else bundled("corpus") / POLICY_FILE


def read_all(root: Path) -> tuple[list[Meme], list[Fault]]:
    """Every item that can be read, by id, and every fault of the files that can't be."""
    memes: list[Meme] = []
    faults: list[Fault] = []
    pictures: dict[str, Picture] = {}
    try:
        pictures = frozen.read_pictures(root)
    except CorpusError as error:
        faults.extend(error.faults)
    try:
        files = family_files(root)
    except OSError as error:
        raise CorpusError([Fault(str(root), 1, "(folder)", f"a folder: {error.strerror}")]) from None
    for path in files:
        try:
            memes.extend(read_family(path, pictures))
        except CorpusError as error:
            faults.extend(error.faults)
    return sorted(memes, key=lambda meme: meme.id), faults


def read_family(path: Path, pictures: Mapping[str, Picture] = MappingProxyType({})) -> list[Meme]:
    """The items of one file, in the file's order; `pictures` are the known pictures by their path in the corpus.

    Raises:
        CorpusError: with every fault of this file.
    """
    text = _read_text(path)
    try:
        table = FamilyFile.model_validate(_parse(path, text))
    except ValidationError as error:
        raise CorpusError([fault_of(path, text, detail) for detail in error.errors()]) from None
    faults = list(dict.fromkeys(_cross_check(path, text, table)))  # items share what they inherit
    if faults:
        raise CorpusError(faults)
    family = _family(table)
    originals = {item.slug: item for item in table.items}
    memes = [_meme(table, family, item, item.slug, "", pictures) for item in table.items]
    copies = [_meme(table, family, originals[copy.of], copy.slug, copy.change, pictures) for copy in table.copies]
    return memes + copies


def _read_text(path: Path) -> str:
    if not path.is_file():
        raise CorpusError([Fault(str(path), 1, "(file)", "a regular file")])
    try:
        return read_bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise CorpusError([Fault(str(path), 1, "(file)", f"UTF-8 text; byte {error.start} is not")]) from None
    except OSError as error:
        raise CorpusError([Fault(str(path), 1, "(file)", f"a readable file: {error.strerror}")]) from None


def _parse(path: Path, text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # also a number or a nesting beyond Python's limits, without a line
        line = re.search(r"at line (\d+)", str(error))
        number = int(line[1]) if line else text.count("\n") + 1
        raise CorpusError([Fault(str(path), number, "(syntax)", f"TOML: {error}")]) from None


def _cross_check(path: Path, text: str, table: FamilyFile) -> Iterator[Fault]:
    if table.id != path.stem:
        yield Fault(str(path), line_of(text, ("id",)), "id", f"the name of its file, {path.stem!r}")
    seen: set[str] = set()
    for number, item in enumerate(table.items):
        where: tuple[str | int, ...] = ("items", number, "slug")
        if item.slug in seen:
            yield Fault(
                str(path), line_of(text, where), dotted(where), f"a slug of its own; {item.slug!r} is there twice"
            )
        seen.add(item.slug)
        safety = item.safety or table.safety
        if (safety.level == "safe") == bool(safety.reasons):
            where = ("items", number, "safety") if item.safety else ("safety", "reasons")
            yield Fault(str(path), line_of(text, where), dotted(where), "reasons exactly where the class is not safe")
    yield from _check_copies(path, text, table)


def _check_copies(path: Path, text: str, table: FamilyFile) -> Iterator[Fault]:
    originals, seen = {item.slug for item in table.items}, {item.slug for item in table.items}
    for number, copy in enumerate(table.copies):
        if copy.of not in originals:
            where: tuple[str | int, ...] = ("copies", number, "of")
            yield Fault(str(path), line_of(text, where), dotted(where), f"the slug of an item; there is no {copy.of!r}")
        if copy.slug in seen:
            where = ("copies", number, "slug")
            yield Fault(
                str(path), line_of(text, where), dotted(where), f"a slug of its own; {copy.slug!r} is there twice"
            )
        seen.add(copy.slug)


def _family(table: FamilyFile) -> Family:
    return Family(
        id=table.id,
        name=table.name,
        aliases=tuple(table.aliases),
        kind=table.kind,
        people=tuple(table.people),
        franchise=table.franchise,
        topics=tuple(table.topics),
        actions=tuple(table.actions),
        year=table.year,
        origin=table.origin,
        meaning=table.meaning,
        picture=table.picture,
        situations=tuple(table.situations),
    )


def _meme(
    table: FamilyFile, family: Family, item: ItemTable, slug: str, change: str, pictures: Mapping[str, Picture]
) -> Meme:
    safety = item.safety or table.safety
    media = (not change and item.media) or frozen.picture_path(table.id, slug)
    picture = pictures.get(media)
    meme = Meme(
        id=f"{table.id}.{slug}",
        family=family,
        title=item.title or table.name,
        quote=item.quote,
        meaning=item.meaning or table.meaning,
        picture=item.picture or table.picture,
        tags=tuple(item.tags),
        language=item.language or table.language,
        media=media if picture or item.media else "",
        exact_hash=picture.sha256 if picture else "",
        perceptual_hash=picture.perceptual_hash if picture else "",
        group=f"{table.id}.{item.slug}",
        change=change,
        rights=Rights(**(item.rights or table.rights).model_dump()),
        safety=Safety(SafetyClass(safety.level), tuple(safety.reasons), safety.policy),
        content_hash="",
    )
    return replace(meme, content_hash=hash_json(meme.content()))
