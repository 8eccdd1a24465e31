"""The corpus manifest, `manifest.json`: the version of a corpus and the checksum of everything in it.

A corpus is frozen by writing it: from then on any changed character, picture or rule shows as another version. The
records take their pictures' hashes from here, so that reading a corpus need not decode a single picture.
"""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from mambomeme_tui.digests import family_files, hash_file, hash_json
from mambomeme_tui.errors import CorpusError, Fault
from mambomeme_tui.files import read_json
from mambomeme_tui.policy import POLICY_FILE

MANIFEST_FILE = "manifest.json"
MEDIA_FOLDER = "media"
SERIES = "v1"


@dataclass(frozen=True, slots=True)
class Picture:
    """What is known of a picture file: its SHA-256 (hex), size in bytes and pixels, frames, perceptual hash (hex)."""

    sha256: str
    size: int
    width: int
    height: int
    frames: int
    perceptual_hash: str


def picture_path(family: str, slug: str) -> str:
    """Where an item's picture lies below the corpus folder, unless the item says otherwise."""
    return f"{MEDIA_FOLDER}/{family}/{slug}.webp"


def read_pictures(root: Path) -> dict[str, Picture]:
    """The known pictures by their path; none where the corpus was never frozen.

    Raises:
        CorpusError: the manifest can't be read.
    """
    path = root / MANIFEST_FILE
    if not path.exists():
        return {}
    try:
        return {name: Picture(**entry) for name, entry in read_json(path)["media"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise CorpusError([Fault(str(path), 1, "(manifest)", f"a corpus manifest: {error}")]) from None


def make_manifest(root: Path, pictures: dict[str, Picture], counts: dict[str, int]) -> dict[str, Any]:
    """The manifest of a corpus as it is now; its version is `v1-` and the start of the checksum of all the rest."""
    files = [*family_files(root), *(path for path in (root / POLICY_FILE, root / "development.toml") if path.exists())]
    content = {
        "files": {path.relative_to(root).as_posix(): hash_file(path) for path in files},
        "media": {name: asdict(picture) for name, picture in sorted(pictures.items())},
    }
    checksum = hash_json(content)
    return {"version": f"{SERIES}-{checksum[:12]}", "checksum": checksum, "counts": counts, **content}


def write_manifest(root: Path, manifest: dict[str, Any]) -> None:
    """Write the manifest in a form that is easy to compare line by line."""
    text = json.dumps(manifest, indent=1, sort_keys=True, ensure_ascii=False)
    (root / MANIFEST_FILE).write_text(text + "\n", encoding="utf-8")
