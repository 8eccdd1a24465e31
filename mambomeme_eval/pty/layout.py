"""How the product's screen of 80x24 cells is read: the prompt, the box, the rule, the hits, the status, the keys.

It knows the screen as a person knows it, by where things stand; nothing here is shared with the code that draws it.
"""

import re
from dataclasses import dataclass
from typing import Final

from wcwidth import wcswidth

from mambomeme_eval.pty.replay import Cells, Frame, drawable

PROMPT: Final = "MamboMeme ›"
BOX, RULE, LIST, STATUS, KEYS = 0, 1, range(2, 22), 22, 23
LINES_OF_A_HIT: Final = 2
YEAR: Final = 6
"""Cells that a hit's year takes at the end of its first line, blanks included."""
COPIES: Final = re.compile(r" ×\d+$")
"""How many true copies a hit stands for, before its year."""
MANNERS: Final = frozenset({"F6: as typed", "as typed; F6: mended"})
"""What the status says after the count, where the query is misspelt."""


@dataclass(frozen=True, slots=True)
class ShownHit:
    """A hit as it stands on the screen, cut to its room."""

    rank: str
    title: str
    quote: str
    title_room: int
    quote_room: int


def split(frame: Frame) -> int:
    """The column at which the preview begins; the list is left of it."""
    return next((at for at, cell in enumerate(frame.cells[RULE]) if cell.data == "┬"), len(frame.cells[RULE]))


def heading(frame: Frame) -> str:
    """What the rule says: how many hits for which query; empty without an answer."""
    return frame.text(RULE, 0, split(frame)).strip("─ ")


def status(frame: Frame) -> str:
    """The status line."""
    return frame.text(STATUS).strip()


def hits(frame: Frame) -> list[ShownHit]:
    """The hits of the list, from the top."""
    width = split(frame)
    shown = []
    for row in LIST[::LINES_OF_A_HIT]:
        rank = frame.text(row, 1, 3).strip()
        if rank.isdecimal():
            title, quote = frame.text(row, 4, width - YEAR).rstrip(), frame.text(row + 1, 4, width - 1).rstrip()
            count = found[0] if (found := COPIES.search(title)) else ""
            room = width - YEAR - 4 - len(count)
            shown.append(ShownHit(rank, title.removesuffix(count).rstrip(), quote, room, width - 5))
    return shown


def answer_region(frame: Frame) -> Cells:
    """What a complete answer consists of: rule, list, status and keys, without the preview."""
    width = split(frame)
    listed = tuple(frame.cells[row][:width] for row in LIST)
    return (frame.cells[RULE], *listed, frame.cells[STATUS], frame.cells[KEYS])


def says(shown: str, whole: str, room: int) -> bool:
    """Whether `shown` is `whole`, or its beginning and an ellipsis where it is wider than the room."""
    whole = drawable(whole)
    if room < 1:
        return not shown  # a screen that has no room for it, such as one amid a change of its size
    if wcswidth(whole) <= room:
        return shown == whole.rstrip()
    kept = len(whole)
    while wcswidth(whole[:kept]) > room - 1:
        kept -= 1
    return shown.endswith("…") and shown[:-1].rstrip() == whole[:kept].rstrip()


def answers(frame: Frame, query: str) -> bool:
    """Whether a complete answer to this query stands there, by any route; a misspelt one as it was mended."""
    said = heading(frame).partition(" for ")[2]
    room = split(frame) - 4 - heading(frame).index(said) if said else 0
    return " found · " in status(frame) and says(said, f"“{query}”", room)


def is_empty(frame: Frame) -> bool:
    """Whether the status says that nothing was found; the query box then keeps the focus, or gets it back."""
    return status(frame).lstrip("✓! ").startswith("nothing found")


def is_narrowed(frame: Frame) -> bool:
    """Whether the status says that a part is still loading or failed, in full or cut."""
    return any(word in status(frame) for word in ("loading", "failed", "by words"))


def box_has_focus(frame: Frame) -> bool:
    """Whether what is typed now goes to the query box."""
    return "↵ search" in frame.text(KEYS)
