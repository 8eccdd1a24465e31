"""Fixtures for all tests: one index of the bundled corpus, built once by the real command, and clean surroundings."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from mambomeme_tui.retrieval.engine import Engine

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="session")
def data_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with the bundled corpus published; tests only read it, and copy it to change it."""
    folder = tmp_path_factory.mktemp("data")
    environment = os.environ | {"MAMBOMEME_DATA_DIR": str(folder)}
    command = [sys.executable, "-m", "mambomeme_tui", "publish"]
    subprocess.run(command, check=True, env=environment, cwd=ROOT, stdout=subprocess.DEVNULL)
    return folder


@pytest.fixture(scope="session")
def engine(data_dir: Path) -> Iterator[Engine]:
    """An engine on the bundled corpus with both routes loaded."""
    opened = Engine(data_dir)
    opened.load_dense()
    assert opened.dense_error is None
    yield opened
    opened.close()


@pytest.fixture(autouse=True)
def _clean_surroundings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No setting of the person who runs the tests reaches them, and nothing they write reaches that person."""
    for name in [name for name in os.environ if name.startswith("MAMBOMEME_")] + ["NO_COLOR"]:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("MAMBOMEME_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.setenv("MAMBOMEME_CACHE_DIR", str(tmp_path / "cache"))
