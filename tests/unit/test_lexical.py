"""Proves that the lexical route ranks a published version by pooled BM25F, against scores from the records alone."""

import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from mambomeme_tui.index.views import lexical_fields
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
CLOSE = 1e-5
"""Relative: impacts are stored in single precision."""


class Oracle:
    """Pooled BM25F over every record, from its definition; knows neither Whoosh nor impacts."""

    def __init__(self, engine: Engine) -> None:
        told: Parameters = engine.version.parameters
        self.k1, self.b = told.bm25_k1, told.bm25_b
        memes = engine.version.catalogue.at(range(engine.size))
        self.counts: list[Counter[str]] = []
        for meme in memes:
            pooled: Counter[str] = Counter()
            for name, text in lexical_fields(meme).items():
                for term in terms(text):
                    pooled[term] += told.field_weights[name]  # type: ignore[assignment]
            self.counts.append(pooled)
        self.mean = sum(map(Counter.total, self.counts)) / len(memes)

    def holders(self, term: str) -> list[int]:
        return [position for position, counts in enumerate(self.counts) if term in counts]

    def idf(self, term: str) -> float:
        holders = len(self.holders(term))
        return math.log(1 + (len(self.counts) - holders + 0.5) / (holders + 0.5))

    def scores(self, wanted: tuple[str, ...]) -> dict[int, float]:
        """Every meme that has a term, by position."""
        found: dict[int, float] = {}
        for term in wanted:
            idf = self.idf(term)
            for position in self.holders(term):
                counts = self.counts[position]
                saturation = self.k1 * (1 - self.b + self.b * counts.total() / self.mean)
                score = idf * counts[term] * (self.k1 + 1) / (counts[term] + saturation)
                found[position] = found.get(position, 0.0) + score
        return found


@pytest.fixture(scope="module")
def oracle(engine: Engine) -> Oracle:
    return Oracle(engine)


def search(
    engine: Engine, typed: str, depth: int | None = None, allowed: NDArray[np.bool_] | None = None
) -> list[Candidate]:
    told = replace(engine.version.parameters, depth=depth or engine.version.parameters.depth)
    route = LexicalRoute(engine.version.folder, told)
    try:
        return route.search(understand(typed), allowed)
    finally:
        route.close()


@pytest.mark.parametrize("typed", QUERIES)
def test_every_meme_with_a_term_is_found_with_its_score(engine: Engine, oracle: Oracle, typed: str) -> None:
    expected = oracle.scores(understand(typed).terms)
    found = search(engine, typed, engine.size)
    assert len(found) == len(expected) > 0
    assert {one.position: one.score for one in found} == pytest.approx(expected, rel=CLOSE)


@pytest.mark.parametrize("depth", [1, 20, 200])
@pytest.mark.parametrize("typed", QUERIES)
def test_the_depth_gives_the_beginning_of_the_whole_list_by_score_then_position(
    engine: Engine, typed: str, depth: int
) -> None:
    everything = search(engine, typed, engine.size)
    keys = [(-one.score, one.position) for one in everything]
    assert keys == sorted(keys)
    assert search(engine, typed, depth) == everything[:depth]


@pytest.mark.parametrize("typed", QUERIES)
def test_what_is_not_allowed_takes_no_place(engine: Engine, typed: str) -> None:
    everything = search(engine, typed, engine.size)
    for allowed in (np.arange(engine.size) % 3 == 0, np.arange(engine.size) == everything[-1].position):
        assert search(engine, typed, 10, allowed) == [one for one in everything if allowed[one.position]][:10]
    assert search(engine, typed, 10, np.zeros(engine.size, bool)) == []


def test_true_copies_tie_and_come_by_position(engine: Engine) -> None:
    memes = engine.version.catalogue.at(range(engine.size))
    copied = [meme for meme in memes if meme.change][::10]
    assert copied
    for meme in copied:
        found = search(engine, meme.quote, engine.size)
        own = [one for one in found if memes[one.position].group == meme.group]
        assert len(own) > 1
        assert len({one.score for one in own}) == 1
        assert own == sorted(own, key=lambda one: one.position)


@pytest.mark.parametrize("term", ["cena", "dog", "zxqvwk"])
def test_a_term_is_held_where_a_meme_has_it(engine: Engine, oracle: Oracle, term: str) -> None:
    route, holders = LexicalRoute(engine.version.folder, engine.version.parameters), set(oracle.holders(term))
    assert bool(holders) is (term != "zxqvwk")
    positions = np.random.default_rng(1).permutation(engine.size)
    assert route.holds(term, positions).tolist() == [position in holders for position in positions.tolist()]


@pytest.mark.parametrize("typed", ["", "zxqvwk", "👀", "qqqqqq zzzzzzzz", "tag:office", "-cat"])
def test_a_query_without_a_known_term_finds_nothing(engine: Engine, typed: str) -> None:
    assert search(engine, typed) == []


def test_unknown_terms_change_nothing(engine: Engine) -> None:
    assert search(engine, "john zxqvwk cena") == search(engine, "john cena")


def test_what_is_no_word_to_search_for_changes_no_score(engine: Engine) -> None:
    assert search(engine, 'john tag:office "cena" -cat') == search(engine, "john cena")


def test_spelling_variants_that_stem_alike_find_the_same(engine: Engine) -> None:
    assert search(engine, "WRESTLERS") == search(engine, "wrestler") != []


def test_a_query_of_many_terms_is_scored_as_exactly_as_a_short_one(engine: Engine, oracle: Oracle) -> None:
    known = sorted({term for counts in oracle.counts for term in counts})
    typed = " ".join(term for term in known if terms(term) == [term])
    query = understand(typed)
    assert len(query.terms) == MAX_TERMS
    assert query.shortened
    found = search(engine, typed, engine.size)
    assert {one.position: one.score for one in found} == pytest.approx(oracle.scores(query.terms), rel=CLOSE)
