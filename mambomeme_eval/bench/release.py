"""The gates of a release that are tests of the program: the terminal given back, and publications taken back.

Both work on copies; the data folder that is named is only read. Every outcome is written down, whether it passed or
not, so that a failed gate can be looked into afterwards.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Final

from mambomeme_eval import machine
from mambomeme_eval.bench import rollback
from mambomeme_eval.bench.copies import copied, settings_for
from mambomeme_eval.outcomes import Outcome, Progress, all_passed
from mambomeme_eval.pty import restoration
from mambomeme_tui.errors import UsageError

RESTORATION_FILE: Final = "restoration.json"
ROLLBACK_FILE: Final = "rollback.json"


def run_gates(data: Path, out: Path, progress: Progress) -> dict[str, bool]:
    """Run both gates; whether each passed, by the names that the score knows.

    Args:
        data: a data folder in which a whole version is served.
        out: a folder for the outcomes, made where it is missing.
        progress: hears the gate's name, and how many of how many checks were made.

    Raises:
        IndexUnavailable: nothing is published there, or the served version is not whole.
        UsageError: the outcomes can't be written.
    """
    with copied(data) as copy:
        restored = restoration.run_restoration(settings_for(copy), progress)
    write(out / RESTORATION_FILE, restoration.GATE, restored)
    rolled_back = rollback.run_rollback(data, progress)
    write(out / ROLLBACK_FILE, rollback.GATE, rolled_back)
    return {restoration.GATE: all_passed(restored), rollback.GATE: all_passed(rolled_back)}


def write(path: Path, gate: str, outcomes: Sequence[Outcome]) -> None:
    """Write the outcomes of a gate, with the machine that they are from.

    Raises:
        UsageError: the file can't be written.
    """
    report = {
        "gate": gate,
        "passed": all_passed(outcomes),
        "checks": len(outcomes),
        "failed": sum(not one.passed for one in outcomes),
        "machine": machine.facts(),
        "outcomes": [asdict(one) | {"passed": one.passed} for one in outcomes],
    }
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{path} can't be written: {error.strerror}.") from None
