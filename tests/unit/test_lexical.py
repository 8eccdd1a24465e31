"""Proves that the lexical route ranks by weighted BM25F, against scores computed here from the records alone."""

import math
from collections import Counter
from dataclasses import replace

import pytest

from mambomeme_tui.index.views import LEXICAL_FIELDS, lexical_fields
from mambomeme_tui.parameters import Parameters
from mambomeme_tui.retrieval.engine import Engine
from mambomeme_tui.retrieval.lexical import LexicalRoute
from mambomeme_tui.retrieval.query import MAX_TERMS, understand
from mambomeme_tui.retrieval.results import Candidate
from mambomeme_tui.text import terms

QUERIES = (
    "john cena",
    "you can't see me",
    "guy looking back at another girl",
    "a dog in a burning room",
    "drake",
    "cat cat piano",
    "one does not simply walk into the office with a spreadsheet on a monday morning",
)
LENGTH_ERROR = 0.05
"""Whoosh keeps a field's length in one byte, so that scores may be off by this share."""


class Oracle:
    """BM25F over every record, from its definition; knows neither Whoosh nor the postings."""

    def __init__(self, engine: Engine) -> None:
        memes = engine.version.catalogue.at(range(engine.size))
        self.memes = len(memes)
        self.counts = {name: [Counter(terms(lexical_fields(meme)[name])) for meme in memes] for name in LEXICAL_FIELDS}
        self.means = {name: sum(map(Counter.total, docs)) / len(docs) for name, docs in self.counts.items()}

    def scores(self, wanted: tuple[str, ...], parameters: Parameters) -> dict[int, float]:
        """Every meme with a positive score, by position."""
        found: dict[int, float] = {}
        for name, weight in parameters.field_weights.items():
            for term in wanted:
                for position, score in self._term(name, term, parameters).items():
                    found[position] = found.get(position, 0.0) + weight * score
        return found

    def _term(self, name: str, term: str, parameters: Parameters) -> dict[int, float]:
        docs = self.counts[name]
        holders = [position for position, counts in enumerate(docs) if term in counts]
        idf = math.log(self.memes / (len(holders) + 1)) + 1
        k1, b = parameters.bm25_k1, parameters.bm25_b
        scores = {}
        for position in holders:
            tf, length = docs[position][term], docs[position].total()
            scores[position] = idf * tf * (k1 + 1) / (tf + k1 * (1 - b + b * length / self.means[name]))
        return scores


@pytest.fixture(scope="module")
def oracle(engine: Engine) -> Oracle:
    return Oracle(engine)


def search(engine: Engine, typed: str, **changed: object) -> list[Candidate]:
    route = LexicalRoute(engine.version.folder, replace(engine.version.parameters, **changed))
    try:
        return route.search(understand(typed))
    finally:
        route.close()


@pytest.mark.parametrize("typed", QUERIES)
def test_scores_and_candidates_are_those_of_bm25f(engine: Engine, oracle: Oracle, typed: str) -> None:
    parameters = engine.version.parameters
    expected = oracle.scores(understand(typed).terms, parameters)
    found = search(engine, typed)
    assert len(found) == min(parameters.depth, len(expected)) > 0
    for one in found:
        assert one.score == pytest.approx(expected[one.position], rel=LENGTH_ERROR)
    left_out = set(expected) - {one.position for one in found}
    assert all(expected[position] <= found[-1].score * (1 + LENGTH_ERROR) for position in left_out)


@pytest.mark.parametrize("typed", QUERIES)
def test_without_length_normalisation_scores_and_order_are_exact(engine: Engine, oracle: Oracle, typed: str) -> None:
    """With B = 0 the stored lengths play no part, so that nothing may differ."""
    parameters = replace(engine.version.parameters, bm25_b=0.0, depth=engine.size)
    expected = oracle.scores(understand(typed).terms, parameters)
    found = search(engine, typed, bm25_b=0.0, depth=engine.size)
    assert {one.position for one in found} == set(expected)
    assert [one.score for one in found] == pytest.approx(sorted(expected.values(), reverse=True), rel=1e-9)
    for one in found:
        assert one.score == pytest.approx(expected[one.position], rel=1e-9)


@pytest.mark.parametrize("name", LEXICAL_FIELDS)
def test_every_field_weighs_what_the_parameters_say(engine: Engine, oracle: Oracle, name: str) -> None:
    weights = engine.version.parameters.field_weights | {name: 7.25}
    parameters = replace(engine.version.parameters, field_weights=weights, bm25_b=0.0, depth=engine.size)
    typed = "dog cat john cena office animal friend somebody"
    expected = oracle.scores(understand(typed).terms, parameters)
    usual = oracle.scores(understand(typed).terms, replace(engine.version.parameters, bm25_b=0.0))
    assert expected != usual, "the query must meet this field, or the test says nothing"
    found = search(engine, typed, field_weights=weights, bm25_b=0.0, depth=engine.size)
    assert {one.position: one.score for one in found} == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("k1", [0.3, 4.0])
def test_saturation_follows_k1(engine: Engine, oracle: Oracle, k1: float) -> None:
    parameters = replace(engine.version.parameters, bm25_k1=k1, bm25_b=0.0, depth=engine.size)
    expected = oracle.scores(understand("john cena").terms, parameters)
    found = search(engine, "john cena", bm25_k1=k1, bm25_b=0.0, depth=engine.size)
    assert {one.position: one.score for one in found} == pytest.approx(expected, rel=1e-9)


def test_ties_go_to_the_lower_position_also_where_the_depth_cuts_them(engine: Engine) -> None:
    """Within a family the names are the same text, so that its items tie exactly in that field."""
    only_names = {"names": 1.0}
    everybody = search(engine, "drake", field_weights=only_names, depth=engine.size)
    tied = [one.position for one in everybody if one.score == everybody[0].score]
    assert len(tied) > 3
    assert tied == sorted(tied)
    assert search(engine, "drake", field_weights=only_names, depth=3) == everybody[:3]


@pytest.mark.parametrize("typed", QUERIES)
def test_candidates_come_by_descending_score_then_ascending_position(engine: Engine, typed: str) -> None:
    keys = [(-one.score, one.position) for one in search(engine, typed, bm25_b=0.0)]
    assert keys == sorted(keys)


@pytest.mark.parametrize("typed", ["", "zxqvwk", "👀", "the and of", "qqqqqq zzzzzzzz"])
def test_a_query_without_a_known_term_finds_nothing(engine: Engine, typed: str) -> None:
    assert search(engine, typed) == []


def test_unknown_terms_change_nothing(engine: Engine) -> None:
    assert search(engine, "john zxqvwk cena") == search(engine, "john cena")


def test_spelling_variants_that_stem_alike_find_the_same(engine: Engine) -> None:
    assert search(engine, "WRESTLERS") == search(engine, "wrestler") != []


def test_a_query_of_many_terms_is_scored_as_exactly_as_a_short_one(engine: Engine, oracle: Oracle) -> None:
    """Whoosh takes another way where many terms meet; their scores must not depend on it."""
    known = sorted({term for docs in oracle.counts.values() for counts in docs for term in counts})
    typed = " ".join(term for term in known if terms(term) == [term])
    query = understand(typed)
    assert len(query.terms) == MAX_TERMS
    assert query.shortened
    parameters = replace(engine.version.parameters, bm25_b=0.0, depth=engine.size)
    found = search(engine, typed, bm25_b=0.0, depth=engine.size)
    assert {one.position: one.score for one in found} == pytest.approx(oracle.scores(query.terms, parameters), rel=1e-9)
