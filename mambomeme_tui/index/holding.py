"""Readers hold the version that they have open, so that nobody takes its files away from under them.

A hold is a shared lock on the version's manifest: it needs no right to write and falls with the process. Whoever
takes a version away needs the lock alone.
"""

import errno
import fcntl
import os
import time
from pathlib import Path

from mambomeme_tui.errors import DamagedVersion
from mambomeme_tui.index.manifest import MANIFEST_FILE

PATIENCE = 0.2
"""Seconds after which a lock counts as held."""
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
        if not _lock(self._descriptor, fcntl.LOCK_SH):
            os.close(self._descriptor)
            raise DamagedVersion(f"Version {folder.name} is being taken away.")

    def release(self) -> None:
        """Let go; a second time it does nothing."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


def _lock(descriptor: int, kind: int) -> bool:
    """Lock, if that is possible within an instant: whoever only asks holds the lock for a moment too."""
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno in _NO_LOCKS:
                return True
            if time.monotonic() > deadline:
                return False
            time.sleep(0.005)
        else:
            return True


def take_alone(folder: Path) -> int | None:
    """Lock a version that nobody holds; returns a descriptor to be closed afterwards, or None where somebody does.

    Raises:
        OSError: there is no manifest, so that nobody can have opened it, or it can't be read.
    """
    descriptor = os.open(folder / MANIFEST_FILE, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    if _lock(descriptor, fcntl.LOCK_EX):
        return descriptor
    os.close(descriptor)
    return None


def is_held(folder: Path) -> bool:
    """Whether some program has this version open."""
    try:
        descriptor = take_alone(folder)
    except OSError:
        return False
    if descriptor is None:
        return True
    os.close(descriptor)
    return False
