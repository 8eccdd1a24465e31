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
        assert "F6 as typed; for “distracted" in screen_lines(app)[-2]
        assert ids(app) == [hit.meme.id for hit in engine.search(typed).hits]
        await pilot.press("f6")
        await until(pilot, lambda: app.view.result is not None and not app.view.result.repaired, "as typed")
        assert ids(app) == [hit.meme.id for hit in engine.search(typed, as_typed=True).hits]
        assert "F6" not in screen_lines(app)[-2]


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
