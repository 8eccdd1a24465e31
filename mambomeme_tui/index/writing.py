"""One writer at a time: the lock on a data folder, and who holds it.

The lock is the kernel's, so that it falls with the process that held it, however that ended; the holder's note beside
it is only there to be read by a person and is believed only while the lock is held.
"""

import errno
import fcntl
import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from filelock import FileLock, Timeout

from mambomeme_tui.errors import IndexUnavailable
from mambomeme_tui.files import read_json
from mambomeme_tui.index.disk import clear_scratch, make_folder, replace_text
from mambomeme_tui.index.layout import HOLDER_FILE, LOCK_FILE

_IN_THE_WAY = (errno.EEXIST, errno.EISDIR, errno.ENOTDIR, errno.ELOOP, errno.ENXIO, errno.EINVAL)
SHORTEST_WAIT = 0.2
"""Whoever only asks whether the lock is held holds it for an instant."""
LONGEST_WAIT = 3600.0


@contextmanager
def writing(data: Path, waiting: Callable[[str], None] | None = None) -> Iterator[None]:
    """Hold the lock; what an interrupted writer left is cleared first.

    Args:
        data: the data folder; made where it is missing.
        waiting: hears who holds the lock, once, before it is waited for; without it nothing is waited for.

    Raises:
        IndexUnavailable: the folder can't be written, or somebody else holds the lock.
    """
    try:
        make_folder(data)
        lock = FileLock(data / LOCK_FILE, timeout=0)
        _acquire(lock, data, waiting)
        try:
            clear_scratch(data)
            with suppress(OSError):  # it is only there to be read by a person, and a full disk must not stop a prune
                replace_text(data / HOLDER_FILE, json.dumps(_myself()))
            yield
        finally:
            with suppress(OSError):  # the disk that just failed may fail here too; the note is believed by nobody
                (data / HOLDER_FILE).unlink(missing_ok=True)
            lock.release()
    except OSError as error:
        raise unwritable(data, error) from None


def unwritable(data: Path, error: Exception) -> IndexUnavailable:
    """What a person is told when the data folder can't be written."""
    in_the_way = getattr(error, "errno", None) in _IN_THE_WAY
    return IndexUnavailable(
        f"The index can't be written into {data}: {getattr(error, 'strerror', None) or error}.",
        f"{'Move away what is there' if in_the_way else 'Make room or make the folder writable'}, or name another one"
        " in MAMBOMEME_DATA_DIR.",
    )


def _acquire(lock: FileLock, data: Path, waiting: Callable[[str], None] | None) -> None:
    with suppress(Timeout):
        lock.acquire(timeout=SHORTEST_WAIT)
        return
    if waiting:
        waiting(holder(data))
        with suppress(Timeout):
            lock.acquire(timeout=LONGEST_WAIT)
            return
    raise IndexUnavailable(
        f"{holder(data)} is writing into {data}.", "Wait until it is done, then run the command again."
    )


def is_locked(data: Path) -> bool:
    """Whether somebody writes now. Changes nothing, and works in a read-only folder."""
    try:
        descriptor = os.open(data / LOCK_FILE, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError as error:
        return error.errno == errno.EWOULDBLOCK
    finally:
        os.close(descriptor)
    return False


def holder(data: Path) -> str:
    """Who holds the lock, in words that begin a sentence."""
    try:
        told = read_json(data / HOLDER_FILE)
        started = datetime.fromisoformat(told["started"])
        return f"Process {int(told['process'])} ({told['command']!r}, since {started:%Y-%m-%d %H:%M:%S} UTC)"
    except (OSError, ValueError, KeyError, TypeError, OverflowError):
        return "Another process"


def _myself() -> dict[str, object]:
    name = Path(sys.argv[0]).name if sys.argv and sys.argv[0] else "python"
    command = " ".join(["mambomeme" if name == "__main__.py" else name, *sys.argv[1:]])[:200]
    return {"process": os.getpid(), "command": command, "started": datetime.now(UTC).isoformat(timespec="seconds")}
