"""Keys, focus and answers on the real application with the real index: what a person does is what they get."""

import shlex
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from textual import events

from mambomeme_tui import media
from mambomeme_tui.config import Settings
from mambomeme_tui.errors import MamboError
from mambomeme_tui.retrieval.engine import Engine
from mambomeme_tui.retrieval.results import State
from mambomeme_tui.session import Answer, DenseReady, SearchFailed
from mambomeme_tui.ui.app import MamboApp
from mambomeme_tui.ui.screens.help import HelpScreen
from mambomeme_tui.ui.view import Phase
from mambomeme_tui.ui.widgets.query import ROOM, QueryBox
from mambomeme_tui.ui.widgets.results import ResultList
from tests.folders import copy_of
from tests.ui.waiting import (
    FilmedApp,
    application,
    ask,
    has_answer,
    ids,
    is_loaded,
    running,
    screen_lines,
    screen_text,
    selected,
    until,
)


def in_list(app: MamboApp) -> bool:
    """Whether the list has the focus."""
    return isinstance(app.focused, ResultList)


async def test_typing_shows_the_ten_hits_that_the_engine_finds(data_dir: Path, engine: Engine) -> None:
    app = application(data_dir)
    async with running(app) as pilot:
        await pilot.press(*"john cena")
        await until(pilot, lambda: has_answer(app, "john cena"), "answer")
        expected = engine.search("john cena").hits
        assert ids(app) == [hit.meme.id for hit in expected]
        assert len(expected) == 10
        lines = screen_lines(app)
        for rank, hit in enumerate(expected, 1):
            assert lines[rank * 2][1:].startswith(f"{rank:>2} {hit.meme.title}")
        assert f"10 found · {app.view.result.timing.total:.0f} ms · hybrid · {engine.version.name}" in lines[-2]


async def test_enter_moves_the_focus_to_the_list_and_shows_its_keys(data_dir: Path) -> None:
    app = application(data_dir)
    async with running(app) as pilot:
        await ask(pilot, "distracted boyfriend")
        assert "F1 help" in screen_lines(app)[-1]
        await pilot.press("enter")
        assert in_list(app)
        assert "c choose" in screen_lines(app)[-1]


async def test_every_moving_key_moves_and_stops_at_the_ends(data_dir: Path) -> None:
    app = application(data_dir)
    async with running(app) as pilot:
        await ask(pilot, "john cena")
        await pilot.press("enter")
        steps = "down 1 j 2 k 1 up 0 end 9 down 9 pageup 4 pageup 0 home 0 pagedown 5 j 6 pagedown 9 home 0".split()
        for key, place in zip(steps[::2], steps[1::2], strict=True):
            await pilot.press(key)
            assert selected(app) == int(place), key
            assert in_list(app)
            assert screen_lines(app)[2 + 2 * int(place)].startswith("▌")
            assert screen_text(app).count("▌") == 2
            assert app.view.hits[int(place)].meme.id[:20] in screen_text(app)  # the details follow


@pytest.mark.parametrize("key", ["up", "k", "slash", "escape"])
async def test_the_keys_that_go_back_to_the_box_leave_the_query_as_it_was(data_dir: Path, key: str) -> None:
    app = application(data_dir)
    async with running(app) as pilot:
        await ask(pilot, "john cena")
        await pilot.press("down")
        assert in_list(app)
        await pilot.press(key)
        assert isinstance(app.focused, QueryBox)
        await pilot.press("s")
        assert app.query_one(QueryBox).value == "john cenas"


async def test_a_click_selects_the_hit_under_it(data_dir: Path) -> None:
    app = application(data_dir)
    async with running(app) as pilot:
        await ask(pilot, "john cena")
        await pilot.click(ResultList, offset=(5, 7))
        assert selected(app) == 3


async def test_moving_right_after_enter_is_not_undone_by_its_answer(data_dir: Path) -> None:
    app = application(data_dir)
    async with running(app) as pilot:
        await ask(pilot, "john cena")
        before = app.view.result
        await pilot.press("enter", "down", "down")
        await until(pilot, lambda: app.view.result is not before, "answer to Enter")
        await pilot.pause()
        assert selected(app) == 2
        assert ids(app)[2] in screen_text(app)
        await pilot.press("escape")
        await ask(pilot, "distracted boyfriend")
        assert selected(app) == 0


async def test_o_hands_a_picture_to_the_viewer(data_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = tmp_path / "told"
    script = tmp_path / "a viewer.py"
    script.write_text(f"import sys, pathlib\npathlib.Path({str(told)!r}).write_text('\\n'.join(sys.argv[1:]))\n")
    monkeypatch.setenv("MAMBOMEME_OPENER", f"{shlex.quote(sys.executable)} '{script}'")
    app = application(data_dir)
    async with running(app) as pilot:
        await ask(pilot, "john cena")
        await pilot.press("down", "down", "o")
        await until(pilot, lambda: told.is_file() and told.read_text() != "", "argument of the viewer")
        (opened,) = told.read_text().splitlines()
        assert Path(opened).is_file()
        assert Path(opened) == media.path_of(app.view.hits[1].meme)
        assert "opened" in screen_lines(app)[-2]
        assert app.view.result.version in screen_lines(app)[-2]


@pytest.mark.parametrize("opener", ["/nowhere/viewer", "'never closed"])
async def test_a_viewer_that_is_not_there_is_told_and_the_program_goes_on(
    data_dir: Path, monkeypatch: pytest.MonkeyPatch, opener: str
) -> None:
    monkeypatch.setenv("MAMBOMEME_OPENER", opener)
    app = application(data_dir)
    async with running(app) as pilot:
        await ask(pilot, "john cena")
        await pilot.press("enter", "enter")
        assert ("can't be started" if "/" in opener else "never closed") in screen_lines(app)[-2]
        await pilot.press("down")
        assert selected(app) == 1


async def test_y_copies_the_text_of_the_selected_hit(data_dir: Path) -> None:
    app = application(data_dir)
    async with running(app) as pilot:
        await ask(pilot, "john cena")
        await pilot.press("enter", "down", "y")
        assert app.clipboard == app.view.hits[1].meme.quote
        assert "copied the text" in screen_lines(app)[-2]


async def test_c_ends_the_program_with_the_selected_picture(data_dir: Path) -> None:
    app = application(data_dir)
    async with running(app) as pilot:
        await ask(pilot, "john cena")
        third = media.path_of(app.view.hits[2].meme)
        assert third is not None
        await pilot.press("enter", "j", "j", "c")
    assert app.chosen == app.return_value == str(third)


async def test_the_help_covers_the_screen_and_any_key_goes_back(data_dir: Path) -> None:
    app = application(data_dir)
    async with running(app) as pilot:
        await ask(pilot, "john cena")
        for keys, back in ((["f1"], "f1"), (["enter", "question_mark"], "escape"), (["f1"], "x")):
            await pilot.press(*keys)
            await until(pilot, lambda: "any key goes back" in screen_text(app), "help")
            assert isinstance(app.screen, HelpScreen)
            await pilot.press(back)
            await until(pilot, lambda: not isinstance(app.screen, HelpScreen), "main screen")
            assert app.query_one(QueryBox).value == "john cena"
            assert len(ids(app)) == 10


@pytest.mark.parametrize(("key", "code"), [("ctrl+q", 0), ("ctrl+c", 130)])
async def test_the_quitting_keys_work_from_the_help_too(data_dir: Path, key: str, code: int) -> None:
    app = application(data_dir)
    async with running(app) as pilot:
        await pilot.press("f1")
        await pilot.press(key)
    assert (app.return_code or 0) == code


async def test_ctrl_u_clears_the_whole_query_and_brings_the_welcome_back(data_dir: Path) -> None:
    app = application(data_dir)
    async with running(app) as pilot:
        await ask(pilot, "john cena")
        await pilot.press("left", "left", "ctrl+u")
        await until(pilot, lambda: app.view.phase is Phase.WELCOME, "welcome")
        assert app.query_one(QueryBox).value == ""
        assert "Type what you remember" in screen_text(app)
        assert "John Cena" not in screen_text(app)
        await pilot.press("down", "enter")
        assert isinstance(app.focused, QueryBox)


async def test_the_answer_to_an_older_request_is_never_shown(data_dir: Path, engine: Engine) -> None:
    app = application(data_dir)
    async with running(app) as pilot:
        await ask(pilot, "distracted boyfriend")
        await ask(pilot, "john cena")
        shown = app.view
        app.post_message(app.Heard(Answer(1, engine.search("distracted boyfriend"))))
        app.post_message(app.Heard(SearchFailed(1, MamboError("Late."))))
        await pilot.pause()
        assert app.view == shown
        await pilot.press("ctrl+u")
        app.post_message(app.Heard(Answer(2, engine.search("john cena"))))
        await pilot.pause()
        assert app.view.phase is Phase.WELCOME


async def test_no_frame_between_two_answers_is_without_one(data_dir: Path) -> None:
    app = FilmedApp(Settings(data_dir=data_dir))
    async with running(app) as pilot:
        await ask(pilot, "john")
        start, first_frame = len(app.views), len(app.frames)
        await pilot.press(*" cena wedding")
        await until(pilot, lambda: has_answer(app, "john cena wedding"), "last answer")
        await pilot.pause()
        assert len(app.views) > start
        assert all(view.hits or view.phase is Phase.NOTHING for view in app.views[start:])
        assert len(app.frames) > first_frame
        assert all("▌ 1 " in frame or "Nothing fits “john" in frame for frame in app.frames[first_frame:])


async def test_loading_is_told_until_meanings_are_there(data_dir: Path) -> None:
    app = FilmedApp(Settings(data_dir=data_dir), "john cena")
    async with app.run_test() as pilot:
        await until(pilot, lambda: is_loaded(app) and has_answer(app, "john cena"), "complete answer")
        told = [view.parts for view in app.views if view.memes]
        assert told[0] == "meanings are loading"
        assert told[-1] == ""
        assert "loading" not in screen_lines(app)[-2]


@pytest.mark.parametrize("moved", [0, 2])
async def test_a_list_found_by_words_is_asked_anew_unless_somebody_moved_in_it(data_dir: Path, moved: int) -> None:
    app = application(data_dir)
    async with running(app) as pilot:
        await ask(pilot, "john cena")
        assert app.view.result is not None
        app.show(replace(app.view, result=replace(app.view.result, state=State.DENSE_LOADING)))
        assert "meanings were loading" in screen_lines(app)[-2]
        await pilot.press("down", *["down"] * moved)
        app.post_message(app.Heard(DenseReady()))
        await pilot.pause()
        if moved:
            assert selected(app) == moved
            assert app.view.result.state is State.DENSE_LOADING
        else:
            await until(pilot, lambda: has_answer(app, "john cena"), "complete answer")


async def test_a_damaged_encoder_leaves_words_and_is_told(data_dir: Path, tmp_path: Path) -> None:
    data = copy_of(data_dir, tmp_path / "data")
    (model,) = data.glob("models/*/model.onnx")
    model.unlink()  # the file is shared with the original
    model.write_bytes(b"not a network")
    app = application(data, query="john cena")
    async with app.run_test() as pilot:
        await until(pilot, lambda: app.view.parts.startswith("by words only"), "told failure")
        await until(
            pilot, lambda: bool(app.view.hits) and app.view.result.state == State.DENSE_FAILED, "answer by words"
        )
        assert "meanings failed to load" in screen_lines(app)[-2]
        assert screen_lines(app)[-2].startswith(" !")
        assert "john-cena" in ids(app)[0]


async def test_an_index_older_than_the_corpus_is_used_and_told(data_dir: Path, tmp_path: Path) -> None:
    data = copy_of(data_dir, tmp_path / "data")
    (folder,) = data.glob("versions/v-*")
    (data / "current").unlink()  # the file is shared with the original
    (data / "current").write_text(f"{folder.name} bundled {'0' * 64}\n")
    app = application(data)
    async with app.run_test() as pilot:
        await until(pilot, lambda: app.view.parts == "stale: mambomeme publish", "notice of a stale index")
        await ask(pilot, "john cena")
        assert "stale: mambomeme publish" in screen_lines(app)[-2]
        assert len(ids(app)) == 10


async def test_a_paste_takes_every_line_and_no_more_than_there_is_room_for(data_dir: Path) -> None:
    app = application(data_dir)
    async with running(app) as pilot:
        box = app.query_one(QueryBox)
        box.post_message(events.Paste("\njohn\r\ncena"))
        await until(pilot, lambda: has_answer(app, "john cena"), "answer")
        box.post_message(events.Paste("x" * 20_000))
        await until(pilot, lambda: len(box.value) == ROOM, "full box")
        assert box.value.startswith(" john cenaxxx")
        await until(pilot, lambda: "query was shortened" in screen_lines(app)[-2], "answer to the full box")
