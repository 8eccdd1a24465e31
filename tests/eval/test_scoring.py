"""Partition, judgements, corpus and runs are joined as they are, and what does not belong together is refused."""

import json
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mambomeme_eval.benchmark import Partition, PartitionError
from mambomeme_eval.gates import RELEASE_GATES
from mambomeme_eval.loading import load
from mambomeme_eval.scorecard import System
from mambomeme_eval.scoring import identity_of, is_trec, read_release, read_systems, read_trec, truth_of
from mambomeme_eval.settling import settle
from mambomeme_eval.trec import format_run
from mambomeme_eval.truth import Topic, Truth, Unjudged, Unscorable, answer_keys
from tests.eval.partitions import bundled_world
from tests.eval.run_files import JUDGED, SYSTEMS, Desk, Row, drafted, header, request, withheld, write
from tests.eval.scoring import unhurried

WORLD = bundled_world()
LISTS = st.none() | st.lists(st.sampled_from(sorted(WORLD.memes)), max_size=10, unique=True)


@pytest.fixture(scope="module")
def partition(tmp_path_factory: pytest.TempPathFactory) -> Partition:
    return load(drafted().write(tmp_path_factory.mktemp("partition")), WORLD)


@pytest.fixture(scope="module")
def known(partition: Partition) -> Truth:
    return truth_of(partition, WORLD)


def systems_of(folder: Path, partition: Partition, *runs: list[Row]) -> tuple[dict[str, System], dict[str, str]]:
    """Write these runs and read them together."""
    paths = [write(folder / f"{at}.jsonl", rows) for at, rows in enumerate(runs)]
    return read_systems(paths, partition, WORLD)


def test_topics_are_the_queries_in_their_order(partition: Partition, known: Truth) -> None:
    expected = [Topic(one.id, str(one.slice), one.family, one.id == "dev-006") for one in partition.queries]
    assert list(known.topics) == expected
    assert [one.slice for one in expected] == ["name", "quote", "topic", "semantic", "visual", "noisy", ""]


def test_final_grades_are_those_of_the_rule(partition: Partition, known: Truth) -> None:
    first, second = (one.item for one in partition.candidates[:2])
    assert known.qrels["dev-001"] == {first: 6, second: 2}  # two grades apart: the third person said 1
    assert {grade for query in ("dev-002", "dev-004") for grade in known.qrels[query].values()} == {0, 6}
    assert "dev-007" not in known.qrels
    assert known.safety[JUDGED][withheld(blocked=True)] == "blocked"


def test_targets_hold_the_copies_of_the_groups_they_name(known: Truth) -> None:
    group = {one.id for one in WORLD.corpus.memes if one.group == "john-cena.reading-room"}
    assert len(group) > 1
    assert known.targets["dev-001"] == group | {"john-cena.camera-off"}
    assert known.targets["dev-002"] == {"john-cena.wedding-objection"}


def test_the_manifest_holds_what_policy_withholds_with_the_reason(known: Truth) -> None:
    assert set(known.manifest) == set(WORLD.memes)
    assert known.manifest[withheld(blocked=True)].level == "blocked"
    assert not known.manifest[withheld(blocked=False)].cleared
    shown = [item for item, facts in known.manifest.items() if facts.cleared and facts.level in known.shown]
    assert set(shown) == WORLD.serving
    assert known.shown == {"safe"}
    key = answer_keys(known)[JUDGED]
    assert key.withheld == {withheld(blocked=True)}
    assert {item for item, grade in key.grades.items() if grade} <= WORLD.serving
    assert {grade for item, grade in known.qrels[JUDGED].items() if item not in WORLD.serving} == {6}


def test_grades_that_are_missing_are_named_and_nothing_is_scored(tmp_path: Path) -> None:
    draft = drafted()
    lacking = draft.judgements.pop(1)
    with pytest.raises(Unjudged) as raised:
        truth_of(load(draft.write(tmp_path / "p"), WORLD), WORLD)
    assert raised.value.missing == [(lacking["query"], lacking["item"])]
    assert raised.value.exit_code == 2


def test_runs_come_in_the_order_of_the_scorecard(tmp_path: Path, partition: Partition) -> None:
    names = ["hybrid", "visual", "dense", "rerank", "bm25"]
    runs = [[header(name, repeats=1), request("dev-001", [name])] for name in names]
    systems, identity = systems_of(tmp_path, partition, *runs)
    assert list(systems) == ["bm25", "dense", "hybrid", "rerank", "visual"]
    assert all(list(system.run["dev-001"]) == [(name,)] for name, system in systems.items())
    assert identity == {"interface": "engine", "version": "v-0123456789ab", "run hardware": "a machine"}


@pytest.mark.parametrize(
    ("other", "told"),
    [
        ({"system": "bm25"}, "two runs of bm25"),
        ({"interface": "tui"}, "can't be compared"),
        ({"version": "v-ba9876543210"}, "can't be compared"),
        ({"seed": 8}, "can't be compared"),
        ({"repeats": 1}, "can't be compared"),
        ({"identity": {"hardware": "another machine"}}, "can't be compared"),
        ({"identity": {}}, "can't be compared"),
        ({"corpus": "0" * 64}, "another corpus"),
        ({"partition": "hidden"}, "another partition"),
        ({"queries": "0" * 64}, "other queries"),
        ({"queries": ""}, "other queries"),
    ],
)
def test_runs_that_do_not_belong_together_are_refused(
    other: Row, told: str, tmp_path: Path, partition: Partition
) -> None:
    mine = header("dense") | other
    runs = [
        [first, *(request("dev-001", [], at) for at in range(first["repeats"]))] for first in (header("bm25"), mine)
    ]
    with pytest.raises(Unscorable, match=told) as raised:
        systems_of(tmp_path, partition, *runs)
    assert raised.value.exit_code == 2


def test_a_run_that_was_cut_between_two_repeats_is_not_whole(tmp_path: Path, partition: Partition) -> None:
    block = [request(query.id, []) for query in partition.queries]
    with pytest.raises(Unscorable, match=r"not made to its end: it asks dev-001 1 times of 2\."):
        systems_of(tmp_path, partition, [header("bm25"), *block])


def test_what_a_run_says_of_itself_never_stands_for_what_is_known(tmp_path: Path, partition: Partition) -> None:
    lies = dict.fromkeys(("interface", "version", "corpus", "benchmark", "policy", "hardware"), "a lie")
    systems, runs = systems_of(tmp_path, partition, [header("bm25", repeats=1, identity=lies), request("dev-001", [])])
    found = identity_of(partition, WORLD, runs)
    assert found["interface"] == "engine"
    assert [name for name, value in found.items() if value == "a lie"] == [
        "run interface",
        "run version",
        "run corpus",
        "run benchmark",
        "run policy",
        "run hardware",
    ]
    assert list(found)[:3] == ["benchmark", "corpus", "policy"]
    assert found["corpus"] == WORLD.corpus.digest
    assert found["benchmark"] == "v1 development, judgement set 1"
    assert list(systems) == ["bm25"]


@unhurried
@given(data=st.data())
def test_a_trec_run_is_a_system_whose_missing_queries_failed(data: st.DataObject, partition: Partition) -> None:
    queries = [one.id for one in partition.queries]
    lists = data.draw(st.fixed_dictionaries(dict.fromkeys(queries, LISTS)))
    system = trec_of(format_run(lists, WORLD.memes, "x"), partition)
    assert system.run == {query: [lists[query]] for query in queries}
    assert system.latencies == {query: [None if lists[query] is None else 12.5] for query in queries}
    settled = settle(system.run, queries, WORLD.memes, system.latencies)
    assert settled.errors.get("failed", 0) == sum(one is None for one in lists.values())


def trec_of(text: str, partition: Partition) -> System:
    """The one system of a TREC run."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bm25.first.run"
        path.write_text(text, encoding="utf-8")
        systems = read_trec([path], partition, WORLD, 12.5)
    assert list(systems) == ["bm25"]
    return systems["bm25"]


@pytest.mark.parametrize(
    ("name", "trec"), [("bm25.jsonl", False), ("bm25.run", True), ("bm25", True), ("a.JSON", True)]
)
def test_whatever_is_no_jsonl_is_taken_for_a_trec_run(name: str, trec: bool) -> None:
    assert is_trec(Path(name)) is trec


def test_two_trec_runs_of_one_system_are_refused(tmp_path: Path, partition: Partition) -> None:
    paths = [tmp_path / "bm25.1.run", tmp_path / "bm25.2.run"]
    for path in paths:
        path.write_text("")
    with pytest.raises(Unscorable, match="two runs of bm25"):
        read_trec(paths, partition, WORLD, 1.0)


def test_trec_runs_come_in_the_order_of_the_scorecard(tmp_path: Path, partition: Partition) -> None:
    paths = [tmp_path / name for name in (".run", "hybrid.run", "dense", "bm25.txt")]
    for path in paths:
        path.write_text("")
    assert list(read_trec(paths, partition, WORLD, 1.0)) == ["bm25", "dense", "hybrid", ".run"]


def test_ties_of_a_trec_run_are_broken_by_name_downwards(partition: Partition) -> None:
    items = sorted(WORLD.serving)[:3]
    text = "".join(f"dev-001 Q0 {item} {rank} 0.5 x\n" for rank, item in enumerate(items, 1))
    assert trec_of(text, partition).run["dev-001"] == [items[::-1]]


@pytest.mark.parametrize("score", ["nan", "Infinity", "1e999"])
def test_a_score_that_is_no_number_is_named(score: str, partition: Partition) -> None:
    with pytest.raises(PartitionError) as raised:
        trec_of(f"dev-001 Q0 john-cena.camera-off 1 {score} x\n", partition)
    assert [(one.line, one.field) for one in raised.value.faults] == [(1, "score")]


@given(named=st.dictionaries(st.sampled_from(RELEASE_GATES), st.booleans()))
def test_a_release_file_says_what_passed(tmp_path_factory: pytest.TempPathFactory, named: dict[str, bool]) -> None:
    path = tmp_path_factory.getbasetemp() / "release.json"
    path.write_text(json.dumps(named))
    assert read_release(path) == named


def test_without_a_release_file_no_release_test_was_run() -> None:
    assert read_release(None) == {}


RUBBISH = [
    b"",
    b"rubbish",
    b"[]",
    b"null",
    b"true",
    b'"release-protocol"',
    b'["release-protocol"]',
    b'{"release-protocol": 1}',
    b'{"release-protocol": "true"}',
    b'{"release-protocol": null}',
    b'{"release-protocols": true}',
    b'{"release-protocol": false, "release-protocol": true}',
    b'{"release-protocol": true} {}',
    b"\xff",
    b"\x00",
    b"[" * 100_000,
]


@pytest.mark.parametrize("content", RUBBISH, ids=[repr(one[:40]) for one in RUBBISH])
def test_rubbish_is_no_release_file(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "release.json"
    path.write_bytes(content)
    with pytest.raises(Unscorable) as raised:
        read_release(path)
    assert "\n" not in raised.value.message
    with pytest.raises(Unscorable):
        read_release(tmp_path)


def test_a_judgement_set_is_named_by_its_number(partition: Partition) -> None:
    third = replace(partition, header=replace(partition.header, judgement_set=3))
    assert identity_of(third, WORLD, {})["benchmark"].endswith("judgement set 3")


def test_a_desk_is_whole(tmp_path: Path, partition: Partition) -> None:
    desk = Desk(tmp_path)
    systems, _ = read_systems([Path(one) for one in desk.runs()], partition, WORLD)
    assert tuple(systems) == SYSTEMS
    for system in systems.values():
        assert settle(system.run, desk.lists, WORLD.memes, system.latencies).errors == {}
