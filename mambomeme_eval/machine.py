"""Facts about the machine that measured, without which no time means anything."""

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Final

LIBRARIES: Final = ("textual", "rich", "numpy", "onnxruntime", "tokenizers", "annoy", "whoosh-reloaded", "pyte")


def facts() -> dict[str, Any]:
    """Cores, load, Python, system and library versions, as plain JSON values."""
    return {
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "load": [round(load, 2) for load in os.getloadavg()],
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "libraries": {name: _version(name) for name in LIBRARIES},
    }


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"
