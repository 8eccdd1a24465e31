"""Proves that the pipeline benchmark measures what it says: one short real run, its report, and its arithmetic.

No figure is compared with a target: that is what the benchmark itself is for.
"""

import gzip
import json
import shutil
import sys
from pathlib import Path

import pytest

from mambomeme_eval import cli
from mambomeme_eval.pipeline import Plan, measure
from mambomeme_eval.pipeline_captions import load
from mambomeme_eval.pipeline_child import ROLLBACKS
from mambomeme_eval.pipeline_measures import OPENINGS, percent
from mambomeme_eval.pipeline_process import Report, run_child, run_program
from mambomeme_eval.pipeline_table import lines, middle
from mambomeme_tui import paths
from mambomeme_tui.errors import MamboError
from mambomeme_tui.index.vectors import collect_texts
from tests.folders import without_version

FAMILIES = ("doge", "john-cena")
SECRET = "xyzzyplugh"
CAPTIONS = [("Doge", f"much {SECRET} very {number}") for number in range(6)] + [("Ancient Aliens", "it was them")]
STAGES = ["validate", "fingerprint", "embed", "index", "verify"]


def small_corpus(target: Path) -> Path:
    """Two families of the bundled corpus, with their pictures."""
    source = paths.bundled("corpus")
    (target / "families").mkdir(parents=True)
    shutil.copy(source / "policy.toml", target)
    for name in FAMILIES:
        shutil.copy(source / "families" / f"{name}.toml", target / "families")
        shutil.copytree(source / "media" / name, target / "media" / name)
    run_program([sys.executable, "-m", "mambomeme_tui", "corpus", "freeze", "--corpus", str(target)], target)
    return target


def captions_file(file: Path) -> Path:
    """A few captions with a word that stands nowhere else."""
    with gzip.open(file, "wt", encoding="utf-8") as rows:
        for number, (template, text) in enumerate(CAPTIONS):
            rows.write(json.dumps({"id": str(number), "template": template, "text": text}) + "\n")
    return file


@pytest.fixture(scope="module")
def report(data_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Report:
    """A run on two families and seven captions, with an encoder and a cache that are there already."""
    folder = tmp_path_factory.mktemp("pipeline")
    plan = Plan(small_corpus(folder / "corpus"), captions_file(folder / "captions.gz"), 4, 1, 1)

    def prepare(data: Path) -> None:
        without_version(data_dir, data)

    return measure(plan, prepare)


def test_the_bundled_corpus_goes_through_every_step(report: Report) -> None:
    (run,) = report["bundled"]
    assert [stage["stage"] for stage in run["first"]["stages"]] == STAGES
    assert [stage["stage"] for stage in run["changed"]["stages"]] == STAGES
    assert run["changed_items"] == len(FAMILIES)
    assert run["first"]["version"] != run["changed"]["version"]
    assert run["changed"]["percent_of_first"] == 100 * run["changed"]["seconds"] / run["first"]["seconds"]
    known = next(stage for stage in run["changed"]["stages"] if stage["stage"] == "embed")
    assert known["note"] == f"{known['items'] - len(FAMILIES)} from the cache"
    assert len(run["rollback"]["in_process"]) == ROLLBACKS
    assert len(run["rollback"]["command"]) == 2
    for cost in (run["first"], run["unchanged"], run["changed"]):
        assert cost["seconds"] > 0
        assert cost["peak_bytes"] > 1_000_000


def test_the_captions_are_published_with_vectors_for_the_first_of_them_alone(report: Report, tmp_path: Path) -> None:
    run = report["captions"]
    assert (run["rows"], run["left_out"], run["items"], run["families"], run["dense_items"]) == (7, 0, 7, 2, 4)
    assert [stage["stage"] for stage in run["stages"]] == ["embed", "index", "verify", "publish"]
    texts, _ = collect_texts(load(captions_file(tmp_path / "captions.gz")).corpus.memes[:4])
    assert [stage["items"] for stage in run["stages"][:2]] == [len(texts), 7]
    for found in run["search"].values():
        assert len(found["milliseconds"]) >= found["found"] > 0


def test_sizes_are_those_of_every_file(report: Report) -> None:
    for run in (*report["bundled"], report["captions"]):
        found = run["sizes"]
        assert {"catalogue.sqlite", "vectors.npy", "links.npy", "annoy.ann", "manifest.json"} <= found["files"].keys()
        assert found["version"] == sum(found["files"].values())
        assert found["encoder"] > 80_000_000
        assert found["cache"] > 0


def test_an_opening_comes_step_by_step(report: Report) -> None:
    for run, route in ((report["bundled"][0], "hybrid"), (report["captions"], "dense")):
        assert len(run["open"]) == OPENINGS
        for one in run["open"]:
            assert 0 < one["running"] < one["imported"] < one["imported"] + one["engine"] < one["lexical"]
            assert one["lexical"] + one["load_dense"] < one[route]


def test_the_report_is_plain_json_that_says_what_measured_and_holds_no_caption(report: Report) -> None:
    told = json.dumps(report)
    assert json.loads(told) == report
    assert SECRET not in told
    assert {"cores", "load", "python", "libraries"} <= report["machine"].keys()
    assert {"program", "started", "seed", "repeats", "load_after", "least_peak_bytes"} <= report.keys()


def test_the_table_tells_every_part_and_no_caption(report: Report) -> None:
    told = "\n".join(lines(report))
    for part in ("first publish", "2 items changed", "rollback, in process", "load_dense()", "vectors.npy", "items/s"):
        assert part in told
    assert SECRET not in told
    assert "\nCaptions\n" in told
    assert "\nCaptions\n" not in "\n".join(lines(report | {"captions": None}))


def test_a_percentage_is_the_share_of_a_whole_that_there_is() -> None:
    assert percent(1, 4) == 25
    assert percent(3, 2) == 150
    assert percent(0, 2) == 0
    assert percent(1, 0) is None


def test_the_middle_is_a_measured_value_between_the_least_and_the_most() -> None:
    assert middle([3.0], "s") == "3.00 s"
    assert middle([30.0, 1.0, 20.0], "ms") == "20.0 ms (1.00 to 30.0 of 3)"


def test_a_program_that_fails_ends_the_measurement(tmp_path: Path) -> None:
    with pytest.raises(MamboError, match="exit code 3"):
        run_program([sys.executable, "-c", "raise SystemExit(3)"], tmp_path)


def test_a_peak_of_memory_is_what_the_process_took(tmp_path: Path) -> None:
    greedy = [sys.executable, "-c", "print(len(bytes(200) * 1_000_000))"]
    code = (
        "from pathlib import Path; from mambomeme_eval.pipeline_process import run_program; "
        f"ran = run_program({greedy!r}, Path({str(tmp_path)!r})); print(ran.output.strip(), ran.peak_bytes)"
    )
    measured = run_program([sys.executable, "-c", code], tmp_path)  # from a small process, not from this one
    taken, peak = map(int, measured.output.split())
    assert taken == 200_000_000 < peak < 300_000_000


def test_no_setting_of_the_person_who_measures_reaches_the_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MAMBOMEME_ROUTE", "dense")
    code = "import os; print(*[os.environ.get(f'MAMBOMEME_{name}') for name in ('ROUTE', 'DATA_DIR')])"
    assert run_program([sys.executable, "-c", code], tmp_path).output == f"None {tmp_path}\n"


def test_a_child_that_fails_says_one_sentence(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(MamboError, match="exit code 2"):
        run_child(tmp_path, "publish-captions", str(tmp_path / "none.gz"), "1", "1", str(tmp_path / "queries"))
    assert capfd.readouterr().err == (
        f"mambomeme-eval: {tmp_path}/none.gz is no readable file of captions (FileNotFoundError).\n"
    )


@pytest.mark.parametrize(
    "arguments", [["--dense", "0"], ["--repeats", "x"], ["--repeats", "²"], ["--captions", "no-such-file"]]
)
def test_a_wrong_command_line_is_one_sentence_and_exit_code_2(
    arguments: list[str], capfd: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["pipeline", *arguments]) == 2
    assert capfd.readouterr().err.count("\n") == 1


def test_a_folder_that_cannot_be_written_to_is_told_before_anything_is_measured(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    assert cli.main(["pipeline", "--out", str(tmp_path / "file")]) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert err == f"mambomeme-eval: {tmp_path}/file can't be written to: File exists.\n"
