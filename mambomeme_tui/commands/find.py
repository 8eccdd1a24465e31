"""`mambomeme find`: one search, printed for a person, as JSON, or as NUL-ended names."""

import json
import os
import shutil
import sys
import textwrap
from dataclasses import dataclass

from mambomeme_tui import media
from mambomeme_tui.commands.output import answering, tell
from mambomeme_tui.commands.progress import ProgressLine
from mambomeme_tui.config import Settings
from mambomeme_tui.errors import NOTHING_FOUND, IndexUnavailable, UsageError
from mambomeme_tui.index.rebuild import Rebuild
from mambomeme_tui.index.sources import may_build_anew
from mambomeme_tui.retrieval.engine import Engine
from mambomeme_tui.retrieval.query import understand
from mambomeme_tui.retrieval.results import Hit, SearchResult, State
from mambomeme_tui.telling import ONLY_EXCLUDED, searched_for, why_nothing
from mambomeme_tui.text import printable

_NOTES = {
    State.DENSE_FAILED: "meanings could not be searched; these are found by words alone",
    State.QUERY_SHORTENED: "the query was shortened to its beginning",
}


@dataclass(frozen=True, slots=True)
class Manner:
    """How to search and to print.

    Attributes:
        as_json: one object, whatever was found.
        print0: files or ids, each ended by a NUL.
        as_typed: misspelt words are not mended.
        nearest: where nothing fits, what comes nearest is printed.
    """

    as_json: bool = False
    print0: bool = False
    as_typed: bool = False
    nearest: bool = False


def run(typed: str, settings: Settings, limit: int, how: Manner) -> int:
    """Search and print; returns 0, or 1 where nothing was found."""
    query = understand(typed)
    if not query.asks and query.syntax.excluded:
        raise UsageError(ONLY_EXCLUDED)
    if not query.asks:
        raise UsageError("The query is empty.", "Say what you remember of the meme.")
    engine = _open(settings)
    if settings.route != "lexical":
        engine.load_dense()
    result = engine.search(typed, settings.route, limit, as_typed=how.as_typed)
    with answering():
        _print(result, how)
    if not how.as_json and not how.print0:
        if reason := why_nothing(result, engine.facets):
            tell(printable(reason))
        tell(_summary(result, engine, how))
    if damaged := engine.version.instead_of:
        tell(f"mambomeme: {printable(damaged.message)} {engine.version.name} answered. Run `mambomeme publish`.")
    return 0 if result.hits else NOTHING_FOUND


def _print(result: SearchResult, how: Manner) -> None:
    hits = result.hits or (result.nearest if how.nearest else ())
    if how.as_json:
        print(json.dumps(_contract(result), indent=2))  # ASCII, since no other escape but JSON's own may get in
    elif how.print0:
        sys.stdout.buffer.write(b"".join(os.fsencode(media.name_or_path(hit.meme)) + b"\0" for hit in hits))
    else:
        width = max(40, shutil.get_terminal_size((80, 24)).columns)
        for hit in hits:
            print(*_lines(hit, width), sep="\n")


def _open(settings: Settings) -> Engine:
    try:
        return Engine(settings.data_dir)
    except IndexUnavailable as error:
        if not may_build_anew(settings.data_dir):
            raise
        tell(f"mambomeme: {printable(error.message)} It is built now, once.")
        with ProgressLine(sys.stderr) as progress:
            Rebuild(settings.data_dir).run(progress)
        return Engine(settings.data_dir)


def _contract(result: SearchResult) -> dict[str, object]:
    found = result.to_dict()
    for entry, hit in zip(found["hits"] + found["nearest"], result.hits + result.nearest, strict=True):
        path = media.path_of(hit.meme)
        entry["media"] = str(path) if path else None
    return found


def _summary(result: SearchResult, engine: Engine, how: Manner) -> str:
    count = f"{len(result.hits)} found" if result.hits else "Nothing fits" if result.nearest else "Nothing found"
    if result.nearest:
        count += "; these come nearest" if how.nearest else "; --nearest prints what comes nearest"
    notes = [count, f"{result.timing.total:.0f} ms", result.route, result.version]
    if note := _NOTES.get(result.state):
        notes.append(note)
    if result.repaired:
        notes.append(f"for “{printable(searched_for(result))}”; --as-typed searches for exactly what was typed")
    if engine.dense_error and result.state is State.DENSE_FAILED:
        notes.append(engine.dense_error.message)
    return " · ".join(notes)


def _lines(hit: Hit, width: int) -> list[str]:
    meme = hit.meme
    copies = f" ×{hit.copies + 1}" if hit.copies else ""
    lines = [f"{hit.rank:>2}  {printable(meme.title)}  ({meme.family.year}, {meme.id}){copies}"]
    lines += textwrap.wrap(printable(meme.quote), width - 4, initial_indent="    ", subsequent_indent="    ")
    if hit.why:
        why = printable(" · ".join(hit.why))
        lines += textwrap.wrap(why, width - 4, initial_indent="    ", subsequent_indent="    ")
    return lines
