"""Makes a version current: builds in a scratch folder, moves it into place whole, then names it in `current`.

    DATA/versions/v-0123456789ab/   a version; never changes
    DATA/versions/.building-*/      a scratch folder; whoever holds the lock may remove it
    DATA/models/                    the encoder's export, shared by versions
    DATA/current                    one line, the name of the version that is served

One publisher at a time holds the lock; readers need none.
"""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from mambomeme_tui import corpus as corpora
from mambomeme_tui import paths
from mambomeme_tui.digests import source_digest
from mambomeme_tui.errors import IndexUnavailable, ModelUnavailable
from mambomeme_tui.index.build import Progress, build, version_name
from mambomeme_tui.index.store import CURRENT_FILE, MODELS_FOLDER, VERSIONS_FOLDER, check, model_folder
from mambomeme_tui.parameters import Parameters

LOCK_FILE = "publish.lock"
LOCK_SECONDS = 600.0


def publish(data: Path, source: Path, parameters: Parameters, progress: Progress) -> str:
    """Make the version of the corpus at `source` current, building it where it is missing or damaged.

    Returns:
        The version's name.

    Raises:
        CorpusError: the corpus has faults; nothing was changed.
        IndexUnavailable: the folder can't be written, or another publisher holds it for too long.
        ModelUnavailable: the encoder can't be used; nothing was changed.
    """
    corpus = corpora.load(source)
    digest = source_digest(source)
    origin = "bundled" if source == paths.bundled("corpus") else "folder"
    name = version_name(corpus, parameters)
    with _writing(data):
        if not _sound(data, name):
            versions = data / VERSIONS_FOLDER
            versions.mkdir(exist_ok=True)
            _clear_scratch(versions)
            scratch = Path(tempfile.mkdtemp(prefix=".building-", dir=versions))
            try:
                build(
                    corpus,
                    {"source": origin, "source_digest": digest},
                    parameters,
                    scratch,
                    data / MODELS_FOLDER,
                    progress,
                )
                _put_in_place(scratch, versions / name)
            finally:
                shutil.rmtree(scratch, ignore_errors=True)
        _name_current(data, name)
    return name


@contextmanager
def _writing(data: Path) -> Iterator[None]:
    try:
        data.mkdir(parents=True, exist_ok=True)
        with FileLock(data / LOCK_FILE, timeout=LOCK_SECONDS):
            yield
    except Timeout:
        raise IndexUnavailable(
            f"Another process is publishing into {data}.", "Wait until it is done, then run the command again."
        ) from None
    except OSError as error:
        raise IndexUnavailable(
            f"The index can't be written into {data}: {error.strerror or error}.",
            "Make room or make the folder writable, or name another one in MAMBOMEME_DATA_DIR.",
        ) from None


def _sound(data: Path, name: str) -> bool:
    """Whether nothing needs to be built: the version is what its manifest says, and so is the encoder it needs."""
    try:
        model_folder(data, check(data, name))
    except (IndexUnavailable, ModelUnavailable):
        return False
    return True


def _clear_scratch(versions: Path) -> None:
    """Remove what an interrupted publisher left, and nothing else: the folder may be somebody's own."""
    for pattern in (".building-*", ".damaged-*"):
        for left_over in versions.glob(pattern):
            shutil.rmtree(left_over, ignore_errors=True)


def _put_in_place(scratch: Path, target: Path) -> None:
    """A damaged folder of that name moves aside: a reader may have its files mapped."""
    if target.exists():
        target.rename(Path(tempfile.mkdtemp(prefix=".damaged-", dir=target.parent)) / target.name)
    for path in [*scratch.rglob("*"), scratch]:
        _synchronise(path)
    scratch.chmod(0o755)
    scratch.rename(target)
    _synchronise(target.parent)


def _name_current(data: Path, name: str) -> None:
    """Replace the pointer in one step, so that a reader sees the old name or the new one."""
    if (data / CURRENT_FILE).is_file() and (data / CURRENT_FILE).read_bytes() == f"{name}\n".encode():
        return
    descriptor, path = tempfile.mkstemp(prefix=f".{CURRENT_FILE}-", dir=data)
    with os.fdopen(descriptor, "w") as stream:
        os.fchmod(descriptor, 0o644)
        stream.write(f"{name}\n")
        stream.flush()
        os.fsync(stream.fileno())
    Path(path).replace(data / CURRENT_FILE)
    _synchronise(data)


def _synchronise(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
