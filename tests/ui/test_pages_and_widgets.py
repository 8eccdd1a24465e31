"""Pages, themes, sizes and hostile texts: every line is exactly as wide as its widget, and nothing raw is drawn."""

import asyncio
import tomllib
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from textual import events
from wcwidth import wcswidth

from mambomeme_tui.errors import MamboError, UsageError
from mambomeme_tui.paths import bundled
from mambomeme_tui.retrieval.engine import Engine
from mambomeme_tui.retrieval.results import Hit, SearchResult
from mambomeme_tui.session import Building, Unavailable
from mambomeme_tui.ui.view import Phase, View
from mambomeme_tui.ui.widgets.drawn import Drawn
from mambomeme_tui.ui.widgets.preview import Preview
from mambomeme_tui.ui.widgets.query import QueryBox
from mambomeme_tui.ui.widgets.results import ResultList
from tests.ui.waiting import (
    application,
    ask,
    assert_inside,
    has_answer,
    ids,
    raw_characters,
    running,
    screen_lines,
    screen_text,
    strips,
    until,
)

HOSTILE = [
    "x" * 9_990,
    "john cena " * 999,
    "[/bold",
    "[/]",
    "[red]john[/red] [@click=app.quit]cena[/]",
    "\x1b[31mjohn\x07\x00 cena\x9b2J\x1b]0;title\x07",
    "john\r\ncena\t\x7f\x85",
    "\ud800 john \udfff cena \udc1b",
    "שלום עולם \u202eanec nhoj\u2066",
    "e\u0301\u0302\u0303" * 60 + " café",
    "\u0301\u0301",
    "😀 👨\u200d👩\u200d👧 🇧🇷 ❤\ufe0f 👍🏽",
    "\"unbalanced 'quotes (and [brackets {",
    "漢字とひらがな" * 20,
    "* ? ~ ^ AND OR NOT name:john -cena +x",
    "\u2028\u2029\ufeff\ufffe\U000e0041",
]


@pytest.mark.parametrize("way", ["set", "pasted"])
async def test_hostile_queries_are_answered_and_nothing_raw_is_drawn(data_dir: Path, way: str) -> None:
    app = application(data_dir)
    async with running(app) as pilot:
        box = app.query_one(QueryBox)
        for query in HOSTILE:
            await pilot.press("ctrl+u")
            if way == "set":
                box.value = query
            else:
                box.post_message(events.Paste(query))
            done = lambda: app.view.result is not None or app.view.phase is Phase.WELCOME  # noqa: E731
            await until(pilot, done, "answer")
            assert raw_characters(app) == set(), query[:40]
            assert_inside(app, 80, 24)
            await pilot.press("end", "left", "X", "home", "Y")
            assert box.value.startswith("Y")
            assert raw_characters(app) == set(), query[:40]
        box.value = "john cena"
        await until(pilot, lambda: has_answer(app, "john cena"), "answer after all of them")
        assert ids(app)[0].startswith("john-cena.")


async def test_hostile_texts_of_an_item_are_drawn_without_anything_raw(data_dir: Path, engine: Engine) -> None:
    result = engine.search("john cena")
    app = application(data_dir)
    async with running(app, (200, 60)) as pilot:  # large enough for every fact
        for text in HOSTILE:
            app.show(View(Phase.RESULTS, shown(result, text), memes=1))
            await pilot.pause()
            assert raw_characters(app) == set(), text[:40]
            app.show(View(Phase.ERROR, message=text, hint=text))
            await pilot.pause()
            assert raw_characters(app) == set(), text[:40]
            assert_inside(app, 200, 60)


def shown(result: SearchResult, text: str) -> SearchResult:
    """The result with this text wherever an item's own texts are drawn."""

    def altered(hit: Hit) -> Hit:
        family = replace(hit.meme.family, franchise=text, origin=text, aliases=(text,))
        rights = replace(hit.meme.rights, licence=text, attribution=text)
        meme = replace(hit.meme, title=text, quote=f"{text} / {text}", family=family, rights=rights, tags=(text,))
        return replace(hit, meme=meme, why=(text, text))

    return replace(result, query=text, hits=tuple(altered(hit) for hit in result.hits))


# Characters whose width no two libraries disagree on: one cell, or two.
PLAIN = st.text(st.sampled_from("abc xyzäß/.,[]'\"漢字仮名かなカナ한국어，。"), max_size=60)
SIZES = st.tuples(st.integers(20, 220), st.integers(5, 70))
Step = tuple[tuple[int, int], str, int]
STEPS = st.lists(st.tuples(SIZES, PLAIN, st.integers(0, 9)), min_size=3, max_size=6)
width_of = lru_cache(maxsize=None)(wcswidth)


@settings(max_examples=5, deadline=None, suppress_health_check=list(HealthCheck))
@given(steps=STEPS)
def test_every_line_of_every_widget_is_exactly_its_width(data_dir: Path, engine: Engine, steps: list[Step]) -> None:
    asyncio.run(draw_all(data_dir, engine.search("john cena"), steps))


async def draw_all(data_dir: Path, result: SearchResult, steps: list[Step]) -> None:
    """Show the altered result and a page at every size; the width is counted by another library."""
    app = application(data_dir)
    async with running(app) as pilot:
        for (width, height), text, place in steps:
            await pilot.resize_terminal(width, height)
            altered = shown(result, text)
            pages = (
                View(Phase.RESULTS, altered, memes=1, notice=text, searching=True),
                View(Phase.NOTHING, replace(altered, hits=()), memes=1),
                View(Phase.ERROR, message=text, hint=text),
                View(Phase.BUILDING, message="embed", progress=place / 9),
                View(Phase.WELCOME),
            )
            for view in (View(Phase.RESULTS, altered, memes=12_345, parts=text), pages[place % len(pages)]):
                app.show(view)
                app.query_one(ResultList).move_to(place)
                await pilot.pause()
                for widget in app.query(Drawn):
                    for y in range(widget.size.height):
                        assert width_of(widget.render_line(y).text) == widget.size.width, (widget, y)
                lines = screen_lines(app)
                assert [width_of(line) for line in lines] == [width] * height
                assert view.phase is not Phase.RESULTS or any(line.startswith("▌") for line in lines)


async def test_resizing_while_searches_run_keeps_everything_inside(data_dir: Path, engine: Engine) -> None:
    app = application(data_dir)
    async with running(app) as pilot:
        await ask(pilot, "john")
        for letters, (width, height) in zip(
            ["john c", "john ce", "john cen", "john cena"], [(60, 15), (200, 60), (72, 18), (80, 24)], strict=True
        ):
            app.query_one(QueryBox).value = letters
            await pilot.resize_terminal(width, height)
            await until(pilot, lambda size=(width, height): app.screen.size == size, "new size")
            await pilot.pause()
            assert_inside(app, width, height)
            assert ("preview" in screen_lines(app)[1]) == (width >= 72)
        await until(pilot, lambda: has_answer(app, "john cena"), "last answer")
        assert ids(app) == [hit.meme.id for hit in engine.search("john cena").hits]


async def test_the_preview_is_there_where_it_leaves_room_for_the_list(data_dir: Path) -> None:
    app = application(data_dir)
    async with running(app) as pilot:
        for size, there in (((71, 24), False), ((72, 17), False), ((72, 18), True), ((220, 17), False)):
            await pilot.resize_terminal(*size)
            await pilot.pause()
            assert ("preview" in screen_lines(app)[1]) == there, size
            assert bool(app.query_one(Preview).region) == there, size


async def test_a_screen_after_resizing_is_the_screen_of_a_fresh_start(data_dir: Path) -> None:
    async def screen(*sizes: tuple[int, int]) -> list[str]:
        app = application(data_dir)
        async with running(app, sizes[0]) as pilot:
            await ask(pilot, "john cena")
            milliseconds = f" {app.view.result.timing.total:.0f} ms "
            for size in sizes[1:]:
                await pilot.resize_terminal(*size)
                await pilot.pause()
            return [line.replace(milliseconds, " N ms ").rstrip() for line in screen_lines(app)]

    fresh = await screen((80, 24))
    assert await screen((80, 24), (60, 15), (200, 60), (80, 24)) == fresh
    assert await screen((60, 15), (80, 24), (200, 60)) == await screen((200, 60))


async def test_the_last_hit_can_be_seen_where_ten_do_not_fit(data_dir: Path) -> None:
    app = application(data_dir)
    async with running(app, (60, 15)) as pilot:
        await ask(pilot, "john cena")
        assert not any(line.startswith("▌10") for line in screen_lines(app))
        await pilot.press("down", "end")
        assert any(line.startswith("▌10") for line in screen_lines(app))
        await pilot.resize_terminal(60, 9)
        await pilot.pause()
        assert any(line.startswith("▌10") for line in screen_lines(app))


async def test_nothing_found_is_said_with_the_query(data_dir: Path) -> None:
    app = application(data_dir)
    async with running(app) as pilot:
        await ask(pilot, "qwxzv zzqqj")
        text = screen_text(app)
        assert "Nothing fits “qwxzv zzqqj”." in text
        assert "nothing found · " in screen_lines(app)[-2]
        assert "▌" not in text
        app.query_one(QueryBox).value = "   "
        await until(pilot, lambda: app.view.phase is Phase.WELCOME, "welcome")
        assert "Nothing fits" not in screen_text(app)


@pytest.mark.parametrize("size", [(60, 15), (80, 24)])
async def test_no_text_of_the_welcome_or_the_help_is_cut(data_dir: Path, size: tuple[int, int]) -> None:
    app = application(data_dir)
    async with running(app, size) as pilot:
        assert "torn between two choices" in screen_text(app)
        assert "suprised pikachoo" in screen_text(app)
        assert "…" not in screen_text(app)
        await pilot.press("f1")
        await until(pilot, lambda: "any key goes back" in screen_text(app), "help")
        seen = screen_text(app)
        if size == (60, 15):  # there it scrolls, and scrolling does not go back
            while "Ctrl+Z" not in (before := screen_text(app)):
                await pilot.press("down")
                await until(pilot, lambda before=before: screen_text(app) != before, "lower part of the help")
                seen += screen_text(app)
        for action in ("in the query box", "print its file or id, and quit", "suspend; `fg` comes back"):
            assert action in seen
        assert "…" not in seen


async def test_a_data_folder_that_cannot_be_one_is_told_with_what_to_do(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("in the way")
    app = application(file / "data")
    async with app.run_test() as pilot:
        await until(pilot, lambda: app.view.phase is Phase.ERROR, "error page")
        said = " ".join(screen_text(app).replace("│", " ").split())
        assert "The index could not be built" in said
        assert "MAMBOMEME_DATA_DIR" in said
        assert screen_lines(app)[-2].startswith(" ✗  no search")
        await pilot.press(*"john", "enter", "ctrl+u")
        assert app.view.phase is Phase.ERROR


async def test_the_building_page_shows_stage_and_share_and_the_error_page_its_reason(data_dir: Path) -> None:
    app = application(data_dir)
    async with running(app) as pilot:
        app.post_message(app.Heard(Building("embed", 3, 4)))
        await pilot.pause()
        bar = next(line for line in screen_lines(app) if "━" in line)
        assert (bar.count("━"), bar.count("╌")) == (30, 10)
        assert "encoding meanings" in screen_text(app)
        app.post_message(app.Heard(Unavailable(MamboError("The shelf is empty.", "Fill it."))))
        await pilot.pause()
        assert "The shelf is empty." in screen_text(app)
        assert "Fill it." in screen_text(app)


@pytest.mark.parametrize("theme", ["night", "day"])
async def test_a_theme_gives_the_screen_its_colours(data_dir: Path, theme: str) -> None:
    colours = tomllib.loads((bundled("themes") / f"{theme}.toml").read_text())["colours"]
    app = application(data_dir, theme)
    async with running(app) as pilot:
        await ask(pilot, "john cena")
        grounds = [{segment.style.bgcolor.name for segment in strip if segment.style} for strip in strips(app)]
        assert colours["background"] in grounds[0]
        assert colours["selection"] in grounds[2]
        assert colours["selection"] not in grounds[4]
        assert grounds[-2:] == [{colours["surface"]}, {colours["footer"]}]


def test_an_unknown_theme_is_a_usage_error_that_names_the_known_ones(data_dir: Path) -> None:
    with pytest.raises(UsageError, match=r"no theme called 'dusk'.*day, night") as raised:
        application(data_dir, "dusk")
    assert raised.value.exit_code == 2
    with pytest.raises(UsageError):
        application(data_dir, "../themes/night")


async def test_without_colours_the_selected_row_is_still_told(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    app = application(data_dir)
    async with running(app) as pilot:
        await ask(pilot, "john cena")
        await pilot.press("down", "down")
        drawn = strips(app)
        assert all(s.style is None or s.style.color is s.style.bgcolor is None for strip in drawn for s in strip)
        reversed_rows = [
            y for y, strip in enumerate(drawn) if y > 1 and any(s.style and s.style.reverse for s in strip)
        ]
        assert reversed_rows == [4, 5]
        assert [line[0] for line in screen_lines(app)[4:6]] == ["▌", "▌"]
