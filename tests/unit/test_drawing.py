"""The corpus's pictures are drawn by the tool from the scenes that lie beside them, byte for byte."""

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from PIL import Image

ROOT = Path(__file__).parents[2]
CORPUS = ROOT / "corpus"
FAMILIES = ("distracted-boyfriend", "drake-hotline-bling", "john-cena", "pikotaro-ppap", "this-is-fine")


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of some families and scenes, drawn anew by the tool."""
    folder = tmp_path_factory.mktemp("drawn")
    for part in ("families", "scenes"):
        (folder / part).mkdir()
        for family in FAMILIES:
            shutil.copyfile(CORPUS / part / f"{family}.toml", folder / part / f"{family}.toml")
    command = [sys.executable, "-m", "drawing", str(folder), *FAMILIES, "--sheet", str(folder / "sheet.png")]
    subprocess.run(command, check=True, env=os.environ | {"PYTHONPATH": str(ROOT / "tools")}, stdout=subprocess.DEVNULL)
    return folder


@pytest.mark.parametrize("family", FAMILIES)
def test_drawn_anew_the_pictures_are_the_same_to_the_byte(drawn: Path, family: str) -> None:
    expected = {path.name: path.read_bytes() for path in (CORPUS / "media" / family).iterdir()}
    assert {path.name: path.read_bytes() for path in (drawn / "media" / family).iterdir()} == expected
    assert expected


def test_the_contact_sheet_shows_every_picture(drawn: Path) -> None:
    pictures = sum(1 for _ in (drawn / "media").rglob("*.webp"))
    with Image.open(drawn / "sheet.png") as sheet:
        assert sheet.size == (6 * 240, -(-pictures // 6) * 240)


def test_every_family_has_a_scene_and_every_scene_a_family() -> None:
    assert {path.name for path in (CORPUS / "scenes").glob("*.toml")} == {
        path.name for path in (CORPUS / "families").glob("*.toml")
    }


def test_a_tenth_of_the_pictures_move() -> None:
    moving = still = 0
    for path in (CORPUS / "media").rglob("*.webp"):
        with Image.open(path) as image:
            frames = getattr(image, "n_frames", 1)
        moving += frames > 1
        still += frames == 1
    assert moving / (moving + still) >= 0.09
    assert moving >= 160


def test_an_unknown_emoji_is_told_and_fails(drawn: Path, tmp_path: Path) -> None:
    for part in ("families", "scenes"):
        shutil.copytree(drawn / part, tmp_path / part)
    scene = tmp_path / "scenes" / "john-cena.toml"
    text = scene.read_text(encoding="utf-8")
    emoji = next(thing["emoji"] for thing in tomllib.loads(text)["panels"][0]["things"] if "emoji" in thing)
    scene.write_text(text.replace(emoji, "\U0001fbff"), encoding="utf-8")
    command = [sys.executable, "-m", "drawing", str(tmp_path), "john-cena"]
    environment = os.environ | {"PYTHONPATH": str(ROOT / "tools")}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 1
    assert "john-cena: no picture for the emoji" in done.stderr
