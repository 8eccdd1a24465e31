"""Runs the real program as a person would, in a process of its own, and says what that cost.

A child's peak of memory counts its own children too, and on Linux never comes out below what the process that started
it has needed itself: whoever measures stays small, imports nothing heavy and reads no data.
"""

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from mambomeme_tui.errors import MamboError

PRODUCT: Final = (sys.executable, "-m", "mambomeme_tui")
CHILD: Final = (sys.executable, "-m", "mambomeme_eval.pipeline_child")
_PEAK_UNIT = 1 if sys.platform == "darwin" else 1024

Report = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Ran:
    """A finished process: seconds from before its start until its end, peak memory in bytes, its standard output."""

    seconds: float
    peak_bytes: int
    output: str

    def cost(self) -> Report:
        """Without the output, as plain JSON values."""
        return {"seconds": self.seconds, "peak_bytes": self.peak_bytes}


def run_program(command: Sequence[str], data: Path) -> Ran:
    """Run a command on a data folder and wait for its end; what it complains of goes to our standard error.

    Raises:
        MamboError: it failed.
    """
    environment = _environment(data)
    started = time.monotonic()
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, env=environment) as process:
        assert process.stdout is not None
        output = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.monotonic() - started
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise MamboError(f"`{' '.join(command[1:4])}` ended with exit code {process.returncode}.")
    return Ran(seconds, usage.ru_maxrss * _PEAK_UNIT, output.decode("utf-8", "replace"))


def run_product(data: Path, *arguments: str) -> Ran:
    """Run a command of the program; see `run_program`."""
    return run_program([*PRODUCT, *arguments], data)


def run_child(data: Path, task: str, *arguments: str) -> tuple[Report, Ran]:
    """Run a task of `mambomeme_eval.pipeline_child`; its answer, with the stamp at which it was started."""
    stamp = time.monotonic_ns()
    ran = run_program([*CHILD, task, str(data), str(stamp), *arguments], data)
    answer: Report = json.loads(ran.output)
    return answer, ran


def own_peak() -> int:
    """Bytes that this process has needed at most; no child's peak is told below it on Linux."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _PEAK_UNIT


def _environment(data: Path) -> Mapping[str, str]:
    """No setting of the person who measures reaches the program."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("MAMBOMEME_")}
    found_in = [str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    return kept | {
        "MAMBOMEME_DATA_DIR": str(data),
        "MAMBOMEME_CONFIG_DIR": str(data / "no-settings"),
        "MAMBOMEME_CACHE_DIR": str(data / "no-pictures"),
        "PYTHONPATH": os.pathsep.join(filter(None, found_in)),
    }
