"""Documents and queries meet in the same terms, whatever script, form or rubbish they are written in."""

import unicodedata
from itertools import pairwise

import pytest
import snowballstemmer
from hypothesis import given, settings
from hypothesis import strategies as st

from mambomeme_tui import corpus, paths, text
from mambomeme_tui.text import clean, fold, printable, stem, terms, words

ISOLATES_AND_OVERRIDES = {"LRE", "RLE", "PDF", "LRO", "RLO", "LRI", "RLI", "FSI", "PDI"}
MARKS_OF_DIRECTION = "\u061c\u200e\u200f"
NASTY = "\ud83d\udc40\ud800\udfff\u202e\u2066\u200e\u2028\x1b\x00\x85\ufffd\ufeff\u0301\u3099'\u2019\u00b4\ufdfa ß İ"
anything = st.text(st.one_of(st.characters(exclude_categories=()), st.sampled_from(NASTY)), max_size=60)
ideographs = st.text(st.characters(min_codepoint=0x4E00, max_codepoint=0x9FA5), min_size=1, max_size=12)
# a consonant, then consonants and vowel signs: what `\w` alone would cut in pieces
devanagari = st.from_regex(r"[\u0915-\u0928][\u0915-\u0928\u093e-\u094d]{0,8}", fullmatch=True)


@settings(deadline=None)
@given(anything)
def test_cleaned_text_is_one_line_that_any_stream_can_encode(given_text: str) -> None:
    cleaned = clean(given_text)
    cleaned.encode()
    assert not {unicodedata.category(char) for char in cleaned} & {"Cc", "Cs", "Co", "Cn", "Zl", "Zp"}
    assert cleaned == unicodedata.normalize("NFC", cleaned)
    assert cleaned == " ".join(cleaned.split())
    assert clean(cleaned) == cleaned


@settings(deadline=None)
@given(anything)
def test_printable_text_turns_no_direction_and_is_stable(given_text: str) -> None:
    shown = printable(given_text)
    assert not {unicodedata.bidirectional(char) for char in shown} & ISOLATES_AND_OVERRIDES
    assert not set(shown) & set(MARKS_OF_DIRECTION)
    assert shown == clean(shown) == printable(shown)


@settings(deadline=None)
@given(anything)
def test_terms_are_total_and_hold_nothing_that_could_not_be_printed(given_text: str) -> None:
    found = words(given_text)
    assert all(word and word == printable(word) and " " not in word and "'" not in word for word in found)
    assert set(terms(given_text)) <= {stem(word) for word in found}
    assert bool(terms(given_text)) == bool(found)


@settings(deadline=None)
@given(anything)
def test_folding_twice_changes_nothing_more(given_text: str) -> None:
    assert fold(fold(given_text)) == fold(given_text)


@settings(deadline=None)
@given(anything, anything)
def test_words_of_two_texts_with_a_blank_between_are_the_words_of_each(one: str, other: str) -> None:
    assert words(f"{one} {other}") == words(one) + words(other)


def test_a_surrogate_pair_becomes_its_character_and_a_lone_one_a_blank() -> None:
    assert clean("a\ud83d\udc40b") == "a👀b"
    assert clean("a\ud83db\udc40c") == "a b c"


def test_a_removed_override_leaves_no_double_blank_behind() -> None:
    assert printable("left \u202e right") == "left right"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Café", "CAFE\u0301"),
        ("straße", "STRASSE"),
        ("İstanbul", "istanbul"),
        ("ﬁne ﬂuﬀ", "fine fluff"),
        ("ＦＵＬＬ ｗｉｄｔｈ", "full width"),
        ("𝕮𝖆𝖙 𝐌𝐄𝐌𝐄", "cat meme"),
        ("ᴬᴮ", "ab"),
        ("Ⅷ", "viii"),
        ("can’t", "can't"),
        ("can´t", "can't"),
        ("can`t", "can't"),
        ("can＇t", "can't"),
        ("can｀t", "can't"),
        ("Σίσυφος", "ΣΊΣΥΦΟΣ"),
        ("Ёлка", "елка"),
        ("ｶﾞｷﾞ", "ガギ"),
        ("カ\u3099", "ガ"),
        ("한글", unicodedata.normalize("NFD", "한글")),
    ],
)
def test_spellings_of_one_thing_fold_alike(one: str, other: str) -> None:
    assert fold(one) == fold(other)
    assert words(one) == words(other)


@pytest.mark.parametrize(("one", "other"), [("ガ", "カ"), ("हिन्दी", "हन्द"), ("cat", "cut"), ("γ", "v"), ("no", "not")])
def test_folding_keeps_apart_what_means_something_else(one: str, other: str) -> None:
    assert fold(one) != fold(other)


@pytest.mark.parametrize(
    ("given_text", "expected"),
    [
        ("You can't see me", ["cant", "see"]),
        ("Distracted boyfriends, distracting!", ["distract", "boyfriend", "distract"]),
        ("to be or not to be", ["not"]),
        ("what is it", ["what", "is", "it"]),
        ("C-3PO said 1,000", ["c", "3po", "said", "1", "000"]),
        ("snake_case", ["snake", "case"]),
        ("日本語", ["日本", "本語"]),
        ("猫", ["猫"]),
        ("iPhoneを買う", ["iphon", "を買", "買う"]),
        ("हिन्दी मीम", ["हिन्दी", "मीम"]),
        ("தமிழ் மீம்", ["தமிழ்", "மீம்"]),
        ("\u0e40\u0e04\u0e23\u0e37\u0e48\u0e2d\u0e07", ["\u0e40\u0e04\u0e23\u0e37\u0e48\u0e2d\u0e07"]),
        ("👀 !!! …", []),
        ("", []),
    ],
)
def test_terms_of_known_texts(given_text: str, expected: list[str]) -> None:
    assert terms(given_text) == expected


@settings(deadline=None)
@given(ideographs)
def test_a_run_of_ideographs_becomes_its_overlapping_pairs(run: str) -> None:
    normal = unicodedata.normalize("NFKC", run)
    expected = [one + other for one, other in pairwise(normal)] or [normal]
    assert words(run) == expected


@settings(deadline=None)
@given(ideographs, ideographs.filter(lambda run: len(run) > 1), ideographs)
def test_part_of_a_run_of_ideographs_is_found_in_the_whole(before: str, part: str, after: str) -> None:
    assert set(terms(part)) <= set(terms(before + part + after))
    assert set(terms(part)) <= set(terms(f"mixed{part}{after}with latin"))


@settings(deadline=None)
@given(st.lists(devanagari, max_size=5))
def test_indic_words_stay_whole(written: list[str]) -> None:
    assert words(" ".join(written)) == [unicodedata.normalize("NFKC", word) for word in written]


@settings(deadline=None)
@given(st.from_regex(r"[a-z]{1,12}", fullmatch=True))
def test_plain_words_get_the_stem_that_snowball_gives(word: str) -> None:
    assert stem(word) == snowballstemmer.stemmer("english").stemWord(word)


def test_words_with_digits_or_other_scripts_are_not_stemmed() -> None:
    assert [stem(word) for word in ("9s", "кошки", "cafés")] == ["9s", "кошки", "cafés"]


def test_every_text_of_the_corpus_is_met_by_a_query_in_another_form() -> None:
    fullwidth = {code: code + 0xFEE0 for code in range(0x21, 0x7F)}
    for meme in corpus.load(paths.bundled("corpus")).memes:
        for written in (meme.quote, meme.meaning, meme.picture, meme.family.name, *meme.family.aliases):
            expected = terms(written)
            assert terms(written.upper()) == expected
            assert terms(unicodedata.normalize("NFD", written)) == expected
            assert terms(written.replace("'", "’")) == expected
            assert terms(written.translate(fullwidth)) == expected


def test_a_content_word_alone_is_found_in_the_text_it_comes_from() -> None:
    for meme in corpus.load(paths.bundled("corpus")).memes:
        indexed = set(terms(meme.quote))
        content = [word for word in words(meme.quote) if word not in text.STOP_WORDS]
        assert all(set(terms(word)) <= indexed for word in content)


def test_a_hundred_thousand_characters_are_no_trouble() -> None:
    assert clean("\ud800\x00" * 50_000) == ""
    assert clean("\u0301" * 100_000) == "\u0301" * 100_000
    assert words("日" * 100_000) == ["日日"] * 99_999
    assert terms("cats " * 20_000) == ["cat"] * 20_000
