"""Render markers, read strictly from the bytes of a terminal.

The product writes one OSC sequence a submission, right after the frame that completes its list was flushed. Whatever
begins like one and is not exactly one is kept as a fault: it is never skipped, and never mended.
"""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from mambomeme_eval.figures import milliseconds

START: Final = b"\x1b]7717;"
LONGEST: Final = 512
"""Bytes after which a sequence without an end is no marker."""
_END = re.compile(rb"\x1b\\|\x07|[\x18\x1a]")
_MARKER = re.compile(
    rb"\x1b\]7717;mambomeme"
    rb";request=(?P<request>[1-9][0-9]{0,8})"
    rb";state=(?P<state>answered|failed)"
    rb";version=(?P<version>[A-Za-z0-9._-]{0,64})"
    rb";count=(?P<count>0|[1-9][0-9]{0,3})"
    rb";digest=(?P<digest>[0-9a-f]{16})"
    rb";accepted=(?P<accepted>0|[1-9][0-9]{0,18})"
    rb";flushed=(?P<flushed>0|[1-9][0-9]{0,18})"
    rb"\x1b\\"
)


@dataclass(frozen=True, slots=True)
class Marker:
    """What one marker says; the stamps are monotonic nanoseconds."""

    request: int
    state: str
    version: str
    count: int
    digest: str
    accepted: int
    flushed: int

    @property
    def milliseconds(self) -> float:
        """From the accepted Enter to the flushed frame."""
        return milliseconds(self.accepted, self.flushed)


@dataclass(frozen=True, slots=True)
class Found:
    """A whole sequence and where it lies among the bytes; `marker` is None where it is not exactly a marker."""

    start: int
    end: int
    marker: Marker | None


def find(data: bytes | bytearray) -> list[Found]:
    """Every whole sequence that begins like a marker; one whose end is not there yet is none so far."""
    found = []
    at = data.find(START)
    while at >= 0:
        over = _END.search(data, at + len(START), at + LONGEST)
        if over is None and len(data) < at + LONGEST:
            break
        end = over.end() if over else at + LONGEST
        found.append(Found(at, end, _read(bytes(data[at:end]))))
        at = data.find(START, end)
    return found


def _read(sequence: bytes) -> Marker | None:
    matched = _MARKER.fullmatch(sequence)
    if matched is None:
        return None
    said = {name: value.decode() for name, value in matched.groupdict().items()}
    marker = Marker(
        request=int(said["request"]),
        state=said["state"],
        version=said["version"],
        count=int(said["count"]),
        digest=said["digest"],
        accepted=int(said["accepted"]),
        flushed=int(said["flushed"]),
    )
    return marker if marker.accepted <= marker.flushed and _is_sound(marker) else None


def _is_sound(marker: Marker) -> bool:
    """A failure has neither list nor version, an answer has a version, and no list means the digest of none."""
    empty = marker.count == 0
    if empty is not (marker.digest == digest(())):
        return False
    return empty and not marker.version if marker.state == "failed" else bool(marker.version)


def digest(ids: Sequence[str]) -> str:
    """The first 16 hex digits of the SHA-256 of the ranked ids, one a line."""
    return hashlib.sha256("\n".join(ids).encode()).hexdigest()[:16]
