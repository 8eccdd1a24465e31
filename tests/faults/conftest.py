"""The attackers, started once, and the numbers of points at the end of a run."""

import os
from collections.abc import Iterator

import pytest

from tests.faults.attackers import Attackers
from tests.faults.shim import compile_library

_COUNTED: dict[tuple[str, str], int] = {}


@pytest.fixture(scope="session")
def attackers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Attackers]:
    """Two processes that attack, or one where there is one core."""
    folder = tmp_path_factory.mktemp("faults").resolve()
    started = Attackers(folder, compile_library(folder), min(2, os.cpu_count() or 1))
    yield started
    _COUNTED.update(started.counted)
    started.close()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Tell how many points of each kind there were."""
    for scenario in sorted({scenario for scenario, _ in _COUNTED}):
        kinds = {kind: count for (other, kind), count in _COUNTED.items() if other == scenario}
        told = ", ".join(f"{kind.lower()} {count}" for kind, count in kinds.items())
        terminalreporter.write_line(f"faults in {scenario}: {sum(kinds.values())} points: {told}")
