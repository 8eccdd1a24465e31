"""The real program in a real terminal: what a person sees on one screen, what the shell gets, and what stays behind."""

import base64
import os
import pty
import re
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from mambomeme_tui import media
from mambomeme_tui.retrieval.engine import Engine
from mambomeme_tui.retrieval.results import Hit
from mambomeme_tui.telling import searched_for
from tests.folders import without_version
from tests.pty.emulator import STATUS, Emulator
from tests.pty.terminal_probe import Outcome

ROOT = Path(__file__).parents[2]
QUERY = "john cena"
SGR = re.compile(rb"\x1b\[([0-9;:]*)m")
PREVIEW_LINES = 14
"""How many lines of half blocks a picture takes at 80x24."""
BUILD_SECONDS = 300.0
"""Deadline for a build, which takes some seconds of an idle machine."""
SOME_SECONDS = 500
"""How many texts take some seconds to embed, so that a person sees it."""


def assert_restored(outcome: Outcome, exit_code: int) -> None:
    """The terminal is as before, and the shell gets this code."""
    assert outcome.leftovers == []
    assert outcome.settings_equal
    assert outcome.exit_code == exit_code


def what_is_shown(lines: list[str], hits: Sequence[Hit]) -> dict[str, object]:
    """At 80x24: the ranked titles, and whether the first hit's preview, its details and all figures are there."""
    titles = [" ".join(line[1:44].split()).split(" ×")[0] for line in lines[2:22:2]]
    side = "\n".join(line[51:] for line in lines[2:22])
    picture = side.count("▀" * 28) == PREVIEW_LINES or hits[0].meme.quote.split()[0] in side  # a card without colours
    return {
        "titles": titles,
        "preview": "┬─ preview ─" in lines[1] and picture,
        "details": hits[0].meme.id in side,
        "status": STATUS.match(lines[-2]) is not None,
    }


def assert_shows(terminal: Emulator, engine: Engine) -> list[str]:
    """Wait until the whole answer to the query stands on one screen of 80x24, in the engine's order."""
    hits = engine.search(QUERY).hits
    expected = {
        "titles": [f"{hit.rank} {hit.meme.title}" for hit in hits],
        "preview": True,
        "details": True,
        "status": True,
    }
    terminal.wait_for_answer(QUERY)
    terminal.watch(lambda: what_is_shown(terminal.screen(), hits) == expected, f"{expected}")
    assert terminal.screen()[-2].rstrip().endswith(f" · hybrid · {engine.version.name}")
    return terminal.screen()


def test_a_search_fits_on_one_screen_and_c_prints_the_chosen_id(data_dir: Path, engine: Engine, tmp_path: Path) -> None:
    with Emulator(data_dir, tmp_path) as terminal:
        terminal.wait_for("memes")
        terminal.press(QUERY.encode())
        assert "John Cena" in assert_shows(terminal, engine)[2]
        terminal.enter_list()
        terminal.press(b"j")
        second = engine.search(QUERY).hits[1].meme
        terminal.wait_for(second.id)
        terminal.press(b"c")
        outcome = terminal.finish()
    assert_restored(outcome, 0)
    assert outcome.text.replace("\x1b[?25h", "") == f"{media.name_or_path(second)}\r\n"


def test_keys_typed_in_one_go_are_obeyed_one_after_the_other(data_dir: Path, engine: Engine, tmp_path: Path) -> None:
    with Emulator(data_dir, tmp_path) as terminal:
        terminal.wait_for("memes")
        terminal.watch(lambda: "loading" not in terminal.screen()[-2], "meanings")
        terminal.press(QUERY.encode() + b"\r\x1b[B\x1b[Bc")
        outcome = terminal.finish()
    assert_restored(outcome, 0)
    assert outcome.text.replace("\x1b[?25h", "") == f"{media.name_or_path(engine.search(QUERY).hits[2].meme)}\r\n"


def test_y_sends_the_text_to_the_clipboard_of_the_terminal(data_dir: Path, engine: Engine, tmp_path: Path) -> None:
    with Emulator(data_dir, tmp_path, ["search", QUERY]) as terminal:
        terminal.wait_for_answer(QUERY)
        assert b"\x1b]52" not in terminal.raw
        terminal.enter_list()
        terminal.press(b"y")
        terminal.wait_for("copied the text")
        (sent,) = re.findall(rb"\x1b\]52;c;([A-Za-z0-9+/=]+)(?:\x07|\x1b\\)", bytes(terminal.raw))
    assert base64.b64decode(sent).decode() == engine.search(QUERY).hits[0].meme.quote


@pytest.mark.parametrize(("key", "code"), [(b"\x11", 0), (b"\x03", 130)])
def test_quitting_gives_the_terminal_back(data_dir: Path, tmp_path: Path, key: bytes, code: int) -> None:
    with Emulator(data_dir, tmp_path, ["search", QUERY]) as terminal:
        terminal.wait_for_answer(QUERY)
        assert terminal.modes.leftovers() != []
        terminal.press(key)
        outcome = terminal.finish()
    assert_restored(outcome, code)
    assert outcome.text.replace("\x1b[?25h", "").strip() == ""


def test_a_dumb_terminal_is_told_of_find_in_one_sentence(data_dir: Path, tmp_path: Path) -> None:
    with Emulator(data_dir, tmp_path, env={"TERM": "dumb"}) as terminal:
        outcome = terminal.finish()
    assert_restored(outcome, 5)
    assert "\x1b" not in outcome.text
    assert re.fullmatch(r"mambomeme: [^\r\n]*TERM=dumb[^\r\n]*mambomeme find[^\r\n]*\r\n", outcome.text)


@pytest.mark.parametrize("missing", ["stdin", "stdout"])
def test_a_pipe_in_place_of_the_terminal_is_told_of_find(data_dir: Path, missing: str) -> None:
    master, slave = pty.openpty()
    streams = {"stdin": slave, "stdout": slave} | {missing: subprocess.PIPE}
    environment = os.environ | {"TERM": "xterm-256color", "MAMBOMEME_DATA_DIR": str(data_dir)}
    command = [sys.executable, "-m", "mambomeme_tui"]
    with subprocess.Popen(command, **streams, stderr=subprocess.PIPE, cwd=ROOT, env=environment) as process:
        output, complaint = process.communicate(timeout=60)
    os.close(master)
    os.close(slave)
    assert process.returncode == 5
    assert not output
    (sentence,) = complaint.decode().splitlines()
    assert "mambomeme find" in sentence


def parameters(raw: bytes) -> list[list[int]]:
    """The numbers of every colour sequence."""
    return [[int(number or 0) for number in re.split(rb"[;:]", match[1])] for match in SGR.finditer(raw)]


def test_without_colours_not_one_colour_is_sent_and_the_selection_is_told(data_dir: Path, tmp_path: Path) -> None:
    with Emulator(data_dir, tmp_path, ["search", QUERY], {"NO_COLOR": "1"}) as terminal:
        terminal.wait_for_answer(QUERY)
        terminal.enter_list()
        terminal.press(b"\x1b[B")
        terminal.watch(lambda: terminal.screen()[4].startswith("▌"), "second hit selected")
        rows = {y for y in range(2, 22) if any(cell.reverse for cell in terminal._display.buffer[y].values())}
        assert rows == {4, 5}
        terminal.press(b"?")
        terminal.wait_for("any key goes back")
        terminal.press(b"\x11")
        assert_restored(terminal.finish(), 0)
        sent = parameters(bytes(terminal.raw))
    assert any(1 in numbers for numbers in sent)
    colours = {*range(30, 39), *range(40, 49), *range(90, 98), *range(100, 108), 58}
    assert [numbers for numbers in sent if colours.intersection(numbers)] == []


@pytest.mark.parametrize(
    ("env", "kind"),
    [
        ({"COLORTERM": "truecolor"}, "true"),
        ({"COLORTERM": ""}, "256"),
        ({"COLORTERM": "", "TERM": "xterm"}, "16"),
    ],
    ids=["truecolor", "256-colours", "16-colours"],
)
def test_only_the_colours_that_the_terminal_has_are_sent(
    data_dir: Path, engine: Engine, tmp_path: Path, env: dict[str, str], kind: str
) -> None:
    with Emulator(data_dir, tmp_path, ["search", QUERY], env) as terminal:
        assert_shows(terminal, engine)
        raw = bytes(terminal.raw)
    found = {
        "true": rb"\x1b\[[0-9;]*[34]8;2;",
        "256": rb"\x1b\[[0-9;]*[34]8;5;",
        "16": rb"\x1b\[(?:[0-9];)*(?:3|9)[0-7]\b",
    }
    assert [name for name in ("true", "256") if re.search(found[name], raw)] == ([kind] if kind != "16" else [])
    assert kind != "16" or re.search(found["16"], raw)


@pytest.mark.parametrize("size", [(60, 15), (200, 60)])
def test_small_and_large_terminals_show_a_whole_screen(data_dir: Path, tmp_path: Path, size: tuple[int, int]) -> None:
    with Emulator(data_dir, tmp_path, ["search", QUERY], size=size) as terminal:
        lines = terminal.wait_for_answer(QUERY)
        assert ("preview" in lines[1]) == (size[0] >= 72)
        assert lines[-1].startswith(" ↵ search")
        terminal.enter_list()
        terminal.press(b"\x1b[F")
        terminal.watch(lambda: any(line.startswith("▌10 ") for line in terminal.screen()), "last hit")


def test_resizing_in_the_middle_of_searches_ends_with_the_right_screen(
    data_dir: Path, engine: Engine, tmp_path: Path
) -> None:
    with Emulator(data_dir, tmp_path, ["search", "john"]) as terminal:
        terminal.wait_for_answer("john")
        typed = "john"
        for letters, size in ((" cen", (60, 15)), ("", (200, 60)), ("a", (80, 24))):
            terminal.press(letters.encode())
            terminal.resize(*size)
            typed += letters
            terminal.wait_for_answer(searched_for(engine.search(typed)))
        assert_shows(terminal, engine)


def test_a_slow_terminal_ends_with_the_right_screen(data_dir: Path, engine: Engine, tmp_path: Path) -> None:
    with Emulator(data_dir, tmp_path, piece=64) as terminal:
        terminal.wait_for("memes")
        for letter in QUERY:
            terminal.press(letter.encode())
            terminal.read_for(0)
        assert_shows(terminal, engine)
        terminal.press(b"\x11")
        assert_restored(terminal.finish(), 0)


def test_a_huge_paste_is_answered_by_its_beginning_and_is_told(data_dir: Path, tmp_path: Path) -> None:
    with Emulator(data_dir, tmp_path) as terminal:
        terminal.wait_for("memes")
        terminal.press(b"\x1b[200~" + b"john cena " * 1_000 + b"\x1b[201~")
        lines = terminal.wait_for("query was shortened")
        assert "John Cena" in lines[2]
        terminal.press(b"\x15john")
        terminal.wait_for_answer("john")


def test_a_missing_index_is_built_while_one_can_type(data_dir: Path, engine: Engine, tmp_path: Path) -> None:
    data = without_version(data_dir, tmp_path / "new", SOME_SECONDS)
    with Emulator(data, tmp_path) as terminal:
        terminal.wait_for("The index is being built, once.")
        terminal.wait_for("building the index, once")
        terminal.press(QUERY.encode())
        terminal.wait_for("encoding meanings", BUILD_SECONDS)
        terminal.watch(lambda: "━" in "".join(terminal.screen()), "progress of the meanings", BUILD_SECONDS)
        terminal.wait_for("10 found", BUILD_SECONDS)
        assert_shows(terminal, engine)
    assert (data / "current").read_text() == (data_dir / "current").read_text()


def publishers(data: Path) -> list[int]:
    """The processes that publish into this folder."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            command, environment = ((folder / name).read_bytes().split(b"\0") for name in ("cmdline", "environ"))
        except OSError:  # gone meanwhile
            continue
        if b"publish" in command and f"MAMBOMEME_DATA_DIR={data}".encode() in environment:
            found.append(int(folder.name))
    return found


def test_a_program_that_is_ended_while_it_builds_leaves_nothing_running(data_dir: Path, tmp_path: Path) -> None:
    data = without_version(data_dir, tmp_path / "new")
    with Emulator(data, tmp_path) as terminal:
        terminal.wait_for("indexing words", BUILD_SECONDS)
        assert len(publishers(data)) == 1
        terminal.signal(signal.SIGTERM)
        assert_restored(terminal.finish(), 128 + signal.SIGTERM)
    deadline = time.monotonic() + BUILD_SECONDS
    while publishers(data):
        assert time.monotonic() < deadline, "the index is still being built"
        time.sleep(0.02)
    assert not (data / "current").exists()
    assert list((data / "versions").iterdir()) == []
