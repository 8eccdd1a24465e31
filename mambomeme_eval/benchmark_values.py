"""The kinds of values that rows of a benchmark's files hold; a value of another shape is told, never mended."""

from datetime import datetime
from typing import Annotated, Final

from pydantic import AfterValidator, ConfigDict, Field

from mambomeme_tui.retrieval.query import understand
from mambomeme_tui.text import printable


def _instant(text: str) -> str:
    try:
        aware = datetime.fromisoformat(text).tzinfo is not None
    except ValueError:
        aware = False
    if not aware:
        raise ValueError("an ISO 8601 time with its offset from UTC")
    return text


def _line(text: str) -> str:
    if text != printable(text):
        raise ValueError("one line of printable text, without blanks at its ends or two in a row")
    return text


def _typed(text: str) -> str:
    query = understand(_line(text))
    if query.empty or query.shortened:
        raise ValueError("a text that is searched for as a whole: at least a letter or digit, and not too long")
    return text


Typed = Annotated[str, AfterValidator(_typed)]
Slug = Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=64)]
ItemId = Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*\.[a-z0-9]+(-[a-z0-9]+)*$", max_length=129)]
Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Version = Annotated[str, Field(pattern=r"^[0-9]+$")]
Line = Annotated[str, AfterValidator(_line)]
Name = Annotated[Line, Field(min_length=1, max_length=64)]
Instant = Annotated[str, AfterValidator(_instant)]
Number = Annotated[int, Field(ge=1)]
STRICT: Final = ConfigDict(extra="forbid", strict=True)
