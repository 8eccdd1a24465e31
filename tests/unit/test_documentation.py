"""Every command, option, exit code, setting and dependency stands in the documentation, and nothing foreign does."""

import argparse
import re
import tomllib
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import pytest

from mambomeme_tui import config, errors
from mambomeme_tui.cli import build_parser
from mambomeme_tui.retrieval.engine import Engine
from mambomeme_tui.retrieval.results import State
from mambomeme_tui.ui.app import MamboApp
from mambomeme_tui.ui.widgets.bars import BOX_KEYS, LIST_KEYS
from mambomeme_tui.ui.widgets.pages import EXAMPLES

ROOT = Path(__file__).parents[2]
COMMANDS = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
ARCHITECTURE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")


def _parsers() -> Iterator[tuple[str, argparse.ArgumentParser]]:
    parser = build_parser()
    yield "mambomeme", parser
    yield from _commands("mambomeme", parser)


def _commands(above: str, parser: argparse.ArgumentParser) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, found in action.choices.items():
                yield f"{above} {name}", found
                yield from _commands(f"{above} {name}", found)


@pytest.mark.parametrize(("name", "parser"), list(_parsers()))
def test_every_command_and_option_is_documented(name: str, parser: argparse.ArgumentParser) -> None:
    assert f"`{name}" in COMMANDS
    for action in parser._actions:
        for option in action.option_strings:
            if option.startswith("--"):
                assert option in COMMANDS, f"{name} {option}"


def test_every_exit_code_is_documented() -> None:
    codes = {found.exit_code for found in vars(errors).values() if hasattr(found, "exit_code")}
    for code in codes | {0, errors.NOTHING_FOUND, 141}:
        assert re.search(rf"^\| {code} \|", COMMANDS, re.M), code


def test_every_setting_and_variable_is_documented() -> None:
    for setting in fields(config.Settings):
        assert f"| `{setting.name}` | `{config.ENVIRONMENT[setting.name]}` |" in COMMANDS
    sources = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "mambomeme_tui").rglob("*.py"))
    for variable in set(re.findall(r"\bMAMBOMEME_[A-Z_]+\b", sources)):
        assert variable in COMMANDS, variable


def test_every_state_is_documented_but_the_one_that_scripts_never_see() -> None:
    for state in set(State) - {State.DENSE_LOADING}:
        assert f"`{state}`" in COMMANDS


def test_every_dependency_has_its_line() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    listed = project["dependencies"] + project["optional-dependencies"]["dev"]
    for requirement in listed:
        name = re.split(r"[<>=!~\[]", requirement)[0]
        assert re.search(rf"\b{re.escape(name)}\b", ARCHITECTURE), name


def test_every_dependency_is_pinned() -> None:
    pinned = (ROOT / "constraints.txt").read_text(encoding="utf-8").lower()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for requirement in project["dependencies"] + project["optional-dependencies"]["dev"]:
        name = re.split(r"[<>=!~\[]", requirement)[0].lower()
        assert re.search(rf"^{re.escape(name)}==", pinned, re.M), name


def test_the_footer_never_has_more_than_six_keys() -> None:
    assert len(BOX_KEYS) <= 6
    assert len(LIST_KEYS) <= 6


def test_every_key_of_the_list_leads_to_an_action() -> None:
    for action in MamboApp.LIST_ACTIONS.values():
        assert hasattr(MamboApp, f"action_{action.split('(')[0]}")


def test_every_relative_link_in_the_documents_leads_somewhere() -> None:
    for document in [ROOT / "README.md", ROOT / "corpus" / "README.md", *(ROOT / "docs").glob("*.md")]:
        for link in re.findall(r"\]\(([^)#:]+)\)", document.read_text(encoding="utf-8")):
            assert (document.parent / link).is_file(), f"{document.name}: {link}"


def test_every_exact_example_of_the_readme_finds_something_and_leaves_something_out(engine: Engine) -> None:
    row = re.search(r"^\| exactly \| (.*) \|$", (ROOT / "README.md").read_text(encoding="utf-8"), re.M)
    assert row
    examples = re.findall(r"`([^`]+)`", row[1])
    assert len(examples) == 4
    assert all(engine.search(query).hits for query in examples)
    with_exclusion, without = examples[0], examples[0].rpartition(" -")[0]
    kept, whole = ({hit.meme.id for hit in engine.search(query).hits} for query in (with_exclusion, without))
    assert kept < whole


def test_what_the_readme_and_the_welcome_tell_to_type_finds_the_right_family_first(engine: Engine) -> None:
    expected = {
        "john cena": "john-cena",
        "one does not simply": "one-does-not-simply",
        "wrestling": "john-cena",
        "torn between two choices": "two-buttons",
        "dog in a burning house": "this-is-fine",
        "suprised pikachoo": "surprised-pikachu",
    }
    table = (ROOT / "README.md").read_text(encoding="utf-8").partition("| you remember |")[2].partition("\n\n")[0]
    assert re.findall(r"\| `([^`]+)` \|", table) == list(expected)
    assert [query for _, query in EXAMPLES] == list(expected)
    for query, family in expected.items():
        assert engine.search(query).hits[0].meme.family.id == family, query
