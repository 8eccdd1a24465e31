"""The development partition keeps every rule of the benchmark, is judged whole, and its queries are what they claim."""

from collections import Counter
from pathlib import Path

import pytest
from rapidfuzz import fuzz

from mambomeme_eval.agreement import agreement
from mambomeme_eval.benchmark import Mark, Partition, Slice
from mambomeme_eval.commands_scoring import DEVELOPMENT
from mambomeme_eval.loading import Mode, load, world_of
from mambomeme_eval.loading_structure import World
from mambomeme_eval.scoring import truth_of
from mambomeme_eval.truth import USEFUL, answer_keys
from mambomeme_tui import paths
from mambomeme_tui.records import Meme
from mambomeme_tui.text import terms

MOST_ALIKE = 75


@pytest.fixture(scope="module")
def world() -> World:
    return world_of(paths.bundled("corpus"))


@pytest.fixture(scope="module")
def partition(world: World) -> Partition:
    return load(DEVELOPMENT, world, Mode.SCORING)


def test_it_has_the_size_of_the_table_and_says_that_its_labels_are_provisional(partition: Partition) -> None:
    assert partition.provisional
    assert partition.shortfalls == ()
    answerable = Counter(query.slice for query in partition.queries if query.answerable)
    assert answerable == dict.fromkeys(Slice, 15)
    assert len(partition.queries) == 120
    safety = Counter(query.answerable for query in partition.queries if Mark.SAFETY in query.marks)
    assert safety == {True: 15, False: 5}


def test_every_candidate_has_its_final_grade_and_every_query_can_be_scored(partition: Partition, world: World) -> None:
    keys = answer_keys(truth_of(partition, world))
    assert len(keys) == 120
    for query in partition.queries:
        useful = [item for item, grade in keys[query.id].grades.items() if grade >= USEFUL]
        assert bool(useful) is query.answerable, query.id


def searchable(meme: Meme) -> str:
    """Everything that is written of an item, its family's part included."""
    family = meme.family
    lists = [*family.aliases, *family.people, *family.topics, *family.actions, *meme.tags]
    one = [
        family.name,
        family.franchise,
        family.origin,
        family.kind,
        meme.title,
        meme.quote,
        meme.meaning,
        meme.picture,
    ]
    return " ".join([*one, *lists])


def test_a_semantic_query_shares_no_content_word_with_what_it_asks_for(partition: Partition, world: World) -> None:
    semantic = [query for query in partition.queries if query.slice is Slice.SEMANTIC]
    for query in semantic:
        asked = set(terms(query.text))
        for meme in world.corpus.memes:
            if meme.family.id in query.templates:
                assert asked.isdisjoint(terms(searchable(meme))), (query.id, meme.id)


def test_no_two_queries_are_alike(partition: Partition) -> None:
    texts = [query.text.casefold() for query in partition.queries]
    alike = [
        (one, other) for at, one in enumerate(texts) for other in texts[:at] if fuzz.ratio(one, other) >= MOST_ALIKE
    ]
    assert alike == []


def test_the_agreement_that_is_published_is_the_one_that_is_computed(partition: Partition) -> None:
    found = agreement(partition.candidates, partition.judgements)
    text = (Path(DEVELOPMENT) / "README.md").read_text(encoding="utf-8")
    assert f"| candidates | {len(partition.candidates):,} |" in text
    assert f"{found.alpha:.3f}" in text
    assert f"judgement set {partition.header.judgement_set} |" in text
