"""An ordinary install finds its corpus and themes from any folder: the wheel is built, unpacked and run from `/`."""

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel's content, far from the checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    (wheel,) = folder.glob("*.whl")
    zipfile.ZipFile(wheel).extractall(folder / "site")
    return folder / "site"


def _run(installed: Path, data_dir: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONPATH": str(installed), "MAMBOMEME_DATA_DIR": str(data_dir)}
    command = [sys.executable, "-m", "mambomeme_tui", *arguments]
    return subprocess.run(command, env=environment, cwd="/", capture_output=True, text=True, check=False)


def test_the_wheel_holds_every_family_and_theme(installed: Path) -> None:
    for name in ("corpus/families", "themes"):
        shipped = {path.name for path in (installed / "mambomeme_tui" / "bundled" / name).glob("*.toml")}
        assert shipped == {path.name for path in (ROOT / name).glob("*.toml")}
        assert shipped


def test_the_wheel_holds_both_licences(installed: Path) -> None:
    assert (installed / "mambomeme_tui" / "bundled" / "corpus" / "LICENSE").is_file()
    assert next(installed.glob("*.dist-info/licenses/LICENSE")).is_file()


def test_the_installed_program_finds_memes_from_the_root_folder(installed: Path, data_dir: Path) -> None:
    found = _run(installed, data_dir, "find", "guy looking back at another girl", "--json")
    assert found.returncode == 0, found.stderr
    answer = json.loads(found.stdout)
    assert answer["hits"][0]["family"] == "distracted-boyfriend"
    assert len(answer["hits"]) == 10


def test_the_installed_program_takes_its_corpus_from_the_wheel(installed: Path, tmp_path: Path) -> None:
    code = "from mambomeme_tui import paths; print(paths.bundled('corpus'))"
    environment = os.environ | {"PYTHONPATH": str(installed)}
    printed = subprocess.run(
        [sys.executable, "-c", code], env=environment, cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert Path(printed.stdout.strip()) == installed / "mambomeme_tui" / "bundled" / "corpus"
