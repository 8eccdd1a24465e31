"""What the screen says of a mended query, of nothing found, of copies, and of filters: never one for the other."""

from pathlib import Path

import pytest
from textual.pilot import Pilot

from mambomeme_tui.retrieval.engine import Engine
from mambomeme_tui.retrieval.results import SearchResult
from mambomeme_tui.session_events import DenseReady
from mambomeme_tui.ui.app import MamboApp
from mambomeme_tui.ui.view import Phase
from mambomeme_tui.ui.widgets.query import QueryBox
from mambomeme_tui.ui.widgets.results import ResultList
from tests.ui.waiting import application, ask, has_answer, ids, running, screen_lines, screen_text, until

GIBBERISH = "qwxzv zzqqj"


async def test_what_comes_nearest_waits_behind_a_key_and_is_told_as_such(data_dir: Path, engine: Engine) -> None:
    app = application(data_dir)
    async with running(app) as pilot:
        await ask(pilot, GIBBERISH)
        assert app.view.phase is Phase.NOTHING
        assert "F7 shows what comes nearest" in " ".join(screen_text(app).split())
        await pilot.press("f7")
        await until(pilot, lambda: "nearest to “" in screen_lines(app)[1], "nearest")
        expected = [hit.meme.id for hit in engine.search(GIBBERISH).nearest]
        assert [hit.meme.id for hit in app.view.hits] == expected != []
        assert "nothing found · " in screen_lines(app)[-2]
        assert isinstance(app.focused, ResultList)
        app.query_one(QueryBox).value = "john cena"
        await until(pilot, lambda: has_answer(app, "john cena"), "answer")
        assert "10 for “john cena”" in screen_lines(app)[1]
        shown = ids(app)
        await pilot.press("f7")  # there is nothing behind it now
        assert ids(app) == shown


async def test_a_mended_query_is_told_and_one_key_searches_as_typed(data_dir: Path, engine: Engine) -> None:
    typed = "distrakted boyfrend"
    app = application(data_dir)
    async with running(app) as pilot:
        await ask(pilot, typed)
        assert screen_lines(app)[1].startswith("─ 10 for “distracted boyfriend” ─")
        assert "10 found · F6: as typed · " in screen_lines(app)[-2]
        assert ids(app) == [hit.meme.id for hit in engine.search(typed).hits]
        await pilot.press("f6")
        await until(pilot, lambda: app.view.result is not None and not app.view.result.repaired, "as typed")
        assert ids(app) == [hit.meme.id for hit in engine.search(typed, as_typed=True).hits]
        assert "“distrakted boyfrend”" in screen_lines(app)[1]
        assert " found · as typed; F6: mended · " in screen_lines(app)[-2]


async def answer_after(pilot: Pilot[str], key: str) -> SearchResult:
    """Press a key that searches, and wait for its answer."""
    app = pilot.app
    assert isinstance(app, MamboApp)
    before = app.view.result
    await pilot.press(key)
    await until(pilot, lambda: app.view.result is not before, f"answer to {key}")
    assert app.view.result is not None
    return app.view.result


async def test_as_typed_lasts_while_the_query_stays_and_the_key_goes_back(data_dir: Path, engine: Engine) -> None:
    typed = "jhon cenna"
    as_typed = [hit.meme.id for hit in engine.search(typed, as_typed=True).hits]
    app = application(data_dir)
    async with running(app) as pilot:
        await ask(pilot, typed)
        mended = ids(app)
        assert mended != as_typed
        for key in ("f6", "enter"):
            assert not (await answer_after(pilot, key)).repaired
            assert ids(app) == as_typed
            assert "as typed; F6: mended" in screen_lines(app)[-2]
        before = app.view.result
        app.post_message(app.Heard(DenseReady()))  # the program asks by itself
        await until(pilot, lambda: app.view.result is not before, "answer to the program")
        assert ids(app) == as_typed
        assert (await answer_after(pilot, "f6")).repaired
        assert ids(app) == mended
        assert "found · F6: as typed · " in screen_lines(app)[-2]
        await answer_after(pilot, "f6")
        await ask(pilot, f"{typed} x")
        await ask(pilot, typed)
        assert ids(app) == mended


async def test_enter_keeps_the_nearest_that_are_shown_and_moves_to_them(data_dir: Path) -> None:
    app = application(data_dir)
    async with running(app) as pilot:
        await ask(pilot, "xqzvw blorpt")
        await pilot.press("f7")
        nearest = ids(app)
        assert nearest
        await pilot.press("down", "slash")
        await answer_after(pilot, "enter")
        assert (ids(app), app.view.phase) == (nearest, Phase.RESULTS)
        assert isinstance(app.focused, ResultList)
        assert "nearest to “" in screen_lines(app)[1]
        assert app.query_one(ResultList).selected == 1
        await answer_after(pilot, "f6")  # another manner is another answer
        assert app.view.phase is Phase.NOTHING
        await ask(pilot, "qwxzv zzqqj xy")
        assert app.view.phase is Phase.NOTHING


@pytest.mark.parametrize("size", [(80, 24), (60, 15), (40, 12)])
async def test_what_was_mended_can_be_read_at_every_width(data_dir: Path, size: tuple[int, int]) -> None:
    app = application(data_dir)
    async with running(app, size) as pilot:
        await ask(pilot, "distrakted boyfrend")
        assert "10 for “distracted boyfriend” ─" in screen_lines(app)[1]
        assert "10 found · F6: as typed · " in screen_lines(app)[-2]
        await ask(pilot, "john cena")
        assert "F6" not in screen_lines(app)[-2]


async def test_the_heading_of_a_mended_query_keeps_what_stood_beside_its_words(data_dir: Path) -> None:
    app = application(data_dir)
    async with running(app, (160, 24)) as pilot:
        await ask(pilot, 'who:"john cena" distrakted -boyfrend')
        assert app.view.result.repaired
        assert f'“{app.view.result.repaired} who:"john cena" -boyfrend”' in screen_lines(app)[1]


@pytest.mark.parametrize("size", [(80, 24), (40, 12)])
async def test_where_nothing_fits_what_was_meant_both_are_told(data_dir: Path, size: tuple[int, int]) -> None:
    app = application(data_dir)
    async with running(app, size) as pilot:
        await ask(pilot, "xqzvw blorpt")
        meant = app.view.result.repaired
        assert meant not in ("", "xqzvw blorpt")
        said = " ".join(line[: app.query_one(ResultList).size.width].strip() for line in screen_lines(app))
        assert f"Nothing fits “{meant}”. That was searched for in place of “xqzvw blorpt”." in " ".join(said.split())
        assert "F6 searches for what was typed." in said
        await pilot.press("f6")
        await until(pilot, lambda: not app.view.result.repaired, "answer to what was typed")
        assert "Nothing fits “xqzvw blorpt”." in screen_text(app)
        assert "in place of" not in screen_text(app)


async def test_a_hit_with_copies_says_how_many_it_stands_for(data_dir: Path) -> None:
    app = application(data_dir)
    async with running(app) as pilot:
        await ask(pilot, "john cena")
        folded = [hit for hit in app.view.hits if hit.copies]
        assert folded
        for hit in app.view.hits:
            line = screen_lines(app)[2 * hit.rank]
            assert (f" ×{hit.copies + 1} " in line) == (hit.copies > 0), line


@pytest.mark.parametrize(("typed", "rest"), [("who:kea", "who:keanu-reeves"), ("ta", "tag:")])
async def test_a_filter_is_completed_in_grey_and_accepted_by_the_right_arrow(
    data_dir: Path, typed: str, rest: str
) -> None:
    app = application(data_dir)
    async with running(app) as pilot:
        await until(pilot, lambda: app.session.facets is not None, "index")
        await pilot.press(*typed)
        await until(pilot, lambda: rest in screen_lines(app)[0], "suggestion")
        assert app.query_one(QueryBox).value == typed
        await pilot.press("right")
        assert app.query_one(QueryBox).value == rest


@pytest.mark.parametrize("size", [(80, 24), (60, 15)])
async def test_a_filter_that_leaves_nothing_is_named(data_dir: Path, size: tuple[int, int]) -> None:
    app = application(data_dir)
    async with running(app, size) as pilot:
        for query, told in (
            ("who:kea", 'No meme has who:kea. Did you mean who:"Keanu Reeves"?'),
            ("cat who:keanu tag:wrestling", "Together who:keanu and tag:wrestling leave no meme."),
            ("-cat", "That only says what to leave out; say what to find, too."),
            ("?!", "Nothing fits “?!”. Try fewer words"),
            ("qwxzv zzqqj who:keanu", "Nothing fits “qwxzv zzqqj who:keanu”. Try fewer words"),
        ):
            await ask(pilot, query)
            said = " ".join(line[: app.query_one(ResultList).size.width].strip() for line in screen_lines(app)[2:-2])
            assert " ".join(said.split()).startswith(told)
            assert ("Try fewer words" in said) == told.startswith("Nothing fits")
