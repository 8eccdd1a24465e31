"""Raw samples on disk: a run as scoring reads it, what was seen from outside, and the processes that were asked.

Both lines of a request are written and flushed before the next one is made, so that an interrupted measurement can go
on; what was half-written then is cut off. No file here holds a query's text.
"""

import contextlib
import fcntl
import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Final, Self

from mambomeme_eval.runs import SUFFIX, Request, RunHeader, to_line
from mambomeme_tui.errors import UsageError

RUNS: Final = "runs"
SAMPLES: Final = "samples"
PROCESSES: Final = "processes"


@dataclass(frozen=True, slots=True)
class Sample:
    """What was seen of a request beside its list.

    Attributes:
        query, repeat: which request.
        inside_ms: from accepted to flushed, as its marker says; None without a marker.
        outside_ms: from just before Enter was written until the marker was read.
        bytes: that the program wrote from Enter until it was quiet.
        shown: the ids of a wrong list, where they could be told.
        process: counts the processes of this system, from 0; another one follows a dead or hung one.
    """

    query: str
    repeat: int
    inside_ms: float | None
    outside_ms: float | None
    bytes: int | None
    shown: tuple[str, ...]
    process: int


@dataclass(frozen=True, slots=True)
class Process:
    """One process of a system.

    Attributes:
        process: its number.
        replaces: the error with which the one before ended; empty for the first of a measurement, or of a part of it.
        start_ms: from its start until it was ready.
        warm_ups: asked before it was measured.
        warm_up_errors: how often each error occurred among them.
        peak_bytes: the most memory that it needed, where that is known.
    """

    process: int
    replaces: str
    start_ms: float
    warm_ups: int
    warm_up_errors: dict[str, int]
    peak_bytes: int | None = None


def file_of(out: Path, kind: str, system: str) -> Path:
    """Where a system's `RUNS`, `SAMPLES` or `PROCESSES` are."""
    return out / kind / f"{system}{SUFFIX}"


class Recorder:
    """The two files of one system, opened to go on where they stop.

    Args:
        out: the folder of the whole measurement.
        header: of the run; a run with any other header is refused.

    Raises:
        UsageError: another run is there, or the files can't be written.
    """

    def __init__(self, out: Path, header: RunHeader) -> None:
        self.done: list[tuple[str, int]] = []
        self.processes = 0
        self._files: list[IO[str]] = []
        try:
            self._open(
                {kind: file_of(out, kind, header.system) for kind in (RUNS, SAMPLES, PROCESSES)}, to_line(header)
            )
        except OSError as error:
            raise UsageError(f"{out} can't be written: {error.strerror}.") from None
        except (ValueError, KeyError, TypeError):
            raise UsageError(f"The samples of {header.system} in {out} are no samples; name another folder.") from None

    def _open(self, paths: dict[str, Path], head: str) -> None:
        requests, samples, processes = (_whole_lines(path) for path in paths.values())
        if requests and requests[0] != head:
            raise UsageError(f"{paths[RUNS]} is a run with other settings; name another folder.")
        kept = min(len(requests) - 1, len(samples)) if requests else 0
        seen = [_sample(line) for line in samples[:kept]]
        for line in processes:
            _process(line)
        asked = [(str(one["query"]), int(one["repeat"])) for one in map(json.loads, requests[1 : kept + 1])]
        if asked != [(one.query, one.repeat) for one in seen]:
            raise ValueError
        self.done = asked
        self.processes = max((one.process + 1 for one in seen), default=0)
        kinds = ([head, *requests[1 : kept + 1]], samples[:kept], processes if requests else [])
        for path, lines in zip(paths.values(), kinds, strict=True):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("".join(lines), encoding="utf-8")
            self._files.append(path.open("a", encoding="utf-8", buffering=1))  # line by line

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        for file in self._files:
            file.close()

    def write(self, request: Request, sample: Sample) -> None:
        """Keep one request."""
        run, samples, _ = self._files
        self._append(run, to_line(request))
        self._append(samples, _line(sample))

    def write_process(self, process: Process) -> None:
        """Keep what is known of a process; what was kept of it before no longer counts."""
        self._append(self._files[2], _line(process))

    def _append(self, file: IO[str], line: str) -> None:
        try:
            file.write(line)
        except OSError as error:
            raise UsageError(f"The samples can't be written: {error.strerror}.") from None


def _line(record: Sample | Process) -> str:
    return json.dumps(asdict(record), sort_keys=True, allow_nan=False) + "\n"


def _whole_lines(path: Path) -> list[str]:
    """The lines of a file that were written to their end; none where there is no file."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return []
    whole = data[: data.rfind(b"\n") + 1].decode("utf-8")
    return [line + "\n" for line in whole.split("\n")[:-1]]


def read_samples(out: Path, system: str) -> list[Sample]:
    """All samples of a system that a `Recorder` wrote."""
    return [_sample(line) for line in _whole_lines(file_of(out, SAMPLES, system))]


def read_processes(out: Path, system: str) -> list[Process]:
    """All processes of a system, each as it was kept last."""
    found = (_process(line) for line in _whole_lines(file_of(out, PROCESSES, system)))
    return list({one.process: one for one in found}.values())


def _sample(line: str) -> Sample:
    row: dict[str, Any] = json.loads(line)
    return Sample(**row | {"shown": tuple(row["shown"])})


def _process(line: str) -> Process:
    return Process(**json.loads(line))


@contextlib.contextmanager
def alone(out: Path) -> Iterator[None]:
    """Make the folder of a measurement, and keep every other measurement out of it meanwhile.

    Raises:
        UsageError: another one is at work there, or nothing can be written there.
    """
    try:
        out.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(out, os.O_RDONLY | os.O_CLOEXEC)
    except OSError as error:
        raise UsageError(f"{out} can't be the folder of a measurement: {error.strerror}.") from None
    try:
        if not os.access(out, os.W_OK | os.X_OK):
            raise UsageError(f"{out} can't be written to.")
        with contextlib.suppress(OSError):  # some file systems know no locks
            _lock(descriptor, out)
        yield
    finally:
        os.close(descriptor)


def _lock(descriptor: int, out: Path) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise UsageError(f"Another measurement is at work in {out}; name another folder.") from None


def keep_equal(path: Path, value: dict[str, Any], told: str) -> None:
    """Write what may not change between the parts of a measurement, or compare it with what was written.

    Raises:
        UsageError: something else was written there; `told` says what that means.
    """
    text = json.dumps(value, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists():
            if path.read_text(encoding="utf-8") != text:
                raise UsageError(told)
            return
        path.write_text(text, encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no text"
        raise UsageError(f"{path} can't be used: {reason}.") from None


def values(samples: Sequence[Sample], name: str) -> list[float]:
    """One figure of all samples that have it."""
    return [float(value) for one in samples if (value := getattr(one, name)) is not None]
