"""The command line of the evaluation, run in process: what it printed, what it refused, and the card it wrote."""

import json
import re
from typing import Any, Final

import pytest

from mambomeme_eval import cli
from tests.eval.run_files import Desk

Capture = pytest.CaptureFixture[str]
FAULT: Final = re.compile(r".+:\d+: .+: .+")


def run(capsys: Capture, *arguments: str) -> tuple[int, str, list[str]]:
    """Exit code, standard output, and the lines of standard error."""
    code = cli.main(list(arguments))
    out, err = capsys.readouterr()
    return code, out, err.splitlines()


def refused(capsys: Capture, *arguments: str) -> tuple[int, list[str], str]:
    """Exit code, faults and the one sentence of a command that does nothing else."""
    code, out, told = run(capsys, *arguments)
    assert out == ""
    *faults, sentence = told
    assert all(FAULT.fullmatch(one) for one in faults), faults
    assert sentence.startswith("mambomeme-eval: ")
    assert not re.search("Traceback|went wrong|Error", sentence)
    assert sentence.endswith(".")
    return code, faults, sentence


def row(card: dict[str, Any], system: str) -> dict[str, Any]:
    """One system of a card."""
    (found,) = [one for one in card["rows"] if one["system"] == system]
    return dict(found)


def scored(capsys: Capture, desk: Desk, code: int, *runs: str, command: tuple[str, ...] = ("score",)) -> dict[str, Any]:
    """The card that a command writes, which ends with this code."""
    path = desk.folder / "card.json"
    found, _, told = run(capsys, *command, *(runs or desk.runs()), *desk.options(), "--json", str(path))
    assert (found, told) == (code, [])
    return dict(json.loads(path.read_text(encoding="utf-8"), parse_constant=pytest.fail))


def failed(card: dict[str, Any], system: str = "bm25") -> set[str]:
    """The gates that a system fails."""
    return {gate["name"] for gate in row(card, system)["verdict"]["gates"] if not gate["passed"]}
