"""Filters are completed by what a version has, and every completion is a filter that finds what it was made of."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mambomeme_tui import corpus, paths
from mambomeme_tui.index import facets
from mambomeme_tui.index.facets import FACETS, Facets
from mambomeme_tui.retrieval.completion import complete_query, continuation, token_start
from mambomeme_tui.retrieval.syntax import ALIASES, parse
from mambomeme_tui.text import words
from tests.unit.test_facets import meme

PEOPLE = ("Keanu Reeves", "Keanu Reeves", "Kéa Ngo", 'Dwayne "The Rock" Johnson', "漢字とひらがな", "Zoë", "Zoë Bell")


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> Facets:
    folder = tmp_path_factory.mktemp("few")
    memes = [
        meme(["The Office", "officer"], people=(name,), franchise="", year=2010 + at // 2)
        for at, name in enumerate(PEOPLE)
    ]
    facets.create(folder, [*memes, meme(["office"], shown=False, people=("Kean Secret",))])
    return facets.load(folder)


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> Facets:
    folder = tmp_path_factory.mktemp("facets")
    facets.create(folder, corpus.load(paths.bundled("corpus")).memes)
    return facets.load(folder)


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("ta", ["tag:"]),
        ("dog -TE", ["-template:"]),
        ("ty", ["type:"]),
        ("t", []),
        ("tag", ["tag:"]),
        ("tags", []),
        ("who:kea", ['who:"Keanu Reeves"', 'who:"Kéa Ngo"']),
        ("dog -who:REE", ['-who:"Keanu Reeves"']),
        ('who:"keanu r', ['who:"Keanu Reeves"']),
        ("who:“keanu ", ['who:"Keanu Reeves"']),
        ("person:zo", ["person:Zoë", 'person:"Zoë Bell"']),
        ("who:rock", ['who:"Dwayne The Rock Johnson"']),
        ("who:漢", ["who:漢字とひらがな"]),
        ("who:secret", []),
        ("tag:off", ["tag:officer", 'tag:"The Office"']),
        ("tag:", ["tag:officer", 'tag:"The Office"']),
        ("from:", []),
        ("year:", ["year:2010", "year:2011", "year:2012", "year:2013"]),
        ("year:201", ["year:2010", "year:2011", "year:2012", "year:2013"]),
        ("year:>201", []),
        ("tag:office ", []),
        ("", []),
        ('"ta', []),
        ("note:ta", []),
        ("(ta", []),
    ],
)
def test_a_token_at_the_end_is_completed(few: Facets, typed: str, offered: list[str]) -> None:
    assert complete_query(typed, len(typed), few) == offered


def test_a_token_within_the_query_is_completed_where_it_ends(few: Facets) -> None:
    typed = "big who:kea dog"
    assert complete_query(typed, 11, few) == complete_query("who:kea", 7, few) != []
    assert token_start(typed, 11) == 4
    for cursor in (-1, 0, 3, 4, 10, 12, 15, 16, 99):
        assert complete_query(typed, cursor, few) == []
    assert token_start("x ta", 4) == 2
    assert token_start('x -who:"a b', 11) == 2
    assert [token_start("x ", cursor) for cursor in (-1, 2, 9)] == [0, 2, 2]


@pytest.mark.parametrize(
    ("typed", "added"),
    [
        ("ta", "g:"),
        ("dog -TE", "mplate:"),
        ("who:kea", "nu-reeves"),
        ("who:KEA", "nu-reeves"),
        ("who:kéa-n", "go"),
        ("who:keanu-", "reeves"),
        ("who:ree", "ves"),
        ("who:reeves", ""),
        ("who:zoë", "-bell"),
        ('who:"kea', 'nu reeves"'),
        ('who:"keanu ', 'reeves"'),
        ('who:"Keanu Reeves', '"'),
        ('who:"Keanu Reeves"', ""),
        ("who:keanu.", ""),
        ("who:漢", ""),
        ("tag:off", "icer"),
        ("tag:officer", ""),
        ("year:201", "0"),
        ("dog", ""),
        ("", ""),
    ],
)
def test_what_could_follow_completes_the_last_token(few: Facets, typed: str, added: str) -> None:
    assert continuation(typed, few) == added


@settings(deadline=None, max_examples=300)
@given(st.data())
def test_every_completion_is_a_filter_that_finds_what_it_was_made_of(known: Facets, data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(FACETS))
    entries = known.complete(name, "", 10_000)
    entry = data.draw(st.sampled_from(entries))
    typed = f"fire {name}:{data.draw(st.sampled_from(words(entry)))[: data.draw(st.integers(0, 3))]}"
    offered = complete_query(typed, len(typed), known)
    assert offered
    for token in offered:
        found = parse(f"fire {token}")
        assert (found.plain, len(found.filters), found.filters[0].name) == ("fire", 1, name)
        assert words(found.filters[0].value) in map(words, entries)
        assert len(known.positions(name, found.filters[0].value)) > 0
    if added := continuation(typed, known):
        (one,) = parse(typed + added).filters
        assert len(known.positions(name, one.value)) > 0
        assert typed[len(f"fire {name}:") :].lower() in one.value


SIGNS = st.lists(
    st.sampled_from([*FACETS, "-", ":", '"', "“", " ", "a", "ta", "é", "2012", ">", "\u202e", "\x00", "漢", "!"])
)


@settings(deadline=None, max_examples=400)
@given(st.one_of(st.text(max_size=60), SIGNS.map("".join)), st.integers(-3, 70))
def test_anything_may_be_completed_anywhere(known: Facets, typed: str, cursor: int) -> None:
    offered = complete_query(typed, cursor, known)
    start = token_start(typed, cursor)
    assert 0 <= start <= len(typed)
    assert len(offered) <= 8
    for token in offered:
        assert re.match(f"-?(?:{'|'.join((*FACETS, *ALIASES))}):", token, re.IGNORECASE)
        assert token.startswith("-") == (typed[start] == "-")
    added = continuation(typed, known)
    assert not added or added.isprintable()


def test_long_queries_are_completed_at_their_end(few: Facets) -> None:
    assert complete_query("dog " * 2_500 + "who:kea", 10_007, few)[0] == 'who:"Keanu Reeves"'
    assert complete_query(f"who:{'-' * 300}kea", 307, few) == []
    for typed in ('"' * 10_000, "who:" * 2_500, 'who:"' * 2_000, "a" * 10_000, 'who:"' + "a b" * 3_000):
        assert complete_query(typed, len(typed), few) in ([], complete_query("who:", 4, few))
