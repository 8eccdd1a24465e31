"""What must hold of a data folder after a fault, and after the same action was then done once more without one."""

import hashlib
import json
import traceback
from contextlib import closing
from pathlib import Path

from mambomeme_tui.errors import IndexUnavailable
from mambomeme_tui.index.layout import CACHE_FOLDER, CURRENT_FILE, SCRATCH
from mambomeme_tui.index.manifest import BUILD_FILE
from mambomeme_tui.index.store import check, model_folder, open_version
from mambomeme_tui.index.verification import verify_version
from tests.faults.scenarios import DATA, Scenario

Listing = dict[str, str]
VOLATILE = (BUILD_FILE, "publish.holder")
"""Files with times and process numbers in them: two runs never write the same."""


def listing(folder: Path) -> Listing:
    """Every name below a folder with its type and rights."""
    return {path.relative_to(folder).as_posix(): oct(path.lstat().st_mode) for path in folder.rglob("*")}


def differences(found: Listing, expected: Listing) -> list[str]:
    """What is there and should not be, or the other way round; the cache may be missing, or a part of it."""
    return [
        f"{path}: {found.get(path)}, not {expected.get(path)}"
        for path in sorted({*found, *expected})
        if found.get(path) != expected.get(path) and (path in found or CACHE_FOLDER not in Path(path).parts)
    ]


def fingerprint(folder: Path) -> str:
    """Equal for two folders that a reader and the next writer can't tell apart.

    Scratch names are random and what has one is only ever removed, so that its names count and its bytes do not.
    """
    seen, numbers = [], dict[str, str]()
    for path in sorted(folder.rglob("*"), key=lambda one: (SCRATCH in str(one), str(one))):
        parts = list(path.relative_to(folder).parts)
        scratch = [part for part in parts if part.startswith(SCRATCH)]
        for part in scratch:
            parts[parts.index(part)] = numbers.setdefault(part, f"{SCRATCH}{len(numbers)}")
        status = path.lstat()
        content = "" if scratch or path.is_dir() else _content(path)
        seen.append(["/".join(parts), oct(status.st_mode), content])
    return hashlib.sha256(json.dumps(sorted(seen)).encode()).hexdigest()


def _content(path: Path) -> str:
    written = path.read_bytes()
    if path.name in VOLATILE:
        return "whole" if written.endswith(b"}") or written.endswith(b"}\n") else "half"
    return hashlib.sha256(written).hexdigest()


def served(folder: Path, scenario: Scenario, problems: list[str]) -> str | None:
    """The name of the version that a fresh reader opens, proved; None where nothing is published."""
    data = folder / DATA
    try:
        version = open_version(data)
    except IndexUnavailable as error:
        if scenario.before is not None or (data / CURRENT_FILE).exists():
            problems.append(f"nothing is served: {error}")
        return None
    with closing(version):
        if version.instead_of is not None and not scenario.fallback:
            problems.append(f"a fallback is served: {version.instead_of}")
        if version.name not in {scenario.before, scenario.after}:
            problems.append(f"{version.name} is served")
        verify_version(version.folder)
        model_folder(data, version.manifest)
        return version.name


def examine(folder: Path, scenario: Scenario, expected: Listing) -> tuple[str | None, list[str]]:
    """What is served now, and everything that is wrong: now, and after the action was done again."""
    problems: list[str] = []
    name = None
    try:
        name = served(folder, scenario, problems)
        for kept in scenario.keeps:
            check(folder / DATA, kept)
        if scenario.again(folder / DATA) != scenario.after or served(folder, scenario, problems) != scenario.after:
            problems.append("after the next run the new version is not served")
        problems.extend(f"after the next run, {told}" for told in differences(listing(folder), expected))
    except Exception:  # whatever it is, it belongs into the report
        problems.append(traceback.format_exc())
    return name, problems
