"""The attackers, started once in a process of tests, and the numbers of points for the end of a run."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from filelock import FileLock

from tests.conftest import COUNTED, COUNTED_BY_ONE
from tests.faults.attackers import Attackers
from tests.faults.shim import compile_library


@pytest.fixture(scope="session")
def library(shared: Path) -> Path:
    """The compiled library."""
    with FileLock(shared / "shim.lock"):
        return compile_library(shared)


@pytest.fixture(scope="session")
def attackers(
    library: Path, tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config
) -> Iterator[Attackers]:
    """Two processes that attack, or one where there is one core or other tests run beside."""
    count = 1 if "PYTEST_XDIST_WORKER" in os.environ else min(2, os.cpu_count() or 1)
    started = Attackers(tmp_path_factory.mktemp("faults").resolve(), library, count)
    yield started
    counted = [(scenario, kind, count) for (scenario, kind), count in started.counted.items()]
    pytestconfig.stash.setdefault(COUNTED, []).extend(counted)
    if hasattr(pytestconfig, "workeroutput"):
        pytestconfig.workeroutput[COUNTED_BY_ONE] = counted
    started.close()
