"""What a power cut may leave, computed from the log of a run.

A file's content is safe when it was synchronised after its last write, a folder's list of names when it was
synchronised after its last change. What is not safe may be on the disk or not, each folder and file for itself.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from mambomeme_tui.index.layout import SCRATCH
from tests.faults.shim import Operation

Tree = dict[str, list[str]]
"""What is at a path: `folder`; `lost`, an empty file; or `template` or `final` and the path of its content there."""


@dataclass(eq=False)
class File:
    """A file: how it came about, how often it was written, and how often when it was last safe.

    `made_by` is the number of the operation that made it; `template` its path before the run, if it was there.
    """

    made_by: int = 0
    template: str = ""
    writes: int = 0
    safe: int = 0


@dataclass(eq=False)
class Folder:
    """A folder: its names, and its names when it was last safe."""

    names: "dict[str, File | Folder]" = field(default_factory=dict)
    safe: "dict[str, File | Folder]" = field(default_factory=dict)

    def at(self, path: str) -> "File | Folder | None":
        """What is at a path below."""
        here: File | Folder | None = self
        for part in PurePosixPath(path).parts:
            here = here.names.get(part) if isinstance(here, Folder) else None
        return here

    def below(self, path: str = "") -> "Iterator[tuple[str, File | Folder]]":
        """Everything below with its path, folders before what is in them."""
        for name, node in self.names.items():
            yield path + name, node
            if isinstance(node, Folder):
                yield from node.below(f"{path}{name}/")

    def parent(self, path: str) -> "tuple[Folder, str]":
        """The folder that a path lies in, and its name there."""
        pure = PurePosixPath(path)
        folder = self.at(str(pure.parent))
        assert isinstance(folder, Folder), path
        return folder, pure.name


def disk_of(template: Path) -> Folder:
    """The disk before the run: everything on it is safe."""
    root = Folder()
    for path in sorted(template.rglob("*")):
        relative = path.relative_to(template).as_posix()
        folder, name = root.parent(relative)
        folder.names[name] = folder.safe[name] = Folder() if path.is_dir() else File(template=relative)
    return root


def apply(disk: Folder, operation: Operation) -> None:
    """Do one operation; one that failed did nothing."""
    if operation.done and not operation.path.endswith(" (deleted)"):
        _CALLS[operation.what](disk, operation)


def _create(disk: Folder, operation: Operation) -> None:
    folder, name = disk.parent(operation.path)
    folder.names[name] = Folder() if operation.what.startswith("mkdir") else File(operation.number)


def _write(disk: Folder, operation: Operation) -> None:
    node = disk.at(operation.path)
    assert isinstance(node, File), operation
    node.writes += 1


def _remove(disk: Folder, operation: Operation) -> None:
    folder, name = disk.parent(operation.path)
    del folder.names[name]


def _rename(disk: Folder, operation: Operation) -> None:
    (folder, name), (target, new) = disk.parent(operation.path), disk.parent(operation.other)
    target.names[new] = folder.names.pop(name)


def _synchronise(disk: Folder, operation: Operation) -> None:
    node = disk.at(operation.path)
    if isinstance(node, Folder):
        node.safe = dict(node.names)
    elif node is not None:
        node.safe = node.writes


def _nothing(disk: Folder, operation: Operation) -> None:
    """Opened, or other rights."""


_CALLS: dict[str, Callable[[Folder, Operation], None]] = {
    **dict.fromkeys(("create", "mkdir", "mkdirat"), _create),
    **dict.fromkeys(("write", "truncate", "ftruncate64", "truncate64"), _write),
    **dict.fromkeys(("unlink", "unlinkat", "rmdir"), _remove),
    **dict.fromkeys(("rename", "renameat", "renameat2"), _rename),
    **dict.fromkeys(("fsync", "fdatasync"), _synchronise),
    **dict.fromkeys(("open", "chmod", "fchmod", "fchmodat"), _nothing),
}


def unsafe(disk: Folder, path: str) -> list[str]:
    """Everything at and below a path, and every name above it, that a power cut could still take.

    What has a scratch name below the path may be lost at any time.
    """
    found = []
    for above in (PurePosixPath(path), *PurePosixPath(path).parents[:-1]):
        folder, name = disk.parent(str(above))
        if folder.safe.get(name) is not folder.names[name]:
            found.append(f"the name {above}")
    top = disk.at(path)
    inside = list(top.below()) if isinstance(top, Folder) else []
    lasting = [(f"{path}/{name}", node) for name, node in inside if SCRATCH not in name]
    return found + [name for name, node in [(path, top), *lasting] if not _is_safe(node)]


def _is_safe(node: File | Folder | None) -> bool:
    if isinstance(node, Folder):
        return _lasting(node.names) == _lasting(node.safe)
    return node is not None and node.safe == node.writes


def _lasting(names: dict[str, File | Folder]) -> dict[str, File | Folder]:
    return {name: node for name, node in names.items() if not name.startswith(SCRATCH)}


@dataclass(frozen=True)
class Ending:
    """Which files there are at the end of a run: their paths and how often they were written, by origin."""

    files: dict[tuple[int, str], tuple[str, int]]

    @classmethod
    def of(cls, disk: Folder) -> "Ending":
        """The ending of a run that is over."""
        files = [(path, node) for path, node in disk.below() if isinstance(node, File)]
        return cls({(node.made_by, node.template): (path, node.writes) for path, node in files})

    def content(self, node: File) -> list[str]:
        """Where a file's content after a power cut can be had."""
        if node.template and not node.writes:
            return ["template", node.template]
        path, writes = self.files.get((node.made_by, node.template), ("", -1))
        return ["final", path] if node.safe == node.writes == writes else ["lost"]


def left_by(disk: Folder, ending: Ending, reached: Callable[[str], bool]) -> Tree:
    """What a power cut leaves where only the folders that `reached` accepts had their last names on the disk."""
    tree: Tree = {}

    def walk(folder: Folder, path: str) -> None:
        for name, node in (folder.names if reached(path) else folder.safe).items():
            here = f"{path}/{name}" if path else name
            tree[here] = (
                ["folder"] if isinstance(node, Folder) else ["lost"] if SCRATCH in here else ending.content(node)
            )
            if isinstance(node, Folder):
                walk(node, here)

    walk(disk, "")
    return tree
