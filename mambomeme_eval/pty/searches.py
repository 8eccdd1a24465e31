"""Searches in the running product: from Enter to the complete list, and whether that list is the engine's."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from mambomeme_eval.figures import milliseconds
from mambomeme_eval.pty import layout
from mambomeme_eval.pty.driven import Driven
from mambomeme_eval.pty.replay import Frame, completing
from mambomeme_eval.pty.starts import PRODUCT, QUIT
from mambomeme_eval.pty.terminal import ProgramEnded
from mambomeme_tui.retrieval.results import SearchResult
from mambomeme_tui.telling import searched_for
from mambomeme_tui.text import printable

TYPED: Final = "typed"
"""The text first, Enter when its list has long been drawn."""
AT_ONCE: Final = "at once"
"""Text and Enter in one write, over the list of another query."""

CLEAR, ENTER, TO_BOX = b"\x15", b"\r", b"/"
SEARCH_PATIENCE: Final = 10.0
BRIEF: Final = 0.02
"""Seconds of quiet that are enough where the screen itself proves that a key was dealt with."""
_FOUND: Final = " found · ".encode()


@dataclass(frozen=True, slots=True)
class ShownAnswer:
    """What was read off the settled screen."""

    heading: str
    heading_room: int
    hits: tuple[layout.ShownHit, ...]

    @classmethod
    def on(cls, frame: Frame) -> "ShownAnswer":
        """The answer on a screen."""
        return cls(layout.heading(frame), layout.split(frame) - 4, tuple(layout.hits(frame)))


@dataclass(frozen=True, slots=True)
class Search:
    """One search: how the query was entered, milliseconds to the complete list (None without one), what it was."""

    query: str
    entered: str
    milliseconds: float | None
    shown: ShownAnswer


def drive(settings: Mapping[str, str], sentences: Mapping[str, str]) -> list[Search]:
    """Search for all queries in one process, each in both ways; never the same query twice in a row.

    Args:
        settings: the environment of the program.
        sentences: query -> what the program makes of it, which its heading shows.
    """
    found, queries = [], list(sentences)
    with Driven(PRODUCT, settings) as product:
        product.settle_or_fail(lambda frame: "ready" in layout.status(frame) and _loaded(frame), "that it is ready")
        product.terminal.write(b"warming up")
        product.settle_or_fail(lambda frame: layout.answers(frame, "warming up"), "a first answer", _FOUND)
        product.terminal.write(ENTER)
        product.settle_or_fail(lambda frame: not layout.box_has_focus(frame), "the list's keys")
        for number, query in enumerate(queries):
            other = queries[(number + (len(queries) + 1) // 2) % len(queries)]
            found.append(_search_typed(product, query, sentences[query]))
            found.append(_search_at_once(product, other, sentences[other]))
        if code := product.terminal.finish(QUIT):
            raise ProgramEnded(f"The program ended with exit code {code}.")
    return found


def _loaded(frame: Frame) -> bool:
    return not layout.is_narrowed(frame)


def _search_typed(product: Driven, query: str, sentence: str) -> Search:
    _focus_box(product)
    product.terminal.write(CLEAR + query.encode())
    product.settle(lambda frames: layout.answers(frames[-1], sentence), _FOUND, patience=SEARCH_PATIENCE)
    return _measure(product, query, sentence, TYPED, ENTER, b"")


def _search_at_once(product: Driven, query: str, sentence: str) -> Search:
    _focus_box(product)
    return _measure(product, query, sentence, AT_ONCE, CLEAR + query.encode() + ENTER, _FOUND)


def _focus_box(product: Driven) -> None:
    product.terminal.write(TO_BOX)
    product.settle_or_fail(layout.box_has_focus, "the box's keys", quiet=BRIEF)


def _measure(product: Driven, query: str, sentence: str, entered: str, keys: bytes, sign: bytes) -> Search:
    def ready(frames: list[Frame]) -> bool:
        last = frames[-1]
        return layout.answers(last, sentence) and (layout.is_empty(last) or not layout.box_has_focus(last))

    stamp = product.terminal.write(keys)
    frames = product.settle(ready, sign, patience=SEARCH_PATIENCE)
    if not frames:
        raise ProgramEnded("The program does not answer any more.")
    # The list may have been complete before; the keys of the list prove that Enter was dealt with.
    done = completing(frames, layout.answer_region, frozenset({layout.KEYS})) if ready(frames) else None
    taken = milliseconds(stamp, done.stamp) if done else None
    return Search(query, entered, taken, ShownAnswer.on(frames[-1]))


def faults(search: Search, expected: SearchResult) -> list[str]:
    """Where the screen differs from what the engine returns, in words; empty when it does not."""
    shown, where = search.shown, f"{search.query!r} ({search.entered})"
    timed = search.milliseconds is not None or not expected.hits  # where nothing is found there is no list to wait for
    found = [] if timed else [f"{where}: no complete answer was drawn"]
    count = f"{len(expected.hits)} for" if expected.hits else "nothing for"
    heading = f"{count} “{printable(searched_for(expected))}”"
    if not layout.says(shown.heading, heading, shown.heading_room):
        found.append(f"{where}: the rule says {shown.heading!r}")
    if len(shown.hits) != len(expected.hits):
        return [*found, f"{where}: {len(shown.hits)} hits are shown, not {len(expected.hits)}"]
    return found + [f"{where}: {text}" for text in _wrong_hits(shown.hits, expected)]


def _wrong_hits(shown: Iterable[layout.ShownHit], expected: SearchResult) -> Iterable[str]:
    for hit, right in zip(shown, expected.hits, strict=True):
        title, quote = printable(right.meme.title), printable(right.meme.quote)
        if hit.rank != str(right.rank):
            yield f"rank {right.rank} is shown as {hit.rank}"
        if not layout.says(hit.title, title, hit.title_room):
            yield f"hit {right.rank} is {hit.title!r}, not {title!r}"
        if not layout.says(hit.quote, quote, hit.quote_room):
            yield f"hit {right.rank} quotes {hit.quote!r}, not {quote!r}"
