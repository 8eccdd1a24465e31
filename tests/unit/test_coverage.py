"""How much of a query is covered is what the definition says, counted again here from the records themselves."""

from collections.abc import Mapping
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from mambomeme_tui.index.views import lexical_fields
from mambomeme_tui.index.vocabulary import Vocabulary
from mambomeme_tui.retrieval.coverage import LOOKED_AT, coverage
from mambomeme_tui.retrieval.engine import Engine
from mambomeme_tui.retrieval.lexical import LexicalRoute
from mambomeme_tui.retrieval.query import understand
from mambomeme_tui.retrieval.results import Candidate
from mambomeme_tui.text import STOP_WORDS, terms, words

RARITY = {"cat": 0.25, "dog": 0.5, "harambe": 1.0, "is": 0.0, "the": 0.125}
KNOWN = cast(Vocabulary, SimpleNamespace(rarity=lambda word: RARITY.get(word, 1.0)))


class Holding:
    """Stands for the lexical route: says which memes have which term."""

    def __init__(self, held: Mapping[str, set[int]]) -> None:
        self.held = held

    def holds(self, term: str, positions: NDArray[np.integer]) -> NDArray[np.bool_]:
        return np.isin(positions, list(self.held.get(term, ())))


def covered(typed: str, held: Mapping[str, set[int]], positions: list[int]) -> float:
    found = [Candidate(position, 1.0) for position in positions]
    return coverage(understand(typed), found, cast(LexicalRoute, Holding(held)), KNOWN)


@pytest.mark.parametrize(
    ("typed", "share"),
    [
        ("cat", 1.0),
        ("cat harambe", 0.2),
        ("cat dog", 2 / 3),  # no single meme has both
        ("cat bird", 1.0),
        ("cat cat cat harambe", 0.2),  # once each
        ("the cat is a harambe", 0.2),  # stop words tell nothing beside others
        ("Cats, harambe!", 0.5),  # another form of the word, which tells more
        ("harambe", 0.0),
        ("", 0.0),
        ("?!", 0.0),
        ("is", 0.0),
    ],
)
def test_each_word_weighs_what_it_tells(typed: str, share: float) -> None:
    held = {"cat": {3}, "dog": {5}, "bird": {3, 5}}
    assert covered(typed, held, [5, 3]) == pytest.approx(share)


def test_a_query_of_stop_words_alone_is_covered_by_them() -> None:
    assert covered("the the", {"the": {0}}, [0]) == 1.0


def test_only_the_first_candidates_are_looked_at() -> None:
    order = [*range(LOOKED_AT - 1), 77, 78]
    assert covered("cat", {"cat": {77}}, order) == 1.0
    assert covered("cat", {"cat": {78}}, order) == 0.0
    assert covered("cat", {"cat": {77}}, []) == 0.0


some_words = st.lists(st.sampled_from(["cat", "dog", "harambe", "the", "zebra"]), min_size=1, max_size=6).map(" ".join)
holders = st.dictionaries(st.sampled_from(["cat", "dog", "harambe", "the", "zebra"]), st.sets(st.integers(0, 4)))


@given(some_words, holders, st.lists(st.integers(0, 4), unique=True))
def test_it_is_a_share_that_only_grows_with_what_is_found(
    typed: str, held: dict[str, set[int]], order: list[int]
) -> None:
    shares = [covered(typed, held, order[:count]) for count in range(len(order) + 1)]
    assert shares == sorted(shares)
    assert all(0 <= share <= 1 for share in shares)
    assert covered(f"{typed} unheard", held, order) <= shares[-1] + 1e-12


@pytest.mark.parametrize(
    "typed", ["john cena", "the dog in a burning room", "zxqvwk cat", "zxqvwk", "harambe", "when nobody cares"]
)
def test_the_engine_counts_what_its_records_hold(engine: Engine, typed: str) -> None:
    found = engine._lexical.search(understand(typed), engine._shown)
    first = engine.version.catalogue.at([one.position for one in found[:LOOKED_AT]])
    rarity = {word: engine._vocabulary.rarity(word) for word in words(typed) if word not in STOP_WORDS}
    expected = 0.0
    for meme in first:
        held = {term for text in lexical_fields(meme).values() for term in terms(text)}
        share = sum(told for word, told in rarity.items() if terms(word)[0] in held) / sum(rarity.values())
        expected = max(expected, share)
    assert coverage(understand(typed), found, engine._lexical, engine._vocabulary) == pytest.approx(expected)
    assert (expected == 0) is (typed in ("zxqvwk", "harambe"))
