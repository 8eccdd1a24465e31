"""The commands of scoring as a person types them: the card, the decision, the grades, and the exit codes."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from mambomeme_eval import commands_scoring
from mambomeme_eval.gates import RELEASE_GATES, RULES
from mambomeme_eval.score import WEIGHTS
from mambomeme_eval.trec import read_qrels
from tests.eval.command_line import Capture, failed, refused, row, run, scored
from tests.eval.partitions import bundled_world
from tests.eval.run_files import JUDGED, REPEATS, SYSTEMS, Desk, drafted, withheld

Change = Callable[[Desk], object]
WORLD = bundled_world()


@pytest.fixture(autouse=True)
def _corpus_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands_scoring, "world_of", lambda _: WORLD)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def test_a_card_has_a_row_for_each_system_with_every_component_and_gate(desk: Desk, capsys: Capture) -> None:
    code, out, told = run(capsys, "score", *desk.runs(), *desk.options())
    assert (code, told) == (0, [])
    blocks = out.split("\n\n")
    assert len(blocks) == 9
    for block in blocks[1:-1]:
        rows = [line for line in block.splitlines() if line.endswith(" provisional")]
        assert [line.split()[0] for line in rows] == list(SYSTEMS), block
    assert f"score   raw gates {'     '.join(WEIGHTS)}".split() == blocks[1].splitlines()[1].split()
    assert [line.split()[1:] for line in blocks[1].splitlines()[2:]] == [
        ["100.00", "100.00", "PASS", *["1.000"] * 6, "provisional"]
    ] * 3
    for name in ("name", "quote", "topic", "semantic", "visual", "noisy"):
        assert name in blocks[2]
    for part in ("exact", "Hit@10", "empty", "safety", "ordinary", "adverse", "p95", "errors", "protocol", "rollback"):
        assert part in out
    assert "critical" in out
    assert "terminal" in out
    assert WORLD.corpus.digest in out
    assert "v-0123456789ab" in out
    assert all(len(line) <= 80 for block in blocks[1:] for line in block.splitlines())


def test_the_file_holds_every_gate_and_the_word_beside_every_figure(desk: Desk, capsys: Capture) -> None:
    card = scored(capsys, desk, 0)
    assert [one["system"] for one in card["rows"]] == list(SYSTEMS)
    assert card["labels"] == "provisional"
    for system in SYSTEMS:
        verdict = row(card, system)["verdict"]
        assert [gate["name"] for gate in verdict["gates"]] == [*(rule.name for rule in RULES), *RELEASE_GATES]
        assert verdict["score"] == {"value": 100.0, "labels": "provisional"}
        assert set(row(card, system)["inputs"]) == set(WEIGHTS)
        assert row(card, system)["errors"] == {}
    assert card["acceptance"] is None


def test_final_labels_stand_without_the_word(desk: Desk, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mambomeme_eval.loading.shortfalls", lambda *_: ())
    draft = drafted()
    draft.header["labels"] = "final"
    draft.audits[0]["annotators"].append({"name": "bob", "absent": True})
    draft.write(desk.partition)
    code, out, _ = run(capsys, "score", *desk.runs(), *desk.options())
    assert code == 0
    assert "labels final" in out
    assert "provisional" not in out


def test_without_release_tests_every_system_fails(desk: Desk, capsys: Capture) -> None:
    code, out, told = run(capsys, "score", *desk.runs(), "--partition", str(desk.partition))
    assert (code, told) == (1, [])
    assert out.count("FAILED!") == 3 * len(RELEASE_GATES)
    assert out.count(" 59.00 100.00  FAIL ") == 3


@pytest.mark.parametrize("name", RELEASE_GATES)
def test_one_release_test_that_failed_fails_the_score(name: str, desk: Desk, capsys: Capture) -> None:
    desk.release.write_text(json.dumps(dict.fromkeys(RELEASE_GATES, True) | {name: False}))
    assert failed(scored(capsys, desk, 1)) == {name}


def test_one_system_that_fails_a_gate_is_enough(desk: Desk, capsys: Capture) -> None:
    desk.answer("dense", "dev-004", [])
    card = scored(capsys, desk, 1)
    assert failed(card, "dense") == {"ndcg-semantic"}
    assert failed(card, "bm25") == failed(card, "hybrid") == set()
    assert row(card, "dense")["verdict"]["score"]["value"] == 59.0


def test_the_same_runs_give_the_same_bytes_whatever_their_order(desk: Desk, capsys: Capture) -> None:
    desk.answer("dense", "dev-004", [])
    runs = desk.runs()
    outputs = {run(capsys, "score", *order, *desk.options())[1] for order in (runs, runs[::-1])}
    assert len(outputs) == 1


def test_routes_are_counted(desk: Desk, capsys: Capture) -> None:
    query = "dev-002"
    (item,) = desk.lists[query]
    desk.answer("hybrid", query, [item], routes={item: ["dense", "lexical"]})
    desk.answer("bm25", query, [item], routes={item: ["lexical"]})
    card = scored(capsys, desk, 0)
    shares = {system: row(card, system)["routes"]["quote"] for system in ("bm25", "hybrid")}
    assert shares["hybrid"]["both"]["useful"]["value"] == REPEATS
    assert shares["bm25"]["lexical-only"]["useful"]["value"] == REPEATS


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        (lambda desk: desk.answer("bm25", "dev-003", None), "failed"),
        (lambda desk: desk.answer("bm25", "dev-003", sorted(WORLD.serving)[:11]), "more than ten results"),
        (lambda desk: desk.answer("bm25", "dev-003", desk.lists["dev-003"] * 2), "an item twice"),
        (lambda desk: desk.answer("bm25", "dev-003", ["john-cena.nowhere"]), "an item that is not in the manifest"),
        (lambda desk: desk.answer("bm25", "dev-003", desk.lists["dev-003"], milliseconds=5000), "timeout"),
    ],
)
def test_a_request_error_is_counted_by_its_kind_and_fails_the_gate(
    change: Change, kind: str, desk: Desk, capsys: Capture
) -> None:
    change(desk)
    card = scored(capsys, desk, 1)
    assert row(card, "bm25")["errors"] == {kind: {"value": REPEATS, "labels": "provisional"}}
    assert row(card, "bm25")["p95"]["value"] == 5000
    assert {"error-rate", "p95-ms", "ndcg-topic"} <= failed(card)
    assert row(card, "hybrid")["errors"] == {}


@pytest.mark.parametrize(("blocked", "violation"), [(True, "blocked-shown"), (False, "uncleared-shown")])
def test_a_withheld_item_in_a_list_is_critical_and_scores_nothing(
    blocked: bool, violation: str, desk: Desk, capsys: Capture
) -> None:
    item = withheld(blocked)
    desk.answer("bm25", JUDGED, [*desk.lists[JUDGED], item])
    card = scored(capsys, desk, 1)
    verdict = row(card, "bm25")["verdict"]
    assert verdict["critical"] == {violation: [f"{JUDGED} {item}"]}
    assert verdict["score"]["value"] == 0
    assert verdict["reading"] == "FAIL"
    assert row(card, "hybrid")["verdict"]["score"]["value"] == 100


def test_a_withheld_item_counts_also_in_a_list_that_is_an_error(desk: Desk, capsys: Capture) -> None:
    desk.answer("bm25", "dev-001", [withheld(blocked=True)] * 2)
    card = scored(capsys, desk, 1)
    assert set(row(card, "bm25")["verdict"]["critical"]) == {"blocked-shown"}


@pytest.mark.parametrize("claim", ["overall", "semantic"])
def test_a_hybrid_that_finds_more_meanings_keeps_the_dense_route(claim: str, desk: Desk, capsys: Capture) -> None:
    desk.answer("bm25", "dev-004", [])
    code, out, told = run(capsys, "accept", "--claim", claim, *desk.runs(), *desk.options())
    assert (code, told) == (0, [])
    assert "\nverdict: keep dense provisional\n" in out
    card = scored(capsys, desk, 0, command=("accept", "--claim", claim))
    assert card["acceptance"]["verdict"] == "keep dense"
    assert failed(card) == {"ndcg-semantic"}  # which decides nothing: BM25 is not what would be released


def test_a_hybrid_that_finds_the_same_ships_bm25_alone(desk: Desk, capsys: Capture) -> None:
    code, out, told = run(capsys, "accept", "--claim", "overall", *desk.runs(), *desk.options())
    assert (code, told) == (1, [])
    assert "\nverdict: ship BM25 alone provisional\n" in out
    assert "(needed: +0.03)" in out


def test_a_hybrid_that_loses_a_gate_ships_bm25_alone_whatever_it_gains(desk: Desk, capsys: Capture) -> None:
    desk.answer("bm25", "dev-004", [])
    desk.answer("hybrid", "dev-006", [])
    code, out, _ = run(capsys, "accept", "--claim", "semantic", *desk.runs(), *desk.options())
    assert code == 1
    assert "gates lost against BM25: ndcg-noisy, safety-hit10" in out


def test_deciding_needs_both_systems(desk: Desk, capsys: Capture) -> None:
    runs = [one for one in desk.runs() if "bm25" not in one]
    code, _, sentence = refused(capsys, "accept", "--claim", "overall", *runs, *desk.options())
    assert code == 2
    assert "bm25 and hybrid" in sentence


def test_qrels_are_read_back_as_they_were(desk: Desk, capsys: Capture) -> None:
    code, out, told = run(capsys, "qrels", "--partition", str(desk.partition))
    assert (code, told) == (0, [])
    path = desk.folder / "qrels"
    path.write_text(out)
    assert read_qrels(path, list(desk.lists), WORLD.memes) == desk.truth.qrels
