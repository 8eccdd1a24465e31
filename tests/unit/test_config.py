"""Settings: the strongest source wins, and a wrong one is told in one sentence that names its place."""

import os
import subprocess
import sys
from dataclasses import FrozenInstanceError, fields
from itertools import product
from pathlib import Path

import pytest

from mambomeme_tui import config
from mambomeme_tui.config import Settings
from mambomeme_tui.errors import UsageError

ROOT = Path(__file__).parents[2]
VALUES = {  # what the file, the environment and the command line say
    "route": ("lexical", "dense", "hybrid"),
    "theme": ("one", "two", "three"),
    "data_dir": ("/a", "/b", "/c"),
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "config" / "config.toml"
    path.parent.mkdir()
    return path


def test_without_any_source_the_defaults_hold(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    monkeypatch.setenv("HOME", str(tmp_path))
    settings = config.load()
    assert (settings.route, settings.theme) == ("hybrid", "night")
    assert settings.data_dir.name == "mambomeme"
    assert settings.data_dir.is_relative_to(tmp_path)
    assert list(tmp_path.iterdir()) == []  # nothing is made by asking


@pytest.mark.parametrize("name", VALUES)
@pytest.mark.parametrize("given_by", list(product((True, False), repeat=3)))
def test_the_strongest_source_wins(
    name: str, given_by: tuple[bool, ...], file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_file, in_environment, in_flags = VALUES[name]
    if given_by[0]:
        file.write_text(f'{name} = "{in_file}"\n')
    if given_by[1]:
        monkeypatch.setenv(config.ENVIRONMENT[name], in_environment)
    said = [value for value, is_given in zip(VALUES[name], given_by, strict=True) if is_given]
    expected = said[-1] if said else str(getattr(Settings(), name))
    found = getattr(config.load({name: in_flags if given_by[2] else None}), name)
    assert str(found) == expected
    assert isinstance(found, Path if name == "data_dir" else str)


def test_sources_that_say_different_things_are_merged(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file.write_text('theme = "day"\nroute = "dense"\n')
    monkeypatch.setenv("MAMBOMEME_DATA_DIR", "/somewhere")
    assert config.load({"route": "lexical"}) == Settings("lexical", "day", Path("/somewhere"))


def test_every_setting_has_an_environment_variable_and_an_empty_one_says_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert set(config.ENVIRONMENT) == {field.name for field in fields(Settings)}
    before = config.load()
    for variable in config.ENVIRONMENT.values():
        monkeypatch.setenv(variable, "")
    assert config.load() == before


def test_the_data_folder_is_absolute_and_a_tilde_is_the_home(
    file: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    file.write_text('data_dir = "~/memes"\n')
    assert config.load().data_dir == tmp_path / "memes"
    assert config.load({"data_dir": "here"}).data_dir == tmp_path / "here"


@pytest.mark.parametrize(
    ("written", "told"),
    [
        (b'rout = "dense"\n', "no setting is called 'rout'; there are route, theme, data_dir"),
        (b"route = 3\n", "route takes a text, not 3"),
        (b'theme = ["day"]\n', "theme takes a text"),
        (b"[theme]\n", "theme takes a text"),
        (b"data_dir = true\n", "data_dir takes a text, not True"),
        (b'route = "best"\n', "route is one of hybrid, lexical, dense, not 'best'"),
        (b"route = \n", "can't be read as TOML"),
        (b"route = 1" + b"1" * 5000, "can't be read as TOML"),
        (b'theme = "\xff"\n', "can't be read as TOML"),
    ],
)
def test_a_faulty_file_is_told_by_its_name(written: bytes, told: str, file: Path) -> None:
    file.write_bytes(written)
    with pytest.raises(UsageError) as caught:
        config.load()
    assert str(file) in str(caught.value)
    assert told in str(caught.value)
    assert caught.value.exit_code == 2


def test_a_folder_in_the_file_s_place_is_told(file: Path) -> None:
    file.mkdir()
    with pytest.raises(UsageError, match="no regular file"):
        config.load()


def test_a_wrong_route_is_told_with_the_source_that_said_it(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file.write_text('route = "dense"\n')
    with pytest.raises(UsageError, match="the command line: route is one of"):
        config.load({"route": "worst"})
    monkeypatch.setenv("MAMBOMEME_ROUTE", "best")
    with pytest.raises(UsageError, match="the environment: route is one of"):
        config.load({"route": "lexical"})


def test_settings_do_not_change_once_made() -> None:
    settings = config.load()
    for field in fields(Settings):
        with pytest.raises(FrozenInstanceError):
            setattr(settings, field.name, "changed")


def test_the_program_tells_a_wrong_setting_in_one_sentence_and_leaves_with_2(file: Path) -> None:
    file.write_text("route = 3\n")
    command = [sys.executable, "-m", "mambomeme_tui", "find", "cats"]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ, cwd=ROOT, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"mambomeme: {file}: route takes a text, not 3.\n"
