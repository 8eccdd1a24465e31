"""Whatever text comes, lines take up exactly the cells they were given, and nothing of the text is lost on the way.

Widths are counted here by Unicode's own classes, over letters whose width is beyond dispute.
"""

import unicodedata
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.style import Style

from mambomeme_tui.text import clean
from mambomeme_tui.ui.cells import centre, fit, safe, strip_of, style, wrap

simple = st.text(st.sampled_from("abc XYZ.,/日本語猫가나é"), max_size=60)
anything = st.text(st.characters(exclude_categories=()), max_size=60)
widths = st.integers(0, 40)


def cells(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


@settings(deadline=None)
@given(anything)
def test_safe_text_holds_nothing_that_moves_the_cursor_or_turns_the_line(text: str) -> None:
    shown = safe(text)
    assert not any(unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp") for char in shown)
    assert not set(shown) & set("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
    shown.encode()


def test_an_escape_sequence_is_defused_and_its_letters_stay() -> None:
    assert safe("a\x1b[2Jb\x9bc\u202ed\r\ne") == "a [2Jb cd e"


@settings(deadline=None)
@given(simple, widths)
def test_a_fitted_text_takes_up_exactly_its_width_and_begins_as_it_was(text: str, width: int) -> None:
    line = fit(text, width)
    assert cells(line) == width
    if cells(text) <= width:
        assert line == text + " " * (width - cells(text))
    elif width:
        kept = line.rstrip("…").rstrip(" ") if line.endswith("…") else line
        assert line.endswith("…")
        assert text.startswith(kept)
        assert cells(kept + "x") <= width


@settings(deadline=None)
@given(anything, widths)
def test_any_safe_text_at_all_fits(text: str, width: int) -> None:
    assert cell_len(fit(safe(text), width)) == width
    assert cell_len(centre(safe(text), width)) == width


@pytest.mark.parametrize(
    ("text", "width", "expected"),
    [
        ("abc", 5, "abc  "),
        ("abc", 3, "abc"),
        ("abcd", 3, "ab…"),
        ("日本語", 6, "日本語"),
        ("日本語", 5, "日本…"),
        ("日本語", 4, "日 …"),
        ("日本", 1, "…"),
        ("abc", 0, ""),
        ("", 2, "  "),
    ],
)
def test_known_texts_fit_as_they_should(text: str, width: int, expected: str) -> None:
    assert fit(text, width) == expected


@settings(deadline=None)
@given(simple, st.integers(2, 40), st.integers(0, 6))
def test_wrapped_lines_keep_to_the_width_and_to_the_count(text: str, width: int, most: int) -> None:
    lines = wrap(text, width, most)
    assert len(lines) <= most
    assert all(0 < cells(line) <= width and line == line.rstrip() for line in lines)


@settings(deadline=None)
@given(simple, st.integers(2, 40))
def test_wrapping_loses_no_letter_and_breaks_only_words_that_are_too_long(text: str, width: int) -> None:
    lines = wrap(text, width, 1000)
    assert "".join("".join(lines).split()) == "".join(text.split())
    if all(cells(word) <= width for word in text.split()):
        assert [word for line in lines for word in line.split(" ")] == text.split()
        for line, following in pairwise(lines):
            assert cells(line) + 1 + cells(following.split(" ")[0]) > width  # no line ends sooner than it must


@pytest.mark.parametrize(
    ("text", "width", "most", "expected"),
    [
        ("one two three", 7, 5, ["one two", "three"]),
        ("one two three four", 7, 2, ["one two", "three …"]),
        ("one two three four", 8, 1, ["one two…"]),
        ("abcdefgh", 3, 9, ["abc", "def", "gh"]),
        ("日本語日本語", 5, 9, ["日本", "語日", "本語"]),
        ("  spread \n out  ", 20, 3, ["spread out"]),
        ("", 10, 3, []),
        ("one two", 10, 0, []),
        ("one two", 0, 3, []),
        ("one two", -4, 3, []),
    ],
)
def test_known_texts_wrap_as_they_should(text: str, width: int, most: int, expected: list[str]) -> None:
    assert wrap(text, width, most) == expected


@settings(deadline=None)
@given(simple, widths)
def test_a_centred_text_has_as_much_left_as_right_of_it(text: str, width: int) -> None:
    word = clean(text)
    line = centre(word, width)
    assert cells(line) == width
    if word and cells(word) <= width:
        left, right = len(line) - len(line.lstrip(" ")), len(line) - len(line.rstrip(" "))
        assert line.strip(" ") == word
        assert 0 <= right - left <= 1


@settings(deadline=None)
@given(st.lists(simple, max_size=4), widths)
def test_a_strip_is_exactly_as_wide_as_asked_and_filled_in_its_own_style(texts: list[str], width: int) -> None:
    fill, look = style("#000000", "#111111"), style("#ffffff", "#222222", bold=True)
    strip = strip_of(width, fill, *((text, look) for text in texts))
    assert sum(cells(segment.text) for segment in strip) == width == strip.cell_length
    written = min(width, sum(map(cells, texts)))
    filled = sum(cells(segment.text) for segment in strip if segment.style == fill)
    assert filled in (width - written, width - written + 1)  # one more where a wide letter is cut in half


def test_a_style_holds_what_was_asked_for() -> None:
    made = style("#aabbcc", "#112233", bold=True, reverse=True)
    assert made == Style.parse("bold reverse #aabbcc on #112233")
    assert style("#aabbcc", "#112233") == Style(color="#aabbcc", bgcolor="#112233", bold=False, reverse=False)
