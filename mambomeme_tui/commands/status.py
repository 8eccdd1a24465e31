"""`mambomeme status`: what is served, whether it is up to date, and what it takes."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from mambomeme_tui.commands.output import answering
from mambomeme_tui.config import Settings
from mambomeme_tui.errors import IndexUnavailable, MamboError
from mambomeme_tui.index.layout import CACHE_FOLDER, MODELS_FOLDER
from mambomeme_tui.index.manifest import BuildRecord
from mambomeme_tui.index.pointer import remembered
from mambomeme_tui.index.sources import is_up_to_date
from mambomeme_tui.index.store import model_folder, open_version
from mambomeme_tui.index.versions import folder_size, list_versions, rollback_target
from mambomeme_tui.index.writing import holder, is_locked
from mambomeme_tui.text import printable


@dataclass(frozen=True, slots=True)
class Status:
    """What there is to tell; sizes in bytes, empty texts where there is nothing to say."""

    data: str
    served: str
    opened: str
    created: str
    memes: int
    up_to_date: bool
    fault: str
    encoder_fault: str
    rollback_to: str
    versions: int
    versions_size: int
    encoder_size: int
    cache_size: int
    writer: str


def run(settings: Settings, as_json: bool) -> int:
    """Print the status; returns 0 where the served version is whole, or the exit code of what is wrong with it."""
    status, code = _look(settings.data_dir)
    with answering():
        if as_json:
            print(json.dumps(asdict(status), indent=2))
        else:
            print("\n".join(f"{name:<12} {printable(value)}" for name, value in _lines(status) if value))
    return code


def _look(data: Path) -> tuple[Status, int]:
    facts: dict[str, object] = {"served": "", "opened": "", "created": "", "memes": 0, "up_to_date": False}
    facts |= {"fault": "", "encoder_fault": ""}
    code = 0
    facts["served"] = next((one.name for one in remembered(data)), "")
    try:
        version = open_version(data)
    except IndexUnavailable as error:
        facts["fault"], code = str(error), error.exit_code
    else:
        facts |= {"opened": version.name, "created": BuildRecord.read(version.folder).created}
        facts |= {"memes": len(version.catalogue), "up_to_date": is_up_to_date(data, version.manifest)}
        if version.instead_of:
            facts["fault"], code = str(version.instead_of), version.instead_of.exit_code
        try:
            model_folder(data, version.manifest)
        except MamboError as error:
            facts["encoder_fault"], code = str(error), error.exit_code
        version.close()
    kept = list_versions(data)
    facts |= {
        "data": str(data),
        "rollback_to": rollback_target(data),
        "versions": len(kept),
        "versions_size": sum(one.size for one in kept),
        "encoder_size": folder_size(data / MODELS_FOLDER),
        "cache_size": folder_size(data / CACHE_FOLDER),
        "writer": holder(data) if is_locked(data) else "",
    }
    return Status(**facts), code  # type: ignore[arg-type]  # the names are those of the fields


def _lines(status: Status) -> list[tuple[str, str]]:
    fresh = "up to date" if status.up_to_date else "older than the corpus or the program: run `mambomeme publish`"
    opened = f"{status.opened}, {status.memes:,} memes, built {status.created}" if status.opened else ""
    sizes = f"{status.versions} in {status.versions_size / 1e6:.1f} MB"
    return [
        ("data", status.data),
        ("served", status.served or "nothing"),
        ("damaged", status.fault),
        ("opens", opened),
        ("fresh", fresh if status.opened else ""),
        ("encoder", status.encoder_fault or f"{status.encoder_size / 1e6:.1f} MB"),
        ("versions", sizes),
        ("rollback to", status.rollback_to),
        ("cache", f"{status.cache_size / 1e6:.1f} MB"),
        ("writing", status.writer),
    ]
