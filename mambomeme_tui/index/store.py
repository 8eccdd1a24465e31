"""Finds, checks and opens versions for reading. Never writes; works in a read-only folder.

A version is opened only after every file in it was compared with the manifest, and stays what it was for as long as
it is held open.
"""

import re
from dataclasses import dataclass
from pathlib import Path

from mambomeme_tui.digests import hash_file
from mambomeme_tui.errors import CorpusError, DamagedVersion, IndexUnavailable, ModelUnavailable
from mambomeme_tui.index.catalogue import CATALOGUE_FILE, Catalogue
from mambomeme_tui.index.manifest import Manifest, verify
from mambomeme_tui.parameters import Parameters
from mambomeme_tui.policy import POLICY_FILE, Policy, load_policy

CURRENT_FILE = "current"
VERSIONS_FOLDER = "versions"
MODELS_FOLDER = "models"
_NAME = re.compile(r"v-[0-9a-f]{12}")


@dataclass(frozen=True, slots=True)
class Version:
    """A checked version; its catalogue is open, its other files are opened by the routes that need them."""

    name: str
    folder: Path
    manifest: Manifest
    parameters: Parameters
    policy: Policy
    catalogue: Catalogue


def current_name(data: Path) -> str:
    """The name of the version that is served.

    Raises:
        IndexUnavailable: nothing was published yet, or the pointer is damaged.
    """
    try:
        name = (data / CURRENT_FILE).read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError):
        name = ""
    if not _NAME.fullmatch(name):
        raise IndexUnavailable(f"No index is published in {data}.", "Run `mambomeme publish`.")
    return name


def check(data: Path, name: str) -> Manifest:
    """Compare every file of a version with its manifest.

    Raises:
        DamagedVersion: something differs or is missing.
    """
    folder = data / VERSIONS_FOLDER / name
    manifest = Manifest.read(folder)
    if manifest.version != name:
        raise DamagedVersion(f"The manifest in {name} is that of {manifest.version}.")
    verify(folder, manifest.files)
    return manifest


def open_version(data: Path) -> Version:
    """Check and open the current version.

    Raises:
        IndexUnavailable: there is none, or it is damaged.
    """
    name = current_name(data)
    manifest = check(data, name)
    folder = data / VERSIONS_FOLDER / name
    try:
        parameters = Parameters.from_dict(manifest.parameters)
        policy = load_policy(folder / POLICY_FILE)
    except (TypeError, CorpusError):
        raise DamagedVersion(f"Version {name} has parameters or a policy that this program does not know.") from None
    return Version(name, folder, manifest, parameters, policy, Catalogue(folder / CATALOGUE_FILE))


def model_folder(data: Path, manifest: Manifest) -> Path:
    """The folder of the encoder that a version was made with, its files checked.

    Raises:
        ModelUnavailable: a file is missing or differs.
    """
    folder = data / MODELS_FOLDER / str(manifest.model["folder"])
    for name, expected in manifest.model["files"].items():
        path = folder / name
        if not path.is_file() or hash_file(path) != expected:
            raise ModelUnavailable(f"The encoder's {name} is missing or damaged.", "Run `mambomeme publish`.")
    return folder
