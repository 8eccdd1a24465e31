"""Proves that impacts and the lexical route are pooled BM25F, against its definition over the records' own texts."""

import math
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mambomeme_tui.index import impacts, postings
from mambomeme_tui.index.impacts import Impacts
from mambomeme_tui.index.views import LEXICAL_FIELDS, lexical_fields
from mambomeme_tui.parameters import Parameters
from mambomeme_tui.records import Family, Meme, Rights, Safety, SafetyClass
from mambomeme_tui.retrieval.lexical import LexicalRoute
from mambomeme_tui.retrieval.query import Query, understand
from mambomeme_tui.text import terms

CLOSE = 1e-5
"""Relative: impacts are stored in single precision."""
WEIGHTS = {"names": 3.0, "people": 2.0, "quote": 2.0, "topics": 1.2, "meaning": 1.0, "situations": 0.5, "picture": 0.7}
WORDS = (
    "cat",
    "dog",
    "running",
    "runs",
    "the",
    "café",
    "CAFE",
    "日本語",
    "кот",
    "हिन्दी",
    "don't",
    "9000",
    "😀",
    "straße",
)
thorough = settings(deadline=None, max_examples=60)


def meme(number: int, quote: str = "", title: str = "", people: str = "", meaning: str = "", picture: str = "") -> Meme:
    """A record with these texts and no other."""
    family = Family(f"f{number}", "", (), "", (people,), "", (), (), 2020, "", "", "")
    standing = Rights("", "", "", "", True), Safety(SafetyClass.SAFE, (), "1")
    name = f"f{number}.one"
    return Meme(name, family, title, quote, meaning, picture, (), "en", "", "", "", name, "", *standing, "")


@dataclass
class Definition:
    """Pooled BM25F, from its definition; knows neither Whoosh nor a matrix."""

    memes: Sequence[Meme]
    weights: dict[str, float]
    k1: float
    b: float

    def __post_init__(self) -> None:
        self.counts = [
            {name: Counter(terms(text)) for name, text in lexical_fields(one).items() if self.weights.get(name)}
            for one in self.memes
        ]
        self.lengths = [sum(self.weights[f] * c.total() for f, c in fields.items()) for fields in self.counts]

    def holders(self, term: str) -> list[int]:
        return [n for n, fields in enumerate(self.counts) if any(term in counts for counts in fields.values())]

    def idf(self, term: str) -> float:
        df = len(self.holders(term))
        return math.log(1 + (len(self.memes) - df + 0.5) / (df + 0.5))

    def impact(self, term: str, number: int) -> float:
        tf = sum(self.weights[field] * counts[term] for field, counts in self.counts[number].items())
        average = sum(self.lengths) / len(self.lengths)
        length = self.lengths[number] / average
        return self.idf(term) * tf * (self.k1 + 1) / (tf + self.k1 * (1 - self.b + self.b * length))

    def scores(self, wanted: Sequence[str]) -> dict[int, float]:
        found: dict[int, float] = {}
        for term in wanted:
            for number in self.holders(term):
                found[number] = found.get(number, 0.0) + self.impact(term, number)
        return found

    def vocabulary(self) -> set[str]:
        return {term for fields in self.counts for counts in fields.values() for term in counts}


@contextmanager
def built(
    memes: Sequence[Meme], weights: dict[str, float] | None = None, k1: float = 1.2, b: float = 0.5
) -> Iterator[Path]:
    """A version's folder with a real Whoosh index and the impacts of it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / postings.POSTINGS_FOLDER).mkdir()
        postings.create(folder / postings.POSTINGS_FOLDER, memes, lambda _: None)
        numbers = WEIGHTS if weights is None else weights, k1, b
        impacts.create(folder / impacts.IMPACTS_FOLDER, folder / postings.POSTINGS_FOLDER, *numbers)
        yield folder


def loaded(folder: Path) -> Impacts:
    return impacts.load(folder / impacts.IMPACTS_FOLDER)


def route(folder: Path, depth: int = 1000) -> LexicalRoute:
    return LexicalRoute(folder, replace(Parameters(), depth=depth))


def asked(*wanted: str) -> Query:
    """A query of exactly these terms, known or not."""
    return replace(understand(""), terms=wanted)


texts = st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join)
records = st.lists(st.tuples(texts, texts, texts, texts, texts), min_size=1, max_size=12).map(
    lambda rows: [meme(number, *row) for number, row in enumerate(rows)]
)
numbers = st.sampled_from([0.0, 0.3, 1.2, 4.0]), st.sampled_from([0.0, 0.5, 1.0])
weighings = st.fixed_dictionaries({name: st.sampled_from([0.0, 0.5, 1.0, 3.0]) for name in LEXICAL_FIELDS})


@thorough
@given(records, weighings, *numbers)
def test_the_matrix_is_that_of_the_definition(
    memes: list[Meme], weights: dict[str, float], k1: float, b: float
) -> None:
    expected = Definition(memes, weights, k1, b)
    with built(memes, weights, k1, b) as folder:
        found = loaded(folder)
        assert found.size == len(memes)
        assert set(found.terms) == expected.vocabulary()
        for term in expected.vocabulary():
            docs, values = found.row(term)
            assert term in found
            assert docs.tolist() == expected.holders(term)
            assert values.tolist() == pytest.approx([expected.impact(term, n) for n in docs.tolist()], rel=CLOSE)
            assert found.idf(term) == pytest.approx(expected.idf(term), rel=1e-12)


@thorough
@given(records, st.sampled_from([*WORDS, "unknown"]), st.lists(st.integers(0, 5), max_size=4))
def test_a_term_is_held_by_the_memes_that_have_it(memes: list[Meme], typed: str, some: list[int]) -> None:
    definition = Definition(memes, WEIGHTS, 1.2, 0.5)
    with built(memes) as folder:
        for term in understand(typed).terms:
            expected = [position in definition.holders(term) for position in some]
            assert route(folder).holds(term, np.array(some, np.int64)).tolist() == expected


@thorough
@given(records, st.text(max_size=40), st.lists(st.integers(-(2**62), 2**62), max_size=5))
def test_any_query_and_any_position_are_answered(memes: list[Meme], typed: str, anywhere: list[int]) -> None:
    with built(memes) as folder:
        lexical = route(folder)
        assert all(one.score > 0 for one in lexical.search(understand(typed)))
        assert lexical.search(asked(typed, "", "\x00", "\ud800")) == lexical.search(asked(typed))
        for term in understand(typed).terms:
            for position, held in zip(anywhere, lexical.holds(term, np.array(anywhere, np.int64)), strict=True):
                assert not held or 0 <= position < len(memes)


CORPUS = [
    meme(0, quote="the cat sat", title="Cat"),
    meme(1),
    meme(2, quote="a dog and a cat", people="John Cena", picture="a cat in a box"),
    meme(3, quote="dog " * 40),
    meme(4, quote="Привет, кот", title="日本語", meaning="Ça suffit"),
    meme(5, quote="the cat sat", title="Cat"),
]


def test_a_word_in_two_fields_saturates_as_one_that_stands_there_twice() -> None:
    """What sets pooled BM25F apart from a sum of one BM25 a field: here the two have the same pooled frequency."""
    memes = [meme(0, quote="cat cat", meaning="dog dog"), meme(1, quote="cat dog", meaning="dog cat"), meme(2, "x")]
    with built(memes, {"quote": 2.0, "meaning": 2.0}) as folder:
        _, values = loaded(folder).row("cat")
    assert values[0] == values[1] > 0


def test_memes_of_the_same_words_tie_to_the_last_bit_and_come_by_position() -> None:
    with built(CORPUS) as folder:
        everybody = route(folder).search(understand("cat sat"))
        assert [one.position for one in everybody] == [0, 5, 2]
        assert everybody[0].score == everybody[1].score > everybody[2].score
        for depth in (1, 2, 3):
            assert route(folder, depth).search(understand("cat sat")) == everybody[:depth]


def test_many_ties_come_by_position_too() -> None:
    memes = [meme(number, quote="cat cat" if number % 3 else "cat") for number in range(400)]
    twice = [number for number in range(400) if number % 3]
    with built(memes, b=0.0) as folder:
        for depth in (200, 300, 400):
            found = [one.position for one in route(folder, depth).search(understand("cat"))]
            assert found == (twice + list(range(0, 400, 3)))[:depth]


def test_positions_beyond_those_that_a_row_can_hold_are_no_memes() -> None:
    far = [2**32, -(2**32), 2**32 + 5, 2**31, -1, 6, 2**63 - 1, 0]
    with built(CORPUS) as folder:
        assert route(folder).holds("cat", np.array(far)).tolist() == [False] * 7 + [True]


@thorough
@given(records, texts, st.integers(1, 6), st.data())
def test_only_what_is_allowed_takes_a_place(memes: list[Meme], typed: str, depth: int, data: st.DataObject) -> None:
    allowed = np.array(data.draw(st.lists(st.booleans(), min_size=len(memes), max_size=len(memes))), np.bool_)
    with built(memes) as folder:
        everybody = route(folder, len(memes)).search(understand(typed))
        found = route(folder, depth).search(understand(typed), allowed)
    assert found == [one for one in everybody if allowed[one.position]][:depth]


def test_a_search_leaves_nothing_behind_for_the_next() -> None:
    with built(CORPUS) as folder:
        lexical = route(folder)
        alone = {typed: lexical.search(understand(typed)) for typed in ("cat", "dog", "cat dog", "john cena")}
        for typed in ("cat dog", "john cena", "", "cat", "dog", "unknown", "cat"):
            assert lexical.search(understand(typed)) == alone.get(typed, [])


def test_the_same_is_found_where_few_and_where_many_memes_have_the_terms() -> None:
    """The memes that have a term are collected in another way where they are few of all."""
    memes = [meme(n, quote="rare odd common" if n % 250 == 7 else "common word") for n in range(1000)]
    expected = Definition(memes, WEIGHTS, 1.2, 0.5)
    with built(memes) as folder:
        lexical = route(folder, 3)
        assert [one.position for one in lexical.search(asked("rare"))] == [7, 257, 507]
        assert [one.position for one in lexical.search(asked("rare", "common"))] == [7, 257, 507]
        assert [one.position for one in route(folder).search(asked("odd", "rare"))] == [7, 257, 507, 757]
        for wanted in (("rare",), ("odd", "rare"), ("rare", "common"), ("word",)):
            for one in lexical.search(asked(*wanted)):
                assert one.score == pytest.approx(expected.scores(wanted)[one.position], rel=CLOSE)


@pytest.mark.parametrize("typed", ["", "zxqvwk", "👀", "the", " ", "\x1b[31m", '"', "[/]", "z" * 10_000])
def test_a_query_without_a_known_term_finds_nothing(typed: str) -> None:
    with built(CORPUS) as folder:
        lexical = route(folder)
        assert lexical.search(understand(typed)) == []
        assert not any(lexical.holds(term, np.arange(6)).any() for term in understand(typed).terms)


def test_an_unknown_term_has_empty_rows_and_the_largest_idf() -> None:
    with built(CORPUS) as folder:
        found = loaded(folder)
    docs, values = found.row("zxqvwk")
    assert "zxqvwk" not in found
    assert (docs.dtype, values.dtype, len(docs), len(values)) == (np.int32, np.float32, 0, 0)
    assert found.idf("zxqvwk") == pytest.approx(math.log(1 + 6.5 / 0.5))
    assert found.idf("zxqvwk") > max(map(found.idf, found.terms))


def test_unknown_terms_change_no_score() -> None:
    with built(CORPUS) as folder:
        lexical = route(folder)
        assert lexical.search(understand("cat zxqvwk")) == lexical.search(understand("cat")) != []


def test_words_of_any_script_are_found() -> None:
    with built(CORPUS) as folder:
        for typed in ("ПРИВЕТ", "日本語", "ca suffit", "Ça SUFFIT"):
            assert [one.position for one in route(folder).search(understand(typed))] == [4], typed


def test_a_field_that_weighs_nothing_or_is_not_there_is_as_if_it_were_not_indexed() -> None:
    with built(CORPUS, {"names": 1.0, "quote": 0.0, "nonsense": 3.0}) as folder:
        found = loaded(folder)
        assert "dog" not in found
        assert found.row("cat")[0].tolist() == [0, 5]
        assert found.idf("cat") == pytest.approx(math.log(1 + 4.5 / 2.5))


def test_lengths_are_exact_where_those_of_whoosh_are_rounded_to_a_byte() -> None:
    memes = [meme(0, quote="cat " + "word " * 1000), meme(1, quote="cat " + "word " * 1001)]
    expected = Definition(memes, WEIGHTS, 1.2, 1.0)
    with built(memes, b=1.0) as folder:
        _, values = loaded(folder).row("cat")
    assert values[0] > values[1]
    assert values.tolist() == pytest.approx([expected.impact("cat", 0), expected.impact("cat", 1)], rel=1e-6)


@pytest.mark.parametrize("memes", [[], [meme(0)], [meme(0), meme(1, quote="?!")]])
def test_where_there_is_no_word_nothing_is_found(memes: list[Meme]) -> None:
    with built(memes) as folder:
        assert loaded(folder).size == len(memes)
        assert route(folder).search(understand("cat")) == []
        assert route(folder).holds("cat", np.array([0, 5])).tolist() == [False, False]


def test_the_same_index_gives_the_same_bytes_whatever_the_order_of_the_weights() -> None:
    with built(CORPUS) as first, built(CORPUS, dict(reversed(WEIGHTS.items()))) as second:
        files = [path.name for path in sorted((first / impacts.IMPACTS_FOLDER).iterdir())]
        assert len(files) == 4
        for name in files:
            one, other = (folder / impacts.IMPACTS_FOLDER / name for folder in (first, second))
            assert one.read_bytes() == other.read_bytes(), name


def test_the_files_are_mapped_and_their_rows_in_the_order_of_the_terms() -> None:
    with built(CORPUS) as folder:
        found = loaded(folder)
        assert list(found.terms) == sorted(found.terms)
        assert isinstance(found.docs.base, np.memmap)
        assert not found.values.flags.writeable
        assert found.starts.dtype == np.int64
        assert found.starts[-1] == len(found.docs) == len(found.values)
        for term in found.terms:
            assert all(before < after for before, after in pairwise(found.row(term)[0].tolist()))


def test_the_route_needs_no_whoosh_index_and_answers_no_more_once_it_is_closed() -> None:
    with built(CORPUS) as folder:
        for path in (folder / postings.POSTINGS_FOLDER).iterdir():
            path.unlink()
        lexical = route(folder)
        assert len(lexical.search(understand("cat"))) == 3
        lexical.close()
        lexical.close()
        with pytest.raises(ValueError, match="closed"):
            lexical.search(understand("cat"))
