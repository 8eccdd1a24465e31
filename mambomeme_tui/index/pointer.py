"""`current`: which version is served, and which were served before it, in one file that is replaced in one step.

The first line is served. A rollback goes down the lines; publishing puts a name on top. A line holds a name, and of
what the version was published from: the bundled corpus or a folder, and the digest of the files there. That stands
here and not in the version, since the same records may come from different files.
"""

from dataclasses import dataclass
from pathlib import Path

from mambomeme_tui.errors import DamagedVersion, IndexUnavailable
from mambomeme_tui.files import read_bytes
from mambomeme_tui.index.disk import replace_text
from mambomeme_tui.index.layout import CURRENT_FILE, VERSIONS_FOLDER, is_name

MOST_REMEMBERED = 32
BUNDLED, FOLDER = "bundled", "folder"


@dataclass(frozen=True, slots=True)
class Served:
    """A version that is or was served: its name, `bundled` or `folder`, and the digest of the corpus's files."""

    name: str
    origin: str = ""
    digest: str = ""

    def __str__(self) -> str:
        return f"{self.name} {self.origin} {self.digest}".strip()


def read_pointer(data: Path) -> tuple[Served, ...]:
    """What is served, and below it what was before.

    Raises:
        DamagedVersion: the file is there, but holds something else.
        IndexUnavailable: nothing was published yet.
    """
    try:
        lines = read_bytes(data / CURRENT_FILE).decode("ascii").splitlines()
    except (FileNotFoundError, NotADirectoryError):
        raise IndexUnavailable(f"No index is published in {data}.", "Run `mambomeme publish`.") from None
    except (OSError, ValueError):
        lines = []
    served = [_parse(line) for line in lines]
    names = {one.name for one in served if one}
    if not served or len(names) < len(served):
        raise DamagedVersion(f"The file that says what is served, {data / CURRENT_FILE}, is damaged.", _MEND)
    return tuple(one for one in served if one)


_MEND = "Run `mambomeme publish`, or `mambomeme rollback` with a name."


def _parse(line: str) -> Served | None:
    parts = line.split(" ")
    return Served(*parts) if len(parts) in (1, 3) and is_name(parts[0]) else None


def current_name(data: Path) -> str:
    """The name of the version that is served.

    Raises:
        IndexUnavailable: see `read_pointer`.
    """
    return read_pointer(data)[0].name


def remembered(data: Path) -> tuple[Served, ...]:
    """As `read_pointer`; where that is damaged, all versions that are there, and nothing where there is none."""
    try:
        return read_pointer(data)
    except DamagedVersion:
        return tuple(Served(name) for name in version_names(data))
    except IndexUnavailable:
        return ()


def version_names(data: Path) -> list[str]:
    """The names of all versions that are there, whole or not, the newest first."""
    try:
        folders = [path for path in (data / VERSIONS_FOLDER).iterdir() if is_name(path.name) and path.is_dir()]
        return [path.name for path in sorted(folders, key=lambda path: (-path.stat().st_mtime_ns, path.name))]
    except OSError:
        return []


def serve_new(data: Path, new: Served) -> None:
    """Put a version on top. It must be whole and on the disk."""
    _write(data, (new, *(other for other in remembered(data) if other.name != new.name)))


def go_back_to(data: Path, name: str) -> None:
    """Serve a version that was served before, and forget what was served since; or put it on top if it never was."""
    before = remembered(data)
    at = next((place for place, one in enumerate(before) if one.name == name), None)
    _write(data, (Served(name), *before) if at is None else before[at:])


def forget(data: Path, gone: frozenset[str]) -> None:
    """Take versions that are there no more from the names that a rollback would go to; never the served one."""
    before = remembered(data)
    _write(data, before[:1] + tuple(one for one in before[1:] if one.name not in gone))


def _write(data: Path, served: tuple[Served, ...]) -> None:
    text = "".join(f"{one}\n" for one in served[:MOST_REMEMBERED])
    try:
        if read_bytes(data / CURRENT_FILE) == text.encode("ascii"):
            return
    except OSError:
        pass  # it is not there, or no file: then it is replaced, or that fails
    replace_text(data / CURRENT_FILE, text)
