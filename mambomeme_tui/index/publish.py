"""Makes a version current: builds it in a scratch folder, proves it, moves it into place whole, then names it.

One writer at a time; readers need no lock. An error or a kill at any instant leaves the version that was served, or
the new one; what it leaves beside them is removed by the next writer.
"""

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from mambomeme_tui import corpus as corpora
from mambomeme_tui import paths
from mambomeme_tui.corpus import Corpus
from mambomeme_tui.digests import family_files, hash_file, source_digest
from mambomeme_tui.errors import CorpusError, Fault, IndexUnavailable, ModelUnavailable
from mambomeme_tui.index.build import build, record_build, version_name
from mambomeme_tui.index.disk import clear_scratch, make_folder, put_in_place, scratch_folder, synchronise
from mambomeme_tui.index.layout import VERSIONS_FOLDER
from mambomeme_tui.index.pipeline import Pipeline, Progress, StageFigures
from mambomeme_tui.index.pointer import BUNDLED, FOLDER, Served, serve_new
from mambomeme_tui.index.store import check, model_folder
from mambomeme_tui.index.verification import verify_version
from mambomeme_tui.index.writing import unwritable, writing
from mambomeme_tui.parameters import Parameters

_FULL_DATABASE = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY)


@dataclass(frozen=True, slots=True)
class Published:
    """What came of it: the version's name, whether it had to be built, and the figures of every stage."""

    name: str
    built: bool
    stages: tuple[StageFigures, ...]


def publish(
    data: Path, source: Path, parameters: Parameters, progress: Progress, waiting: Callable[[str], None] | None = None
) -> Published:
    """Make the version of the corpus at `source` current, building it where it is missing or damaged.

    Args:
        data: the data folder.
        source: a corpus folder.
        parameters: the ranking parameters.
        progress: hears every step.
        waiting: see `mambomeme_tui.index.writing.writing`.

    Raises:
        CorpusError: the corpus has faults; nothing was changed.
        IndexUnavailable: the folder can't be written, or another process writes there.
        ModelUnavailable: the encoder can't be used; nothing that is served was changed.
    """
    pipeline = Pipeline(progress)
    with pipeline.stage("validate") as figures:
        corpus = corpora.load(source)
        origin = BUNDLED if source == paths.bundled("corpus") else FOLDER
        digest = source_digest(source)
        figures.items = len(corpus.memes)
        figures.bytes = sum(path.stat().st_size for path in family_files(source))
    with pipeline.stage("fingerprint") as figures:
        _compare_pictures(corpus, source, figures)
    return publish_corpus(data, corpus, parameters, pipeline, waiting, origin=origin, digest=digest)


def publish_corpus(
    data: Path,
    corpus: Corpus,
    parameters: Parameters,
    pipeline: Pipeline,
    waiting: Callable[[str], None] | None = None,
    dense_items: int | None = None,
    origin: str = FOLDER,
    digest: str = "-",
) -> Published:
    """Make the version of these records current; see `publish`, and `mambomeme_tui.index.build.build`.

    `origin` and `digest` say where the records came from, see `mambomeme_tui.index.pointer.Served`.
    """
    name = version_name(corpus, parameters, dense_items)
    with writing(data, waiting):
        needed = not _is_sound(data, name)
        if needed:
            make_folder(data / VERSIONS_FOLDER)
            synchronise(data)
            try:
                _build(data, name, corpus, parameters, pipeline, dense_items)
            except sqlite3.Error as error:
                if error.sqlite_errorcode & 0xFF in _FULL_DATABASE:  # the low byte; the rest is detail
                    raise unwritable(data, error) from None
                raise
        serve_new(data, Served(name, origin, digest))
        clear_scratch(data)  # a damaged version that was replaced; who has it open keeps its files
    return Published(name, needed, tuple(pipeline.stages))


def _build(
    data: Path,
    name: str,
    corpus: Corpus,
    parameters: Parameters,
    pipeline: Pipeline,
    dense_items: int | None,
) -> None:
    with scratch_folder(data / VERSIONS_FOLDER) as scratch:
        manifest = build(corpus, parameters, data, scratch, pipeline, dense_items)
        size = sum(entry.size for entry in manifest.files)
        record_build(scratch, pipeline)
        with pipeline.stage("verify") as figures:
            verify_version(scratch)
            figures.items, figures.bytes = len(corpus.memes), size
        with pipeline.stage("publish") as figures:
            record_build(scratch, pipeline)
            put_in_place(scratch, data / VERSIONS_FOLDER / name)
            figures.items, figures.bytes = len(corpus.memes), size


def _compare_pictures(corpus: Corpus, source: Path, figures: StageFigures) -> None:
    """Every picture that the corpus knows is there and is what the corpus says.

    Raises:
        CorpusError: naming every one that is not.
    """
    known = {meme.media: meme.exact_hash for meme in corpus.memes if meme.exact_hash}
    faults = []
    for name, expected in known.items():
        try:
            path = source / name
            figures.bytes += path.stat().st_size
            if hash_file(path) != expected:
                faults.append(Fault(str(path), 1, "(picture)", "the picture that manifest.json knows; freeze it again"))
        except OSError as error:
            faults.append(Fault(str(source / name), 1, "(picture)", f"a readable picture: {error.strerror}"))
    if faults:
        raise CorpusError(faults)
    figures.items = len(known)


def _is_sound(data: Path, name: str) -> bool:
    """Whether nothing needs to be built: the version is what its manifest says, and so is the encoder it needs."""
    try:
        model_folder(data, check(data, name))
    except (IndexUnavailable, ModelUnavailable):
        return False
    return True
