"""Which code made a version: the digest of the sources that decide what an index holds, and the commit.

Whoever changes how a text is cut or which text goes where makes other indexes, so that versions get other names.
"""

import shutil
import subprocess
from functools import cache
from pathlib import Path

from mambomeme_tui.digests import hash_file, hash_json, source_digest
from mambomeme_tui.index.manifest import Manifest
from mambomeme_tui.index.pointer import BUNDLED, remembered
from mambomeme_tui.paths import bundled

_PACKAGE = Path(__file__).resolve().parents[1]
_DECIDING = (
    *(
        f"index/{name}.py"
        for name in ("arrays", "build", "catalogue", "embedding", "export", "facets", "impacts", "manifest", "postings")
    ),
    *(f"index/{name}.py" for name in ("structure", "vectors", "vocabulary")),
    *("index/views.py", "encoder.py", "records.py", "text.py"),
)


@cache
def sources_digest() -> str:
    """SHA-256 over the sources that decide what is in a version."""
    return hash_json([(name, hash_file(_PACKAGE / name)) for name in _DECIDING])


@cache
def commit() -> str:
    """The commit of the checkout that this package lies in, marked where something in it was changed; or nothing."""
    git = shutil.which("git")
    if git is None or not (_PACKAGE.parent / ".git").exists():
        return ""
    command = [git, "-C", str(_PACKAGE.parent), "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"]
    try:
        told = subprocess.run(command, capture_output=True, text=True, check=True, timeout=10)
    except (OSError, subprocess.SubprocessError):
        return ""
    return told.stdout.strip()


def is_up_to_date(data: Path, manifest: Manifest) -> bool:
    """Whether a version is what publishing would make now; of a folder that is not the bundled one only the code."""
    if manifest.code.get("sources") != sources_digest():
        return False
    known = next((one for one in remembered(data) if one.name == manifest.version), None)
    try:
        return known is None or known.origin != BUNDLED or known.digest == source_digest(bundled("corpus"))
    except OSError:
        return True


def may_build_anew(data: Path) -> bool:
    """Whether the bundled corpus may take the place of what is served: not where somebody published another one."""
    served = remembered(data)
    return not served or served[0].origin in ("", BUNDLED)
