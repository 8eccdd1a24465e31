"""Names are found in a query wherever they stand as they are, by their share of its letters."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mambomeme_tui import corpus, paths
from mambomeme_tui.index import vocabulary
from mambomeme_tui.records import SafetyClass
from mambomeme_tui.retrieval.naming import LONGEST, MOST_WORDS, families_named
from mambomeme_tui.rights import withheld_because
from mambomeme_tui.text import STOP_WORDS, words

Names = dict[tuple[str, ...], tuple[int, ...]]

WORDS = ("a", "bb", "ccc", "éé", "日本", "42")
few = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(tuple)
namings = st.dictionaries(
    few.map(lambda name: tuple(words(" ".join(name)))), st.lists(st.integers(0, 5), max_size=3).map(tuple)
)


def scanned(sentence: str, named: Names) -> dict[int, float]:
    """The definition, asked name by name, where there are few words."""
    typed = words(sentence)
    letters = len("".join(typed))
    shares: dict[int, float] = {}
    for name, families in named.items():
        if any(tuple(typed[at : at + len(name)]) == name for at in range(len(typed))):
            for family in families:
                shares[family] = max(shares.get(family, 0.0), len("".join(name)) / letters)
    return shares


@settings(deadline=None, max_examples=300)
@given(st.lists(st.sampled_from((*WORDS, "É-É", "Bb!", "x")), max_size=12).map(" ".join), namings)
def test_what_is_named_is_what_a_scan_of_all_names_finds(sentence: str, named: Names) -> None:
    assert families_named(sentence, named) == pytest.approx(scanned(sentence, named))


@pytest.mark.parametrize(
    ("typed", "shares"),
    [
        ("doge", {3: 1.0, 4: 1.0}),
        ("DOGE!!", {3: 1.0, 4: 1.0}),
        ("a doge", {3: 0.8, 4: 0.8}),
        ("doge doge", {3: 0.5, 4: 0.5}),
        ("doges", {}),
        ("hide the pain harold", {7: 1.0}),
        ("hide the pain", {}),
        ("harold harold pain", {8: 10 / 16}),
        ("harold's pain", {}),
        ("", {}),
        ("?!", {}),
        ("👀", {}),
    ],
)
def test_a_name_counts_by_its_share_of_the_letters(typed: str, shares: dict[int, float]) -> None:
    named = {("doge",): (3, 4), ("hide", "the", "pain", "harold"): (7,), ("harold", "pain"): (8,)}
    assert families_named(typed, named) == shares


def test_the_longest_of_several_names_of_a_family_counts() -> None:
    named = {("cat",): (1,), ("grumpy", "cat"): (1,), ("grumpy",): (1, 2)}
    assert families_named("grumpy cat", named) == {1: 1.0, 2: pytest.approx(6 / 9)}


def test_only_so_many_words_are_looked_at_and_only_so_many_make_a_name() -> None:
    longest, longer = ("x",) * LONGEST, ("x",) * (LONGEST + 1)
    typed = " ".join(longer)
    assert families_named(typed, {longest: (1,), longer: (2,)}) == {1: pytest.approx(LONGEST / (LONGEST + 1))}
    assert families_named("x " * (MOST_WORDS - 1) + "doge", {("doge",): (1,)}).keys() == {1}
    assert families_named("x " * MOST_WORDS + "doge", {("doge",): (1,)}) == {}


@settings(deadline=None, max_examples=300)
@given(st.text(max_size=80), namings)
def test_any_text_at_all_gives_shares(sentence: str, named: Names) -> None:
    assert all(0 < share <= 1 for share in families_named(sentence, named).values())


@pytest.mark.parametrize(
    "typed", ["a" * 10_000, "a " * 5_000, "\x00\x1b[2J" * 2_000, "\ud800" * 100, "日" * 10_000, "[/]"]
)
def test_long_and_hostile_texts_are_answered(typed: str) -> None:
    assert families_named(typed, {("a",): (0,)}).keys() <= {0}


def test_the_names_of_the_corpus_stand_for_the_families_that_anybody_may_be_shown(tmp_path: Path) -> None:
    memes = corpus.load(paths.bundled("corpus")).memes
    vocabulary.create(tmp_path / vocabulary.VOCABULARY_FOLDER, memes, {})
    named = vocabulary.load(tmp_path / vocabulary.VOCABULARY_FOLDER).named
    numbers = {family: number for number, family in enumerate(dict.fromkeys(meme.family.id for meme in memes))}
    expected: dict[tuple[str, ...], set[int]] = {}
    for meme in memes:
        if meme.safety.level is SafetyClass.SAFE and not withheld_because(meme.rights):
            for name in (meme.family.name, *meme.family.aliases, *meme.family.people):
                if not set(words(name)) <= STOP_WORDS:
                    expected.setdefault(tuple(words(name)), set()).add(numbers[meme.family.id])
    assert named == {name: tuple(sorted(families)) for name, families in expected.items()}
    assert {numbers[meme.family.id] for meme in memes} > {one for families in named.values() for one in families}
    cena = numbers["john-cena"]
    assert families_named("why is John Cena so hard to see", named)[cena] == pytest.approx(8 / 24)
