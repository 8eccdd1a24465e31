"""Faults put into the product, to prove that the tests would find them. Applied in a forked child only."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mambomeme_tui.index import disk, pointer, publish, writing
from mambomeme_tui.index.layout import SCRATCH


def _replace(module: object, name: str, function: Callable[..., Any]) -> None:
    assert hasattr(module, name)
    setattr(module, name, function)


def _pointer_in_place() -> None:
    _replace(pointer, "replace_text", lambda path, text: path.write_text(text, encoding="utf-8"))


def _named_before_built() -> None:
    build = publish._build

    def backwards(data: Path, name: str, *rest: Any) -> None:
        pointer.serve_new(data, pointer.Served(name))
        build(data, name, *rest)

    _replace(publish, "_build", backwards)


def _scratch_stays() -> None:
    _replace(writing, "clear_scratch", lambda _data: None)
    _replace(publish, "clear_scratch", lambda _data: None)


def _files_not_synchronised() -> None:
    _replace(disk, "synchronise_tree", lambda _folder: 0)


def _folders_not_synchronised() -> None:
    synchronise = disk.synchronise
    _replace(disk, "synchronise", lambda path: None if path.is_dir() else synchronise(path))


def _pointer_not_synchronised() -> None:
    fsync = os.fsync

    def forgetful(descriptor: int) -> None:
        if not Path(f"/proc/self/fd/{descriptor}").readlink().name.startswith(SCRATCH):
            fsync(descriptor)

    _replace(os, "fsync", forgetful)


def _errors_not_told() -> None:
    """An error of the disk reaches the person as it is."""
    _replace(publish, "unwritable", lambda _data, error: error)
    _replace(writing, "unwritable", lambda _data, error: error)


MUTATIONS: dict[str, Callable[[], None]] = {
    "": lambda: None,
    "the pointer is written in place": _pointer_in_place,
    "a version is named before it is built": _named_before_built,
    "scratch folders stay": _scratch_stays,
    "files are not synchronised": _files_not_synchronised,
    "folders are not synchronised": _folders_not_synchronised,
    "the pointer is not synchronised": _pointer_not_synchronised,
    "errors are not told in words": _errors_not_told,
}
