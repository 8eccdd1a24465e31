"""The page that annotators judge by: its version, its grades and classes, and no example that is kept for judging."""

import re
from pathlib import Path

from mambomeme_tui.records import SafetyClass
from tests.eval.partitions import bundled_world, small

PAGE = (Path(__file__).parents[2] / "docs" / "judging.md").read_text(encoding="utf-8")


def test_the_page_is_the_guideline_that_partitions_name() -> None:
    assert PAGE.startswith(f"# How to judge: guideline {small().header['guideline']}\n")


def test_every_grade_has_two_examples_or_three_and_every_class_has_some() -> None:
    examples = re.findall(r"^\| ([0-3]) \| `", PAGE, re.M)
    assert {grade: examples.count(grade) for grade in "0123"} == dict.fromkeys("0123", 3)
    assert all(f"| **{level}** |" in PAGE for level in SafetyClass)


def test_no_family_that_is_kept_for_judging_is_named() -> None:
    world = bundled_world()
    kept = {meme.family for meme in world.corpus.memes if meme.family.id not in world.development}
    names = {one.name for one in kept if len(one.name) > 3}  # shorter ones stand in other words
    assert [name for name in names if re.search(rf"\b{re.escape(name)}\b", PAGE)] == []


def test_quoted_captions_are_those_of_the_corpus() -> None:
    quotes = [meme.quote for meme in bundled_world().corpus.memes]
    for told in re.findall(r'"([^"`]{12,})"', PAGE):
        start = told.removesuffix(" …")
        assert any(start in quote for quote in quotes), told
