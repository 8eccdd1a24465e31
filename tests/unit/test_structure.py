"""What belongs together is numbered by the first meme of each, and every member is found, whatever the order."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mambomeme_tui import corpus, paths
from mambomeme_tui.index import structure
from mambomeme_tui.index.structure import Structure, family_numbers
from mambomeme_tui.records import Meme
from tests.unit.test_facets import MEME

belongings = st.lists(st.tuples(st.sampled_from("zyxw"), st.sampled_from("kjih")), max_size=30)


def of(pairs: Sequence[tuple[str, str]]) -> list[Meme]:
    """A meme of each family and group."""
    return [
        replace(MEME, id=f"{at}", family=replace(MEME.family, id=family), group=group)
        for at, (family, group) in enumerate(pairs)
    ]


def made(folder: Path, memes: Sequence[Meme]) -> Structure:
    structure.create(folder / structure.STRUCTURE_FILE, memes)
    return structure.load(folder / structure.STRUCTURE_FILE)


def by_first_use(names: Sequence[str]) -> list[int]:
    order = sorted(set(names), key=names.index)
    return [order.index(name) for name in names]


@settings(deadline=None, max_examples=100)
@given(belongings, st.integers(0, 31))
def test_numbers_go_by_the_first_meme_and_members_are_all_of_a_family(pairs: list[tuple[str, str]], most: int) -> None:
    memes = of(pairs)
    families, groups = [family for family, _ in pairs], [group for _, group in pairs]
    with TemporaryDirectory() as folder:
        found = made(Path(folder), memes)
        assert found.families.tolist() == by_first_use(families)
        assert found.groups.tolist() == by_first_use(groups)
        assert found.starts[-1] == len(found.members) == len(pairs)
        assert len(found.starts) == len(set(families)) + 1
        for name, number in family_numbers(memes).items():
            members = [at for at, family in enumerate(families) if family == name]
            assert found.members_of(number, most).tolist() == members[:most]


def test_names_of_any_kind_tell_families_apart(tmp_path: Path) -> None:
    names = ["", " ", "é", "e\u0301", "a\n", "a", "x" * 10_000, "\x00", "日本"]
    found = made(tmp_path, of([(name, name) for name in names]))
    assert found.families.tolist() == found.groups.tolist() == list(range(len(names)))


def test_of_no_memes_nothing_belongs_together(tmp_path: Path) -> None:
    found = made(tmp_path, [])
    assert [len(part) for part in (found.families, found.groups, found.members, found.starts)] == [0, 0, 0, 1]


def test_the_bundled_families_and_copies_are_those_of_the_records(tmp_path: Path) -> None:
    memes = corpus.load(paths.bundled("corpus")).memes
    found = made(tmp_path, memes)
    for wanted, numbers in ((lambda one: one.family.id, found.families), (lambda one: one.group, found.groups)):
        pairs = {(wanted(meme), number) for meme, number in zip(memes, numbers.tolist(), strict=True)}
        assert len(pairs) == len({name for name, _ in pairs}) == len({number for _, number in pairs})
    assert found.groups.max() + 1 == sum(not meme.change for meme in memes) < len(memes)


def test_the_same_memes_give_the_same_bytes_and_the_file_is_mapped(tmp_path: Path) -> None:
    first, second = tmp_path / "a", tmp_path / "b"
    memes = of([("b", "x"), ("a", "x"), ("b", "y")])
    for path in (first, second):
        structure.create(path, memes)
    assert first.read_bytes() == second.read_bytes()
    found = structure.load(first)
    assert isinstance(found.families.base, np.memmap)
    with pytest.raises(ValueError, match="read-only"):
        found.families[0] = 7
