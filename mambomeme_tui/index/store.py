"""Finds, checks and opens versions for reading. Never writes; works in a read-only folder.

A version is opened only after every file in it was compared with the manifest, and stays what it was for as long as
it is held open. Where the served one is damaged, the last good one is opened and says so.
"""

from dataclasses import dataclass
from pathlib import Path

from mambomeme_tui.digests import hash_file
from mambomeme_tui.errors import CorpusError, DamagedVersion, IndexUnavailable, ModelUnavailable
from mambomeme_tui.index.catalogue import CATALOGUE_FILE, Catalogue
from mambomeme_tui.index.holding import Hold
from mambomeme_tui.index.layout import MODELS_FOLDER, VERSIONS_FOLDER
from mambomeme_tui.index.manifest import BuildRecord, Manifest, verify
from mambomeme_tui.index.pointer import read_pointer, remembered, version_names
from mambomeme_tui.parameters import Parameters
from mambomeme_tui.policy import POLICY_FILE, Policy, load_policy


@dataclass(frozen=True, slots=True)
class Version:
    """A checked version; its catalogue is open, its other files are opened by the routes that need them.

    `instead_of` is the error that kept the served version closed, where this is the last good one.
    """

    name: str
    folder: Path
    manifest: Manifest
    parameters: Parameters
    policy: Policy
    catalogue: Catalogue
    hold: Hold
    instead_of: IndexUnavailable | None = None

    def close(self) -> None:
        """Let go of the version; whoever wants to may take it away now."""
        self.catalogue.close()
        self.hold.release()


def check(data: Path, name: str) -> Manifest:
    """Compare every file of a version with its manifest.

    Raises:
        DamagedVersion: something differs or is missing.
    """
    folder = data / VERSIONS_FOLDER / name
    manifest = Manifest.read(folder)
    if manifest.version != name:
        raise DamagedVersion(f"The manifest in {name} is that of {manifest.version}.")
    BuildRecord.read(folder)
    verify(folder, manifest.files)
    return manifest


def open_version(data: Path) -> Version:
    """Check and open the served version, or the last good one: what was served before it, then whatever else is there.

    Raises:
        IndexUnavailable: nothing was published, or there is no version that is whole.
    """
    first: IndexUnavailable | None = None
    try:
        read_pointer(data)
    except DamagedVersion as error:
        first = error
    for name in candidates(data):
        try:
            return open_named(data, name, first)
        except DamagedVersion as error:
            first = first or error
    raise first or IndexUnavailable(f"No index is published in {data}.", "Run `mambomeme publish`.")


def candidates(data: Path) -> list[str]:
    """Names of versions in the order in which one would be opened; none where nothing was published."""
    served = [one.name for one in remembered(data)]
    return served + [other for other in version_names(data) if other not in served] if served else []


def open_named(data: Path, name: str, instead_of: IndexUnavailable | None = None) -> Version:
    """Check and open a version.

    Raises:
        DamagedVersion: it is not whole.
    """
    folder = data / VERSIONS_FOLDER / name
    hold = Hold(folder)
    try:
        manifest = check(data, name)
        parameters = Parameters.from_dict(manifest.parameters)
        policy = load_policy(folder / POLICY_FILE)
        catalogue = Catalogue(folder / CATALOGUE_FILE)
    except (TypeError, CorpusError):
        hold.release()
        raise DamagedVersion(f"Version {name} has parameters or a policy that this program does not know.") from None
    except BaseException:
        hold.release()
        raise
    return Version(name, folder, manifest, parameters, policy, catalogue, hold, instead_of)


def model_folder(data: Path, manifest: Manifest) -> Path:
    """The folder of the encoder that a version was made with, its files checked.

    Raises:
        ModelUnavailable: a file is missing or differs.
    """
    folder = data / MODELS_FOLDER / str(manifest.model["folder"])
    for name, expected in manifest.model["files"].items():
        path = folder / name
        try:
            same = path.stat().st_size == expected["size"] and hash_file(path) == expected["sha256"]
        except OSError:
            same = False
        if not same:
            raise ModelUnavailable(f"The encoder's {name} is missing or damaged.", "Run `mambomeme publish`.")
    return folder
