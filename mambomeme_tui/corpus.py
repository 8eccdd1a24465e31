"""Reads `families/*.toml` into records, or says every fault with its file, line and field.

A corpus is all or nothing to whoever indexes it: one fault anywhere raises `CorpusError`, but only after every file
was looked at. The order of the result is that of the item ids, whatever order the file system has.
"""

import re
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError
from rapidfuzz import process

from mambomeme_tui.digests import family_files, hash_json
from mambomeme_tui.errors import CorpusError, Fault
from mambomeme_tui.records import Family, Meme, Rights, Safety, SafetyClass

KINDS = Literal["person", "character", "template", "reaction", "animal", "comic", "artwork", "format", "event"]
REASONS = Literal["violence", "sexual", "hate", "self-harm", "drugs", "private-data", "shock"]
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_KEY = re.compile(r"\s*([\w\-]+)\s*=")
_HEADER = re.compile(r"^\s*\[+\s*([\w.\-]+)\s*\]+")


def _plain(text: str) -> str:
    if _CONTROL.search(text):
        raise ValueError("text without control or direction-override characters")
    if text != text.strip():
        raise ValueError("text without blanks at its ends")
    return text


def _relative(path: str) -> str:
    if path.startswith("/") or "\\" in path or ".." in path.split("/"):
        raise ValueError("a path below the corpus folder")
    return path


Plain = Annotated[str, AfterValidator(_plain)]
Text = Annotated[Plain, Field(min_length=1, max_length=1000)]
Slug = Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=64)]
Language = Annotated[str, Field(pattern=r"^[a-z]{2}$")]
Words = Annotated[list[Text], Field(max_length=24)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class _RightsTable(_Strict):
    creator: Plain
    source: Plain
    licence: Plain
    attribution: Plain
    cleared: bool


class _SafetyTable(_Strict):
    level: Literal["safe", "sensitive", "blocked"] = Field(alias="class")
    reasons: list[REASONS]
    policy: Text


class _ItemTable(_Strict):
    slug: Slug
    quote: Text
    title: Plain = ""
    meaning: Plain = ""
    picture: Plain = ""
    tags: Words = []
    language: Language | None = None
    media: Annotated[Plain, AfterValidator(_relative)] = ""
    rights: _RightsTable | None = None
    safety: _SafetyTable | None = None


class _FamilyFile(_Strict):
    id: Slug
    name: Text
    aliases: Words
    kind: KINDS
    people: Words
    franchise: Plain
    topics: Annotated[Words, Field(min_length=1)]
    actions: Words
    year: Annotated[int, Field(ge=1000, le=2100)]
    origin: Text
    meaning: Text
    picture: Text
    language: Language = "en"
    rights: _RightsTable
    safety: _SafetyTable
    items: Annotated[list[_ItemTable], Field(min_length=1, max_length=64)]


@dataclass(frozen=True, slots=True)
class Corpus:
    """A checked corpus: its items by id, and a digest that changes with any character of any record."""

    memes: tuple[Meme, ...]
    digest: str


def load(root: Path) -> Corpus:
    """Read and check every family below `root`.

    Raises:
        CorpusError: with all faults of all files; also where there is no family at all.
    """
    memes: list[Meme] = []
    faults: list[Fault] = []
    try:
        files = family_files(root)
    except OSError as error:
        raise CorpusError([Fault(str(root), 1, "(folder)", f"a folder: {error.strerror}")]) from None
    for path in files:
        try:
            memes.extend(read_family(path))
        except CorpusError as error:
            faults.extend(error.faults)
    if not memes and not faults:
        faults.append(Fault(str(root / "families"), 1, "(folder)", "at least one family file"))
    if faults:
        raise CorpusError(faults)
    memes.sort(key=lambda meme: meme.id)
    return Corpus(tuple(memes), hash_json([meme.content_hash for meme in memes]))


def read_family(path: Path) -> list[Meme]:
    """The items of one file, in the file's order.

    Raises:
        CorpusError: with every fault of this file.
    """
    text = _read_text(path)
    try:
        table = _FamilyFile.model_validate(_parse(path, text))
    except ValidationError as error:
        raise CorpusError([_fault(path, text, detail) for detail in error.errors()]) from None
    faults = list(dict.fromkeys(_cross_check(path, text, table)))  # items share what they inherit
    if faults:
        raise CorpusError(faults)
    family = _family(table)
    return [_meme(table, family, item) for item in table.items]


def _read_text(path: Path) -> str:
    if not path.is_file():
        raise CorpusError([Fault(str(path), 1, "(file)", "a regular file")])
    try:
        return path.read_bytes().decode("utf-8-sig")
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


def _cross_check(path: Path, text: str, table: _FamilyFile) -> Iterator[Fault]:
    if table.id != path.stem:
        yield Fault(str(path), _line(text, ("id",)), "id", f"the name of its file, {path.stem!r}")
    seen: set[str] = set()
    for number, item in enumerate(table.items):
        where: tuple[str | int, ...] = ("items", number, "slug")
        if item.slug in seen:
            yield Fault(
                str(path), _line(text, where), _dotted(where), f"a slug of its own; {item.slug!r} is there twice"
            )
        seen.add(item.slug)
        safety = item.safety or table.safety
        if (safety.level == "safe") == bool(safety.reasons):
            where = ("items", number, "safety") if item.safety else ("safety", "reasons")
            yield Fault(str(path), _line(text, where), _dotted(where), "reasons exactly where the class is not safe")


def _fault(path: Path, text: str, detail: Any) -> Fault:
    where = tuple(detail["loc"])
    match detail["type"]:
        case "missing":
            expected = "a value; the field is missing"
        case "extra_forbidden":
            expected = f"no such field{_suggestion(where)}"
        case "too_short":
            expected = "at least one value; this is empty"
        case "too_long" | "string_too_long":
            unit = "characters" if isinstance(detail["input"], str) else "values"
            expected = f"at most {detail['ctx']['max_length']} {unit}"
        case "value_error":
            expected = str(detail["ctx"]["error"])
        case _:
            expected = detail["msg"].removeprefix("Input should be ")
    return Fault(str(path), _line(text, where), _dotted(where), expected)


def _suggestion(where: tuple[str | int, ...]) -> str:
    tables: dict[str, type[BaseModel]] = {"items": _ItemTable, "rights": _RightsTable, "safety": _SafetyTable}
    parents = [part for part in where[:-1] if isinstance(part, str)]
    model = tables[parents[-1]] if parents else _FamilyFile
    known = [field.alias or name for name, field in model.model_fields.items()]
    best = process.extractOne(str(where[-1]), known, score_cutoff=70)
    return f"; did you mean {best[0]!r}?" if best else f"; known here are {', '.join(known)}"


def _dotted(where: Iterable[str | int]) -> str:
    parts = (str(part + 1) if isinstance(part, int) else part for part in where)
    return ".".join(part if part.isprintable() else ascii(part) for part in parts)


def _line(text: str, where: tuple[str | int, ...]) -> int:
    """The line (from 1) on which the field starts, or that of its table's header where the field is not written."""
    names = [part for part in where if isinstance(part, str)]
    item = next((part for part in where if isinstance(part, int)), None) if names[0] == "items" else None
    table: list[str] = []
    items, best = -1, 1
    for number, line in enumerate(text.split("\n"), 1):
        if header := _HEADER.match(line):
            table = header[1].split(".")
            items += table == ["items"]
        key = _KEY.match(line)
        path = [*table, *([key[1]] if key else [])]
        if (item is not None and items != item) or path != names[: len(path)]:
            continue
        if path == names or key:
            return number
        best = number if header else best
    return best


def _family(table: _FamilyFile) -> Family:
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
    )


def _meme(table: _FamilyFile, family: Family, item: _ItemTable) -> Meme:
    safety = item.safety or table.safety
    meme = Meme(
        id=f"{table.id}.{item.slug}",
        family=family,
        title=item.title or table.name,
        quote=item.quote,
        meaning=item.meaning or table.meaning,
        picture=item.picture or table.picture,
        tags=tuple(item.tags),
        language=item.language or table.language,
        media=item.media,
        rights=Rights(**(item.rights or table.rights).model_dump()),
        safety=Safety(SafetyClass(safety.level), tuple(safety.reasons), safety.policy),
        content_hash="",
    )
    return replace(meme, content_hash=hash_json(meme.to_dict()))


def check(root: Path, ids: Iterable[str]) -> list[Fault]:
    """The faults of the named families, or of all where none is named."""
    faults: list[Fault] = []
    names = set(ids)
    for path in family_files(root):
        if names and path.stem not in names:
            continue
        try:
            read_family(path)
        except CorpusError as error:
            faults.extend(error.faults)
    missing = names - {path.stem for path in family_files(root)}
    return faults + [Fault(str(root / "families" / f"{name}.toml"), 1, "(file)", "this file") for name in missing]


if __name__ == "__main__":
    import sys

    found = check(Path(sys.argv[1]), sys.argv[2:])
    print(*found, sep="\n")
    raise SystemExit(CorpusError.exit_code if found else 0)
