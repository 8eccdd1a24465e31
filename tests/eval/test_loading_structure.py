"""A partition that breaks a rule is refused with the file, line and field, and one that keeps them all is loaded."""

from dataclasses import replace
from pathlib import Path

import pytest

from mambomeme_eval import loading
from mambomeme_eval.benchmark import Mark, PartitionError, PartitionName, Slice
from mambomeme_eval.loading import Mode, load
from mambomeme_eval.loading_structure import World
from mambomeme_eval.qrels import derive
from mambomeme_tui.errors import CorpusError
from mambomeme_tui.records import Rights
from tests.eval.partitions import bundled_world, candidate, full, judgement, query, small
from tests.eval.spoiling import OTHER_HASH, add, drop, faults_of, header, loaded, set_


def test_a_good_partition_is_loaded_as_it_is_written(tmp_path: Path) -> None:
    draft = small()
    partition = loaded(draft, tmp_path)
    assert [one.slice for one in partition.queries] == [*Slice, ""]
    assert partition.header.partition is PartitionName.DEVELOPMENT
    assert partition.queries[5].marks == (Mark.SAFETY,)
    assert partition.queries[5].safety
    assert not partition.queries[6].answerable
    assert partition.targets["dev-001"].groups == ("john-cena.reading-room",)
    assert [one.item for one in partition.candidates] == [row["item"] for row in draft.pool]
    assert [one.grade for one in partition.judgements] == [row["grade"] for row in draft.judgements]
    assert partition.audits["dev-007"].annotators[0].name == "ann"
    assert partition.pool is not None
    assert partition.pool.systems == ("bm25",)


def test_a_provisional_partition_tells_every_count_that_falls_short(tmp_path: Path) -> None:
    partition = loaded(small(), tmp_path)
    slices = tuple(f"slice {one}: 1 of 15 queries" for one in Slice)
    others = ("no-match: 1 of 30 queries", "safety answerable: 1 of 15 queries", "safety no-match: 0 of 5 queries")
    assert partition.shortfalls == slices + others
    assert partition.provisional


def test_a_full_partition_with_final_labels_is_final(tmp_path: Path) -> None:
    partition = loaded(full(), tmp_path)
    assert partition.shortfalls == ()
    assert not partition.provisional
    assert replace(partition, shortfalls=("slice name: 14 of 15 queries",)).provisional
    assert derive(partition.candidates, partition.judgements).complete


def test_full_size_does_not_make_provisional_labels_final(tmp_path: Path) -> None:
    draft = full()
    draft.header["labels"] = "provisional"
    assert loaded(draft, tmp_path).provisional


def test_final_labels_on_a_partition_of_another_size_are_a_fault_for_each_count(tmp_path: Path) -> None:
    draft = full()
    draft.queries[0]["marks"] = []
    draft.queries[115]["marks"] = []
    draft.queries.append(query("dev-200", "one too many", "topic", "john-cena"))
    draft.pool.append(candidate("dev-200", "john-cena.shy-bug"))
    draft.judgements += [judgement(draft.pool[-1], name, 2) for name in ("ann", "bob")]
    with pytest.raises(PartitionError) as raised:
        loaded(draft, tmp_path)
    counts = [one.expected.partition(": ")[2] for one in raised.value.faults]
    assert counts == [
        "safety answerable: 14 of 15 queries",
        "safety no-match: 4 of 5 queries",
        "slice topic: 16 of 15 queries",
    ]


def test_final_labels_need_two_auditors_and_provisional_ones_one(tmp_path: Path) -> None:
    draft = full()
    draft.audits[3]["annotators"].pop()
    assert faults_of(draft, tmp_path) == [("audits.jsonl", 4, "annotators")]


STRUCTURE = {
    "an id twice": (set_("queries", 2, id="dev-004"), ("queries.jsonl", 4, "id")),
    "a text twice": (set_("queries", 3, text="COOKING!"), ("queries.jsonl", 4, "text")),
    "an answerable query without a slice": (
        lambda draft: draft.queries.append(query("q", "x y", "topic", "john-cena") | {"slice": ""}),
        ("queries.jsonl", 8, "slice"),
    ),
    "a no-match query with a slice": (set_("queries", 6, slice="topic"), ("queries.jsonl", 7, "slice")),
    "an answerable query about nothing": (set_("queries", 2, templates=[]), ("queries.jsonl", 3, "templates")),
    "a no-match query about something": (
        set_("queries", 6, templates=["john-cena"]),
        ("queries.jsonl", 7, "templates"),
    ),
    "a mark twice": (set_("queries", 2, marks=["filter", "filter"]), ("queries.jsonl", 3, "marks")),
    "a template twice": (set_("queries", 2, templates=["salt-bae"] * 2), ("queries.jsonl", 3, "templates")),
    "an unknown template": (set_("queries", 2, templates=["no-such"]), ("queries.jsonl", 3, "templates")),
    "a family in two slices": (set_("queries", 3, family="dev-003-family"), ("queries.jsonl", 4, "family")),
    "a family that is answerable and not": (
        set_("queries", 6, family="dev-003-family"),
        ("queries.jsonl", 7, "family"),
    ),
    "an unknown key": (set_("queries", 6, slcie="x"), ("queries.jsonl", 7, "slcie")),
    "an unknown mark": (set_("queries", 2, marks=["filter", "odd"]), ("queries.jsonl", 3, "marks.2")),
    "a text of blanks": (set_("queries", 2, text=" "), ("queries.jsonl", 3, "text")),
    "a text with an escape": (set_("queries", 2, text="a\x1b[2Jb"), ("queries.jsonl", 3, "text")),
    "a text with an override": (set_("queries", 2, text="a\u202eb"), ("queries.jsonl", 3, "text")),
    "a text that is cut": (set_("queries", 2, text="ab " * 900), ("queries.jsonl", 3, "text")),
    "a number as a text": (set_("queries", 2, text=5), ("queries.jsonl", 3, "text")),
    "a target twice": (set_("targets", 1, items=["john-cena.shy-bug"] * 2), ("targets.jsonl", 2, "items")),
    "a row of targets twice": (
        add("targets", lambda draft: draft.targets[0]),
        ("targets.jsonl", 3, "query"),
    ),
    "no target in a row": (set_("targets", 1, items=[]), ("targets.jsonl", 2, "items")),
    "an unknown target": (set_("targets", 1, items=["john-cena.no-such"]), ("targets.jsonl", 2, "items")),
    "a group named by a copy": (
        set_("targets", 0, groups=["john-cena.reading-room-again"]),
        ("targets.jsonl", 1, "groups"),
    ),
    "a target of another template": (set_("targets", 1, items=["salt-bae.cat-fur"]), ("targets.jsonl", 2, "items")),
    "a target of an unknown query": (
        add("targets", lambda _: {"query": "odd", "items": ["john-cena.shy-bug"], "groups": []}),
        ("targets.jsonl", 3, "query"),
    ),
    "a quote without a target": (drop("targets", 1), ("queries.jsonl", 2, "id")),
    "another benchmark": (header(benchmark="v2"), ("partition.json", 2, "benchmark")),
    "another partition": (header(partition="third"), ("partition.json", 3, "partition")),
    "no such labels": (header(labels="good"), ("partition.json", 4, "labels")),
    "half a version": (header(judgement_set=1.5), ("partition.json", 8, "judgement_set")),
    "a version from zero": (header(judgement_set=0), ("partition.json", 8, "judgement_set")),
    "true as a version": (header(judgement_set=True), ("partition.json", 8, "judgement_set")),
}


@pytest.mark.parametrize("case", STRUCTURE)
def test_each_broken_rule_of_the_structure_is_the_one_fault_that_is_told(case: str, tmp_path: Path) -> None:
    spoil, place = STRUCTURE[case]
    draft = small()
    spoil(draft)
    assert faults_of(draft, tmp_path, Mode.STRUCTURE) == [place]


def test_an_empty_slice_is_a_fault_even_where_labels_are_provisional(tmp_path: Path) -> None:
    draft = small()
    draft.queries.pop(4)
    with pytest.raises(PartitionError, match="1 fault") as raised:
        loaded(draft, tmp_path, Mode.STRUCTURE)
    assert "visual" in raised.value.faults[0].expected


def test_a_no_match_query_has_no_target(tmp_path: Path) -> None:
    draft = small()
    draft.targets.append({"query": "dev-007", "items": ["john-cena.shy-bug"], "groups": []})
    places = faults_of(draft, tmp_path, Mode.STRUCTURE)
    assert ("targets.jsonl", 3, "query") in places


def test_a_target_that_policy_withholds_is_refused(tmp_path: Path) -> None:
    world = bundled_world()
    changed = [
        replace(meme, rights=Rights("", "", "", "", cleared=False)) if meme.id == "john-cena.camera-off" else meme
        for meme in world.corpus.memes
    ]
    poorer = World(replace(world.corpus, memes=tuple(changed)), world.development)
    with pytest.raises(PartitionError) as raised:
        load(small().write(tmp_path), poorer, Mode.STRUCTURE)
    assert [(one.line, one.field) for one in raised.value.faults] == [(1, "items")]


@pytest.mark.parametrize(("partition", "development"), [("development", False), ("hidden", True)])
def test_each_partition_keeps_to_its_own_families(partition: str, development: bool, tmp_path: Path) -> None:
    draft = small()
    draft.header["partition"] = partition
    world = bundled_world()
    known = world.development if development else frozenset({"doge"})
    with pytest.raises(PartitionError) as raised:
        load(draft.write(tmp_path), World(world.corpus, known), Mode.STRUCTURE)
    assert [(one.line, one.field) for one in raised.value.faults] == [(line, "templates") for line in range(1, 7)]


def test_a_hidden_partition_has_the_same_format_and_counts_of_its_own(tmp_path: Path) -> None:
    draft = small()
    draft.header["partition"] = "hidden"
    world = World(bundled_world().corpus, frozenset({"doge"}))
    partition = load(draft.write(tmp_path), world)
    assert "slice name: 1 of 30 queries" in partition.shortfalls
    assert "safety no-match: 0 of 10 queries" in partition.shortfalls


def test_every_fault_of_every_file_is_told_at_once(tmp_path: Path) -> None:
    draft = small()
    draft.header["policy"] = "2"
    draft.queries[2]["marks"] = ["filter", "filter"]
    draft.targets[1]["items"] = []
    draft.pool_header["depth"] = 1
    draft.judgements[5] |= {"grade": 9, "position": 0}
    draft.audits[0]["corpus"] = OTHER_HASH
    assert faults_of(draft, tmp_path) == [
        ("audits.jsonl", 1, "corpus"),
        ("judgements.jsonl", 6, "grade"),
        ("judgements.jsonl", 6, "position"),
        ("partition.json", 1, "policy"),
        ("pool.json", 1, "depth"),
        ("queries.jsonl", 3, "marks"),
        ("targets.jsonl", 2, "items"),
    ]


def test_an_unreadable_query_brings_no_false_faults_elsewhere(tmp_path: Path) -> None:
    draft = small()
    draft.queries[0]["text"] = 5
    assert faults_of(draft, tmp_path) == [("queries.jsonl", 1, "text")]


def test_missing_files_are_told_each(tmp_path: Path) -> None:
    with pytest.raises(PartitionError) as raised:
        load(tmp_path, bundled_world())
    assert len(raised.value.faults) == 7
    with pytest.raises(PartitionError) as raised:
        load(tmp_path / "no-such", bundled_world(), Mode.STRUCTURE)
    assert len(raised.value.faults) == 3


def test_a_corpus_without_its_list_of_development_families_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CorpusError) as raised:
        loading.world_of(tmp_path)
    assert Path(raised.value.faults[0].file).name == "development.toml"
