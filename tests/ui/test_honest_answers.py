"""What the screen says of a mended query, of nothing found, of copies, and of filters: never one for the other."""

from pathlib import Path

import pytest

from mambomeme_tui.retrieval.engine import Engine
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
        assert "F6: as typed" not in screen_lines(app)[-2]


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
