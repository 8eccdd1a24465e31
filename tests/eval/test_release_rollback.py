"""Proves that the rollback gate passes the product, fails it with faults, and never touches what it was given."""

import json
from pathlib import Path

import pytest

from mambomeme_eval.bench import release, rollback
from mambomeme_eval.bench.copies import copied, small_corpus
from mambomeme_eval.bench.workbench import Workbench
from mambomeme_eval.outcomes import Outcome, all_passed
from mambomeme_eval.pty import restoration
from mambomeme_tui.digests import source_digest
from mambomeme_tui.errors import IndexUnavailable, UsageError
from tests.eval import mutants

State = dict[str, tuple[int, int, int]]
GOOD = Outcome("good", 0.0, "", (), 0, 1.0)
BAD = Outcome("bad", 0.5, "s", ("left behind: mode 2004",), 143, 2.0)


def unheard(_gate: str, _done: int, _total: int) -> None:
    """Hears the progress, and keeps nothing of it."""


def state(folder: Path) -> State:
    """Every file with its inode, size and time."""
    paths = [(path, path.lstat()) for path in sorted(folder.rglob("*"))]
    return {str(path): (found.st_ino, found.st_size, found.st_mtime_ns) for path, found in paths}


def test_the_product_goes_back_to_what_was_served_whatever_happens(data_dir: Path) -> None:
    before = state(data_dir)
    outcomes = rollback.run_rollback(data_dir, unheard, publishers=1, rollbacks=1)
    assert [one for one in outcomes if not one.passed] == []
    assert len(outcomes) == 9
    assert state(data_dir) == before


@pytest.mark.parametrize(
    ("fault", "step", "told"),
    [
        ("damaged version", "rollback by name to a damaged version", "is damaged"),
        ("damaged version", "rollback past a damaged version", "is served although it is damaged"),
        ("same version", "rollback, and by name forward", "is served, not v-"),
    ],
)
def test_a_fault_of_the_product_is_caught(data_dir: Path, fault: str, step: str, told: str) -> None:
    with copied(data_dir) as copy:
        steps = rollback._Steps(Workbench(copy, mutants.program(fault)))
        wanted = [one for one in steps.all(0, 0) if one.name in ("publish another version", step)]
        published, outcome = (rollback._do(steps._bench, one) for one in wanted)
    assert published.passed
    assert told in "\n".join(outcome.faults)


def test_a_version_whose_files_or_lists_changed_is_not_what_it_was(data_dir: Path) -> None:
    with copied(data_dir) as copy:
        bench = Workbench(copy, rollback.PRODUCT)
        name = bench.remember()
        assert list(bench.faults(name)) == []
        bench.known[name].lists.update({"lexical\njohn cena": []})
        assert list(bench.faults(name)) == [f"the lists of {name} are not what they were"]
        bench.damage(name, "catalogue.sqlite")
        told = "\n".join(bench.faults(name))
    assert "`verify --all` ends with 4" in told
    assert "the files of" in told
    assert "can't be opened" in told


def test_small_corpora_differ(tmp_path: Path) -> None:
    folders = [small_corpus(tmp_path, number) for number in range(3)]
    assert len({source_digest(folder) for folder in folders}) == 3


def test_both_gates_are_written_down_with_every_outcome(
    data_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    used: list[str] = []

    def restore(settings: dict[str, str], _progress: object) -> list[Outcome]:
        used.append(settings["MAMBOMEME_DATA_DIR"])
        return [GOOD, BAD]

    monkeypatch.setattr(restoration, "run_restoration", restore)
    monkeypatch.setattr(rollback, "run_rollback", lambda *_: [GOOD])
    gates = release.run_gates(data_dir, tmp_path / "out", unheard)
    assert gates == {"terminal-restoration": False, "publication-rollback": True}
    assert str(data_dir) not in used
    report = json.loads((tmp_path / "out" / "restoration.json").read_text())
    assert (report["passed"], report["checks"], report["failed"]) == (False, 2, 1)
    assert report["outcomes"][1]["faults"] == ["left behind: mode 2004"]
    assert json.loads((tmp_path / "out" / "rollback.json").read_text())["passed"] is True


def test_a_gate_without_checks_has_not_passed() -> None:
    assert not all_passed([])


def test_nothing_published_and_nowhere_to_write_are_told_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(IndexUnavailable, match="No index is published"):
        release.run_gates(tmp_path / "nothing", tmp_path, unheard)
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="can't be written"):
        release.write(tmp_path / "file" / "restoration.json", "gate", [])
