"""Pools, judgements and audits that break a rule are refused before anything is scored, each with its place."""

from dataclasses import replace
from pathlib import Path

import pytest

from mambomeme_eval.benchmark import PartitionError
from mambomeme_eval.loading import Mode, load
from mambomeme_eval.loading_structure import World
from mambomeme_eval.qrels import derive
from tests.eval.partitions import Draft, audit, bundled_world, candidate, judgement, small
from tests.eval.spoiling import OTHER_HASH, add, drop, faults_of, header, loaded, set_

SCORING = {
    "another corpus": (header(corpus=OTHER_HASH), ("partition.json", 1, "corpus")),
    "another policy": (header(policy="2"), ("partition.json", 1, "policy")),
    "a candidate twice": (add("pool", lambda draft: draft.pool[0]), ("pool.jsonl", 13, "item")),
    "a candidate of an unknown query": (
        add("pool", lambda _: candidate("odd", "john-cena.shy-bug")),
        ("pool.jsonl", 13, "query"),
    ),
    "a candidate that is no item": (
        add("pool", lambda _: candidate("dev-001", "john-cena.shy-bug") | {"item": "john-cena.no-such"}),
        ("pool.jsonl", 13, "item"),
    ),
    "a candidate with other content": (
        add("pool", lambda _: candidate("dev-001", "john-cena.shy-bug") | {"content_hash": OTHER_HASH}),
        ("pool.jsonl", 13, "content_hash"),
    ),
    "a candidate with a rank": (
        add("pool", lambda _: candidate("dev-001", "john-cena.shy-bug") | {"rank": 1}),
        ("pool.jsonl", 13, "rank"),
    ),
    "another pool": (lambda draft: draft.pool_header.update(version=OTHER_HASH), ("pool.json", 1, "version")),
    "a shallow pool": (lambda draft: draft.pool_header.update(depth=9), ("pool.json", 1, "depth")),
    "a pool of no system": (lambda draft: draft.pool_header.update(systems=[]), ("pool.json", 1, "systems")),
    "a grade of four": (set_("judgements", 5, grade=4), ("judgements.jsonl", 6, "grade")),
    "a grade below zero": (set_("judgements", 5, grade=-1), ("judgements.jsonl", 6, "grade")),
    "half a grade": (set_("judgements", 5, grade=1.5), ("judgements.jsonl", 6, "grade")),
    "NaN as a grade": (set_("judgements", 5, grade=float("nan")), ("judgements.jsonl", 6, "(line)")),
    "true as a grade": (set_("judgements", 5, grade=True), ("judgements.jsonl", 6, "grade")),
    "a grade as a text": (set_("judgements", 5, grade="2"), ("judgements.jsonl", 6, "grade")),
    "an unknown class": (set_("judgements", 5, safety="fine"), ("judgements.jsonl", 6, "safety")),
    "position zero": (set_("judgements", 5, position=0), ("judgements.jsonl", 6, "position")),
    "no time zone": (set_("judgements", 5, time="2024-05-01T12:00:00"), ("judgements.jsonl", 6, "time")),
    "no time": (set_("judgements", 5, time="yesterday"), ("judgements.jsonl", 6, "time")),
    "an empty name": (set_("judgements", 5, annotator=""), ("judgements.jsonl", 6, "annotator")),
    "a judgement of other content": (
        set_("judgements", 5, content_hash=OTHER_HASH),
        ("judgements.jsonl", 6, "content_hash"),
    ),
    "another guideline": (set_("judgements", 5, guideline="2"), ("judgements.jsonl", 6, "guideline")),
    "a judgement outside the pool": (
        add("judgements", lambda _: judgement(candidate("dev-001", "john-cena.shy-bug"), "ann", 1)),
        ("judgements.jsonl", 27, "item"),
    ),
    "a person twice": (
        add("judgements", lambda draft: judgement(draft.pool[0], "ann", 3)),
        ("judgements.jsonl", 27, "annotator"),
    ),
    "a third annotator": (
        add("judgements", lambda draft: judgement(draft.pool[0], "dee", 3)),
        ("judgements.jsonl", 27, "annotator"),
    ),
    "an adjudicator who annotated": (
        set_("judgements", 24, annotator="bob"),
        ("judgements.jsonl", 25, "annotator"),
    ),
    "an adjudicator without need": (
        add("judgements", lambda draft: judgement(draft.pool[0], "cyd", 3, role="adjudicator")),
        ("judgements.jsonl", 27, "role"),
    ),
    "two adjudicators": (
        add("judgements", lambda draft: judgement(draft.pool[1], "dee", 3, role="adjudicator")),
        ("judgements.jsonl", 27, "role"),
    ),
    "a repetition without a first": (
        add("judgements", lambda draft: judgement(draft.pool[0], "cyd", 3, repeat=True)),
        ("judgements.jsonl", 27, "repeat"),
    ),
    "a repetition in another role": (
        add("judgements", lambda draft: judgement(draft.pool[2], "ann", 3, repeat=True, role="adjudicator")),
        ("judgements.jsonl", 27, "repeat"),
    ),
    "a candidate that can't be read": (set_("pool", 0, item="no id"), ("pool.jsonl", 1, "item")),
    "a third sight": (
        add("judgements", lambda draft: judgement(draft.pool[0], "ann", 3, repeat=True)),
        ("judgements.jsonl", 27, "repeat"),
    ),
    "an expired audit": (set_("audits", 0, corpus=OTHER_HASH), ("audits.jsonl", 1, "corpus")),
    "an audit that left out a field": (
        lambda draft: draft.audits[0]["checked"].remove("origin"),
        ("audits.jsonl", 1, "checked"),
    ),
    "an audit that found something": (
        set_("audits", 0, annotators=[{"name": "ann", "absent": False}]),
        ("audits.jsonl", 1, "annotators"),
    ),
    "an audit by nobody": (set_("audits", 0, annotators=[]), ("audits.jsonl", 1, "annotators")),
    "an auditor twice": (
        set_("audits", 0, annotators=[{"name": "ann", "absent": True}] * 2),
        ("audits.jsonl", 1, "annotators"),
    ),
    "an audit of no item": (set_("audits", 0, nearest=["a.b"]), ("audits.jsonl", 1, "nearest")),
    "an audit twice": (add("audits", lambda draft: draft.audits[0]), ("audits.jsonl", 2, "query")),
    "an audit of an answerable query": (
        add("audits", lambda _: audit("dev-001", "ann")),
        ("audits.jsonl", 2, "query"),
    ),
    "an audit of no query": (add("audits", lambda _: audit("odd", "ann")), ("audits.jsonl", 2, "query")),
    "a no-match query without an audit": (drop("audits", 0), ("queries.jsonl", 7, "id")),
    "no safety query": (set_("queries", 5, marks=[]), ("queries.jsonl", 1, "(count)")),
}


@pytest.mark.parametrize("case", SCORING)
def test_each_broken_rule_of_scoring_is_the_one_fault_that_is_told(case: str, tmp_path: Path) -> None:
    spoil, place = SCORING[case]
    draft = small()
    spoil(draft)
    assert faults_of(draft, tmp_path) == [place]


@pytest.mark.parametrize("case", sorted(set(SCORING) - {"no safety query"}))
def test_what_only_scoring_needs_does_not_hinder_writing_queries(case: str, tmp_path: Path) -> None:
    draft = small()
    SCORING[case][0](draft)
    partition = loaded(draft, tmp_path, Mode.STRUCTURE)
    assert len(partition.queries) == 7
    assert (partition.pool, partition.candidates, partition.judgements, partition.audits) == (None, (), (), {})


def test_a_partition_without_no_match_queries_is_not_scored(tmp_path: Path) -> None:
    draft = small()
    draft.queries.pop(6)
    draft.audits.clear()
    assert faults_of(draft, tmp_path) == [("queries.jsonl", 1, "(count)")]


def _grade(draft: Draft, item: int, *grades: int) -> None:
    for at, grade in enumerate(grades):
        draft.judgements[2 * item + at]["grade"] = grade


@pytest.mark.parametrize(("grades", "good"), [((2, 2), True), ((1, 2), False), ((1, 3), None), ((2, 3), True)])
def test_an_answerable_query_has_an_item_of_grade_two(
    grades: tuple[int, int], good: bool | None, tmp_path: Path
) -> None:
    draft = small()
    _grade(draft, 4, *grades)  # the first candidate of dev-003
    if good is False:
        assert faults_of(draft, tmp_path) == [("queries.jsonl", 3, "id")]
    else:  # 1 and 3 wait for a third person, so that nothing can be said yet
        partition = loaded(draft, tmp_path)
        assert derive(partition.candidates, partition.judgements).complete is bool(good)


@pytest.mark.parametrize("safety", ["sensitive", "blocked"])
def test_a_grade_of_an_item_that_policy_withholds_is_none(safety: str, tmp_path: Path) -> None:
    draft = small()
    for row in draft.judgements[8:10]:
        row["safety"] = safety
    assert faults_of(draft, tmp_path) == [("queries.jsonl", 3, "id")]


def test_an_answerable_query_without_a_candidate_has_nothing_to_find(tmp_path: Path) -> None:
    draft = small()
    draft.pool = draft.pool[:4] + draft.pool[6:]
    draft.judgements = [row for row in draft.judgements if row["query"] != "dev-003"]
    assert faults_of(draft, tmp_path) == [("queries.jsonl", 3, "id")]


def test_a_no_match_query_with_a_useful_item_is_none(tmp_path: Path) -> None:
    draft = small()
    draft.pool.append(candidate("dev-007", "salt-bae.cat-fur"))
    draft.judgements += [judgement(draft.pool[-1], name, 2) for name in ("ann", "bob")]
    assert faults_of(draft, tmp_path) == [("queries.jsonl", 7, "kind")]


def test_a_useful_item_without_cleared_rights_is_none(tmp_path: Path) -> None:
    draft, world = small(), bundled_world()
    item = draft.pool[4]["item"]  # the first candidate of dev-003
    memes = [replace(meme, rights=replace(meme.rights, cleared=meme.id != item)) for meme in world.corpus.memes]
    poorer = World(replace(world.corpus, memes=tuple(memes)), world.development)
    with pytest.raises(PartitionError) as raised:
        load(draft.write(tmp_path), poorer)
    assert [(one.line, one.field) for one in raised.value.faults] == [(3, "id")]
