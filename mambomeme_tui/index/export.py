"""The encoder's export: made once from the weights, compared with sentence-transformers, shared by all versions.

It lies below the data folder under the start of the weights' hash, with a manifest of its own, and never changes. It
is made anew only where a byte of it is not what that manifest says.
"""

import json
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

from mambomeme_tui.digests import hash_json
from mambomeme_tui.encoder import MODEL_FILE, QueryEncoder
from mambomeme_tui.errors import DamagedVersion, ModelUnavailable
from mambomeme_tui.files import read_json
from mambomeme_tui.index.disk import make_folder, put_in_place, scratch_folder
from mambomeme_tui.index.manifest import MANIFEST_FILE, FileEntry, list_files, verify
from mambomeme_tui.index.weights import WEIGHTS_SHA256, weights_folder

_MADE_BY = ("sentence-transformers", "torch", "transformers")


@dataclass(frozen=True, slots=True)
class Export:
    """A checked export.

    Attributes:
        folder: where it lies.
        files: its files by name, each with size and SHA-256.
        parity: largest absolute difference to sentence-transformers over the probe texts, measured when it was made.
        made_by: versions of the libraries that made it.
    """

    folder: Path
    files: dict[str, FileEntry]
    parity: float
    made_by: dict[str, str]

    @property
    def network(self) -> str:
        """SHA-256 of the network."""
        return self.files[MODEL_FILE].sha256


def provide(models: Path) -> Export:
    """The export of the weights, made where it is missing or damaged. The caller holds the lock.

    Raises:
        ModelUnavailable: the weights are missing or wrong, or the two encoders disagree.
    """
    folder = models / WEIGHTS_SHA256[:12]
    try:
        return read(folder)
    except DamagedVersion:
        _make(folder)
        return read(folder)


def read(folder: Path) -> Export:
    """Check and describe an export.

    Raises:
        DamagedVersion: it is not there, or not what its manifest says.
    """
    try:
        data: dict[str, Any] = read_json(folder / MANIFEST_FILE)
        if data.pop("digest") != hash_json(data):
            raise DamagedVersion(f"The manifest of the encoder {folder.name} was altered.")
        files = tuple(FileEntry(**entry) for entry in data["files"])
        verify(folder, files, f"the encoder {folder.name}")
        return Export(folder, {entry.path: entry for entry in files}, float(data["parity"]), data["made_by"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        raise DamagedVersion(f"The manifest of the encoder {folder.name} can't be read.") from None


def _make(folder: Path) -> None:
    from mambomeme_tui.index.embedding import PARITY_TOLERANCE, ReferenceEncoder

    reference = ReferenceEncoder(weights_folder())
    make_folder(folder.parent)
    with scratch_folder(folder.parent) as scratch:
        reference.export(scratch)
        parity = reference.parity(QueryEncoder(scratch))
        if not parity <= PARITY_TOLERANCE:
            raise ModelUnavailable(f"The two encoders differ by {parity:.1e}, more than {PARITY_TOLERANCE:.0e}.")
        made_by = {name: metadata.version(name) for name in _MADE_BY}
        files = [asdict(entry) for entry in list_files(scratch)]
        data: dict[str, Any] = {"files": files, "parity": parity, "made_by": made_by}
        data["digest"] = hash_json(data)
        (scratch / MANIFEST_FILE).write_text(json.dumps(data, indent=2, sort_keys=True) + "\n", encoding="utf-8")
        put_in_place(scratch, folder)
