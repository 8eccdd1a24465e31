"""Readers hold the version that they have open, so that nobody takes its files away from under them.

A hold is a shared lock on the version's manifest: it needs no right to write and falls with the process. Whoever
takes a version away needs the lock alone.
"""

import errno
import fcntl
import os
from pathlib import Path

from mambomeme_tui.errors import DamagedVersion
from mambomeme_tui.index.manifest import MANIFEST_FILE

_NO_LOCKS = (errno.ENOLCK, errno.ENOTSUP, errno.EINVAL)
"""A file system that has no locks: what is open there stays readable anyway as long as its files are."""


class Hold:
    """A reader's hold on a version.

    Raises:
        DamagedVersion: the version is not there, or is being taken away.
    """

    def __init__(self, folder: Path) -> None:
        try:
            self._descriptor = os.open(folder / MANIFEST_FILE, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        except OSError as error:
            reason = type(error).__name__
            raise DamagedVersion(f"The manifest of version {folder.name} can't be read ({reason}).") from None
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno not in _NO_LOCKS:
                os.close(self._descriptor)
                raise DamagedVersion(f"Version {folder.name} is being taken away.") from None

    def release(self) -> None:
        """Let go; a second time it does nothing."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


def take_alone(folder: Path) -> int | None:
    """Lock a version that nobody holds; returns a descriptor to be closed afterwards, or None where somebody does."""
    try:
        descriptor = os.open(folder / MANIFEST_FILE, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError:  # no manifest, so that nobody can have opened it
        return os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno not in _NO_LOCKS:
            os.close(descriptor)
            return None
    return descriptor


def is_held(folder: Path) -> bool:
    """Whether some program has this version open."""
    descriptor = take_alone(folder)
    if descriptor is None:
        return True
    os.close(descriptor)
    return False
