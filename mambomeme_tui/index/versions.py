"""What is kept in a data folder, going back to an older version, and taking away what is no longer wanted."""

import os
import shutil
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from mambomeme_tui.errors import IndexUnavailable, UsageError
from mambomeme_tui.index import vectors
from mambomeme_tui.index.cache import shrink
from mambomeme_tui.index.catalogue import CATALOGUE_FILE, Catalogue
from mambomeme_tui.index.disk import take_away
from mambomeme_tui.index.holding import is_held, take_alone
from mambomeme_tui.index.layout import CACHE_FOLDER, MODELS_FOLDER, VERSIONS_FOLDER
from mambomeme_tui.index.manifest import BuildRecord, Manifest
from mambomeme_tui.index.pointer import forget, go_back_to, remembered
from mambomeme_tui.index.store import check, version_names
from mambomeme_tui.index.writing import writing


@dataclass(frozen=True, slots=True)
class VersionSummary:
    """A version as a list shows it; its files were not compared with its manifest.

    `fault` says why nothing more is known of it, and is empty otherwise. `size` is in bytes.
    """

    name: str
    served: bool
    held: bool
    size: int
    created: str = ""
    items: int = 0
    source: str = ""
    fault: str = ""


def folder_size(folder: Path) -> int:
    """Bytes of all files below a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def list_versions(data: Path) -> list[VersionSummary]:
    """All versions: the served one first, then those that a rollback would go to, then the others."""
    served = remembered(data)
    names = version_names(data)
    ordered = [name for name in served if name in names] + [name for name in names if name not in served]
    return [_summary(data, name, name == served[0] if served else False) for name in ordered]


def _summary(data: Path, name: str, served: bool) -> VersionSummary:
    folder = data / VERSIONS_FOLDER / name
    held, size = is_held(folder), folder_size(folder)
    try:
        manifest, record = Manifest.read(folder), BuildRecord.read(folder)
        items, source = int(manifest.corpus["items"]), str(manifest.corpus["source"])
    except (IndexUnavailable, KeyError, TypeError, ValueError) as error:
        return VersionSummary(name, served, held, size, fault=str(error))
    return VersionSummary(name, served, held, size, record.created, items, source)


def roll_back(data: Path, name: str | None) -> str:
    """Serve an older version again, proved first; returns its name.

    Args:
        data: the data folder.
        name: the version; where it is None, the last one that was served before the current one and is whole.

    Raises:
        UsageError: there is no such version, or none that was served before.
        DamagedVersion: the version that was named is not whole; nothing was changed.
        IndexUnavailable: the folder can't be written.
    """
    if name is not None and name not in version_names(data):
        raise UsageError(f"There is no version {name!r}.", "See `mambomeme versions`.")
    with writing(data):
        if name is None:
            name = _last_good(data)
        else:
            check(data, name)
        go_back_to(data, name)
    return name


def _last_good(data: Path) -> str:
    before = remembered(data)[1:]
    if not before:
        raise UsageError("No version was served before the current one.", "Name one of `mambomeme versions`.")
    for name in before:
        try:
            check(data, name)
        except IndexUnavailable:
            continue
        return name
    raise IndexUnavailable("No version that was served before is whole.", "Run `mambomeme publish`.")


@dataclass(frozen=True, slots=True)
class Pruned:
    """What was taken away, what would have been but is open in some program, and the bytes that became free."""

    removed: tuple[str, ...]
    held: tuple[str, ...]
    freed: int


def prune(data: Path, keep: int, dry_run: bool) -> Pruned:
    """Take away all versions but the served one and as many of its predecessors, and what only they needed.

    Args:
        data: the data folder.
        keep: how many versions to keep beside the served one.
        dry_run: only say what would be done.

    Raises:
        IndexUnavailable: nothing is served, or the folder can't be written.
    """
    with writing(data):
        ordered = [one.name for one in list_versions(data)]
        served = remembered(data)
        if not served or served[0] not in ordered:
            raise IndexUnavailable(f"No index is published in {data}.", "Run `mambomeme publish` first.")
        removed, held, freed = [], [], 0
        for name in ordered[keep + 1 :]:
            folder = data / VERSIONS_FOLDER / name
            size = folder_size(folder)
            if _remove(folder, dry_run):
                removed.append(name)
                freed += size
            else:
                held.append(name)
        kept = [name for name in ordered if name not in removed]
        if not dry_run:
            forget(data, frozenset(removed))
            freed += _prune_shared(data, kept)
        return Pruned(tuple(removed), tuple(held), freed)


def _remove(folder: Path, dry_run: bool) -> bool:
    """Rename in one step, then delete; False where somebody has the version open."""
    alone = take_alone(folder)
    if alone is None:
        return False
    try:
        if not dry_run:
            shutil.rmtree(take_away(folder))
    finally:
        os.close(alone)
    return True


def _prune_shared(data: Path, kept: Collection[str]) -> int:
    """Take away exports that no kept version names, and vectors of texts that are in none."""
    before = folder_size(data)
    try:
        manifests = [check(data, name) for name in kept]
    except IndexUnavailable:
        return 0  # a damaged version says nothing of what it needs
    models = {str(manifest.model["folder"]) for manifest in manifests}
    for folder in (data / MODELS_FOLDER).glob("*"):
        if folder.is_dir() and folder.name not in models:
            shutil.rmtree(take_away(folder))
    texts: set[str] = set()
    for name in kept:
        catalogue = Catalogue(data / VERSIONS_FOLDER / name / CATALOGUE_FILE)
        texts.update(vectors.collect_texts(catalogue.everything())[0])
        catalogue.close()
    for path in (data / CACHE_FOLDER).glob("vectors-*.sqlite"):
        shrink(path, texts)
    return before - folder_size(data)
