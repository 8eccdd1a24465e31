"""What is kept in a data folder, going back to an older version, and taking away what is no longer wanted."""

import os
import shutil
from collections.abc import Collection
from contextlib import suppress
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
from mambomeme_tui.index.pointer import forget, go_back_to, remembered, version_names
from mambomeme_tui.index.store import check
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
    """Bytes of all files below a folder, as far as they can be seen."""
    size = 0
    for path, _, names in os.walk(folder):  # which passes over what it may not read
        for name in names:
            with suppress(OSError):
                size += (Path(path) / name).lstat().st_size
    return size


def list_versions(data: Path) -> list[VersionSummary]:
    """All versions: the served one first, then those that a rollback would go to, then the others."""
    served = {one.name: one for one in remembered(data)}
    names = version_names(data)
    ordered = [name for name in served if name in names] + [name for name in names if name not in served]
    first = next(iter(served), "")
    return [_summary(data, name, name == first, served[name].origin if name in served else "") for name in ordered]


def _summary(data: Path, name: str, served: bool, source: str) -> VersionSummary:
    folder = data / VERSIONS_FOLDER / name
    held, size = is_held(folder), folder_size(folder)
    try:
        manifest, record = Manifest.read(folder), BuildRecord.read(folder)
        items = int(manifest.corpus["items"])
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
    if not remembered(data)[1:]:
        raise UsageError("No version was served before the current one.", "Name one of `mambomeme versions`.")
    if name := rollback_target(data):
        return name
    raise IndexUnavailable("No version that was served before is whole.", "Run `mambomeme publish`.")


def rollback_target(data: Path) -> str:
    """The version that a rollback would go to, proved; empty where there is none."""
    return next((one.name for one in remembered(data)[1:] if is_whole(data, one.name)), "")


def is_whole(data: Path, name: str) -> bool:
    """Whether every file of a version is what its manifest says."""
    try:
        check(data, name)
    except IndexUnavailable:
        return False
    return True


@dataclass(frozen=True, slots=True)
class Pruned:
    """What was taken away, what would have been but is open in some program, and the bytes that became free."""

    removed: tuple[str, ...]
    held: tuple[str, ...]
    freed: int


def prune(data: Path, keep: int, dry_run: bool) -> Pruned:
    """Take away all versions but the served one and as many other whole ones, and what only they needed.

    Args:
        data: the data folder.
        keep: how many whole versions to keep beside the served one; where that is damaged, at least one.
        dry_run: only say what would be done.

    Raises:
        IndexUnavailable: nothing is served, or the folder can't be written.
    """
    with writing(data):
        ordered = [one.name for one in list_versions(data)]
        served = remembered(data)
        if not served or not ordered:
            raise IndexUnavailable(f"No index is published in {data}.", "Run `mambomeme publish` first.")
        unwanted = _unwanted(data, ordered, served[0].name, keep)
        done = {name: _remove(data / VERSIONS_FOLDER / name, dry_run) for name in unwanted}
        removed = tuple(name for name, size in done.items() if size is not None)
        freed = sum(size for size in done.values() if size is not None)
        if not dry_run:
            with suppress(OSError):  # a full disk: a name of what is gone is passed over by whoever reads it
                forget(data, frozenset(removed))
            freed += _prune_shared(data, [name for name in ordered if name not in removed])
        return Pruned(removed, tuple(name for name in unwanted if name not in removed), freed)


def _unwanted(data: Path, ordered: list[str], served: str, keep: int) -> list[str]:
    """A damaged version is of use to nobody, but for the served one, which publishing mends."""
    whole = [name for name in ordered if is_whole(data, name)]
    most = keep if served in whole else max(1, keep)
    kept = {served, *[name for name in whole if name != served][:most]}
    return [name for name in ordered if name not in kept]


def _remove(folder: Path, dry_run: bool) -> int | None:
    """Rename in one step, then delete; returns the bytes, or None where somebody has the version open."""
    size = folder_size(folder)
    try:
        alone = take_alone(folder)
    except OSError:
        alone = -1  # without a manifest nobody can have it open
    if alone is None:
        return None
    try:
        if not dry_run:
            shutil.rmtree(take_away(folder))
    finally:
        if alone >= 0:
            os.close(alone)
    return size


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
