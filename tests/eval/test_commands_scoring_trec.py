"""TREC runs on the command line: scored like any other run, or refused with the lines that have no one meaning."""

from pathlib import Path

import pytest

from mambomeme_eval import commands_scoring
from tests.eval.command_line import Capture, refused, row, scored
from tests.eval.partitions import bundled_world
from tests.eval.run_files import Desk

WORLD = bundled_world()


@pytest.fixture(autouse=True)
def _corpus_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands_scoring, "world_of", lambda _: WORLD)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def test_a_perfect_trec_run_scores_as_its_jsonl_does(desk: Desk, capsys: Capture) -> None:
    card = scored(capsys, desk, 0, desk.trec(), "--milliseconds", "100")
    assert row(card, "bm25")["verdict"]["score"]["value"] == 100
    assert card["identity"]["interface"] == "TREC run files, 100.0 ms declared for each request"


def test_a_query_that_a_trec_run_lacks_is_a_failed_request(desk: Desk, capsys: Capture) -> None:
    path = Path(desk.trec())
    kept = [line for line in path.read_text().splitlines(keepends=True) if not line.startswith("dev-003 ")]
    card = scored(capsys, desk, 1, desk.trec(text="".join(kept)), "--milliseconds", "100")
    assert row(card, "bm25")["errors"] == {"failed": {"value": 1, "labels": "provisional"}}


def test_ties_of_a_trec_run_are_broken_by_name_whatever_the_order_of_its_lines(desk: Desk, capsys: Capture) -> None:
    names = sorted(desk.truth.qrels["dev-001"])
    perfect = Path(desk.trec()).read_text().splitlines(keepends=True)
    rest = "".join(line for line in perfect if not line.startswith("dev-001 "))
    cards = []
    for order in (names, names[::-1]):
        tied = "".join(f"dev-001 Q0 {item} {rank} 1 x\n" for rank, item in enumerate(order, 1))
        cards.append(scored(capsys, desk, 0, desk.trec(text=tied + rest), "--milliseconds", "100"))
    assert cards[0] == cards[1]
    useful = [desk.truth.qrels["dev-001"][item] >= 4 for item in names[::-1]]
    assert row(cards[0], "bm25")["slices"]["name"]["mrr"]["value"] == 1 / (useful.index(True) + 1)


def _eleven() -> str:
    items = sorted(WORLD.serving)[:11]
    return "".join(f"dev-001 Q0 {item} {rank} {20 - rank} x\n" for rank, item in enumerate(items, 1))


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("dev-001 Q0 john-cena.camera-off 1 nan x\n", "1: score"),
        ("dev-001 Q0 john-cena.camera-off 1 inf x\n", "1: score"),
        ("dev-001 Q0 john-cena.camera-off 1 1e999 x\n", "1: score"),
        ("dev-001 Q0 john-cena.nowhere 1 1 x\n", "1: item"),
        ("dev-099 Q0 john-cena.camera-off 1 1 x\n", "1: query"),
        ("dev-001 Q0 john-cena.camera-off 1 2 x\ndev-001 Q0 john-cena.camera-off 2 1 x\n", "2: item"),
        ("dev-001 Q0 john-cena.camera-off 1 1 x", "1: (line)"),
        ("dev-001 Q0 john-cena.camera-off\n", "1: (line)"),
        (_eleven(), "11: query"),
    ],
)
def test_a_bad_trec_run_is_refused_with_its_faults(text: str, place: str, desk: Desk, capsys: Capture) -> None:
    arguments = ["score", desk.trec(text=text), *desk.options(), "--milliseconds", "1"]
    code, faults, sentence = refused(capsys, *arguments)
    assert code == 3
    assert [one.partition("bm25.run:")[2].rpartition(": ")[0] for one in faults] == [place]
    assert "The run has 1 fault." in sentence


@pytest.mark.parametrize("charged", ["", "nan", "inf", "-1", "fast"])
def test_a_trec_run_needs_a_sensible_time(charged: str, desk: Desk, capsys: Capture) -> None:
    time = ["--milliseconds", charged] if charged else []
    assert refused(capsys, "score", desk.trec(), *desk.options(), *time)[0] == 2


def test_kinds_of_runs_are_not_mixed_and_names_are_not_used_twice(desk: Desk, capsys: Capture) -> None:
    time = ["--milliseconds", "1", *desk.options()]
    for runs in ([desk.runs()[0], desk.trec()], [desk.trec("bm25.1.run"), desk.trec("bm25.2.run")]):
        assert refused(capsys, "score", *runs, *time)[0] == 2
