"""Writing files that somebody may rely on: whole or not at all, and never in the place of something else."""

import errno
import os
import stat
import tempfile
from pathlib import Path
from typing import Final

from mambomeme_tui.errors import OutputError
from mambomeme_tui.text import printable

OWN_OUTPUTS: Final = (1, 2)


def write_whole(path: Path, text: str) -> None:
    """Replace a file in one step: whoever reads it sees the old text or the new one, also after a crash.

    A link stays and its target is replaced; to a device, a pipe or the program's own output the text is written.

    Raises:
        OutputError: it can't be written; the old text is still there.
    """
    data = text.encode("utf-8")
    try:
        if _is_stream(path):
            _write_through(path, data)
        else:
            _replace(Path(os.path.realpath(path)), data)
    except OSError as error:
        raise OutputError(f"{printable(path.name)} can't be written: {error.strerror or error}.") from None


def check_place(path: Path) -> None:
    """Find out before minutes of work whether `write_whole` can write there; nothing of it stays.

    Raises:
        OutputError: it can't.
    """
    try:
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if not _is_stream(path):
            descriptor, scratch = tempfile.mkstemp(
                prefix=f".{path.name[:64]}-", dir=Path(os.path.realpath(path)).parent
            )
            os.close(descriptor)
            Path(scratch).unlink()
    except OSError as error:
        raise OutputError(f"{printable(path.name)} can't be written: {error.strerror or error}.") from None


def write_new(path: Path, text: str) -> None:
    """Write a file that must not be there yet; where that fails nothing of it stays.

    Raises:
        OSError: it is there already, or can't be written.
    """
    with path.open("xb") as stream:
        try:
            stream.write(text.encode("utf-8"))
            stream.flush()
            os.fsync(stream.fileno())
        except BaseException:
            path.unlink(missing_ok=True)
            raise


def synchronise(folder: Path) -> None:
    """Make the names in a folder as durable as the files that they name."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _is_stream(path: Path) -> bool:
    """Whether a name stands for something that only takes text: no file to be replaced."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return False
    return not stat.S_ISREG(found.st_mode) or any(_is_descriptor(found, number) for number in OWN_OUTPUTS)


def _is_descriptor(found: os.stat_result, number: int) -> bool:
    try:
        return os.path.samestat(found, os.fstat(number))
    except OSError:
        return False


def _write_through(path: Path, data: bytes) -> None:
    """Without waiting for a reader that is not there, and behind what was written before."""
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    with os.fdopen(descriptor, "wb") as stream:
        os.set_blocking(descriptor, True)
        stream.write(data)


def _replace(path: Path, data: bytes) -> None:
    descriptor, scratch = tempfile.mkstemp(prefix=f".{path.name[:64]}-", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            os.fchmod(descriptor, path.stat().st_mode & 0o777 if path.exists() else 0o644)
            stream.write(data)
            stream.flush()
            os.fsync(descriptor)
        Path(scratch).replace(path)
    except BaseException:
        Path(scratch).unlink(missing_ok=True)
        raise
    synchronise(path.parent)
