"""Proves that whatever a file of captions holds, its records keep the rules of a corpus and say nothing of it."""

import gzip
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mambomeme_eval.pipeline_captions import LONGEST, Caption, RecordMaker, load, queries
from mambomeme_eval.pipeline_corpus import REMARK, change
from mambomeme_tui import corpus, paths, rights, safety
from mambomeme_tui.corpus_format import FamilyFile
from mambomeme_tui.errors import UsageError
from mambomeme_tui.policy import load_policy
from mambomeme_tui.records import Meme
from mambomeme_tui.retrieval.query import understand
from mambomeme_tui.safety import ViewingMode

HOSTILE = st.text(st.characters(codec=None), max_size=1500)


def write(file: Path, rows: Sequence[object]) -> Path:
    """A gzipped file with a row a line."""
    with gzip.open(file, "wt", encoding="utf-8") as lines:
        lines.writelines(json.dumps(row) + "\n" for row in rows)
    return file


def as_table(meme: Meme) -> dict[str, Any]:
    """The record as a family file would have it."""
    family, (identifier, slug) = meme.family, meme.id.split(".")
    assert identifier == family.id
    return {
        "id": family.id,
        "name": family.name,
        "aliases": list(family.aliases),
        "kind": family.kind,
        "people": list(family.people),
        "franchise": family.franchise,
        "topics": list(family.topics),
        "actions": list(family.actions),
        "year": family.year,
        "origin": family.origin,
        "meaning": family.meaning,
        "picture": family.picture,
        "rights": {**meme.to_dict()["rights"]},
        "safety": {"class": str(meme.safety.level), "reasons": [], "policy": meme.safety.policy},
        "items": [{"slug": slug, "quote": meme.quote, "title": meme.title, "tags": list(meme.tags)}],
    }


@given(st.lists(st.builds(Caption, HOSTILE, HOSTILE), max_size=8))
def test_every_record_keeps_the_rules_of_a_corpus_and_no_id_is_there_twice(captions: list[Caption]) -> None:
    maker = RecordMaker("1")
    memes = [meme for meme in map(maker.make, captions) if meme]
    assert maker.rows == len(captions)
    assert len({meme.id for meme in memes}) == len(memes)
    for meme in memes:
        FamilyFile.model_validate(as_table(meme))
        assert meme.title == meme.family.name
        assert not rights.withheld_because(meme.rights)


def test_templates_of_one_name_are_one_family_and_those_of_one_slug_are_not() -> None:
    maker = RecordMaker("1")
    names = ["Two Buttons", " Two\tButtons ", "two-buttons", "TWO BUTTONS!", "日本", "語"]
    made = [maker.make(Caption(name, "so be it")) for name in names]
    assert [meme.id if meme else None for meme in made] == [
        "two-buttons.c000001",
        "two-buttons.c000002",
        "two-buttons-2.c000001",
        "two-buttons-3.c000001",
        "template.c000001",
        "template-2.c000001",
    ]


@pytest.mark.parametrize("text", ["", " \t\n", "\x00\x1b\x7f", "\u202e\u2066", "\ud800"])
def test_a_text_of_which_nothing_can_be_printed_makes_no_record(text: str) -> None:
    maker = RecordMaker("1")
    assert maker.make(Caption("Doge", text)) is None
    assert maker.make(Caption(text, "such text")) is None
    assert maker.rows == 2


def test_a_text_that_is_too_long_is_cut_and_counted() -> None:
    maker = RecordMaker("1")
    long = maker.make(Caption("Doge", "wow " * 20_000))
    fits = maker.make(Caption("Doge", "w" * LONGEST))
    assert long
    assert fits
    assert len(long.quote) == LONGEST - 1  # the blank at the cut goes too
    assert len(fits.quote) == LONGEST
    assert maker.shortened == 1


def test_a_file_becomes_a_corpus_by_id_that_policy_shows(tmp_path: Path) -> None:
    texts = [("Doge", "b"), ("Ancient Aliens", "c"), ("Doge", ""), ("Doge", "a\x1b[31m")]
    rows = [{"id": str(number), "template": name, "text": text} for number, (name, text) in enumerate(texts)]
    read = load(write(tmp_path / "captions.gz", rows))
    memes = read.corpus.memes
    assert [meme.id for meme in memes] == ["ancient-aliens.c000001", "doge.c000001", "doge.c000002"]
    assert [meme.quote for meme in memes] == ["c", "b", "a [31m"]
    assert (read.rows, read.left_out, read.shortened) == (4, 1, 0)
    shown = load_policy(read.corpus.policy_file).modes[ViewingMode.STANDARD]
    assert not any(safety.withheld_because(meme.safety, shown) for meme in memes)
    again = load(write(tmp_path / "again.gz", rows))
    other = load(write(tmp_path / "other.gz", [*rows, rows[0]]))
    assert read.corpus.digest == again.corpus.digest != other.corpus.digest


@pytest.mark.parametrize("rows", [["secret"], [{"template": "Doge"}], [{"template": "Doge", "text": 7}], [[]], []])
def test_a_file_of_something_else_is_told_without_a_word_of_it(tmp_path: Path, rows: list[object]) -> None:
    with pytest.raises(UsageError, match=r"captions\.gz") as caught:
        load(write(tmp_path / "captions.gz", rows))
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("content", [b"", b"plain", b"\x1f\x8b\x08\x00broken"])
def test_a_file_that_is_not_compressed_or_broken_is_told(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "captions.gz").write_bytes(content)
    with pytest.raises(UsageError, match=r"captions\.gz"):
        load(tmp_path / "captions.gz")


def test_queries_are_two_or_three_neighbouring_words_of_a_caption_and_the_same_for_the_same_seed() -> None:
    maker = RecordMaker("1")
    texts = [f"one{number} two{number} three{number} four{number}" for number in range(300)] + ["alone", "! ? -"]
    memes = [meme for meme in (maker.make(Caption("Doge", text)) for text in texts) if meme]
    made = queries(memes, 200, 1)
    assert len(set(made)) == len(made) == 200
    assert made == queries(memes, 200, 1) != queries(memes, 200, 2)
    assert {len(query.split()) for query in made} == {2, 3}
    assert all(any(query in text for text in texts) for query in made)
    assert not any(understand(query).empty for query in queries(memes, 1000, 1))


def test_a_changed_copy_is_a_valid_corpus_with_other_quotes_in_as_many_families(tmp_path: Path) -> None:
    source = paths.bundled("corpus")
    changed = change(source, tmp_path / "copy", 10, 1)
    before = {meme.id: meme for meme in corpus.load(source).memes}
    after = {meme.id: meme for meme in corpus.load(tmp_path / "copy").memes}
    assert before.keys() == after.keys()
    differing = {name for name in before if before[name].quote != after[name].quote}
    assert differing == set(changed) == {name for name in before if before[name] != after[name]}
    assert len({before[name].family.id for name in changed}) == len(changed) == 10
    assert all(after[name].quote == before[name].quote + REMARK for name in changed)
