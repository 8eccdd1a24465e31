"""Filters, phrases and exclusions leave exactly what a scan of the records leaves, and never what policy withholds."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mambomeme_tui.index import catalogue, facets, impacts, postings
from mambomeme_tui.index.catalogue import Catalogue
from mambomeme_tui.parameters import Parameters
from mambomeme_tui.records import Meme
from mambomeme_tui.retrieval import restricting
from mambomeme_tui.retrieval.engine import Engine
from mambomeme_tui.retrieval.restricting import Restrictions
from mambomeme_tui.retrieval.syntax import Filter, Syntax, parse
from mambomeme_tui.text import terms, words
from tests.unit.test_facets import meme, scan

WORDS = ("cat", "cats", "the", "dog", "Café", "日本語", "42", "can't")
said = st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map(" ".join)
records = st.lists(
    st.builds(
        lambda quote, tags, name, year: replace(meme(tags, name=name, year=year), quote=quote),
        said,
        st.lists(st.sampled_from(("office", "office party", "work")), max_size=2, unique=True),
        st.sampled_from(("Cat dog", "Dog", "Office")),
        st.integers(2010, 2013),
    ),
    min_size=1,
    max_size=8,
).map(lambda memes: [_numbered(one, at) for at, one in enumerate(memes)])


def _numbered(one: Meme, at: int) -> Meme:
    """Of a family of its own: a catalogue keeps each family once."""
    return replace(one, id=f"f{at}.0", group=f"f{at}.0", family=replace(one.family, id=f"f{at}"))


filters = st.builds(
    Filter,
    st.sampled_from(("tag", "template", "year", "who")),
    st.sampled_from(("office", "party", "dog", "2011-2012", "2012", "nothing")),
    st.booleans(),
)
syntaxes = st.builds(
    Syntax,
    st.just(""),
    st.lists(said, max_size=2).map(tuple),
    st.lists(said, max_size=2).map(tuple),
    st.lists(filters, max_size=2).map(tuple),
)


@dataclass
class World:
    """Records and what answers about them; counts what is read of them."""

    memes: Sequence[Meme]
    restrictions: Restrictions
    catalogue: Catalogue

    def left(self, typed: str | Syntax, phrases: bool = True) -> list[int]:
        syntax = parse(typed) if isinstance(typed, str) else typed
        return np.flatnonzero(self.restrictions.allowed(syntax, phrases)).tolist()


@contextmanager
def world(memes: Sequence[Meme], withheld: Sequence[int] = ()) -> Iterator[World]:
    numbers = Parameters()
    with TemporaryDirectory() as name:
        folder = Path(name)
        for part in (facets.FACETS_FOLDER, postings.POSTINGS_FOLDER):
            (folder / part).mkdir()
        catalogue.create(folder / catalogue.CATALOGUE_FILE, memes)
        facets.create(folder / facets.FACETS_FOLDER, memes)
        postings.create(folder / postings.POSTINGS_FOLDER, memes, lambda _: None)
        weights = numbers.field_weights, numbers.bm25_k1, numbers.bm25_b
        impacts.create(folder / impacts.IMPACTS_FOLDER, folder / postings.POSTINGS_FOLDER, *weights)
        shown = np.ones(len(memes), bool)
        shown[list(withheld)] = False
        opened = Catalogue(folder / catalogue.CATALOGUE_FILE)
        known = facets.load(folder / facets.FACETS_FOLDER), impacts.load(folder / impacts.IMPACTS_FOLDER)
        try:
            yield World(memes, Restrictions(shown, *known, opened), opened)
        finally:
            opened.close()


def has(one: Meme, text: str) -> bool:
    """Whether a record has a text: its one word in any form, or all its words in sequence in one of its texts."""
    sought, family = words(text), one.family
    texts = [one.title, one.quote, one.meaning, one.picture, *one.tags, str(family.year), family.name, family.kind]
    texts += [*family.aliases, *family.people, family.franchise, *family.topics, *family.actions, *family.situations]
    if len(sought) == 1:
        return set(terms(text)) <= {term for one in texts for term in terms(one)}
    return any(read[at : at + len(sought)] == sought for read in map(words, texts) for at in range(len(read)))


def scanned(memes: Sequence[Meme], syntax: Syntax, withheld: Sequence[int] = ()) -> list[int]:
    """The definition, asked meme by meme."""
    left = set(range(len(memes))) - set(withheld)
    for one in syntax.filters:
        fitting = set(scan(memes, one.name, one.value)) if one.name != "year" else _of_years(memes, one.value)
        left = left - fitting if one.negated else left & fitting
    left -= {at for at in left for text in syntax.excluded if has(memes[at], text)}
    return sorted(at for at in left if all(has(memes[at], text) for text in syntax.phrases))


def _of_years(memes: Sequence[Meme], value: str) -> set[int]:
    first, _, last = value.partition("-")
    years = range(int(first), int(last or first) + 1) if first.isdigit() else range(0)
    return {at for at, one in enumerate(memes) if one.family.year in years}


@settings(deadline=None, max_examples=40)
@given(records, st.lists(syntaxes, min_size=1, max_size=8), st.sets(st.integers(0, 7), max_size=3))
def test_what_is_left_is_what_a_scan_of_the_records_leaves(
    memes: list[Meme], asked: list[Syntax], hidden: set[int]
) -> None:
    withheld = [at for at in hidden if at < len(memes)]
    with world(memes, withheld) as known:
        for syntax in asked:
            if _stops_alone(syntax):
                continue
            assert known.left(syntax) == scanned(memes, syntax, withheld), syntax
            without = replace(syntax, phrases=())
            assert known.left(syntax, phrases=False) == scanned(memes, without, withheld)


def _stops_alone(syntax: Syntax) -> bool:
    """Texts of stop words alone are no terms of a longer field; they have a test of their own."""
    return any(set(words(text)) <= {"the"} for text in (*syntax.phrases, *syntax.excluded))


FOUR = [
    replace(meme(["office"], year=2012), id="f.0", quote="Cameras are fine"),
    replace(meme(["office party"], year=2013), id="f.1", quote="fine, cameras are!"),
    replace(meme(["work"], year=2013), id="f.2", quote="running cats"),
    replace(meme(["work"], year=2014), id="f.3", quote="cameras are", meaning="fine"),
]


@pytest.mark.parametrize(
    ("typed", "left"),
    [
        ("", [0, 1, 2, 3]),
        ("fine cats", [0, 1, 2, 3]),
        ('"cameras are fine"', [0]),
        ('"CAMERAS — are: Fine"', [0]),
        ('"fine cameras are"', [1]),
        ('"cameras are"', [0, 1, 3]),
        ('"are cameras"', []),
        ('"run"', [2]),
        ('"running cat"', []),
        ('"running cats"', [2]),
        ('"zxqvwk"', []),
        ('"cameras are" "fine"', [0, 1, 3]),
        ("-fine", [2]),
        ("-runs", [0, 1, 3]),
        ('-"cameras are fine"', [1, 2, 3]),
        ("-zxqvwk", [0, 1, 2, 3]),
        ("-fine -cat", []),
        ('"cameras are" -"cameras are fine"', [1, 3]),
        ("tag:office", [0, 1]),
        ("-tag:office", [2, 3]),
        ("tag:office year:2013", [1]),
        ("tag:office -year:2013", [0]),
        ("tag:work -tag:work", []),
        ("tag:nothing", []),
        ("-tag:nothing", [0, 1, 2, 3]),
        ("year:2013-", [1, 2, 3]),
        ('year:2013- "cameras are"', [1, 3]),
        ("tag:office -fine", []),
    ],
)
def test_each_restriction_takes_away_what_it_says(typed: str, left: list[int]) -> None:
    with world(FOUR) as known:
        assert known.left(typed) == left


def test_a_query_that_restricts_nothing_has_all_that_is_shown_and_the_same_mask_every_time() -> None:
    """The dense route keeps what belongs to a mask as long as it is asked with that very one."""
    with world(FOUR, [1]) as known:
        first = known.restrictions.allowed(parse("fine"))
        assert known.restrictions.allowed(parse("cats")) is first
        assert known.restrictions.allowed(parse('"zxqvwk"'), phrases=False) is first
        assert known.left("tag:work") == [2, 3]
        assert known.left("fine") == [0, 2, 3], "a restriction is gone with its query"


@pytest.mark.parametrize(
    "typed", ["tag:office", "-tag:work", '"fine cameras are"', "-cats", "year:2013", '"cameras are"']
)
def test_no_restriction_brings_back_what_policy_withholds(typed: str) -> None:
    with world(FOUR, [1]) as known:
        assert 1 not in known.left(typed)
    with world(FOUR, range(4)) as known:
        assert known.left(typed) == []


def test_of_records_that_are_withheld_or_filtered_out_none_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    with world(FOUR, [0]) as known:
        asked: list[int] = []
        read = Catalogue.at

        def watched(self: Catalogue, positions: Sequence[int]) -> list[Meme]:
            asked.extend(positions)
            return read(self, positions)

        monkeypatch.setattr(Catalogue, "at", watched)
        assert known.left('year:2013 "cameras are"') == [1]
        assert asked == [1]


@pytest.mark.parametrize(("batch", "kept"), [(1, 0), (2, 3), (3, 2), (500, 20_000)])
def test_every_record_that_could_have_a_phrase_is_read(monkeypatch: pytest.MonkeyPatch, batch: int, kept: int) -> None:
    monkeypatch.setattr(restricting, "BATCH", batch)
    monkeypatch.setattr(restricting, "MOST_KEPT", kept)
    many = [_numbered(replace(FOUR[at % 4], tags=(), quote=FOUR[at % 4].quote), at) for at in range(2200)]
    with world(many) as known:
        for _ in range(2):
            assert known.left('"cameras are"') == [at for at in range(2200) if at % 4 != 2]
            assert known.left('-"cameras are"') == [at for at in range(2200) if at % 4 == 2]
            assert len(known.restrictions._texts) <= kept


def test_reading_ends_as_soon_as_nobody_waits_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(restricting, "BATCH", 1)
    asked = []

    def stop() -> None:
        asked.append(len(known.restrictions._texts))
        if len(asked) == 3:
            raise InterruptedError

    with world(FOUR) as known:
        for typed in ('"cameras are"', '-"cameras are"'):
            asked.clear()
            known.restrictions._texts.clear()
            with pytest.raises(InterruptedError):
                known.restrictions.allowed(parse(typed), stop=stop)
            assert asked == [0, 1, 2]


def test_the_words_of_a_phrase_do_not_run_from_one_field_into_the_next() -> None:
    one = replace(FOUR[0], quote="end of it", picture="start here", meaning="x")
    aliased = replace(one, id="f.1", family=replace(one.family, name="Grumpy", aliases=("Cat",)))
    with world([one, aliased]) as known:
        assert known.left('"it start"') == []
        assert known.left('"it x"') == []
        assert known.left('"start here"') == [0, 1]


def test_the_words_of_a_phrase_do_not_run_from_one_text_of_a_field_into_the_next() -> None:
    one = meme(["one tag", "two"], topics=("first topic", "last"), aliases=("Duck", "good mallard"), year=2012)
    one = replace(one, family=replace(one.family, people=("John Cena", "Tim"), situations=("at work", "so tired")))
    with world([_numbered(one, 0)]) as known:
        for inside in ("one tag", "first topic", "good mallard", "John Cena", "at work", "so tired", "some template"):
            assert known.left(f'"{inside}"') == [0], inside
        for across in ("tag two", "topic last", "duck good", "cena tim", "work so", "last one", "template duck"):
            assert known.left(f'"{across}"') == [], across
            assert known.left(f'-"{across}"') == [0], across


@pytest.mark.parametrize(
    ("typed", "left"),
    [
        ("-🐒", [3, 4]),
        ("-🐒😂", [1, 2, 3, 4]),
        ("-😂", [1, 2, 4]),
        ("-☹", [0, 1, 2, 3]),
        ("-🐒 -☹", [3]),
        ("-🦊", [0, 1, 2, 3, 4]),
        ("--2012", [0, 2, 4]),
    ],
)
def test_a_pictograph_leaves_out_itself_and_what_it_is_called(typed: str, left: list[int]) -> None:
    quotes = ("🐒 laughs 😂", "two monkeys", "a monkey", "face with tears of joy", "so ☹ today")
    memes = [_numbered(replace(meme(year=2011 + at % 2), quote=quote), at) for at, quote in enumerate(quotes)]
    unseen = _numbered(replace(meme(year=2011, origin="🐒 ☹ 😂"), quote="cats"), 5)
    with world([*memes, unseen]) as known:
        assert known.left(typed) == [*left, 5]


def test_a_phrase_of_stop_words_alone_is_found_where_it_stands() -> None:
    memes = [replace(FOUR[0], id=f"f.{at}", quote=quote) for at, quote in enumerate(("to be", "be to", "to be or not"))]
    with world(memes) as known:
        assert known.left('"to be"') == [0, 2]


@settings(deadline=None, max_examples=200)
@given(st.text(max_size=60))
def test_anything_may_be_asked(engine: Engine, text: str) -> None:
    for typed in (text, f'"{text}"', f"-{text}", f'tag:"{text}"', f'a "{text}" -"{text}" -who:{text}'):
        found: Any = engine._restrictions.allowed(parse(typed))
        assert found.dtype == bool
        assert found.shape == (engine.size,)
        assert not (found & ~engine._shown).any()
