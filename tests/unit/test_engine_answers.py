"""Proves what an engine answers with: whether anything fits, what restrictions leave, how many copies a hit has."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest

from mambomeme_tui.index.facets import entries_of
from mambomeme_tui.index.views import lexical_fields, lexical_parts
from mambomeme_tui.records import Meme
from mambomeme_tui.retrieval.engine import Engine, _Clock
from mambomeme_tui.retrieval.query import understand
from mambomeme_tui.retrieval.results import State
from mambomeme_tui.text import terms, words
from tests.unit.test_engine import QUERIES, ROUTES, opened_with


@pytest.fixture(scope="module")
def engine(data_dir: Path) -> Iterator[Engine]:
    """An engine with both routes for which everything fits."""
    yield from opened_with(data_dir, 0.0, dense=True)


@pytest.fixture
def wordy(data_dir: Path) -> Iterator[Engine]:
    """An engine for which everything fits and whose dense route was not loaded."""
    yield from opened_with(data_dir, 0.0, dense=False)


@pytest.fixture(scope="module")
def strict(data_dir: Path) -> Iterator[Engine]:
    """An engine with both routes for which nothing fits."""
    yield from opened_with(data_dir, 1.1, dense=True)


def reads(meme: Meme, phrase: str) -> bool:
    """Whether one of a record's texts has these words in sequence."""
    texts = [text for parts in lexical_parts(meme).values() for text in parts]
    return any(f" {' '.join(words(phrase))} " in f" {' '.join(words(text))} " for text in texts)


def holds(meme: Meme, word: str) -> bool:
    return set(terms(word)) <= {term for text in lexical_fields(meme).values() for term in terms(text)}


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("typed", [*QUERIES, "distrakted boyfrend", "type:animal cat", "john cena -cat"])
def test_where_nothing_fits_the_same_list_is_what_comes_nearest(
    engine: Engine, strict: Engine, typed: str, route: str
) -> None:
    fitting, nothing = engine.search(typed, route), strict.search(typed, route)
    assert fitting.hits
    assert (fitting.nearest, nothing.hits) == ((), ())
    assert nothing.nearest == fitting.hits
    assert (nothing.state, nothing.repaired, nothing.query) == (fitting.state, fitting.repaired, fitting.query)
    assert len(nothing.to_dict()["nearest"]) == len(fitting.hits)


@pytest.mark.parametrize("least", [0.0, 1.1])
def test_without_the_dense_route_the_lexical_model_tells_what_fits(wordy: Engine, least: float) -> None:
    told = wordy.version.parameters
    others = {name: model | {"least": 1.1 - least} for name, model in told.thresholds.items()}
    own = {"lexical": told.thresholds["lexical"] | {"least": least}}
    wordy._ranking._parameters = replace(told, thresholds=others | own)
    for route in ("lexical", "hybrid"):
        result = wordy.search("john cena", route)
        assert bool(result.hits) is (least == 0.0)
        assert result.hits or result.nearest


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize(
    "typed", ["type:animal", "year:2012-2013 lang:en", "-type:animal tag:office", 'who:"john cena"']
)
def test_filters_alone_give_what_has_them_in_order_whatever_is_near(
    engine: Engine, strict: Engine, typed: str, route: str
) -> None:
    result = strict.search(typed, route)
    allowed = engine._restrictions.allowed(understand(typed).syntax)
    memes = engine.version.catalogue.at(np.flatnonzero(allowed).tolist())
    assert [hit.meme.id for hit in result.hits] == [meme.id for meme in memes if not meme.change][:10] != []
    assert result.nearest == ()
    assert all(hit.score == 0 and not hit.routes and not hit.why for hit in result.hits)
    assert engine.search(typed, route).hits == result.hits


@pytest.mark.parametrize("route", ROUTES)
def test_filters_beside_words_hold_for_every_hit(engine: Engine, route: str) -> None:
    for name, value in (("type", "animal"), ("lang", "de"), ("year", "2012"), ("tag", "office")):
        hits = engine.search(f"sad cat {name}:{value}", route, 50).hits
        others = engine.search(f"sad cat -{name}:{value}", route, 50).hits
        assert hits
        assert others
        assert all((name, value) in entries(hit.meme) for hit in hits)
        assert not any((name, value) in entries(hit.meme) for hit in others)


def entries(meme: Meme) -> set[tuple[str, str]]:
    """Every word of what a meme can be filtered by."""
    return {(name, word) for name, text in entries_of(meme) for word in words(text)}


@pytest.mark.parametrize("route", ROUTES)
def test_phrases_stand_in_every_hit_and_what_is_excluded_in_none(engine: Engine, route: str) -> None:
    phrased = engine.search('"john cena" meeting', route, 50).hits
    assert phrased
    assert all(reads(hit.meme, "john cena") for hit in phrased)
    without = engine.search("cat -grumpy", route, 50).hits
    assert without
    assert not any(holds(hit.meme, "grumpy") for hit in without)
    assert any(holds(hit.meme, "grumpy") for hit in engine.search("cat grumpy", route, 50).hits)


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("filtering", ["", " type:animal", " -cena"])
def test_a_phrase_that_nothing_has_gives_what_is_nearest_to_its_words(
    engine: Engine, route: str, filtering: str
) -> None:
    typed = "grumpy cena burning"
    phrased = engine.search(f'"{typed}"{filtering}', route)
    assert phrased.hits == ()
    plain = engine.search(f"{typed}{filtering}", route, as_typed=True)
    assert phrased.nearest == plain.hits != ()


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("restricting", ["", "lang:en", "-cat"])
@pytest.mark.parametrize("phrase", ["the", "has been", "of the", "you do", "very", "john cena"])
def test_whatever_has_a_phrase_is_an_answer_whether_a_route_finds_it_or_not(
    engine: Engine, strict: Engine, phrase: str, restricting: str, route: str
) -> None:
    allowed = np.flatnonzero(engine._restrictions.allowed(understand(restricting).syntax)).tolist()
    having = [one for one in engine.version.catalogue.at(allowed) if reads(one, phrase)]
    answered = strict.search(f'"{phrase}" {restricting}', route, engine.size)
    assert answered.hits
    assert all(reads(hit.meme, phrase) for hit in answered.hits)
    depth = engine.version.parameters.depth
    groups = {one.group for one in having}
    assert len(answered.hits) == len(groups) or len(having) > depth
    by_nothing = [hit.meme.id for hit in answered.hits if hit.score == 0]
    assert by_nothing == sorted(by_nothing), "in the order of the catalogue, which is that of the ids"
    assert [hit.score for hit in answered.hits] == sorted((hit.score for hit in answered.hits), reverse=True)


def test_where_no_route_finds_a_phrase_the_catalogue_gives_the_order(engine: Engine, strict: Engine) -> None:
    memes = engine.version.catalogue.at(np.flatnonzero(engine._shown).tolist())
    expected = {one.group: one.id for one in reversed(memes) if reads(one, "of the")}
    hits = strict.search('"of the"', "lexical").hits
    assert [hit.meme.id for hit in hits] == sorted(expected.values())[:10]
    assert all(not hit.routes for hit in hits)


@pytest.mark.parametrize(
    "typed", ["cat tag:zxqvwk", "type:animal -type:animal", 'cat year:1900 "grumpy cat"', "tag:zxqvwk"]
)
@pytest.mark.parametrize("route", ROUTES)
def test_where_filters_leave_nothing_there_is_nothing_near_either(engine: Engine, typed: str, route: str) -> None:
    result = engine.search(typed, route)
    assert result.hits == result.nearest == ()
    assert result.state is State.COMPLETE


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("typed", [*QUERIES, "distrakted boyfrend", "sad cat type:animal", "john cena -cat"])
def test_a_result_holds_the_evidence_that_was_judged(engine: Engine, strict: Engine, typed: str, route: str) -> None:
    query = understand(typed, engine._mend)
    allowed = engine._restrictions.allowed(query.syntax)
    found = engine._candidates(query, route, allowed, _Clock(), lambda: False)
    expected = engine._ranking.evidence(query, found, allowed)
    for one in (engine, strict):
        assert one.search(typed, route).evidence == expected
    assert any(asdict(expected).values())
    assert "evidence" not in engine.search(typed, route).to_dict()


@pytest.mark.parametrize("route", ["hybrid", "lexical"])
@pytest.mark.parametrize("typed", ["doge -doge", "distracted boyfriend year:2003", "rickroll type:comic"])
def test_a_name_of_which_restrictions_leave_nothing_is_no_evidence(engine: Engine, typed: str, route: str) -> None:
    name = typed.rpartition(" ")[0]
    told, restricted = (engine.search(query, route).evidence for query in (name, typed))
    assert told is not None
    assert restricted is not None
    assert (told.named, restricted.named) == (1.0, 0.0)


@pytest.mark.parametrize("route", ROUTES)
def test_the_evidence_is_gathered_once_a_search(engine: Engine, route: str, monkeypatch: pytest.MonkeyPatch) -> None:
    gather, gathered = engine._ranking.evidence, []
    monkeypatch.setattr(engine._ranking, "evidence", lambda *found: gathered.append(gather(*found)) or gathered[-1])
    result = engine.search("john cena", route)
    assert gathered == [result.evidence]


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize(
    "typed",
    ["", " ?! ", "tag:cat", "-type:animal", "cat tag:zxqvwk", *(f'"{one}"' for one in ("grumpy cena burning", "the"))],
)
def test_where_nothing_is_judged_there_is_no_evidence(engine: Engine, strict: Engine, typed: str, route: str) -> None:
    for one in (engine, strict):
        assert one.search(typed, route).evidence is None


@pytest.mark.parametrize("route", ROUTES)
def test_a_hit_counts_the_copies_that_it_stands_for(engine: Engine, route: str) -> None:
    memes = engine.version.catalogue.at(np.flatnonzero(engine._shown).tolist())
    sizes = Counter(meme.group for meme in memes)
    copied = [meme for meme in memes if meme.change][:12]
    seen = 0
    for typed in [*(f'"{meme.quote}"' for meme in copied), "john cena"]:
        for hit in engine.search(typed, route).hits:
            assert hit.copies == sizes[hit.meme.group] - 1
            assert hit.to_dict()["copies"] == hit.copies
            seen += hit.copies > 0
    assert seen >= 6


@pytest.mark.parametrize("typed", ["cat", "john cena", "type:animal"])
@pytest.mark.parametrize("route", ROUTES)
def test_nothing_that_policy_withholds_is_found_or_near(engine: Engine, strict: Engine, typed: str, route: str) -> None:
    withheld = engine.version.catalogue.withheld(engine._classes)
    hidden = {meme.id for meme in engine.version.catalogue.at(sorted(withheld))}
    assert len(hidden) > 100
    for one in (engine, strict):
        result = one.search(typed, route, engine.size)
        assert not hidden & {hit.meme.id for hit in result.hits + result.nearest}
