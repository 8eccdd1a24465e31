"""The query box shows how a filter could go on, and the right arrow accepts it; plain words get no suggestion."""

from pathlib import Path

import pytest
from textual.app import App, ComposeResult
from textual.pilot import Pilot

from mambomeme_tui import corpus, paths
from mambomeme_tui.index import facets
from mambomeme_tui.index.facets import Facets
from mambomeme_tui.retrieval.syntax import Filter, parse
from mambomeme_tui.ui.widgets.query import QueryBox
from mambomeme_tui.ui.widgets.suggesting import FilterSuggester


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> Facets:
    folder = tmp_path_factory.mktemp("facets")
    facets.create(folder, corpus.load(paths.bundled("corpus")).memes)
    return facets.load(folder)


class OneBox(App[None]):
    """Nothing but the query box, with a suggester."""

    def __init__(self, known: Facets | None) -> None:
        super().__init__()
        self.known = known

    def compose(self) -> ComposeResult:
        box = QueryBox("")
        box.suggester = FilterSuggester(lambda: self.known)
        yield box


async def typed_into(pilot: Pilot[None], text: str) -> QueryBox:
    """Put a text into the box, and wait until its suggestion would be there."""
    box = pilot.app.query_one(QueryBox)
    box.focus()
    box.value = text
    box.cursor_position = len(text)
    await pilot.app.workers.wait_for_complete()
    await pilot.pause()
    return box


def line(box: QueryBox) -> str:
    return box.render_line(0).text.rstrip()


async def test_the_right_arrow_accepts_what_is_shown_behind_the_query(known: Facets) -> None:
    async with OneBox(known).run_test(size=(80, 5)) as pilot:
        box = await typed_into(pilot, "sad tag")
        assert line(box) == "sad tag:"
        assert box.value == "sad tag"
        await pilot.press("right")
        assert box.value == "sad tag:"
        box = await typed_into(pilot, "sad who:john-ce")
        assert line(box) == "sad who:john-cena"
        await pilot.press("right")
        assert (box.value, box.cursor_position) == ("sad who:john-cena", 17)
        assert parse(box.value).filters == (Filter("who", "john-cena"),)
        await typed_into(pilot, "TA")
        await pilot.press("right")
        assert box.value == "TAg:"
        box = await typed_into(pilot, 'who:"john ce')
        await pilot.press("right", "x")
        assert box.value == 'who:"john cena"x'


@pytest.mark.parametrize(
    "text",
    [
        "john cena",
        "to",
        "t",
        "sad ta",
        "from:Dragostea din te",
        "tag:cats who",
        "-cats wh",
        "big fro",
        "who:nobodyatall",
        "note:jo",
        "[/]",
        "who:[red]",
        "tag:\u202ejo",
    ],
)
async def test_what_is_no_filter_is_drawn_as_it_is_and_the_arrow_adds_nothing(known: Facets, text: str) -> None:
    async with OneBox(known).run_test(size=(80, 5)) as pilot:
        box = await typed_into(pilot, text)
        before = box.value
        assert line(box) == before
        await pilot.press("right")
        assert box.value == before


@pytest.mark.parametrize(
    ("text", "whole"), [("wh", "who:"), ('who:"john cena" ta', 'who:"john cena" tag:'), ("-ty", "-type:")]
)
async def test_a_name_is_offered_where_nothing_stands_that_it_could_go_on_with(
    known: Facets, text: str, whole: str
) -> None:
    async with OneBox(known).run_test(size=(80, 5)) as pilot:
        assert line(await typed_into(pilot, text)) == whole


async def test_end_accepts_at_the_end_and_only_moves_elsewhere(known: Facets) -> None:
    async with OneBox(known).run_test(size=(80, 5)) as pilot:
        box = await typed_into(pilot, "who:john-ce")
        await pilot.press("left", "left", "end")
        assert (box.value, box.cursor_position) == ("who:john-ce", 11)
        await pilot.press("end")
        assert (box.value, box.cursor_position) == ("who:john-cena", 13)
        await pilot.press("end")
        assert box.value == "who:john-cena"


async def test_an_arrow_within_the_query_only_moves(known: Facets) -> None:
    async with OneBox(known).run_test(size=(80, 5)) as pilot:
        box = await typed_into(pilot, "ta")
        await pilot.press("left", "right")
        assert (box.value, box.cursor_position) == ("ta", 2)


async def test_without_a_version_nothing_is_suggested_and_a_new_one_is_asked_at_once(
    known: Facets, tmp_path: Path
) -> None:
    app = OneBox(None)
    async with app.run_test(size=(80, 5)) as pilot:
        assert line(await typed_into(pilot, "who:john-ce")) == "who:john-ce"
        app.known = known
        await typed_into(pilot, "")
        assert line(await typed_into(pilot, "who:john-ce")) == "who:john-cena"
        facets.create(tmp_path, ())
        app.known = facets.load(tmp_path)
        await typed_into(pilot, "")
        assert line(await typed_into(pilot, "who:john-ce")) == "who:john-ce"
