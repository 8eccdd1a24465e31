"""`mambomeme-eval bench` from end to end on a small partition: measured, gated, scored, resumed, and refused."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mambomeme_eval.bench import command, config, measuring, release
from mambomeme_eval.bench.measuring import Plan
from mambomeme_eval.bench.samples import alone
from mambomeme_eval.loading import load
from mambomeme_eval.runs import read_run
from mambomeme_eval.truth import Unjudged, Unscorable
from mambomeme_tui.errors import UsageError
from mambomeme_tui.retrieval.engine import Engine
from tests.eval.benching import settings
from tests.eval.command_line import Capture, refused
from tests.eval.partitions import Draft, bundled_world, candidate, judgement, small

WORLD = bundled_world()


def judged(engine: Engine) -> Draft:
    """The small partition, with everything that bm25 finds judged."""
    draft = small()
    known = {(row["query"], row["item"]) for row in draft.pool}
    for one in draft.queries:
        found = {hit.meme.id for hit in engine.search(one["text"], "lexical").hits}
        for item in sorted(found - {item for query, item in known if query == one["id"]}):
            row = candidate(one["id"], item)
            draft.pool.append(row)
            draft.judgements += [judgement(row, name, 1 if one["slice"] else 0) for name in ("ann", "bob")]
    return draft


@pytest.fixture
def plan(data_dir: Path, engine: Engine, tmp_path: Path) -> Plan:
    """One block of bm25."""
    partition = load(judged(engine).write(tmp_path / "partition"), WORLD)
    warm_ups = measuring.plan_warm_ups(partition.queries, 2, 7)
    return Plan(settings(), partition, warm_ups, data_dir, tmp_path / "out", 7, ("bm25",))


@pytest.fixture
def gated(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """In the place of the gates that are tests of the program: where each was asked for."""
    asked: list[Path] = []

    def pass_gates(_data: Path, out: Path, _progress: Callable[[str, int, int], None]) -> dict[str, bool]:
        asked.append(out)
        return {"terminal-restoration": True, "publication-rollback": True}

    monkeypatch.setattr(release, "run_gates", pass_gates)
    return asked


def answer(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def test_a_measurement_is_told_gated_scored_and_goes_on(
    plan: Plan, gated: list[Path], capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = command.run_plan(plan, WORLD)
    told = capsys.readouterr().out
    report, card = answer(plan.out / "bench.json"), answer(plan.out / "scorecard.json")
    assert report["passed"] is (code == 0) is ("\nPASS; " in told)
    assert code == 1  # two systems are missing
    assert report["protocol_faults"] == ["dense was not measured", "hybrid was not measured"]
    assert gated == [plan.out]
    assert answer(plan.out / "release.json") == {
        "terminal-restoration": True,
        "publication-rollback": True,
        "release-protocol": False,
    }
    assert [row["system"] for row in card["rows"]] == ["bm25"]
    assert {name: one["searches"] for name, one in report["systems"].items()} == {"floor": 7, "bm25": 7}
    assert all(one["errors"] == {} for one in report["systems"].values())
    assert (report["version"], report["labels"], report["scored"]) == (
        report["manifest"]["version"],
        "provisional",
        True,
    )
    assert report["engine"]["bm25"]["total"]["count"] == 7
    assert report["key_to_echo"]["never_seen"] == 0
    texts = [query.text for query in plan.partition.queries if " " in query.text]
    files = [file for file in plan.out.rglob("*") if file.is_file()]
    assert len(files) > 8
    assert not [file for file in files for text in texts if text in file.read_text(encoding="utf-8")]
    _goes_on(plan, capsys, monkeypatch)


def _goes_on(plan: Plan, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is measured already is not measured again; any other measurement is refused."""
    files = {file: file.read_bytes() for name in ("runs", "samples") for file in (plan.out / name).iterdir()}
    monkeypatch.setattr(measuring, "measure_keys", lambda _plan, _progress: ([900.0], [None]))
    assert command.run_plan(plan, WORLD) == 1
    assert "2. As seen from outside" in capsys.readouterr().out
    assert {file: file.read_bytes() for file in files} == files
    with pytest.raises(UsageError, match="other settings, queries"):
        command.run_plan(replace(plan, seed=8), WORLD)
    shorter = replace(plan.partition, queries=plan.partition.queries[1:])
    with pytest.raises(UsageError, match="other settings, queries"):
        command.run_plan(replace(plan, partition=shorter, quick=True), WORLD)


@pytest.fixture
def without_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """Starts and keys are measured by one test, which is enough."""
    monkeypatch.setattr(measuring, "measure_keys", lambda _plan, _progress: ([900.0], [5.0]))


def test_a_quick_measurement_is_marked_and_not_scored(
    plan: Plan, gated: list[Path], without_keys: None, capsys: Capture
) -> None:
    two = replace(plan.partition, queries=plan.partition.queries[:2])
    code = command.run_plan(replace(plan, quick=True, partition=two), WORLD)
    report = answer(plan.out / "bench.json")
    header, _ = read_run(plan.out / "runs" / "bm25.jsonl")
    assert code == (0 if report["passed"] else 1)
    assert (report["scored"], gated, (plan.out / "scorecard.json").exists()) == (False, [], False)
    assert header.identity["protocol"] == report["protocol"] == "bench-1, quick: not scored"
    assert "quick: not scored" in capsys.readouterr().out


def test_what_was_found_and_is_not_judged_stops_the_score_but_loses_nothing(
    plan: Plan, gated: list[Path], without_keys: None
) -> None:
    partition = load(small().write(plan.out.parent / "unjudged"), WORLD)
    with pytest.raises(Unjudged):
        command.run_plan(replace(plan, partition=partition), WORLD)
    assert answer(plan.out / "bench.json")["systems"]["bm25"]["searches"] == 7
    assert answer(plan.out / "release.json")["terminal-restoration"]


def test_an_index_of_another_corpus_is_refused_before_anything_is_measured(plan: Plan) -> None:
    other = replace(WORLD, corpus=replace(WORLD.corpus, digest="0" * 64))
    with pytest.raises(Unscorable, match="another corpus"):
        command.run_plan(replace(plan, quick=True), other)
    assert not (plan.out / "runs").exists()


def test_a_folder_in_which_a_measurement_is_at_work_is_left_alone(plan: Plan) -> None:
    with alone(plan.out), pytest.raises(UsageError, match="at work"):
        command.run_plan(plan, WORLD)
    assert list(plan.out.iterdir()) == []


def test_a_system_that_the_settings_do_not_name_is_refused(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    only_dense = replace(settings(), systems=("dense",))
    monkeypatch.setattr(config, "read", lambda _path: only_dense)
    code, faults, sentence = refused(capsys, "bench", "--quick", "--system", "bm25", "--system", "hybrid")
    assert (code, faults) == (2, [])
    assert "dense" in sentence


def test_a_blocked_item_in_a_wrong_list_is_critical_though_no_run_holds_it(plan: Plan) -> None:
    from mambomeme_eval.scoring import truth_of

    truth = truth_of(plan.partition, WORLD)
    blocked = next(item for item, facts in truth.manifest.items() if facts.level == "blocked")
    row = {"query": "dev-001", "repeat": 0, "inside_ms": 1.0, "outside_ms": 2.0, "bytes": 3, "process": 0}
    file = plan.out / "samples" / "bm25.jsonl"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps(row | {"shown": [blocked, "doge.much-wow"]}) + "\n")
    assert command._critical(plan, truth)["blocked-shown"] == (f"dev-001 {blocked}",)


@pytest.mark.parametrize(
    "arguments",
    [["--system", "bm26"], ["--seed", "-1"], ["--seed", "x"], ["--partition", ""], ["--data-dir", ""], ["--warm", "1"]],
)
def test_a_wrong_command_line_is_one_sentence(arguments: list[str], capsys: Capture) -> None:
    code, faults, _ = refused(capsys, "bench", *arguments)
    assert (code, faults) == (2, [])


def test_without_an_index_or_a_partition_it_says_so(tmp_path: Path, capsys: Capture) -> None:
    code, faults, sentence = refused(capsys, "bench", "--data-dir", str(tmp_path), "--out", str(tmp_path / "out"))
    assert (code, faults) == (4, [])
    assert "No index is published" in sentence
    assert not (tmp_path / "out").exists()
    code, faults, _ = refused(capsys, "bench", "--partition", str(tmp_path))
    assert code == 3
    assert faults
