"""Proves a whole run of `mambomeme-eval threshold`, what it refuses, and that the evidence tells what fits."""

import json
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from sklearn.metrics import roc_auc_score

from mambomeme_eval import cli
from mambomeme_eval.commands_scoring import DEVELOPMENT
from mambomeme_eval.engine_run import SYSTEMS
from mambomeme_eval.loading import Mode, load
from mambomeme_eval.retrieval import calibration_command
from mambomeme_eval.retrieval.calibration import LEASTS, RECIPES, held_out, matrix
from mambomeme_eval.truth import Unscorable
from mambomeme_tui.retrieval.engine import Engine
from mambomeme_tui.retrieval.threshold import EVIDENCE, probability
from tests.eval.command_line import Capture, refused
from tests.eval.partitions import Draft, audit, bundled_world, candidate, judgement, query, small

ROOT = Path(__file__).parents[2]
PHRASE = '"zebras audit quietly"'


def partition() -> Draft:
    """The small partition with two more no-match queries, one of them a phrase that nothing has."""
    draft = small()
    draft.queries += [query("dev-008", "quarterly zoning appeal", ""), query("dev-009", PHRASE, "")]
    draft.audits += [audit(one, "ann") for one in ("dev-008", "dev-009")]
    return draft


def returned(engine: Engine, draft: Draft) -> set[tuple[str, str]]:
    """Every query with every item that a threshold may show; what is near to the phrase it may not."""
    found = set()
    for one in draft.queries:
        for route in SYSTEMS.values():
            result = engine.search(one["text"], route)
            found |= {(one["id"], hit.meme.id) for hit in result.hits or result.nearest if one["text"] != PHRASE}
    return found


def without_grade(engine: Engine, draft: Draft) -> list[tuple[str, str]]:
    """What was returned and not judged."""
    return sorted(returned(engine, draft) - {(one["query"], one["item"]) for one in draft.pool})


@pytest.fixture
def _corpus_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calibration_command, "world_of", lambda _: bundled_world())


@pytest.mark.parametrize("place", ["nowhere/x.json", "."])
def test_figures_that_cant_be_written_are_told_before_anything_is_measured(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.setattr(calibration_command, "measure", lambda *_: pytest.fail("it was measured"))
    code, _, sentence = refused(capsys, "threshold", "--json", str(tmp_path / place))
    assert code == 2
    assert "The figures can't be written to" in sentence
    assert list(tmp_path.iterdir()) == []


def command(folder: Path, data: Path, *others: str) -> list[str]:
    """The command on a partition."""
    return ["threshold", "--partition", str(folder), "--data-dir", str(data), *others]


@pytest.mark.usefixtures("_corpus_read_once")
def test_the_command_prints_each_route_and_writes_the_figures(
    data_dir: Path, engine: Engine, tmp_path: Path, capsys: Capture
) -> None:
    draft = partition()
    for one in without_grade(engine, draft):
        draft.pool.append(candidate(*one))
        draft.judgements += [judgement(draft.pool[-1], name, 0) for name in ("ann", "bob")]
    file = tmp_path / "figures.json"
    assert cli.main(command(draft.write(tmp_path / "partition"), data_dir, "--json", str(file))) == 0
    out, told = capsys.readouterr()
    report = json.loads(file.read_text("utf-8"), parse_constant=pytest.fail)
    assert told == ""
    assert out.splitlines() == list(calibration_command.lines(report))
    assert (report["version"], report["labels"]) == (engine.version.name, "provisional")
    assert (report["answerable"], report["no_match"]) == (6, 3)
    empty = [one["text"] for one in draft.queries[6:]]
    for system, route in SYSTEMS.items():
        found = report["systems"][system]
        assert f"{system} (provisional): AUC {found['auc']:.3f} held out" in out
        assert [one["least"] for one in found["points"]] == list(LEASTS)
        assert all(one["correct_empty"] >= 0.3 for one in found["points"]), "nothing shows the phrase"
        shown = [bool(engine.search(text, route).hits) for text in empty]
        assert found["published"]["correct_empty"] == pytest.approx(shown.count(False) / 3)
        assert found["published"]["least"] == engine.version.parameters.thresholds[route]["least"]
    fitted = [line.partition(": ")[2] for line in out.splitlines() if line.startswith("fitted")]
    numbers = json.loads("{" + " ".join(fitted).removesuffix(",") + "}")
    assert set(numbers) == set(SYSTEMS.values())
    for name, model in numbers.items():
        assert set(model) <= set(engine.version.parameters.thresholds[name]) | set(EVIDENCE)
        assert {"bias", "least"} < set(model)


@pytest.mark.usefixtures("_corpus_read_once")
def test_where_not_all_is_judged_the_command_says_how_much_is_missing(
    data_dir: Path, engine: Engine, tmp_path: Path, capsys: Capture
) -> None:
    draft = partition()
    count = len(without_grade(engine, draft))
    code, _, sentence = refused(capsys, *command(draft.write(tmp_path / "partition"), data_dir))
    assert count > 1
    assert (code, sentence) == (
        2,
        f"mambomeme-eval: No threshold can be fitted: {count} results are not judged.",
    )


def test_an_index_of_another_corpus_is_refused(
    data_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    world = bundled_world()
    other = replace(world, corpus=replace(world.corpus, digest="0" * 64))
    monkeypatch.setattr(calibration_command, "world_of", lambda _: other)
    draft = partition()
    for row in (draft.header, *draft.audits):
        row["corpus"] = "0" * 64
    code, faults, sentence = refused(capsys, *command(draft.write(tmp_path / "partition"), data_dir))
    assert (code, faults) == (2, [])
    assert "another corpus" in sentence


def test_an_answer_that_is_not_whole_is_refused(data_dir: Path) -> None:
    first = load(DEVELOPMENT, bundled_world(), Mode.STRUCTURE).queries[0]
    with (
        closing(Engine(data_dir)) as without_dense,
        pytest.raises(Unscorable, match=r"^Query dev-001 has no whole answer: dense-loading\.$"),
    ):
        calibration_command.ask(without_dense, first, "hybrid")


ABSENT = """
import sys
from importlib.machinery import PathFinder
find = PathFinder.find_spec
PathFinder.find_spec = lambda name, *rest: None if name == "sklearn" else find(name, *rest)
from mambomeme_eval.cli import main
sys.exit(main(["threshold"]))
"""


def test_without_scikit_learn_it_says_how_to_install_it() -> None:
    done = subprocess.run([sys.executable, "-c", ABSENT], check=False, cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "mambomeme-eval: The evaluation needs the package sklearn. Install it: pip install 'mambomeme[eval]'\n"
    )


def test_on_the_development_partition_the_evidence_tells_what_fits(engine: Engine) -> None:
    asked = load(DEVELOPMENT, bundled_world(), Mode.STRUCTURE).queries
    aucs = {}
    for system, route in SYSTEMS.items():
        answers = {one.id: calibration_command.ask(engine, one, route) for one in asked}
        known = [(one, evidence) for one in asked if (evidence := answers[one.id].evidence)]
        rows = matrix([evidence for _, evidence in known], RECIPES[system].evidence)
        labels, families = [one.answerable for one, _ in known], [one.family for one, _ in known]
        aucs[system] = roc_auc_score(labels, held_out(rows, labels, families, RECIPES[system].C))
        told = engine.version.parameters.thresholds[route]
        assert {probability(evidence, told) >= told["least"] for one, evidence in known if answers[one.id].shown} == {
            True
        }
        assert len(known) == len(asked) - 1, "an exact phrase that nothing has is judged by no model"
    assert aucs["bm25"] > 0.8
    assert aucs["dense"] > 0.8
    assert aucs["hybrid"] > max(aucs["bm25"], aucs["dense"])
