"""Pastes into the real program: nothing in them is a key, and the keyboard works before, after and without them."""

import array
import fcntl
import termios
from pathlib import Path

from mambomeme_tui.retrieval.engine import Engine
from mambomeme_tui.telling import searched_for
from tests.pty.emulator import Emulator
from tests.pty.test_real_program import assert_restored

HOSTILE = b"\x1b[200~grumpy\r\x1b[31mcat\rjjc\r\x1b[201~"


def press_alone(terminal: Emulator, keys: bytes) -> None:
    """Type what the program reads before anything else is typed."""
    terminal.press(keys)
    waiting = array.array("i", [1])

    def is_read() -> bool:
        fcntl.ioctl(terminal._slave, termios.FIONREAD, waiting)
        return waiting[0] == 0

    terminal.watch(is_read, f"{keys!r} is read")


def quit_with_nothing_chosen(terminal: Emulator) -> None:
    terminal.press(b"\x11")
    outcome = terminal.finish()
    assert_restored(outcome, 0)
    assert outcome.text.replace("\x1b[?25h", "").strip() == ""


def test_a_paste_that_holds_escapes_and_enters_is_a_query_and_chooses_nothing(
    data_dir: Path, engine: Engine, tmp_path: Path
) -> None:
    with Emulator(data_dir, tmp_path) as terminal:
        terminal.wait_for("memes")
        terminal.press(HOSTILE)
        terminal.wait_for_answer(searched_for(engine.search("grumpy [31mcat jjc")))
        terminal.press(b"o")  # still typed into the box
        terminal.wait_for("› grumpy [31mcat jjco")
        quit_with_nothing_chosen(terminal)


def test_a_paste_cut_inside_of_a_character_is_whole(data_dir: Path, tmp_path: Path) -> None:
    with Emulator(data_dir, tmp_path) as terminal:
        terminal.wait_for("memes")
        for part in (b"\xc3", b"\xa9\x1b[200~\xe2", b"\x82", b"\xac\x1b\rc\x1b[201~"):
            press_alone(terminal, part)
        terminal.wait_for("“é€ c”")
        quit_with_nothing_chosen(terminal)


def test_a_paste_that_never_ends_is_a_query_in_the_end_and_the_keyboard_works(data_dir: Path, tmp_path: Path) -> None:
    with Emulator(data_dir, tmp_path) as terminal:
        terminal.wait_for("memes")
        terminal.press(b"\x1b[200~john cena\r")
        terminal.wait_for_answer("john cena")
        quit_with_nothing_chosen(terminal)


def test_a_lone_escape_is_still_a_key(data_dir: Path, tmp_path: Path) -> None:
    with Emulator(data_dir, tmp_path, ["search", "john"]) as terminal:
        terminal.wait_for_answer("john")
        terminal.enter_list()
        terminal.press(b"\x1b")
        terminal.wait_for("↓ results")
        quit_with_nothing_chosen(terminal)
