"""Reading files that somebody else may have put there: regular ones only, of a size that a person's data can have.

A FIFO would be waited for without an end, a sparse file of terabytes would fill the memory, and a thousand nested
brackets end the JSON parser: here each is an error like any other.
"""

import errno
import json
import os
import stat
from pathlib import Path
from typing import Any

MOST_BYTES = 64_000_000


def read_bytes(path: Path, most: int = MOST_BYTES) -> bytes:
    """The content of a regular file.

    Raises:
        OSError: it can't be read, is no regular file, or has more bytes than that.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    with open(descriptor, "rb") as stream:  # noqa: PTH123  # a descriptor, not a path
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise OSError(errno.EINVAL, "not a regular file", str(path))
        if found.st_size > most:
            raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), str(path))
        return stream.read()


def read_json(path: Path) -> Any:
    """The value in a JSON file.

    Raises:
        OSError: see `read_bytes`.
        ValueError: it is no JSON.
    """
    try:
        return json.loads(read_bytes(path))
    except RecursionError:
        raise ValueError("nested too deeply") from None
