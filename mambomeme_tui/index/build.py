"""Makes one version: records in, a folder of files with a manifest out. Knows nothing of what is current.

The folder is complete when `build` returns and not before: the manifest is written last.
"""

import json
import platform
import shutil
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

from mambomeme_tui import __version__
from mambomeme_tui.corpus import Corpus
from mambomeme_tui.digests import hash_file, hash_json
from mambomeme_tui.encoder import DIMENSION, MAX_TOKENS, MODEL_FILE, TOKENIZER_FILE, QueryEncoder
from mambomeme_tui.errors import DamagedVersion, ModelUnavailable
from mambomeme_tui.index import catalogue, postings, vectors
from mambomeme_tui.index.manifest import FORMAT, MANIFEST_FILE, FileEntry, Manifest, list_files, verify
from mambomeme_tui.index.weights import MODEL_ID, WEIGHTS_SHA256, model_folder
from mambomeme_tui.parameters import Parameters
from mambomeme_tui.policy import POLICY_FILE
from mambomeme_tui.records import Meme

if TYPE_CHECKING:
    from mambomeme_tui.index.embedding import DocumentEncoder

LIBRARIES = ("whoosh-reloaded", "annoy", "numpy", "onnxruntime", "tokenizers", "sentence-transformers", "torch")
PREPROCESSING = f"WordPiece uncased, first {MAX_TOKENS} tokens, mean pooling, unit length"

Progress = Callable[[str, int, int], None]
"""Hears the stage's name, how much of it is done, and how much there is."""


def version_name(corpus: Corpus, parameters: Parameters) -> str:
    """The name of the version that these records, parameters and this code make."""
    made_of = [FORMAT, __version__, corpus.digest, WEIGHTS_SHA256, parameters.to_dict()]
    return f"v-{hash_json(made_of)[:12]}"


def build(
    corpus: Corpus, source: dict[str, str], parameters: Parameters, folder: Path, models: Path, progress: Progress
) -> Manifest:
    """Write a version into an existing, empty folder, and the encoder's export below `models` where it is missing.

    `source` says where the corpus came from; it stands in the manifest as it is.

    Raises:
        ModelUnavailable: the weights are missing or wrong, or the two encoders disagree.
    """
    memes = corpus.memes
    progress("catalogue", 0, len(memes))
    catalogue.create(folder / catalogue.CATALOGUE_FILE, memes)
    shutil.copyfile(corpus.policy_file, folder / POLICY_FILE)
    (folder / postings.POSTINGS_FOLDER).mkdir()
    postings.create(folder / postings.POSTINGS_FOLDER, memes, lambda done: progress("words", done, len(memes)))
    model, embedding = _embed(memes, folder, models, parameters, progress)
    manifest = Manifest(
        format=FORMAT,
        version=version_name(corpus, parameters),
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        code=__version__,
        corpus={
            "digest": corpus.digest,
            **source,
            "families": len({meme.family.id for meme in memes}),
            "items": len(memes),
            "policy": {"version": corpus.policy.version, "sha256": corpus.policy.digest},
        },
        model=model,
        embedding=embedding,
        parameters=parameters.to_dict(),
        libraries={"python": platform.python_version()} | {name: metadata.version(name) for name in LIBRARIES},
        files=list_files(folder),
    )
    manifest.write(folder)
    return manifest


def _embed(
    memes: Sequence[Meme], folder: Path, models: Path, parameters: Parameters, progress: Progress
) -> tuple[dict[str, object], dict[str, object]]:
    """Write the vectors; returns the manifest's `model` and `embedding`."""
    progress("encoder", 0, 1)
    from mambomeme_tui.index.embedding import PARITY_TOLERANCE, DocumentEncoder

    encoder = DocumentEncoder(model_folder())
    export = models / WEIGHTS_SHA256[:12]
    if not _sound_export(export):
        _export(encoder, export)
    parity = encoder.parity(QueryEncoder(export))
    if not parity <= PARITY_TOLERANCE:
        raise ModelUnavailable(
            f"The two encoders differ by {parity:.1e}, more than {PARITY_TOLERANCE:.0e}.",
            f"Remove {export} and build again.",
        )
    texts, links = vectors.collect_texts(memes)
    rows = encoder.encode(texts, lambda done: progress("meanings", done, len(texts)))
    vectors.save(folder, rows, links, parameters)
    recall = vectors.recall(vectors.load(folder, len(memes)), parameters)
    files = {name: hash_file(export / name) for name in (MODEL_FILE, TOKENIZER_FILE)}
    model: dict[str, object] = {
        "id": MODEL_ID,
        "weights_sha256": WEIGHTS_SHA256,
        "folder": export.name,
        "files": files,
        "preprocessing": PREPROCESSING,
    }
    embedding: dict[str, object] = {
        "rows": len(rows),
        "links": len(links),
        "dimension": DIMENSION,
        "dtype": str(rows.dtype),
        "parity_max_abs": parity,
        "annoy_recall_at_100": recall,
    }
    return model, embedding


def _sound_export(folder: Path) -> bool:
    try:
        verify(folder, tuple(FileEntry(**entry) for entry in json.loads((folder / MANIFEST_FILE).read_bytes())))
    except (OSError, ValueError, TypeError, DamagedVersion):
        return False
    return True


def _export(encoder: "DocumentEncoder", export: Path) -> None:
    """Export into a scratch folder first: a kill leaves no half-written network that could be trusted later."""
    export.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{export.name}-", dir=export.parent) as scratch:
        folder = Path(scratch) / export.name
        folder.mkdir()
        encoder.export(folder)
        (folder / MANIFEST_FILE).write_text(json.dumps([asdict(entry) for entry in list_files(folder)]))
        shutil.rmtree(export, ignore_errors=True)
        folder.rename(export)
