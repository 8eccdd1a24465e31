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


def identity() -> dict[str, str]:
    """What must be equal for two measurements to be compared: no load, no time, nothing that changes by itself."""
    known = facts()
    libraries = ", ".join(f"{name} {found}" for name, found in known["libraries"].items())
    hardware = f"{known['system']}, {known['cores']} cores"
    return {"hardware": hardware, "python": known["python"], "libraries": libraries}


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"
