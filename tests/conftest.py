"""Fixtures for all tests: one index of the bundled corpus, built once by the real command, and clean surroundings.

Several processes may share the tests among themselves (pytest-xdist). What is built once is then built by one of them
and read by all.
"""

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from mambomeme_tui.index import vocabulary
from mambomeme_tui.retrieval.engine import Engine

ROOT = Path(__file__).parents[1]
COUNTED = pytest.StashKey[list[tuple[str, str, int]]]()
"""How many faults of a kind were put into a scenario, by each process."""
COUNTED_BY_ONE = "faults"
"""What they are called in what a process of pytest-xdist tells the first one."""


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that all processes of this run share."""
    own = tmp_path_factory.getbasetemp()
    folder = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "shared"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture(scope="session")
def data_dir(shared: Path) -> Path:
    """A data folder with the bundled corpus published; tests only read it, and copy it to change it."""
    folder = shared / "data"
    with FileLock(shared / "data.lock"):
        if not (folder / "current").exists():
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


@pytest.fixture(scope="session", autouse=True)
def _common_words_made_once() -> Iterator[None]:
    """To make them takes most of what a small version takes to be built, and they are always the same."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(vocabulary, "common_words", cache(vocabulary.common_words))
        yield


@pytest.fixture(autouse=True)
def _clean_surroundings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No setting of the person who runs the tests reaches them, and nothing they write reaches that person."""
    for name in [name for name in os.environ if name.startswith("MAMBOMEME_")] + ["NO_COLOR"]:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("MAMBOMEME_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.setenv("MAMBOMEME_CACHE_DIR", str(tmp_path / "cache"))


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any, error: object) -> None:
    """A process of pytest-xdist has ended: keep how many faults it put where."""
    node.config.stash.setdefault(COUNTED, []).extend(getattr(node, "workeroutput", {}).get(COUNTED_BY_ONE, []))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Tell how many faults of each kind there were."""
    found: dict[str, Counter[str]] = {}
    for scenario, kind, count in terminalreporter.config.stash.get(COUNTED, []):
        found.setdefault(scenario, Counter())[kind] += count
    for scenario, kinds in sorted(found.items()):
        told = ", ".join(f"{kind.lower()} {count}" for kind, count in sorted(kinds.items()))
        terminalreporter.write_line(f"faults in {scenario}: {kinds.total()} points: {told}")
