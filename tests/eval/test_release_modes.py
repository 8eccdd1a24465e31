"""Proves that what a program left switched on is read off its bytes, however they were cut."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mambomeme_eval.pty.modes import ON_AT_START, WATCHED, Modes, unreset

SWITCHES = st.lists(st.tuples(st.sampled_from(WATCHED), st.booleans()), max_size=20)


def after(*pieces: bytes) -> Modes:
    """The state after some bytes."""
    modes = Modes()
    for piece in pieces:
        modes.feed(piece)
    return modes


def switch(mode: int, on: bool) -> bytes:
    return b"\x1b[?%d%s" % (mode, b"h" if on else b"l")


@pytest.mark.parametrize("mode", WATCHED)
def test_each_mode_is_missed_where_it_is_not_put_back(mode: int) -> None:
    away, back = switch(mode, mode not in ON_AT_START), switch(mode, mode in ON_AT_START)
    assert after(away).leftovers() == [f"mode {mode}"]
    assert unreset(away) == [mode]
    assert after(away, back).leftovers() == unreset(away + back) == []
    assert after(away, back).seen == {mode}


@given(SWITCHES, st.lists(st.integers(0, 200), max_size=6))
def test_both_readers_agree_however_the_bytes_are_cut(switches: list[tuple[int, bool]], cuts: list[int]) -> None:
    raw = b"text".join(switch(mode, on) for mode, on in switches)
    edges = sorted({0, len(raw), *(cut for cut in cuts if cut < len(raw))})
    modes = after(*(raw[start:end] for start, end in pairwise(edges)))
    assert modes.leftovers() == [f"mode {mode}" for mode in unreset(raw)]


@pytest.mark.parametrize(
    ("raw", "left"),
    [
        (b"\x1b[>1u", ["keyboard of screen 0"]),
        (b"\x1b[>1u\x1b[<u", []),
        (b"\x1b[?1049h\x1b[>1u\x1b[?1049l\x1b[<u", ["keyboard of screen 1"]),
        (b"\x1b[38;2;0;0;0mtext", ["colours"]),
        (b"\x1b[1;38;5;0m\x1b[0m", []),
        (b"\x1b[48:2::1:2:0m", ["colours"]),
        (b"\x1b=", ["keypad"]),
        (b"\x1b=\x1b>", []),
        (b"\x1b(0", ["character set ("]),
        (b"\x1b(0\x1b(B", []),
        (b"\x1b[2;5r", ["scrolling region"]),
        (b"\x1b[4 q\x1b[4h", ["cursor shape", "ANSI mode 4"]),
        (b"\x1b[>4;1m", ["keys modified by 4"]),
        (b"\x1b]22;hand\x07", ["pointer"]),
        (b"\x1b]22;hand\x1b\\\x1b]22;\x07", []),
        (b"\x1b]8;;file:///a\x07", ["link"]),
        (b"\x1b]11;#000\x07\x1b]111\x07", []),
        (b"\x1b]7717;mambomeme;request=1\x1b\\", []),
        (b"\x1b[?20", ["unfinished b'\\x1b[?20'"]),
        (b"\x1b]52;c;abc", ["unfinished b'\\x1b]52;c;abc'"]),
    ],
)
def test_everything_else_that_can_be_left_behind_is_told(raw: bytes, left: list[str]) -> None:
    assert after(raw).leftovers() == left
    assert after(*(raw[at : at + 1] for at in range(len(raw)))).leftovers() == left


@pytest.mark.parametrize("cut", [b"\x1b[38;2;1", b"\x1b[?1003", b"\x1b]52;c;abc", b"\x1bP>|na", b"\x1b"])
def test_what_a_terminal_threw_away_in_the_middle_of_does_not_hide_what_follows(cut: bytes) -> None:
    modes = after(switch(2004, True), cut, switch(2004, False))
    assert modes.leftovers() == []
    assert modes.private[2004] is False
