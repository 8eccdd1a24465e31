"""Publishes in another process and reports its progress, so that the searching process never loads torch."""

import os
import subprocess
import sys
from pathlib import Path

from mambomeme_tui.errors import IndexUnavailable
from mambomeme_tui.index.pipeline import Progress

_PREFIX = "mambomeme: "


class Rebuild:
    """One run of `mambomeme publish` in a process of its own. `run` is called once; `stop` from any thread."""

    def __init__(self, data: Path) -> None:
        environment = os.environ | {"MAMBOMEME_DATA_DIR": str(data), "PYTHONUNBUFFERED": "1"}
        found_in = [os.environ.get("PYTHONPATH", ""), str(Path(__file__).parents[2])]
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, found_in))
        self._process = subprocess.Popen(
            # -P: modules that lie in the folder a person happens to be in are not ours to run
            [sys.executable, "-P", "-m", "mambomeme_tui", "publish", "--porcelain", "--tied", "--wait"],
            stdin=subprocess.PIPE,  # it closes with us, however we end, and that ends the build
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            errors="replace",
            env=environment,
            start_new_session=True,
        )

    def run(self, progress: Progress) -> None:
        """Wait for the end.

        Raises:
            IndexUnavailable: with the sentence that the other process ended with.
        """
        try:
            self._listen(progress)
        finally:
            self.stop()  # whatever interrupted us interrupts the build

    def _listen(self, progress: Progress) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            parts = line.split()
            if len(parts) == 3 and parts[1].isdigit() and parts[2].isdigit():
                progress(parts[0], int(parts[1]), int(parts[2]))
        complaint = self._process.communicate()[1].splitlines()
        if code := self._process.returncode:
            said = [line.removeprefix(_PREFIX) for line in complaint if line.startswith(_PREFIX)]
            ended = f"exit code {code if code > 0 else 128 - code}."
            reason = _with_first_fault(said[-1], complaint) if said else ended
            raise IndexUnavailable(f"The index could not be built: {reason}")

    def stop(self) -> None:
        """End the other process; what it had not finished leaves no trace that a later run does not clear."""
        if self._process.poll() is None:
            self._process.terminate()


def _with_first_fault(said: str, complaint: list[str]) -> str:
    """A sentence that speaks of faults named above it, with the first of them in it."""
    faults = [line for line in complaint if line.strip() and not line.startswith(_PREFIX)]
    return f"{said.partition('. ')[0]}: {faults[0]}." if faults else said
