"""Every command, option, exit code and field of the evaluation stands in its page."""

import argparse
import re
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import pytest

from mambomeme_eval.acceptance import Claim
from mambomeme_eval.benchmark import (
    Audit,
    Candidate,
    Header,
    Inspection,
    Judgement,
    Kind,
    Mark,
    PartitionName,
    PoolHeader,
    Query,
    Slice,
    Targets,
)
from mambomeme_eval.cli import EXIT_CODES, build_parser
from mambomeme_eval.gates import RELEASE_GATES
from mambomeme_eval.loading import (
    AUDITS_FILE,
    HEADER_FILE,
    JUDGEMENTS_FILE,
    POOL_FILE,
    POOL_HEADER_FILE,
    QUERIES_FILE,
    TARGETS_FILE,
)
from mambomeme_eval.runs import Request, RunHeader
from mambomeme_eval.trec import EMPTY

PAGE = (Path(__file__).parents[2] / "docs" / "evaluation.md").read_text(encoding="utf-8")


def _commands(name: str, parser: argparse.ArgumentParser) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    yield name, parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for inner, found in action.choices.items():
                yield from _commands(f"{name} {inner}", found)


COMMANDS = dict(_commands("mambomeme-eval", build_parser()))


def row(start: str) -> str:
    """The one row of a table whose first cell begins so."""
    (found,) = re.findall(rf"^\| {start}.*$", PAGE, re.M)
    return str(found)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_a_row_with_all_its_options(name: str) -> None:
    told = row(rf"`{name}(?: (?:[A-Z. ]+))?`")
    options = {one for action in COMMANDS[name]._actions for one in action.option_strings if one.startswith("--")}
    assert set(re.findall(r"`(--[a-z-]+)", told)) == options - {"--help"}


def test_no_command_is_documented_that_is_not_there() -> None:
    named = set(re.findall(r"^\| `(mambomeme-eval(?: [a-z]+)*)", PAGE, re.M))
    assert named == set(COMMANDS)


def test_every_exit_code_is_documented() -> None:
    for code in {*re.findall(r"^  (\d+)", EXIT_CODES, re.M), "130"}:
        assert row(rf"{code} \|")


@pytest.mark.parametrize(
    ("start", "kinds"),
    [
        (f"`{HEADER_FILE}`", [Header]),
        (f"`{QUERIES_FILE}`", [Query]),
        (f"`{TARGETS_FILE}`", [Targets]),
        (f"`{POOL_FILE}`", [Candidate]),
        (f"`{POOL_HEADER_FILE}`", [PoolHeader]),
        (f"`{JUDGEMENTS_FILE}`", [Judgement]),
        (f"`{AUDITS_FILE}`", [Audit, Inspection]),
        ("first", [RunHeader]),
        ("request", [Request]),
    ],
)
def test_every_field_of_a_file_is_documented(start: str, kinds: list[type]) -> None:
    told = row(f"{start} ")
    for kind in kinds:
        for field in fields(kind):
            assert f"`{field.name}`" in told, field.name


def test_the_values_that_are_written_by_hand_are_documented() -> None:
    for value in (*Slice, *Kind, *Mark, *PartitionName, EMPTY):
        assert f"`{value}`" in PAGE, value
    for name in RELEASE_GATES:
        assert f'"{name}": true' in PAGE
    assert all(str(claim) in row("`mambomeme-eval accept") for claim in Claim)
