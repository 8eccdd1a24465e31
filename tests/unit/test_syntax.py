"""Filters, phrases and exclusions are understood where they are meant, and never stand in the way of plain words."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mambomeme_tui.index.facets import FACETS
from mambomeme_tui.retrieval.syntax import MOST_PARTS, Filter, Syntax, parse
from mambomeme_tui.text import pictographs, printable, words

OFFICE = Filter("tag", "office", negated=True)


@pytest.mark.parametrize(
    ("typed", "understood"),
    [
        ("tag:office", Syntax("", filters=(Filter("tag", "office"),))),
        ("dog tag:office  fire", Syntax("dog fire", filters=(Filter("tag", "office"),))),
        ('who:"Keanu  Reeves" sad', Syntax("sad", filters=(Filter("who", "Keanu Reeves"),))),
        ("who:“Keanu Reeves” sad", Syntax("sad", filters=(Filter("who", "Keanu Reeves"),))),
        ("-type:animal cat", Syntax("cat", filters=(Filter("type", "animal", negated=True),))),
        ('-from:"Star Wars"', Syntax("", filters=(Filter("from", "Star Wars", negated=True),))),
        ("LANG:pt language:en", Syntax("", filters=(Filter("lang", "pt"), Filter("lang", "en")))),
        (
            "kind:animal person:drake franchise:shrek",
            Syntax("", filters=(Filter("type", "animal"), Filter("who", "drake"), Filter("from", "shrek"))),
        ),
        ("template:drake template:drake", Syntax("", filters=(Filter("template", "drake"),))),
        (
            "year:2012 year:2012-2015 year:>2015 year:<2010 -year:2012-",
            Syntax(
                "",
                filters=(
                    *(Filter("year", value) for value in ("2012", "2012-2015", ">2015", "<2010")),
                    Filter("year", "2012-", negated=True),
                ),
            ),
        ),
        ('say "this is fine" dog', Syntax("say this is fine dog", phrases=("this is fine",))),
        ("„this is fine“ “so  it is”", Syntax("this is fine so it is", phrases=("this is fine", "so it is"))),
        ('"you "', Syntax("you", phrases=("you",))),
        ('("not this")', Syntax("( not this )", phrases=("not this",))),
        ('"half”', Syntax("half", phrases=("half",))),
        ('"tag:office -cat"', Syntax("tag:office -cat", phrases=("tag:office -cat",))),
        ('"foo"bar', Syntax("foo bar", phrases=("foo",))),
        ('note:"buy milk"', Syntax("note: buy milk", phrases=("buy milk",))),
        ("dog -cat", Syntax("dog", excluded=("cat",))),
        ("-don't -élan -spider-man", Syntax("", excluded=("don't", "élan", "spider-man"))),
        ('dog -"two words" x', Syntax("dog x", excluded=("two words",))),
        ("-note:milk", Syntax("", excluded=("note:milk",))),
        (
            'year:>=2012 year:<=2012 year:2012..2015 year:"2012 - 2015" -year:-2012 year:-2012',
            Syntax(
                "",
                filters=(
                    *(Filter("year", value) for value in (">=2012", "<=2012", "2012..2015", "2012 - 2015")),
                    Filter("year", "-2012", negated=True),
                    Filter("year", "-2012"),
                ),
            ),
        ),
        ("cat -2012 -3d", Syntax("cat", excluded=("2012", "3d"))),
        ("-5 degrees", Syntax("degrees", excluded=("5",))),
        ("cat -😂 -☹ -🐒ape", Syntax("cat", excluded=("😂", "☹", "🐒ape"))),
        ("cat --dog --two-words", Syntax("cat", excluded=("dog", "two-words"))),
        ('cat --"two words" --tag:office --2012', Syntax("cat", (), ("two words", "2012"), (OFFICE,))),
        ('cat -"dog', Syntax("cat", excluded=("dog",))),
        ('cat -"two wor', Syntax("cat", excluded=("two wor",))),
        ('"a b" -"dog', Syntax("a b", ("a b",), ("dog",))),
        (
            'a "b c" -d -"e f" tag:g -tag:h i',
            Syntax("a b c i", ("b c",), ("d", "e f"), (Filter("tag", "g"), Filter("tag", "h", negated=True))),
        ),
    ],
)
def test_what_is_meant_is_understood(typed: str, understood: Syntax) -> None:
    assert parse(typed) == understood


PLAIN = (
    "",
    "john cena",
    "note: buy milk",
    "3:15",
    "http://x",
    "12:30 at noon",
    "tag:",
    "tag: office",
    "-tag:",
    'tag:"',
    'tag:""',
    'who:"Keanu Ree',
    '-who:"Keanu Ree',
    "tag:!!!",
    'tag:off"ice',
    "year:20",
    "year:soon",
    "year:>",
    "year:>2012-",
    "5'10\" or 6'2\" tall",
    '"this is f',
    'so "',
    '"" x',
    '"!?"',
    '-"',
    "-",
    "- cat",
    "---cat",
    "-",
    "--",
    "cat - 2012",
    '-"!!',
    "-:) -(cat) ->",
    "2012-2015 t-1000",
    "-_-",
    "well-known t-shirt",
    "(tag:office)",
    "metatag:office",
    "perſon:x kınd:x",
    "* ? ~ ^ AND OR NOT name:john +x",
    "[/] [red]x[/red]",
    "שלום 漢字 😀",
)


@pytest.mark.parametrize("typed", PLAIN)
def test_what_is_no_syntax_stays_as_it_was_typed(typed: str) -> None:
    assert parse(typed) == Syntax(typed)


def test_control_codes_and_overrides_are_gone() -> None:
    assert parse("\x1b[31mtag:of\u202efice\x00dog\n-cat\ud800") == Syntax("[31mtag:office dog", excluded=("cat",))
    assert parse("x\ntag:a\tb") == Syntax("x b", filters=(Filter("tag", "a"),))


@settings(deadline=None, max_examples=300)
@given(st.text(st.characters(blacklist_characters='"“”„‟-:'), max_size=200))
def test_plain_text_is_only_cleaned(typed: str) -> None:
    assert parse(typed) == Syntax(printable(typed))


SIGNS = st.lists(
    st.sampled_from(
        [*FACETS, "-", ":", '"', "“", "”", " ", " ", "a", "Büro", "2012", ">", "\u202e", "\x00", "漢字", "!", "😂"]
    )
)


@settings(deadline=None, max_examples=500)
@given(st.one_of(st.text(max_size=200), SIGNS.map("".join)))
def test_anything_is_taken_apart_without_losing_or_inventing_words(typed: str) -> None:
    found = parse(typed)
    assert printable(found.plain) == found.plain
    assert all(map(words, found.phrases))
    assert all(words(part) or pictographs(part) for part in found.excluded)
    assert all(one.name in FACETS and words(one.value) for one in found.filters)
    for phrase in found.phrases:
        assert phrase in found.plain
    for part in (*found.phrases, *found.excluded, *(one.value for one in found.filters)):
        assert part in " ".join(printable(typed).split())
    letters = [char for char in printable(typed) if char.isalnum()]
    assert set(found.plain) <= {*printable(typed), " "}
    assert len([char for char in found.plain if char.isalnum()]) <= len(letters)


values = st.text(st.sampled_from("abé漢字 !-:'"), min_size=1, max_size=12).filter(words)


def one_line(text: str) -> str:
    return " ".join(text.split())


@settings(deadline=None, max_examples=300)
@given(
    st.lists(st.sampled_from(["dog", "fire", "it's", "12:30"]), max_size=5),
    st.lists(
        st.tuples(st.sampled_from([name for name in FACETS if name != "year"]), values, st.booleans()), max_size=4
    ),
    st.lists(values, max_size=3),
    st.lists(values, max_size=3),
    st.randoms(use_true_random=False),
)
def test_parts_that_were_put_in_come_out(
    plain: list[str],
    filters: list[tuple[str, str, bool]],
    phrases: list[str],
    excluded: list[str],
    order: Random,
) -> None:
    parts = [*plain]
    parts += [f'{"-" * negated}{name}:"{value}"' for name, value, negated in filters]
    parts += [f'"{phrase}"' for phrase in phrases] + [f'-"{one}"' for one in excluded]
    order.shuffle(parts)
    found = parse(" ".join(parts))
    assert set(found.filters) == {Filter(name, one_line(value), negated) for name, value, negated in filters}
    assert set(found.phrases) == set(map(one_line, phrases))
    assert set(found.excluded) == set(map(one_line, excluded))
    assert sorted(found.plain.split()) == sorted(one for part in (*plain, *phrases) for one in part.split())


def test_as_many_parts_are_heeded_as_are_allowed_and_the_rest_stays_plain() -> None:
    numbers = range(MOST_PARTS + 2)
    for form, kind in (("tag:t{}", "filters"), ("-t{}", "excluded"), ('"t{}"', "phrases")):
        found = parse(" ".join(form.format(number) for number in numbers))
        assert len(getattr(found, kind)) == MOST_PARTS
        assert found.plain.endswith(" ".join(form.format(number) for number in numbers[MOST_PARTS:]))


@pytest.mark.parametrize(
    "typed", ['"' * 10_000, "tag:" * 2_500, 'tag:"' * 2_000, "-" * 10_000, "tag:a " * 1_700, '-"a ' * 2_500]
)
def test_long_queries_of_nothing_but_signs_are_taken_apart(typed: str) -> None:
    found = parse(typed)
    assert len(found.plain) <= len(typed)
    assert sum(map(len, (found.filters, found.phrases, found.excluded))) <= 3 * MOST_PARTS
