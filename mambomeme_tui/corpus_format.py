"""The format of a family file: what may stand in it, and how a fault in it is told.

The models are strict: an unknown field, a missing one and a wrong type are faults, and so are control characters. A
fault is told with the line that a person has to look at, which the TOML reader does not say.
"""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from rapidfuzz import process

from mambomeme_tui.errors import Fault

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


class RightsTable(_Strict):
    creator: Plain
    source: Plain
    licence: Plain
    attribution: Plain
    cleared: bool


class SafetyTable(_Strict):
    level: Literal["safe", "sensitive", "blocked"] = Field(alias="class")
    reasons: list[REASONS]
    policy: Text


class ItemTable(_Strict):
    slug: Slug
    quote: Text
    title: Plain = ""
    meaning: Plain = ""
    picture: Plain = ""
    tags: Words = []
    language: Language | None = None
    media: Annotated[Plain, AfterValidator(_relative)] = ""
    rights: RightsTable | None = None
    safety: SafetyTable | None = None


class CopyTable(_Strict):
    slug: Slug
    of: Slug
    change: Literal["re-encoded", "resized", "recoloured"]


class FamilyFile(_Strict):
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
    situations: Words = []
    language: Language = "en"
    rights: RightsTable
    safety: SafetyTable
    items: Annotated[list[ItemTable], Field(min_length=1, max_length=64)]
    copies: Annotated[list[CopyTable], Field(max_length=64)] = []


def fault_of(path: Path, text: str, detail: Any) -> Fault:
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
    return Fault(str(path), line_of(text, where), dotted(where), expected)


def _suggestion(where: tuple[str | int, ...]) -> str:
    tables: dict[str, type[BaseModel]] = {
        "items": ItemTable,
        "copies": CopyTable,
        "rights": RightsTable,
        "safety": SafetyTable,
    }
    parents = [part for part in where[:-1] if isinstance(part, str)]
    model = tables[parents[-1]] if parents else FamilyFile
    known = [field.alias or name for name, field in model.model_fields.items()]
    best = process.extractOne(str(where[-1]), known, score_cutoff=70)
    return f"; did you mean {best[0]!r}?" if best else f"; known here are {', '.join(known)}"


def dotted(where: Iterable[str | int]) -> str:
    parts = (str(part + 1) if isinstance(part, int) else part for part in where)
    return ".".join(part if part.isprintable() else ascii(part) for part in parts)


def line_of(text: str, where: tuple[str | int, ...]) -> int:
    """The line (from 1) on which the field starts, or that of its table's header where the field is not written."""
    names = [part for part in where if isinstance(part, str)]
    lists = ("items", "copies")
    item = next((part for part in where if isinstance(part, int)), None) if names[0] in lists else None
    table: list[str] = []
    items, best = -1, 1
    for number, line in enumerate(text.split("\n"), 1):
        if header := _HEADER.match(line):
            table = header[1].split(".")
            items += table == names[:1]
        key = _KEY.match(line)
        path = [*table, *([key[1]] if key else [])]
        if (item is not None and items != item) or path != names[: len(path)]:
            continue
        if path == names or key:
            return number
        best = number if header else best
    return best
