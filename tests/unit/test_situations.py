"""Situations belong to a family, change no item, and those of the bundled corpus are what a person could type."""

import re
from collections import Counter
from pathlib import Path

import pytest

from mambomeme_tui import corpus, paths
from mambomeme_tui.text import words
from tests.unit.small_corpus import SAMPLE, faults_of, write


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus folder whose one family is sound; a test that writes into it puts it back."""
    folder = tmp_path_factory.mktemp("corpus")
    (folder / "families").mkdir()
    return folder


SITUATIONS = 'situations = ["when two do what one can not", "for a lonely cat"]\n'


def test_situations_are_of_the_family_and_no_part_of_what_its_items_are(root: Path) -> None:
    write(root, two_cats=SAMPLE)
    before = corpus.load(root)
    write(root, two_cats=SAMPLE.replace("year = 2019\n", f"year = 2019\n{SITUATIONS}"))
    after = corpus.load(root)
    for one, other in zip(before.memes, after.memes, strict=True):
        assert (one.family.situations, len(other.family.situations)) == ((), 2)
        assert one.content_hash == other.content_hash
    assert after.digest == before.digest
    assert after.situations != before.situations


def test_any_change_of_the_situations_changes_their_digest_and_no_other(root: Path) -> None:
    texts = (
        "",
        'situations = ["a"]\n',
        'situations = ["b"]\n',
        'situations = ["a", "b"]\n',
        'situations = ["b", "a"]\n',
    )
    found = []
    for text in texts:
        write(root, two_cats=SAMPLE.replace("year = 2019\n", f"year = 2019\n{text}"))
        found.append(corpus.load(root))
    assert len({one.situations for one in found}) == len(texts)
    assert len({one.digest for one in found}) == 1


def test_situations_count_for_the_family_that_has_them_whatever_else_it_is(root: Path) -> None:
    """Neither another item nor another name changes their digest; the same words of another family do."""
    written = SAMPLE.replace("year = 2019\n", f"year = 2019\n{SITUATIONS}")
    write(root, two_cats=written)
    alone = corpus.load(root)
    write(root, two_cats=written.replace("Still two cats", "Still cats").replace('"Two Cats"', '"Cats"'))
    renamed = corpus.load(root)
    assert renamed.situations == alone.situations
    assert renamed.digest != alone.digest
    write(root, other_cats=written.replace("two-cats", "other-cats", 1))
    assert corpus.load(root).situations != alone.situations
    assert alone.situations == corpus.situations_digest(reversed(alone.memes))


@pytest.mark.parametrize(
    ("value", "line", "field", "expected"),
    [
        ('"a"', 10, "situations", "a valid list"),
        ('[""]', 10, "situations.1", "at least one value"),
        ('["a", " b"]', 10, "situations.2", "without blanks"),
        ('["a\\u001b"]', 10, "situations.1", "without control"),
        (str(["a"] * 25).replace("'", '"'), 10, "situations", "at most 24 values"),
    ],
)
def test_faulty_situations_are_told_like_other_fields(
    root: Path, value: str, line: int, field: str, expected: str
) -> None:
    write(root, two_cats=SAMPLE.replace("year = 2019\n", f"year = 2019\nsituations = {value}\n"))
    (fault,) = faults_of(root)
    assert (fault.line, fault.field) == (line, field)
    assert expected in fault.expected


@pytest.fixture(scope="module")
def bundled() -> dict[str, tuple[tuple[str, ...], frozenset[str]]]:
    """By family its situations, and its name and aliases in folded words."""
    families = {meme.family.id: meme.family for meme in corpus.load(paths.bundled("corpus")).memes}
    return {
        one.id: (one.situations, frozenset(" ".join(words(name)) for name in (one.name, *one.aliases)))
        for one in families.values()
        if one.situations
    }


def test_nobody_wrote_the_same_twice(bundled: dict[str, tuple[tuple[str, ...], frozenset[str]]]) -> None:
    found = Counter(" ".join(words(text)) for texts, _ in bundled.values() for text in texts)
    assert sum(found.values()) > 7000
    assert [text for text, count in found.items() if count > 1] == []


def test_they_are_short_and_plain(bundled: dict[str, tuple[tuple[str, ...], frozenset[str]]]) -> None:
    for family, (texts, _) in bundled.items():
        assert 15 <= len(texts) <= 24, family
        for text in texts:
            assert len(text.split()) <= 20, (family, text)
            assert not re.search(r"[\[\]{}<>\\\\]|https?:", text), (family, text)


def test_none_says_the_name(bundled: dict[str, tuple[tuple[str, ...], frozenset[str]]]) -> None:
    """Whoever knows the name types that; names of one everyday word are left out here."""
    for family, (texts, names) in bundled.items():
        for text in texts:
            said = f" {' '.join(words(text))} "
            assert not [name for name in names if len(name.split()) > 1 and f" {name} " in said], (family, text)
