"""`mambomeme versions`, `verify`, `rollback` and `prune`: what is kept, whether it is whole, and what is served."""

import json
from dataclasses import asdict

from mambomeme_tui.commands.output import answering
from mambomeme_tui.config import Settings
from mambomeme_tui.errors import DamagedVersion, MamboError, UsageError
from mambomeme_tui.index import versions
from mambomeme_tui.index.layout import VERSIONS_FOLDER
from mambomeme_tui.index.pointer import current_name, version_names
from mambomeme_tui.index.store import check, model_folder
from mambomeme_tui.index.verification import verify_version
from mambomeme_tui.index.versions import VersionSummary
from mambomeme_tui.text import printable


def list_all(settings: Settings, as_json: bool) -> int:
    """Print every version, the served one first, then those that a rollback would go to."""
    found = versions.list_versions(settings.data_dir)
    with answering():
        if as_json:
            print(json.dumps([asdict(one) for one in found], indent=2))
        elif found:
            print("\n".join(_line(one) for one in found))
        else:
            print(f"There is no version in {printable(str(settings.data_dir))}.")
    return 0


def _line(one: VersionSummary) -> str:
    mark = "*" if one.served else " "
    notes = [note for note, holds in (("served", one.served), ("open in a program", one.held)) if holds]
    made = printable(one.created.replace("T", " "))[:16]
    told = printable(one.fault) or f"{made} UTC  {one.items:>8,} memes  {printable(one.source)}"
    return f"{mark} {one.name}  {one.size / 1e6:>8.1f} MB  {told}  {', '.join(notes)}".rstrip()


def verify(settings: Settings, name: str | None, every: bool) -> int:
    """Prove one version, the served one where none is named, or all of them; prints what is whole.

    Raises:
        UsageError: there is no such version.
        IndexUnavailable: nothing was published.
        DamagedVersion: one is not whole; all the others were looked at first.
    """
    data = settings.data_dir
    if name is not None and every:
        raise UsageError("Name a version, or ask for all of them with --all.")
    if name is not None and name not in version_names(data):
        raise UsageError(f"There is no version {name!r}.", "See `mambomeme versions`.")
    served = current_name(data) if name is None else name
    names = list(dict.fromkeys([served, *version_names(data)])) if every else [served]
    damaged: list[MamboError] = []
    with answering():
        for one in names:
            try:
                print(_prove(settings, one), flush=True)
            except MamboError as error:
                damaged.append(error)
                print(f"{one}: damaged; {printable(error.message)}", flush=True)
    if damaged:
        advice = "Run `mambomeme publish` to mend what is served; `mambomeme prune` removes other damaged versions."
        raise DamagedVersion(damaged[0].message, advice)
    return 0


def _prove(settings: Settings, name: str) -> str:
    check(settings.data_dir, name)
    manifest = verify_version(settings.data_dir / VERSIONS_FOLDER / name)
    model_folder(settings.data_dir, manifest)
    size = sum(entry.size for entry in manifest.files)
    items = manifest.corpus["items"]
    return f"{name}: whole; {len(manifest.files)} files, {size / 1e6:.1f} MB, {items:,} memes, and the encoder"


def roll_back(settings: Settings, name: str | None) -> int:
    """Serve an older version again."""
    served = versions.roll_back(settings.data_dir, name)
    with answering():
        print(f"{served} is current.")
    return 0


def prune(settings: Settings, keep: int, dry_run: bool) -> int:
    """Take away what is no longer wanted."""
    done = versions.prune(settings.data_dir, keep, dry_run)
    would = "would be removed" if dry_run else "removed"
    with answering():
        for name in done.removed:
            print(f"{name} {would}.")
        for name in done.held:
            print(f"{name} is open in a program and stays.")
        print(f"{done.freed / 1e6:.1f} MB {'would become' if dry_run else 'became'} free.")
    return 0
