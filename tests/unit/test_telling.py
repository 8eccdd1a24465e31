"""What is told of an answer: what was searched for, and why nothing is found; nothing of what policy withholds."""

from dataclasses import replace
from pathlib import Path

import pytest

from mambomeme_tui.index import facets
from mambomeme_tui.index.facets import Facets
from mambomeme_tui.retrieval.engine import Engine
from mambomeme_tui.retrieval.results import SearchResult
from mambomeme_tui.retrieval.syntax import parse
from mambomeme_tui.telling import searched_for, why_nothing
from tests.unit.test_facets import meme


@pytest.fixture(scope="module")
def found(engine: Engine) -> SearchResult:
    """Any answer with hits."""
    return engine.search("john cena", "lexical")


@pytest.fixture
def known(tmp_path: Path) -> Facets:
    """A few memes, one of them withheld."""
    shown = (
        meme(["office"], people=("Keanu Reeves",), kind="animal", year=2012),
        meme(["home office", "cats"], people=("John Cena",), language="de", year=2015),
    )
    withheld = meme(["secret office party"], shown=False, people=("Kea Withheld",), language="xx", year=1812)
    facets.create(tmp_path, (*shown, withheld))
    return facets.load(tmp_path)


def nothing(found: SearchResult, query: str, nearest: bool = False) -> SearchResult:
    """The answer to a query whose filters leave nothing; with `nearest` it is for its phrase."""
    return replace(found, query=query, hits=(), nearest=found.hits if nearest else (), evidence=None)


@pytest.mark.parametrize(
    ("query", "repaired", "told"),
    [
        ("john cena", "", "john cena"),
        ("jon cena", "john cena", "john cena"),
        ("tag:office jon -dog year:2012-", "john", "john tag:office year:2012- -dog"),
        ('jon -who:"Keanu Reeves" -"big dog"', "john", 'john -who:"Keanu Reeves" -"big dog"'),
    ],
)
def test_a_mended_query_is_told_with_its_filters_and_exclusions(
    found: SearchResult, query: str, repaired: str, told: str
) -> None:
    assert searched_for(replace(found, query=query, repaired=repaired)) == told
    if repaired:  # it can be typed, and means the same
        typed, said = parse(query), parse(told)
        assert (said.filters, said.excluded, said.plain) == (typed.filters, typed.excluded, repaired)


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("who:kea", 'No meme has who:kea. Did you mean who:"Keanu Reeves"?'),
        ("dog who:reves", 'No meme has who:reves. Did you mean who:"Keanu Reeves"?'),
        ('who:"jon cena"', 'No meme has who:"jon cena". Did you mean who:"John Cena"?'),
        ("tag:offce", "No meme has tag:offce. Did you mean tag:office?"),
        ("kind:anmals", "No meme has type:anmals. Did you mean type:animal?"),
        ("lang:german", "No meme has lang:german. There are de, en."),
        ("year:1999", "No meme has year:1999. There are 2012 to 2015."),
        (
            "tag:offce who:kea",
            'No meme has tag:offce. Did you mean tag:office? No meme has who:kea. Did you mean who:"Keanu Reeves"?',
        ),
        ("tag:cats who:keanu", "Together tag:cats and who:keanu leave no meme."),
        ("tag:office -home who:cena -cats", "Together tag:office, who:cena, -home and -cats leave no meme."),
        ("-tag:office", "-tag:office leaves no meme."),
        ("-who:kea tag:cats -cats", "Together -who:kea, tag:cats and -cats leave no meme."),
    ],
)
def test_the_filter_that_leaves_nothing_is_named_with_what_may_be_meant(
    found: SearchResult, known: Facets, query: str, told: str
) -> None:
    assert why_nothing(nothing(found, query), known) == told


@pytest.mark.parametrize("query", ["tag:secret", "tag:party", "who:withheld", "lang:xx", "year:1812"])
def test_what_only_withheld_memes_have_is_what_nobody_has(found: SearchResult, known: Facets, query: str) -> None:
    told = why_nothing(nothing(found, query), known)
    assert told.startswith(f"No meme has {query}.")
    assert not {"secret", "party", "withheld", "xx", "1812"} & set(
        told.removeprefix(f"No meme has {query}.").lower().split()
    )


def test_a_phrase_is_to_blame_only_where_the_rest_leaves_something(found: SearchResult, known: Facets) -> None:
    query = '"no such words" tag:office -dog'
    told = 'Together tag:office, "no such words" and -dog leave no meme.'
    assert why_nothing(nothing(found, query, nearest=True), known) == told
    assert why_nothing(nothing(found, query), known) == "Together tag:office and -dog leave no meme."
    assert why_nothing(nothing(found, '"no such words"', nearest=True), known) == ""


def test_where_words_alone_fit_nothing_no_filter_is_blamed(engine: Engine) -> None:
    result = engine.search("qwxzv zzqqj tag:office", "lexical")
    assert (result.hits, result.evidence is None) == ((), False)
    assert why_nothing(result, engine.facets) == ""
    assert why_nothing(engine.search("tag:office"), engine.facets) == ""
    assert (
        why_nothing(engine.search("zzqqj tag:offce"), engine.facets)
        == "No meme has tag:offce. Did you mean tag:office?"
    )
