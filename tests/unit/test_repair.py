"""Misspelt queries are mended by what the index knows, known words never, and what policy withholds is not told."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mambomeme_tui import corpus, paths
from mambomeme_tui.index import vocabulary
from mambomeme_tui.index.vocabulary import Vocabulary
from mambomeme_tui.records import SafetyClass
from mambomeme_tui.retrieval.engine import Engine
from mambomeme_tui.retrieval.repair import repair, spell_out
from mambomeme_tui.rights import withheld_because
from mambomeme_tui.text import printable, stem, words


@pytest.fixture(scope="module")
def known(engine: Engine) -> Vocabulary:
    return vocabulary.load(engine.version.folder / vocabulary.VOCABULARY_FOLDER)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("distrakted boyfrend", "distracted boyfriend"),
        ("stonkz", "stonks"),
        ("surprized pikachoo", "surprised pikachu"),
        ("john cean", "john cena"),
        ("this iz fien", "this is fine"),
        ("kermiiiit sippiiing teaaa", "kermit sipping tea"),
        ("d0g3", "doge"),
        ("nyancatpoptart", "nyan cat"),
        ("run ning a way ball oon", "running away balloon"),
        ("rik rol", "rickroll"),
        ("🐒 puppet", "monkey puppet"),
    ],
)
def test_what_was_meant_is_found(typed: str, meant: str, known: Vocabulary) -> None:
    assert repair(typed, known) == meant


@pytest.mark.parametrize(
    "typed", ["trans", "nazi", "presidente", "jersey", "mega", "adios", "müde", "mega adios", "presidente trans"]
)
def test_a_word_in_common_use_is_never_taken_for_a_name_that_resembles_it(typed: str, known: Vocabulary) -> None:
    assert not all(map(known.knows, words(typed))), "words that the index has are another matter"
    assert repair(typed, known) == ""


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("happy brithday", "happy birthday"), ("grumpyy", "grumpy"), ("brithday happy", "birthday happy")],
)
def test_a_name_that_only_adds_words_is_no_better_than_what_was_mended(
    typed: str, meant: str, known: Vocabulary
) -> None:
    assert {"happybirthdaygrimace", "grumpycat"} <= known.names.keys()
    assert repair(typed, known) == meant


UNTOUCHED = ("john cena", "DOGE", "wrestling", "harambe", "the killed ones", "zzqx", "x", "", "!!!", "1234567", "zzzz")


@pytest.mark.parametrize("typed", UNTOUCHED)
def test_what_is_right_or_unknown_is_left_as_it_was_typed(typed: str, known: Vocabulary) -> None:
    assert repair(typed, known) == ""


def test_no_known_word_of_any_family_is_ever_overridden(known: Vocabulary) -> None:
    for meme in corpus.load(paths.bundled("corpus")).memes:
        if meme.safety.level is SafetyClass.SAFE and not withheld_because(meme.rights):
            assert repair(meme.quote, known) in ("", " ".join(words(spell_out(meme.quote)))), meme.id
            assert repair(meme.family.name, known) in ("", " ".join(words(spell_out(meme.family.name)))), meme.id


@settings(deadline=None, max_examples=200)
@given(st.text(max_size=120))
def test_any_text_gives_printable_words_of_bounded_length(known: Vocabulary, text: str) -> None:
    found = repair(printable(text), known)
    assert printable(found) == found
    assert all(found.split())
    assert len(found) <= 4 * 120 + 80


@settings(deadline=None, max_examples=100)
@given(data=st.data())
def test_two_swapped_letters_of_a_long_known_word_find_it_or_another_known_one(
    known: Vocabulary, data: st.DataObject
) -> None:
    word = data.draw(st.sampled_from(sorted(word for word in known.counts if word.isascii() and len(word) >= 8)))
    at = data.draw(st.integers(1, len(word) - 3))
    typed = word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    found = repair(typed, known) or typed
    assert all(known.knows(one) or one in known.common for one in found.split())


def test_the_vocabulary_tells_nothing_of_what_policy_withholds(known: Vocabulary) -> None:
    memes = corpus.load(paths.bundled("corpus")).memes
    may_be_shown = [m for m in memes if m.safety.level is SafetyClass.SAFE and not withheld_because(m.rights)]
    shown = {word for meme in may_be_shown for text in _texts(meme) for word in words(text)}
    assert set(known.counts) == shown
    assert known.stems == {stem(word) for word in shown}
    assert {"".join(words(name)) for name in known.names.values()} == set(known.names)


def _texts(meme: object) -> list[str]:
    from mambomeme_tui.index.views import lexical_fields

    return list(lexical_fields(meme).values())  # type: ignore[arg-type]


def test_the_engine_searches_for_what_was_meant_and_says_so_and_as_typed_where_it_is_asked_to(engine: Engine) -> None:
    for route in ("lexical", "dense", "hybrid"):
        result = engine.search("distrakted boyfrend", route)
        assert result.repaired == "distracted boyfriend"
        assert result.hits[0].meme.family.id == "distracted-boyfriend"
        assert result.query == "distrakted boyfrend"
    typed = engine.search("distrakted boyfrend", "lexical", as_typed=True)
    assert (typed.repaired, typed.hits) == ("", ())
    assert engine.search("john cena").repaired == ""


def test_words_in_common_use_are_known_as_such_and_their_commonest_misspellings_are_not(known: Vocabulary) -> None:
    found = vocabulary.common_words()
    assert list(found) == sorted(found)
    assert known.common == found
    assert {"korea", "school", "schule", "escuela", "manana"} <= set(found)
    assert not {"definately", "recieve", "wierd", "don't", "2012", ""} & set(found)
    assert all(words(word) == [word] and word.isalpha() for word in found)
    assert all(min(vocabulary.COMMON.values()) <= frequency < 8 for frequency in found.values())
    assert found["the"] > found["school"] > found["homesick"], "as common as where it is used most"
    assert found["schule"] > 5 > found["korea"]


def test_a_word_tells_the_more_the_fewer_use_it(known: Vocabulary) -> None:
    assert known.rarity("the") == 0
    assert 0 < known.rarity("school") < known.rarity("homesick") < known.rarity("harambe") == 1
    assert known.rarity("gigachad") == known.rarity("zxqvwk") == 1, "whether a meme has it or not"
