"""The render marker: one a submission, after its frame, never without the variable, and borne out by the screen."""

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from mambomeme_tui.retrieval.engine import Engine
from tests.pty.emulator import Emulator

MARKER = re.compile(
    rb"\x1b\]7717;mambomeme;request=(\d+);state=(\w+);version=([^;]*);count=(\d+);digest=([0-9a-f]{16});"
    rb"accepted=(\d+);flushed=(\d+)\x1b\\"
)
ON = {"MAMBOMEME_RENDER_MARKERS": "1"}
QUERIES = ("john cena", "stonks", "xq zzv", "pikachu", "john cena", "goose")


@dataclass(frozen=True)
class Mark:
    request: int
    state: str
    version: str
    count: int
    digest: str
    accepted: int
    flushed: int
    at: int


def marks(raw: bytes) -> list[Mark]:
    """All markers, with the place where each began."""
    found = []
    for match in MARKER.finditer(raw):
        request, state, version, count, digest, accepted, flushed = (part.decode() for part in match.groups())
        found.append(Mark(int(request), state, version, int(count), digest, int(accepted), int(flushed), match.start()))
    return found


def submit(terminal: Emulator, query: str, number: int) -> Mark:
    """Type a query, let its list come, press Enter, and wait for the marker."""
    terminal.press(b"/\x15" + query.encode())
    terminal.watch(lambda: f"“{query}”" in terminal.screen()[1], f"list for {query!r}")
    terminal.read_for(0.15)
    assert len(marks(bytes(terminal.raw))) == number - 1  # nothing is marked as one types
    terminal.press(b"\r")
    terminal.watch(lambda: len(marks(bytes(terminal.raw))) == number, f"marker {number}")
    return marks(bytes(terminal.raw))[-1]


def test_every_submission_has_one_marker_that_the_screen_bears_out(
    data_dir: Path, engine: Engine, tmp_path: Path
) -> None:
    with Emulator(data_dir, tmp_path, env=ON) as terminal:
        terminal.wait_for("ready")
        terminal.watch(lambda: "loading" not in terminal.screen()[-2], "both routes")
        before = 0
        for number, query in enumerate(QUERIES, 1):
            mark = submit(terminal, query, number)
            hits = engine.search(query).hits
            ids = [hit.meme.id for hit in hits]
            assert (mark.request, mark.state, mark.count) == (number, "answered", len(ids))
            assert mark.version == engine.version.name
            assert mark.digest == hashlib.sha256("\n".join(ids).encode()).hexdigest()[:16]
            assert before < mark.accepted < mark.flushed
            before = mark.flushed
            assert_shown_by_then(terminal, mark, query, [hit.meme.title for hit in hits])
        terminal.press(b"\x11")
        assert terminal.finish().exit_code == 0
    assert len(marks(bytes(terminal.raw))) == len(QUERIES)


def assert_shown_by_then(terminal: Emulator, mark: Mark, query: str, titles: list[str]) -> None:
    """What had been written before the marker already shows the whole answer, on a terminal that reads no further."""
    import pyte

    from tests.pty.emulator import UNKNOWN_TO_PYTE

    screen = pyte.Screen(80, 24)
    pyte.ByteStream(screen).feed(UNKNOWN_TO_PYTE.sub(b"", bytes(terminal.raw[: mark.at])))
    lines = screen.display
    assert f"“{query}”" in lines[1]
    assert ("found" in lines[-2]) is bool(titles) or "nothing found" in lines[-2]
    shown = [" ".join(line[1:44].split()).split(" ×")[0] for line in lines[2:22:2] if line[1:3].strip().isdigit()]
    assert shown == [f"{rank} {title}" for rank, title in enumerate(titles, 1)]


@pytest.mark.parametrize("value", [None, "0", "", "true"])
def test_without_the_variable_no_byte_of_it_exists(value: str | None, data_dir: Path, tmp_path: Path) -> None:
    env = {} if value is None else {"MAMBOMEME_RENDER_MARKERS": value}
    with Emulator(data_dir, tmp_path, env=env) as terminal:
        terminal.wait_for("ready")
        terminal.press(b"john cena\r")
        terminal.wait_for("c choose")
        terminal.wait_for_answer("john cena")
        terminal.press(b"\x11")
        terminal.finish()
    assert b"7717" not in terminal.raw


def test_text_and_enter_in_one_write_are_marked_too(data_dir: Path, engine: Engine, tmp_path: Path) -> None:
    with Emulator(data_dir, tmp_path, env=ON) as terminal:
        terminal.wait_for("ready")
        terminal.watch(lambda: "loading" not in terminal.screen()[-2], "both routes")
        terminal.press(b"john cena\r")
        terminal.watch(lambda: bool(marks(bytes(terminal.raw))), "a marker")
        (mark,) = marks(bytes(terminal.raw))
        hits = engine.search("john cena").hits
        assert_shown_by_then(terminal, mark, "john cena", [hit.meme.title for hit in hits])
        terminal.press(b"\x11")
        terminal.finish()


FAILING = """
import importlib
from mambomeme_tui.errors import MamboError
from mambomeme_tui.retrieval.engine import Engine

def search(*arguments, **options):
    raise MamboError("The search is broken.")

Engine.search = search
raise SystemExit(importlib.import_module("mambomeme_tui.cli").main([]))
"""


def test_a_submission_that_fails_as_the_search_before_it_did_is_marked_too(data_dir: Path, tmp_path: Path) -> None:
    with Emulator(data_dir, tmp_path, env=ON, program=["-c", FAILING]) as terminal:
        terminal.wait_for("ready")
        for number in (1, 2):
            terminal.press(b"\x15goose")
            terminal.wait_for("The search is broken.")
            terminal.press(b"\r")
            terminal.watch(lambda wanted=number: len(marks(bytes(terminal.raw))) == wanted, f"marker {number}")
            terminal.press(b"/")
        assert [(mark.request, mark.state, mark.count) for mark in marks(bytes(terminal.raw))] == [
            (1, "failed", 0),
            (2, "failed", 0),
        ]
        terminal.press(b"\x11")
        assert terminal.finish().exit_code == 0
