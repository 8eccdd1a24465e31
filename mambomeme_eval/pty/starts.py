"""Starting the product and the bare application: first paint, first answers, and keys while the rest still loads."""

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from mambomeme_eval.figures import milliseconds
from mambomeme_eval.pty import layout
from mambomeme_eval.pty.driven import Driven
from mambomeme_eval.pty.replay import Frame, first
from mambomeme_eval.pty.terminal import ProgramEnded

PRODUCT: Final = (sys.executable, "-m", "mambomeme_tui")
PLACEHOLDER: Final = "Type what you remember"
BARE: Final = (sys.executable, "-m", "mambomeme_eval.bare", PLACEHOLDER)
QUIT: Final = b"\x11"
FIRST_QUERY: Final = "john cena"
ECHO_TEXT: Final = "when the whole office burns and all nod"
ECHO_PAUSE: Final = 0.02
"""Seconds between a key's echo and the next key; about as fast as anybody types, and long enough to span loading."""
ECHO_PATIENCE: Final = 2.0
BOX_START: Final = 13
_FOUND: Final = " found · ".encode()


@dataclass(frozen=True, slots=True)
class Start:
    """Milliseconds from the start of the product to what it showed."""

    first_paint: float
    lexical: float
    hybrid: float


def start_product(settings: Mapping[str, str]) -> Start:
    """Start, type a query as soon as there is something to see, and wait for the answer of both routes."""
    with Driven(PRODUCT, settings) as product:
        _await_first_paint(product, b"MamboMeme")
        product.terminal.write(FIRST_QUERY.encode())
        frames = product.settle_or_fail(_is_complete, "a complete answer", _FOUND)
        _quit(product)
        started = product.terminal.started
    return Start(
        first_paint=_when(frames, started, lambda frame: layout.PROMPT in frame.text(layout.BOX)),
        lexical=_when(frames, started, lambda frame: layout.answers(frame, FIRST_QUERY)),
        hybrid=_when(frames, started, _is_complete),
    )


def start_bare(settings: Mapping[str, str]) -> float:
    """Start the bare application; milliseconds to its first paint."""

    def shows(frame: Frame) -> bool:
        return any(PLACEHOLDER in frame.text(row) for row in range(len(frame.cells)))

    with Driven(BARE, settings) as bare:
        frames = bare.settle_or_fail(shows, "its box", PLACEHOLDER[1:].encode())
        _quit(bare)
        return _when(frames, bare.terminal.started, shows)


def echo_while_loading(settings: Mapping[str, str]) -> list[float]:
    """Type one key after another from the first paint on; milliseconds to each echo, for keys typed while loading."""
    with Driven(PRODUCT, settings) as product:
        _await_first_paint(product, b"MamboMeme")
        typed = [_type_one(product, number) for number in range(1, len(ECHO_TEXT) + 1)]
        frames = product.settle_or_fail(lambda frame: layout.answers(frame, ECHO_TEXT), "the whole query", _FOUND)
        if not _is_loaded(frames[-1]):
            frames += product.settle_or_fail(_is_loaded, "both routes loaded", _FOUND)
        _quit(product)
    return echoes(frames, typed)


def echoes(frames: list[Frame], typed: list[int]) -> list[float]:
    """Milliseconds from the stamp at which each letter of `ECHO_TEXT` was typed until it stood in the box.

    Letters typed after both routes had loaded are left out.
    """
    loaded = first(frames, _is_loaded)
    counted = [stamp for stamp in typed if loaded is None or stamp < loaded.stamp]
    return [_echo(frames, stamp, ECHO_TEXT[:number]) for number, stamp in enumerate(counted, 1)]


def _echo(frames: list[Frame], stamp: int, text: str) -> float:
    return _when(frames, stamp, lambda frame: frame.text(layout.BOX, BOX_START).startswith(text))


def _type_one(product: Driven, number: int) -> int:
    """Type letter `number`, counted from 1, and go on as soon as it seems to be there."""
    terminal = product.terminal
    tail = ECHO_TEXT[max(0, number - 6) : number].encode()
    seen = len(terminal.unread)
    stamp = terminal.write(ECHO_TEXT[number - 1].encode())
    terminal.read_until(lambda: tail in terminal.unread[seen:], patience=ECHO_PATIENCE)
    terminal.read_for(ECHO_PAUSE)
    return stamp


def _await_first_paint(product: Driven, sign: bytes) -> None:
    if not product.terminal.read_until(lambda: sign in product.terminal.unread):
        raise ProgramEnded("The program never painted its screen.")


def _is_loaded(frame: Frame) -> bool:
    return " found · " in layout.status(frame) and not layout.is_narrowed(frame)


def _is_complete(frame: Frame) -> bool:
    return layout.answers(frame, FIRST_QUERY) and not layout.is_narrowed(frame)


def _when(frames: list[Frame], since: int, shows: Callable[[Frame], bool]) -> float:
    frame = first(frames, shows)
    if frame is None:
        raise ProgramEnded("The recording does not hold what was waited for.")
    return milliseconds(since, frame.stamp)


def _quit(program: Driven) -> None:
    if code := program.terminal.finish(QUIT):
        raise ProgramEnded(f"The program ended with exit code {code}.")
