"""Facets find what a plain scan of the records finds, complete by use, and tell nothing of what policy withholds."""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mambomeme_tui import corpus, paths
from mambomeme_tui.index import facets
from mambomeme_tui.index.facets import FACETS, Facets, year_range
from mambomeme_tui.records import Family, Meme, Rights, Safety, SafetyClass
from mambomeme_tui.rights import withheld_because
from mambomeme_tui.text import fold, stem, words

CLEARED = Rights("somebody", "somewhere", "CC0-1.0", "none", cleared=True)
SAFE = Safety(SafetyClass.SAFE, (), "1")
FAMILY = Family("f", "Some Template", (), "template", (), "", (), (), 2012, "o", "m", "p")
MEME = Meme("f.a", FAMILY, "t", "q", "m", "p", (), "en", "", "", "", "f.a", "", CLEARED, SAFE, "")


def meme(tags: Sequence[str] = (), shown: bool = True, language: str = "en", **family: Any) -> Meme:
    safety = SAFE if shown else replace(SAFE, level=SafetyClass.SENSITIVE)
    return replace(MEME, family=replace(FAMILY, **family), tags=tuple(tags), language=language, safety=safety)


def texts(one: Meme, name: str) -> set[str]:
    """What a meme can be filtered by, as the brief of each facet has it."""
    family = one.family
    return {
        "tag": {*one.tags, *family.topics},
        "from": {family.franchise},
        "template": {family.name, *family.aliases},
        "who": set(family.people),
        "type": {family.kind},
        "lang": {one.language},
        "year": {str(family.year)},
    }[name]


@cache
def stems_of(text: str) -> list[str]:
    """Every text is asked for every value."""
    return list(map(stem, words(text)))


def fits(text: str, value: str) -> bool:
    has, sought = stems_of(text), stems_of(value)
    return bool(sought) and any(has[at : at + len(sought)] == sought for at in range(len(has)))


def scan(memes: Sequence[Meme], name: str, value: str) -> list[int]:
    """The definition, asked meme by meme."""
    return among([texts(one, name) for one in memes], value)


def among(written: Sequence[Collection[str]], value: str) -> list[int]:
    """The same, of the texts of each meme."""
    return [at for at, own in enumerate(written) if any(fits(text, value) for text in own)]


def may_be_shown(one: Meme) -> bool:
    return one.safety.level is SafetyClass.SAFE and not withheld_because(one.rights)


def completions(memes: Sequence[Meme], name: str, prefix: str) -> list[str]:
    """Folded words of all that complete this prefix of one word or none, in the order that they should have."""
    counts = Counter(key for one in memes if may_be_shown(one) for key in {key_of(text) for text in texts(one, name)})
    typed = fold(prefix)
    fitting = [key for key in counts if key and any(word.startswith(typed) for word in key.split())]
    return sorted(fitting, key=lambda key: (-counts[key], key))


def key_of(text: str) -> str:
    return " ".join(words(text))


def made(folder: Path, memes: Sequence[Meme]) -> Facets:
    facets.create(folder, memes)
    return facets.load(folder)


@pytest.fixture(scope="module")
def bundled() -> tuple[Meme, ...]:
    return corpus.load(paths.bundled("corpus")).memes


@pytest.fixture(scope="module")
def known(bundled: tuple[Meme, ...], tmp_path_factory: pytest.TempPathFactory) -> Facets:
    return made(tmp_path_factory.mktemp("facets"), bundled)


texts_of = st.text(st.sampled_from("aAbé ’-漢字x!"), max_size=6)
memes_of = st.lists(
    st.builds(
        meme,
        tags=st.lists(texts_of, max_size=3),
        shown=st.booleans(),
        topics=st.lists(texts_of, max_size=2).map(tuple),
        people=st.lists(texts_of, max_size=2).map(tuple),
        franchise=texts_of,
        name=texts_of,
        aliases=st.lists(texts_of, max_size=2).map(tuple),
        year=st.integers(1998, 2004),
    ),
    max_size=8,
)


@settings(deadline=None, max_examples=150)
@given(memes_of, texts_of, st.sampled_from([name for name in FACETS if name != "year"]))
def test_what_is_found_is_what_a_scan_finds(memes: list[Meme], value: str, name: str) -> None:
    with TemporaryDirectory() as folder:
        found = made(Path(folder), memes)
        for sought in (value, *(text for one in memes[:2] for text in texts(one, name))):
            positions = found.positions(name, sought)
            assert positions.dtype.name == "int32"
            assert positions.tolist() == scan(memes, name, sought)


@settings(deadline=None, max_examples=150)
@given(memes_of, st.sampled_from(["", "a", "A", "b", "ab", "e", "x", "q"]), st.integers(1, 5))
def test_completions_are_those_of_the_shown_most_used_first(memes: list[Meme], prefix: str, limit: int) -> None:
    with TemporaryDirectory() as folder:
        found = made(Path(folder), memes)
        for name in FACETS:
            offered = found.complete(name, prefix, limit)
            assert [key_of(text) for text in offered] == completions(memes, name, prefix)[:limit]
            spelt = {" ".join(text.split()) for one in memes if may_be_shown(one) for text in texts(one, name)}
            assert set(offered) <= spelt


@settings(deadline=None, max_examples=150)
@given(memes_of, texts_of, st.sampled_from([name for name in FACETS if name != "year"]))
def test_an_entry_is_told_to_be_there_only_if_a_shown_meme_has_it(memes: list[Meme], value: str, name: str) -> None:
    with TemporaryDirectory() as folder:
        found = made(Path(folder), memes)
        for sought in (value, *(text for one in memes for text in texts(one, name))):
            assert found.has(name, sought) == any(may_be_shown(memes[at]) for at in scan(memes, name, sought))


def test_a_year_is_there_if_a_shown_meme_is_of_it_and_an_unknown_facet_never(tmp_path: Path) -> None:
    found = made(tmp_path, [meme(year=2012), meme(year=2015, shown=False)])
    asked = ("2012", "2010-2013", "2013-", ">2014", "2015", "soon")
    assert [found.has("year", value) for value in asked] == [True, True, False, False, False, False]
    assert not found.has("note", "2012")


def test_every_entry_of_the_corpus_finds_its_memes(bundled: tuple[Meme, ...], known: Facets) -> None:
    for name in ("who", "from", "type", "lang"):
        written = [texts(one, name) for one in bundled]
        entries = {text for own in written for text in own}
        assert len(entries) > 1 or name == "lang"
        for text in entries:
            assert known.positions(name, text).tolist() == among(written, text), text


def test_a_word_of_an_entry_finds_it_and_a_part_of_a_word_does_not(tmp_path: Path) -> None:
    found = made(
        tmp_path,
        [
            meme(["office"], people=("Keanu Reeves",)),
            meme(["The Office"], people=("Reeves Keanu",)),
            meme(["officious"], people=("Kéanu  REEVES Jr.",)),
            meme(["post-office party"], topics=("Office",)),
        ],
    )
    assert found.positions("tag", "OFFICE").tolist() == [0, 1, 3]
    assert found.positions("tag", "office party").tolist() == [3]
    assert found.positions("tag", "ffice").tolist() == found.positions("tag", "party post").tolist() == []
    assert found.positions("who", "keanu").tolist() == [0, 1, 2]
    assert found.positions("who", "keanu-reeves").tolist() == [0, 2]
    for name, value in (("tag", ""), ("tag", " !? "), ("nothing", "office"), ("who", "keanu reeves jr x")):
        assert found.positions(name, value).tolist() == []


def test_a_word_of_an_entry_is_found_in_any_form_as_plain_words_are(tmp_path: Path) -> None:
    families = ("The Simpsons", "Simpson", "Samson")
    tags = (["cats", "office parties"], ["cat"], ["category", "catlike"])
    found = made(tmp_path, [meme(tag, franchise=name) for tag, name in zip(tags, families, strict=True)])
    for value, left in (("cat", [0, 1]), ("CATS", [0, 1]), ("office party", [0]), ("party office", []), ("ca", [])):
        assert found.positions("tag", value).tolist() == left, value
    assert found.positions("from", "simpson").tolist() == found.positions("from", "simpsons").tolist() == [0, 1]


@pytest.mark.parametrize(
    ("value", "first", "last"),
    [
        ("2012", 2012, 2012),
        ("2012-2015", 2012, 2015),
        ("2012–2015", 2012, 2015),
        ("2015-2012", 2012, 2015),
        ("2012-", 2012, 9999),
        (">2015", 2016, 9999),
        ("<2010", 0, 2009),
        (">=2012", 2012, 9999),
        ("<=2012", 0, 2012),
        ("≥ 2012", 2012, 9999),
        ("<= 2012", 0, 2012),
        ("-2012", 0, 2012),
        ("2012..2015", 2012, 2015),
        ("2012…2015", 2012, 2015),
        ("2012 - 2015", 2012, 2015),
        ("2015 — 2012", 2012, 2015),
        ("2012..", 2012, 9999),
        ("２０１２", 2012, 2012),
    ],
)
def test_years_and_ranges(value: str, first: int, last: int, bundled: tuple[Meme, ...], known: Facets) -> None:
    assert year_range(value) == (first, last)
    expected = [at for at, one in enumerate(bundled) if first <= one.family.year <= last]
    assert 0 < len(expected) < len(bundled)
    assert known.positions("year", value).tolist() == expected


@pytest.mark.parametrize(
    "value",
    [
        "",
        "12",
        "201",
        "20122",
        ">",
        "<>2012",
        ">2012-",
        "<2010-2012",
        "2012--",
        "-",
        "..",
        "2012 2015",
        "20122015",
        "=2012",
        "x",
    ],
)
def test_no_year_finds_nothing(value: str, known: Facets) -> None:
    assert year_range(value) is None
    assert known.positions("year", value).tolist() == []


def test_the_most_used_spelling_stands_for_all_and_a_meme_counts_once(tmp_path: Path) -> None:
    memes = [meme(["Cafe"]), meme(["café"]), meme(["café", "CAFE"], topics=("café",)), meme(["car"]), meme(["car"])]
    found = made(tmp_path, memes)
    assert found.complete("tag", "ca") == ["café", "car"]
    assert made(tmp_path, memes + [meme(["car"])] * 2).complete("tag", "ca") == ["car", "café"]
    assert found.complete("tag", "ca", 1) == ["café"]
    assert found.complete("tag", "!") == found.complete("nothing", "ca") == []


def test_several_words_complete_in_sequence(tmp_path: Path) -> None:
    found = made(tmp_path, [meme(people=("Keanu Reeves", "Reeves Keanu", "Mr. Keanu Reed"))])
    assert found.complete("who", "keanu re") == ["Keanu Reeves", "Mr. Keanu Reed"]
    assert found.complete("who", "anu") == []


@pytest.mark.parametrize("how", ["sensitive", "blocked", "not cleared", "incomplete"])
def test_completions_tell_nothing_of_what_is_withheld_but_it_is_found(tmp_path: Path, how: str) -> None:
    secret = {
        "sensitive": replace(MEME, safety=replace(SAFE, level=SafetyClass.SENSITIVE)),
        "blocked": replace(MEME, safety=replace(SAFE, level=SafetyClass.BLOCKED)),
        "not cleared": replace(MEME, rights=replace(CLEARED, cleared=False)),
        "incomplete": replace(MEME, rights=replace(CLEARED, licence="")),
    }[how]
    spelt = replace(secret, tags=("secret", "OPEN", "other"))
    found = made(tmp_path, [meme(["open", "other", "zoo"]), meme(["zoo"]), spelt, spelt])
    assert found.complete("tag", "") == ["zoo", "open", "other"]
    assert found.complete("tag", "s") == []
    assert found.positions("tag", "secret").tolist() == [2, 3]
    assert found.positions("tag", "open").tolist() == [0, 2, 3]


def test_the_same_memes_give_the_same_bytes_and_only_the_named_files(bundled: tuple[Meme, ...], tmp_path: Path) -> None:
    first, second = tmp_path / "a", tmp_path / "b"
    for folder in (first, second):
        folder.mkdir()
        facets.create(folder, iter(bundled))
    assert {path.name for path in first.iterdir()} == set(facets.FILES)
    for name in facets.FILES:
        assert (first / name).read_bytes() == (second / name).read_bytes()


def test_no_memes_have_no_facets(tmp_path: Path) -> None:
    found = made(tmp_path, [])
    for name in FACETS:
        assert found.positions(name, "2012").tolist() == found.complete(name, "") == []


@settings(deadline=None, max_examples=300)
@given(st.text(max_size=80), st.text(max_size=80))
def test_anything_may_be_asked(known: Facets, name: str, value: str) -> None:
    for facet in (name, *FACETS):
        positions = known.positions(facet, value).tolist()
        assert positions == sorted(set(positions))
        assert len(known.complete(facet, value)) <= 8
