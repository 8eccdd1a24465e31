"""Proves one whole run of the command on small folders, its report and tables, and how wrong input is refused."""

import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from mambomeme_eval import cli
from mambomeme_eval.pipeline_captions import load
from mambomeme_eval.retrieval import development, report_text, rows
from mambomeme_eval.retrieval.scale import chosen
from mambomeme_tui.index.vectors import collect_texts
from mambomeme_tui.text import words
from tests.eval.command_line import Capture, refused
from tests.eval.partitions import bundled_world, small
from tests.eval.retrieving import SECRET, captions_folder, memecap_folder

SIZES = (5, 12)
LEXICAL = ["engine, lexical, whole search", "lexical route", "tantivy", "bm25s"]
DENSE = ["engine, hybrid, whole search", "engine, dense, whole search", "dense route", "faiss"]


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A partition of which not everything is judged, five memes, twelve captions."""
    folder = tmp_path_factory.mktemp("folders")
    small().write(folder / "partition")
    memecap_folder(folder / "memecap")
    captions_folder(folder / "captions")
    return folder


@pytest.fixture(scope="module", autouse=True)
def _corpus_read_once() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(development, "world_of", lambda _: bundled_world())
        yield


def arguments(folders: Path, data: Path, *others: str) -> list[str]:
    """A command on the small folders, at sizes that are named in disorder and twice."""
    own = ["--partition", str(folders / "partition"), "--data-dir", str(data), "--seed", "4"]
    return ["retrieval", *own, "--out", str(folders / "out"), "--captions", str(folders / "captions"), *others]


@pytest.fixture(scope="module")
def report(data_dir: Path, folders: Path) -> dict[str, Any]:
    """What a whole run wrote."""
    others = ["--memecap", str(folders / "memecap"), "--sizes", "12,5,12", "--dense", "6"]
    assert cli.main(arguments(folders, data_dir, *others)) == 0
    return dict(json.loads((folders / "out" / "retrieval.json").read_text("utf-8"), parse_constant=pytest.fail))


def test_a_report_has_every_part_with_the_machine_and_its_load(report: dict[str, Any]) -> None:
    assert {"program", "started", "seed", "load_after"} <= report.keys()
    assert {"cores", "load", "python", "libraries", "compared"} <= report["machine"].keys()
    assert set(report["machine"]["compared"]) == {"tantivy", "bm25s", "faiss-cpu"}
    assert report["seed"] == 4
    assert report["development"]["systems"] is None
    assert report["development"]["unjudged"] > 0
    assert list(report["memecap"]["systems"]) == ["bm25", "dense", "hybrid"]
    assert [one["items"] for one in report["scale"]] == list(SIZES)
    for part in (report["development"], report["memecap"], *report["scale"]):
        assert len(part["load"]) == len(part["load_after"]) == 3


def test_at_each_size_everybody_answers_all_queries(report: dict[str, Any], folders: Path) -> None:
    memes = load(folders / "captions" / "captions.jsonl.gz").corpus.memes
    for size, part in zip(SIZES, report["scale"], strict=True):
        assert [one["system"] for one in part["lexical"]] == LEXICAL
        assert [one["system"] for one in part["dense"]] == DENSE
        assert part["dense_items"] == min(6, size)
        assert 0 < part["queries"] <= size  # a query of each caption at most
        for one in (*part["lexical"], *part["dense"]):
            if one["version"] != "not installed":
                assert one["milliseconds"]["count"] == part["queries"]
        texts, _ = collect_texts(chosen(memes, size, 4)[: part["dense_items"]])
        assert part["annoy"]["rows"] == part["annoy"]["sample"] == len(texts)
        assert part["annoy"]["recall_at_100"] == 1.0  # of so few none can be missed
        assert part["annoy"]["asked"] is False


def test_bm25s_and_the_route_find_the_same_where_all_can_be_listed(report: dict[str, Any]) -> None:
    """Five captions fit into ten places, so that ties can't matter."""
    (row,) = [one for one in report["scale"][0]["lexical"] if one["system"] == "bm25s"]
    assert row["overlap"] == 1.0


def test_nothing_written_or_printed_holds_a_text(report: dict[str, Any], folders: Path) -> None:
    told = json.dumps(report) + (folders / "out" / "retrieval.md").read_text("utf-8")
    told += "\n".join(report_text.summary(report))
    assert not {SECRET, "lighthouse", "kitten", "banana"} & set(words(told))


def test_the_tables_have_as_many_cells_in_every_row(report: dict[str, Any], folders: Path) -> None:
    text = (folders / "out" / "retrieval.md").read_text("utf-8")
    assert text == report_text.tables(report)
    blocks = [block.splitlines() for block in text.split("\n\n") if block.startswith("|")]
    assert [len(block) - 2 for block in blocks] == [6, 16, 2]  # kinds by systems; rows of two sizes; Annoy
    for block in blocks:
        assert len({line.count("|") for line in block}) == 1
    assert f"{report['development']['unjudged']} items" in text


def scored() -> dict[str, Any]:
    """A report with a score, made by hand."""
    figures = {
        name: {"value": 0.5, "low": 0.25, "high": 0.75}
        for name in ("Q", "name", "quote", "topic", "semantic", "visual", "noisy", "E", "hit10", "correct-empty")
    }
    spread = {"count": 3, "p50": 1.234, "p95": 5.678, "p99": 6.0, "max": 7.0}
    one = {"figures": figures, "milliseconds": spread, "errors": {"failed": 2}}
    part = {"labels": "provisional", "queries": 120, "repeats": 3, "version": "v-0", "systems": {"bm25": one}}
    loads = {"load": [0.5, 0.25, 0.125], "load_after": [1.0, 1.0, 1.0]}
    machine = {"system": "Linux", "cores": 2, "python": "3.11", "libraries": {"numpy": "2"}, "compared": {}}
    return {
        "program": "1.0",
        "started": "now",
        "seed": 1,
        "machine": machine | loads,
        "load_after": [1.0, 1.0, 1.0],
        "development": part | loads | {"unjudged": 0},
        "memecap": None,
        "scale": None,
    }


def test_a_score_stands_with_its_interval_and_the_state_of_its_labels() -> None:
    text = report_text.tables(scored())
    assert "| figure | bm25 (provisional) |" in text
    for name in ("Q", "nDCG@10 noisy", "E", "Hit@10", "CorrectEmpty"):
        assert f"| {name} | 0.500 (0.250 to 0.750) |" in text
    assert "| bm25 | 1.23 | 5.68 | 2 |" in text
    assert "Load 0.50, 0.25, 0.12 before, 1.00, 1.00, 1.00 after." in text
    assert report_text.summary(scored()) == [
        "Judged queries, labels provisional",
        "  bm25    Q 0.500 (0.250 to 0.750) (provisional), p50 1.23 ms, p95 5.68 ms",
    ]


def test_without_the_libraries_their_rows_say_so(
    data_dir: Path, folders: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.setattr(rows, "module", lambda _: None)
    command = arguments(folders, data_dir, "--sizes", "5", "--dense", "2", "--out", str(tmp_path))
    assert cli.main(command) == 0
    out = capsys.readouterr().out
    assert [line for line in out.splitlines() if "not installed" in line] == [
        f"  {name}: not installed" for name in ("tantivy", "bm25s", "faiss")
    ]
    assert "MemeCap" not in out
    written = json.loads((tmp_path / "retrieval.json").read_text("utf-8"))
    assert written["memecap"] is None
    assert "| bm25s | not installed | - | - | - | - |" in (tmp_path / "retrieval.md").read_text("utf-8")


def test_a_larger_size_holds_a_smaller_one_in_the_order_of_ids(folders: Path) -> None:
    memes = load(folders / "captions" / "captions.jsonl.gz").corpus.memes
    picked = [[meme.id for meme in chosen(memes, size, 9)] for size in (1, 4, 8, 12)]
    for smaller, larger in pairwise(picked):
        assert set(smaller) < set(larger)
        assert larger == sorted(larger)
    assert {tuple(meme.id for meme in chosen(memes, 4, seed)) for seed in range(5)} != {tuple(picked[1])}


@pytest.mark.parametrize(
    "wrong",
    [
        ["--sizes", "0"],
        ["--sizes", "5,x"],
        ["--sizes", ""],
        ["--sizes", "13"],
        ["--dense", "0"],
        ["--seed", "-1"],
        ["--captions", "no-such-folder"],
        ["--memecap", "no-such-folder"],
        ["--out", "\0"],
    ],
)
def test_wrong_input_is_one_sentence_and_exit_code_2(
    folders: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str], wrong: list[str]
) -> None:
    command = arguments(folders, tmp_path, "--sizes", "5", "--out", str(tmp_path / "out"), *wrong)
    assert cli.main(command) == 2
    out, err = capfd.readouterr()
    assert out == ""
    told = [line for line in err.splitlines() if not line.startswith("Reading ")]
    assert len(told) == 1
    assert told[0].startswith("mambomeme-eval: ")
    assert not (tmp_path / "out" / "retrieval.json").exists()


def test_a_folder_without_an_index_and_one_that_cannot_be_written_are_told(
    folders: Path, tmp_path: Path, capsys: Capture
) -> None:
    partition = ["--partition", str(folders / "partition"), "--data-dir", str(tmp_path / "none")]
    assert cli.main(["retrieval", *partition, "--out", str(tmp_path)]) == 4
    assert "mambomeme-eval: No index is published" in capsys.readouterr().err
    (tmp_path / "file").write_text("")
    code, _, sentence = refused(capsys, "retrieval", *partition, "--out", str(tmp_path / "file"))
    assert (code, "can't be written to" in sentence) == (2, True)
