"""Render markers are read exactly or not at all, however the bytes were cut."""

from dataclasses import astuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mambomeme_eval.bench.marker import LONGEST, START, Found, Marker, digest, find
from mambomeme_tui.ui import render_marker

IDS = st.lists(st.text("abc.-", min_size=1), max_size=10)
STAMPS = st.integers(0, 10**18)


def write(request: int, version: str, ids: list[str], accepted: int, flushed: int, state: str = "answered") -> bytes:
    told = f"request={request};state={state};version={version};count={len(ids)};digest={digest(ids)}"
    return f"\x1b]7717;mambomeme;{told};accepted={accepted};flushed={flushed}\x1b\\".encode()


RIGHT = write(3, "v-0123456789ab", ["a.b", "c.d"], 17, 2_000_017)


@given(st.integers(1, 10**6), IDS, STAMPS, st.integers(0, 10**9))
def test_what_was_written_is_read(request: int, ids: list[str], accepted: int, taken: int) -> None:
    (found,) = find(write(request, "v-1", ids, accepted, accepted + taken))
    assert found.marker is not None
    assert astuple(found.marker) == (request, "answered", "v-1", len(ids), digest(ids), accepted, accepted + taken)
    assert found.marker.milliseconds == taken / 1_000_000


def test_the_product_writes_what_is_read() -> None:
    awaited = render_marker._Awaited(4, 1_000, None, f"state=failed;version=;count=0;digest={render_marker.digest([])}")
    (found,) = find(render_marker._sequence(awaited, 5_000).encode())
    assert found.marker == Marker(4, "failed", "", 0, digest([]), 1_000, 5_000)
    assert render_marker.digest(["a.b", "c.d"]) == digest(["a.b", "c.d"])


PIECES = st.lists(st.one_of(st.binary(max_size=30), st.sampled_from([RIGHT, START, RIGHT[:40], RIGHT[20:], b"\x1b\\"])))


@given(PIECES, st.data())
def test_anything_is_read_without_a_crash_and_cut_at_any_byte_alike(pieces: list[bytes], data: st.DataObject) -> None:
    raw = b"".join(pieces)
    found = find(raw)
    cut = data.draw(st.integers(0, len(raw)))
    early = find(raw[:cut])
    assert early == found[: len(early)]
    assert [one for one in found if one.end <= cut][: len(early)] == early
    assert all(raw[one.start :].startswith(START) and one.end - one.start <= LONGEST for one in found)


def test_a_marker_is_there_with_its_last_byte_and_not_before() -> None:
    raw = b"frame" + RIGHT + b"more"
    for cut in range(len(raw) + 1):
        whole = cut >= 5 + len(RIGHT)
        assert [(one.start, one.end) for one in find(raw[:cut])] == [(5, 5 + len(RIGHT))] * whole


@pytest.mark.parametrize(
    ("part", "instead"),
    [
        (b"mambomeme", b"mambo"),
        (b"request=3", b"request=03"),
        (b"request=3", b"request=0"),
        (b"request=3", b"request=-3"),
        (b"state=answered", b"state=perhaps"),
        (b"state=answered", b"state=failed"),
        (b"version=v-0123456789ab", b"version="),
        (b"version=v-0123456789ab", b"version=\xff"),
        (b"count=2", b"count=0"),
        (b"count=2", b"count="),
        (b"digest=", b"digest=0"),
        (b"digest=", b"digest=Z"),
        (b"accepted=17", b"accepted=2000018"),
        (b"accepted=17", b"accepted=1e1"),
        (b"flushed=", b"flushed= "),
        (b";flushed=2000017", b""),
        (b"\x1b\\", b"\x07"),
        (b"\x1b\\", b";more=1\x1b\\"),
    ],
)
def test_whatever_is_not_exactly_a_marker_is_a_fault_and_not_skipped(part: bytes, instead: bytes) -> None:
    assert part in RIGHT
    (found, second) = find(RIGHT.replace(part, instead) + RIGHT)
    assert found.marker is None
    assert second.marker is not None


def test_a_sequence_without_an_end_is_a_fault_when_it_is_long_enough() -> None:
    assert find(START + b"x" * 100) == []
    assert find(START + b"x" * LONGEST) == [Found(0, LONGEST, None)]
