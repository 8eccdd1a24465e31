"""The emulator notes what was drawn, and the wire survives programs that write much, read slowly, or do neither."""

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mambomeme_eval.bench.program import ProgramHung, Wire
from mambomeme_eval.bench.screen import Emulator, drawn_whole, touched
from mambomeme_eval.pty.terminal import ProgramEnded

ROWS = {2: 50, 3: 50, 22: 80}


def at(row: int, column: int, text: str) -> bytes:
    return f"\x1b[{row + 1};{column + 1}H{text}".encode()


def test_a_row_is_drawn_whole_when_every_cell_of_it_was() -> None:
    emulator = Emulator()
    emulator.feed(at(2, 25, "x" * 30) + at(2, 0, "日" * 13) + at(3, 0, "y" * 49) + at(22, 0, "z" * 80) + at(4, 0, "w"))
    spans = emulator.take_spans()
    assert drawn_whole(spans, ROWS) == {2, 22}
    assert touched(spans, ROWS) == {2, 3, 22}
    assert emulator.take_spans() == []


def test_what_is_drawn_beside_the_answer_touches_nothing_of_it() -> None:
    emulator = Emulator()
    emulator.feed(at(2, 50, "preview") + at(10, 0, "elsewhere"))
    assert touched(emulator.take_spans(), ROWS) == frozenset()
    emulator.feed(b"\x1b[4;10H\x1b[K")
    assert touched(emulator.take_spans(), ROWS) == {3}
    emulator.feed(b"\x1b[2J")
    assert touched(emulator.take_spans(), ROWS) == set(ROWS)


@given(st.integers(0, 60))
def test_a_screen_is_the_same_however_its_bytes_were_cut(cut: int) -> None:
    raw = at(1, 3, "grüße “日本” ⚠\ufe0f!") + b"\x1b]7717;mambomeme;anything\x1b\\" + at(2, 0, "end")
    whole, halves = Emulator(), Emulator()
    whole.feed(raw)
    for half in (raw[:cut], raw[cut:]):
        halves.feed(half)
    assert whole.frame() == halves.frame()
    assert whole.frame().text(2, 0, 4) == "end "
    assert "7717" not in "".join(whole.frame().text(row) for row in range(24))


def test_a_frame_inside_a_synchronised_update_is_not_whole() -> None:
    emulator = Emulator()
    emulator.feed(b"\x1b[?2026hhalf")
    assert not emulator.frame().whole
    emulator.feed(b"\x1b[?2026l")
    assert emulator.frame().whole


def child(code: str) -> tuple[str, ...]:
    return sys.executable, "-c", f"import os, sys, time, tty; tty.setraw(0); os.write(1, b'up.'); {code}"


def test_full_buffers_in_both_directions_do_not_wait_for_each_other() -> None:
    code = "os.write(1, b'x' * 400_000); n = 0\nwhile n < 50_000: n += len(os.read(0, 999))\nos.write(1, b'all.')"
    with Wire(child(code), {}, 30) as wire:
        assert wire.read_until(lambda: b"up." in wire.unread)
        wire.write(b"k" * 50_000)
        assert wire.read_until(lambda: wire.unread.endswith(b"all."))
        assert len(wire.unread) == 400_007
        assert len(b"".join(chunk.data for chunk in wire.take())) == 400_007
        assert not wire.chunks
        assert not wire.unread


def test_a_program_that_never_reads_is_hung_and_not_waited_for() -> None:
    with Wire(child("time.sleep(600)"), {}, 0.3) as wire:
        assert wire.read_until(lambda: b"up." in wire.unread)
        with pytest.raises(ProgramHung):
            wire.write(b"k" * 200_000)


def test_a_program_that_ends_while_one_types_is_told() -> None:
    with Wire(child("time.sleep(0.2); os._exit(3)"), {}, 30) as wire:
        assert wire.read_until(lambda: b"up." in wire.unread)
        with pytest.raises(ProgramEnded):
            wire.write(b"k" * 200_000)
