"""The filter of pastes: what is between markers is text, whatever it holds and however it is cut; the rest passes."""

import unicodedata
from codecs import utf_8_decode
from collections.abc import Iterable
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from textual._xterm_parser import XTermParser
from textual.events import Key, Paste
from textual.message import Message

from mambomeme_tui.ui.pastes import BEGIN, END, ROOM, SILENT_POLLS, PasteFilter

thorough = settings(deadline=None, max_examples=500)
PIECES = [b"\x1b", b"[", b"2", b"0", b"1", b"~", b"\x1b[20", b"\x1b[200~", b"\x1b[201~", b"\x1b[31m", b"\r\n", b"\t"]
LETTERS = [b"c", b"o", b"\xc3\xa9", b"\xe2\x82\xac", b"\xc3", b"\xf0\x9f", b"\xff", b"\xc2\x9b", b"\x00", b"\x7f"]
streams = st.lists(st.one_of(st.sampled_from(PIECES + LETTERS), st.binary(max_size=4)), max_size=40).map(b"".join)
cuts = st.lists(st.integers(0, 200), max_size=30)


def cut(data: bytes, where: Iterable[int]) -> list[bytes]:
    """The stream in reads."""
    return [data[start:stop] for start, stop in pairwise([0, *sorted(at for at in where if at < len(data)), len(data)])]


def silence(pastes: PasteFilter) -> str:
    return "".join(pastes.pause() for _ in range(SILENT_POLLS))


def filtered(reads: Iterable[bytes]) -> str:
    """All that comes of these reads and of a long silence after them."""
    pastes = PasteFilter()
    return "".join(pastes.feed(read) for read in reads) + silence(pastes)


def as_text(content: str) -> str:
    """A paste as it is to come out: lines joined by blanks, tabs blanks, no control character."""
    line = " ".join(content.splitlines()).replace("\t", " ")
    return "".join(char for char in line if unicodedata.category(char) != "Cc")


def without_end(content: str) -> str:
    """The content of a paste that silence ended, without what may be the beginning of its end marker."""
    most = max((size for size in range(len(END)) if content.endswith(END[:size])), default=0)
    return content[: len(content) - most]


def expected(data: bytes) -> str:
    """The same from the whole stream, by looking for markers from left to right."""
    rest, out = utf_8_decode(data, "replace", False)[0], ""
    while BEGIN in rest:
        before, _, rest = rest.partition(BEGIN)
        content, end, rest = rest.partition(END)
        text = as_text((content if end else without_end(content)).replace(BEGIN, ""))
        out += before + (f"{BEGIN}{text}{END}" if text else END)
    return out + rest


def parsed(text: str) -> list[Message]:
    """What Textual makes of it, up to and with a last key `Z`."""
    return list(XTermParser().feed(text + "Z"))


@thorough
@given(streams, cuts)
def test_any_cut_gives_what_the_whole_gives_and_outside_of_pastes_all_passes(data: bytes, where: list[int]) -> None:
    assert filtered(cut(data, where)) == expected(data)


@thorough
@given(streams.filter(lambda data: b"\x1b[200~" not in data))
def test_without_a_paste_everything_passes(data: bytes) -> None:
    assert filtered(data[at : at + 1] for at in range(len(data))) == utf_8_decode(data, "replace", False)[0]


@thorough
@given(streams.filter(lambda data: END.encode() not in data), cuts)
def test_a_paste_of_anything_is_one_paste_to_textual_and_no_key(content: bytes, where: list[int]) -> None:
    data = BEGIN.encode() + content + END.encode()
    *pastes, key = parsed(filtered(cut(data, where)))
    assert isinstance(key, Key)
    assert key.key == "Z"
    text = as_text(content.decode(errors="replace").replace(BEGIN, ""))
    assert [paste.text for paste in pastes if isinstance(paste, Paste)] == [text] * bool(text)
    assert len(pastes) == bool(text)
    assert not any(unicodedata.category(char) == "Cc" for char in text)


@thorough
@given(streams)
def test_textual_never_stays_in_a_paste(data: bytes) -> None:
    messages = parsed(filtered([data]) + "\x1b[A")  # whole, so that what is unfinished ends
    assert isinstance(messages[-1], Key)
    assert messages[-1].key == "Z"


@thorough
@given(streams.filter(lambda data: END.encode() not in data), cuts, st.lists(st.integers(0, SILENT_POLLS - 1)))
def test_pauses_even_inside_of_markers_let_nothing_of_a_paste_out(
    content: bytes, where: list[int], pauses: list[int]
) -> None:
    pastes, out = PasteFilter(), ""
    for at, read in enumerate(cut(BEGIN.encode() + content + END.encode(), where)):
        out += pastes.feed(read) + "".join(pastes.pause() for _ in range(pauses[at] if at < len(pauses) else 0))
    text = as_text(content.decode(errors="replace").replace(BEGIN, ""))
    assert out.endswith(f"{BEGIN}{text}{END}" if text else END)
    leaked = out.removesuffix(END).removesuffix(f"{BEGIN}{text}")
    assert BEGIN[:-1].startswith(leaked)  # of the marker, which was no marker yet


def test_what_a_newcomer_pasted_is_text() -> None:
    (paste, _) = parsed(filtered([b"\x1b[200~grumpy\r\x1b[31mcat\rjjc\r\x1b[201~"]))
    assert isinstance(paste, Paste)
    assert paste.text == "grumpy [31mcat jjc"


@pytest.mark.parametrize("key", [b"\x1b", b"\x1b[", b"\x1b[20"])
def test_a_lone_escape_waits_for_one_poll_and_then_is_a_key_once(key: bytes) -> None:
    pastes = PasteFilter()
    assert pastes.feed(key) == ""
    assert pastes.pause() == key.decode()
    assert silence(pastes) == ""
    assert pastes.feed(b"c") == "c"


def test_a_sequence_in_one_read_does_not_wait() -> None:
    assert PasteFilter().feed(b"\x1b[B\x1bOP\x1b[2~c") == "\x1b[B\x1bOP\x1b[2~c"


def test_a_paste_without_end_is_text_after_silence_and_then_keys_are_keys() -> None:
    pastes = PasteFilter()
    assert pastes.feed(b"\x1b[200~john") == ""
    assert [pastes.pause() for _ in range(SILENT_POLLS - 1)] == [""] * (SILENT_POLLS - 1)
    assert pastes.feed(b" cena\r\x1b[20") == ""  # a byte in time begins the silence anew
    assert [pastes.pause() for _ in range(SILENT_POLLS)] == [""] * (SILENT_POLLS - 1) + [f"{BEGIN}john cena{END}"]
    assert pastes.feed(b"1~c\x1b[A") == f"{END}c\x1b[A"  # the end that came too late is no key


def test_a_paste_within_a_paste_needs_no_second_end() -> None:
    assert PasteFilter().feed(b"\x1b[200~a\x1b[200~b\x1b[201~c") == f"{BEGIN}ab{END}c"


def test_an_end_without_a_paste_joins_nothing_around_it() -> None:
    for inner in (b"\x1b[201~", b"\x1b[200~\x1b[201~"):
        assert PasteFilter().feed(b"\x1b[20" + inner + b"0~c") == f"\x1b[20{END}0~c"


def test_of_a_paste_without_bound_a_bounded_beginning_is_kept_and_its_end_is_still_known() -> None:
    pastes = PasteFilter()
    assert [pastes.feed(read) for read in [b"\x1b[200~", *[b"c" * 4095] * 300]] == [""] * 301
    assert sum(map(len, pastes._pasted or [])) == ROOM
    assert pastes.feed(b"c\r\x1b[201~j") == f"{BEGIN}{'c' * ROOM}{END}j"
