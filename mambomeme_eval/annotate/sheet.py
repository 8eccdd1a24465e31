"""What the judging screen says about a candidate: plain texts without markup, control codes or direction overrides."""

from collections.abc import Iterator
from typing import Final

from rich.text import Text

from mambomeme_eval.benchmark import Query
from mambomeme_tui.records import Meme
from mambomeme_tui.text import printable

MOST_OF_A_QUERY: Final = 240
"""Characters of a query that stand above its candidate; a longer one is repeated whole below it."""
HEADING, QUIET = "bold", "dim"
_EMOJI_STYLE = "\ufe0f"


def safe(text: str) -> str:
    """Text that may be drawn; without the emoji selector, after which terminals disagree on a character's width."""
    return printable(text).replace(_EMOJI_STYLE, "")


def head(query: Query, new: bool) -> Text:
    """The query, and whether the candidate before it had another one."""
    typed = safe(query.text)
    shown = typed if len(typed) <= MOST_OF_A_QUERY else typed[:MOST_OF_A_QUERY] + "…"
    return Text.assemble(("new query  " if new else "query  ", QUIET), (shown, HEADING))


def body(query: Query, meme: Meme, moving: bool, with_path: bool) -> Text:
    """Everything that a judge may know about an item; the picture's path where it is not drawn."""
    text = Text(safe(meme.title), style=HEADING)
    for label, value in _parts(query, meme, moving, with_path):
        if value:
            text.append(f"\n{label}: " if label else "\n", style=QUIET)
            text.append(value)
    return text


def _parts(query: Query, meme: Meme, moving: bool, with_path: bool) -> Iterator[tuple[str, str]]:
    family = meme.family
    yield "", "" if not safe(meme.quote) else f"“{safe(meme.quote)}”"
    yield "shows", safe(meme.picture)
    yield "means", safe(meme.meaning)
    yield "tags", ", ".join(map(safe, meme.tags))
    yield "language", f"{safe(meme.language)}{', moving picture' if moving else ''}"
    yield "template", f"{safe(family.name)} ({safe(family.kind)}, {family.year})"
    yield "people", ", ".join(map(safe, family.people))
    yield "franchise", safe(family.franchise)
    yield "also called", ", ".join(map(safe, family.aliases))
    yield "picture", safe(meme.media) if with_path else ""
    yield "whole query", safe(query.text) if len(safe(query.text)) > MOST_OF_A_QUERY else ""


def status(grade: int | None, done: int, total: int, guideline: str) -> Text:
    """What was answered so far, and how far the person has come."""
    answer = "grade ?  safety ?" if grade is None else f"grade {grade}  safety ?"
    return Text.assemble((answer, HEADING), (f"   {done} of {total} judged   guideline {guideline}", QUIET))


KEYS: Final = "0-3 grade, then s safe e sensitive b blocked  u undo  ↑↓ more  q quit"
_FEWER_KEYS: Final = (KEYS, "0-3, then s safe e sensitive b blocked  u undo  q quit", "0-3, then s e b  u undo  q quit")


def keys(width: int) -> str:
    """The keys in so many cells; how to end is said last of all and dropped never."""
    return next((one for one in _FEWER_KEYS if len(one) <= width), "q quit")
