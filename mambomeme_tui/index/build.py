"""Makes one version: records in, a folder of files with a manifest out. Knows nothing of what is current.

The folder is complete when `build` returns and not before: the manifest is written last. Every text is embedded by
itself, never in a batch, since its neighbours in a batch would change its last bits: a vector from the cache and one
made now are the same.
"""

import os
import platform
import shutil
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

from mambomeme_tui import __version__
from mambomeme_tui.corpus import Corpus
from mambomeme_tui.digests import hash_file, hash_json
from mambomeme_tui.encoder import DIMENSION, MAX_TOKENS, QueryEncoder, Vectors
from mambomeme_tui.index import catalogue, facets, impacts, postings, structure, vectors, vocabulary
from mambomeme_tui.index.cache import VectorCache, cache_path
from mambomeme_tui.index.export import Export, provide
from mambomeme_tui.index.layout import MODELS_FOLDER
from mambomeme_tui.index.manifest import FORMAT, BuildRecord, Manifest, list_files
from mambomeme_tui.index.pipeline import Pipeline
from mambomeme_tui.index.sources import commit, sources_digest
from mambomeme_tui.index.weights import MODEL_ID, WEIGHTS_SHA256
from mambomeme_tui.parameters import Parameters
from mambomeme_tui.policy import POLICY_FILE
from mambomeme_tui.records import Meme

LIBRARIES = ("annoy", "numpy", "onnxruntime", "snowballstemmer", "tokenizers", "whoosh-reloaded", "wordfreq")
PREPROCESSING = f"WordPiece uncased, first {MAX_TOKENS} tokens, mean pooling, unit length, each text by itself"
KEEP_EVERY = 64
"""Texts between two points from which an interrupted embedding goes on."""
MOST_ENCODERS = 4
"""Texts that are embedded at the same time, on as many cores."""


def libraries() -> dict[str, str]:
    """Versions of Python and of the libraries that make a version's files."""
    return {"python": platform.python_version()} | {name: metadata.version(name) for name in LIBRARIES}


def version_name(corpus: Corpus, parameters: Parameters, dense_items: int | None = None) -> str:
    """The name of the version that these records, parameters, sources and libraries make."""
    records = [corpus.digest, corpus.situations, dense_items]
    made_of = [FORMAT, sources_digest(), libraries(), *records, WEIGHTS_SHA256, parameters.to_dict()]
    return f"v-{hash_json(made_of)[:12]}"


def build(
    corpus: Corpus,
    parameters: Parameters,
    data: Path,
    folder: Path,
    pipeline: Pipeline,
    dense_items: int | None = None,
) -> Manifest:
    """Write a version into an existing, empty folder, and the encoder's export into `data` where it is missing.

    Args:
        corpus: the records.
        parameters: the ranking parameters.
        data: the data folder; holds the encoder's export and the cache of vectors.
        folder: is filled.
        pipeline: times the stages.
        dense_items: only so many records, the first, get vectors; all where it is None.

    Raises:
        ModelUnavailable: the weights are missing or wrong, or the two encoders disagree.
    """
    memes = corpus.memes
    export, rows, links = _embed(memes[:dense_items], data, pipeline)
    count = len(memes)
    with pipeline.stage("index", count) as figures:
        _write_words(corpus, parameters, folder, lambda done: pipeline.progress("index", done, count))
        vectors.save(folder, rows, links, parameters)
        files = list_files(folder)
        embedding = _describe_vectors(folder, rows, links, parameters, len(memes[:dense_items]))
        figures.items, figures.bytes = count, sum(entry.size for entry in files)
    manifest = Manifest(
        format=FORMAT,
        version=version_name(corpus, parameters, dense_items),
        code={"version": __version__, "commit": commit(), "sources": sources_digest()},
        corpus=_describe_corpus(corpus),
        model=_describe_model(export),
        embedding=embedding,
        parameters=parameters.to_dict(),
        libraries=libraries(),
        files=files,
    )
    manifest.write(folder)
    return manifest


def _write_words(corpus: Corpus, parameters: Parameters, folder: Path, progress: Callable[[int], None]) -> None:
    """Write all that is not made of vectors: records, words, and what belongs together."""
    memes = corpus.memes
    catalogue.create(folder / catalogue.CATALOGUE_FILE, memes)
    shutil.copyfile(corpus.policy_file, folder / POLICY_FILE)
    vocabulary.create(folder / vocabulary.VOCABULARY_FOLDER, memes, vocabulary.common_words())
    whoosh = folder / postings.POSTINGS_FOLDER
    whoosh.mkdir()
    postings.create(whoosh, memes, progress)
    weights = parameters.field_weights, parameters.bm25_k1, parameters.bm25_b
    impacts.create(folder / impacts.IMPACTS_FOLDER, whoosh, *weights)
    (folder / facets.FACETS_FOLDER).mkdir()
    facets.create(folder / facets.FACETS_FOLDER, memes)
    structure.create(folder / structure.STRUCTURE_FILE, memes)


def record_build(folder: Path, pipeline: Pipeline) -> None:
    """Write when the version was built and how fast each stage so far was."""
    created = datetime.now(UTC).isoformat(timespec="seconds")
    BuildRecord(created, tuple(pipeline.to_list())).write(folder)


def _embed(memes: Sequence[Meme], data: Path, pipeline: Pipeline) -> tuple[Export, Vectors, vectors.Links]:
    texts, links = vectors.collect_texts(memes)
    with pipeline.stage("embed", len(texts)) as figures:
        export = provide(data / MODELS_FOLDER)
        cache = VectorCache(cache_path(data, export.network))
        rows = np.empty((len(texts), DIMENSION), np.float32)
        try:
            known = _embed_texts(texts, rows, cache, export, pipeline)
        finally:
            cache.close()
        figures.items, figures.bytes = len(texts), sum(len(text.encode("utf-8", "replace")) for text in texts)
        figures.note = f"{known} from the cache"
    return export, rows, links


def _embed_texts(texts: list[str], rows: Vectors, cache: VectorCache, export: Export, pipeline: Pipeline) -> int:
    """Fill `rows`, of shape (texts, 384); returns how many of them were known."""
    unknown: list[int] = []
    for number, text in enumerate(texts):
        if (vector := cache.get(text)) is None:
            unknown.append(number)
        else:
            rows[number] = vector
    known = done = len(texts) - len(unknown)
    for some, made in _encoded(texts, unknown, export):
        for number, vector in zip(some, made, strict=True):
            rows[number] = vector
            cache.put(texts[number], vector)
        cache.keep()
        done += len(some)
        pipeline.progress("embed", done, len(texts))
    return known


def _encoded(texts: list[str], unknown: list[int], export: Export) -> Iterator[tuple[list[int], list[Vectors]]]:
    """Numbers of unknown texts and their vectors, a few at a time; each text by itself, on the cores that there are."""
    if not unknown:
        return
    encoder = QueryEncoder(export.folder)
    with ThreadPoolExecutor(min(MOST_ENCODERS, os.cpu_count() or 1)) as pool:
        for start in range(0, len(unknown), KEEP_EVERY):
            some = unknown[start : start + KEEP_EVERY]
            yield some, list(pool.map(lambda number: encoder.encode([texts[number]])[0], some))


def _describe_corpus(corpus: Corpus) -> dict[str, Any]:
    return {
        "digest": corpus.digest,
        "situations": corpus.situations,
        "families": len({meme.family.id for meme in corpus.memes}),
        "items": len(corpus.memes),
        "policy": {"version": corpus.policy.version, "sha256": corpus.policy.digest},
    }


def _describe_model(export: Export) -> dict[str, Any]:
    return {
        "id": MODEL_ID,
        "weights_sha256": WEIGHTS_SHA256,
        "folder": export.folder.name,
        "files": {name: {"size": entry.size, "sha256": entry.sha256} for name, entry in export.files.items()},
        "preprocessing": PREPROCESSING,
        "parity_max_abs": export.parity,
        "exported_by": export.made_by,
    }


def _describe_vectors(
    folder: Path, rows: Vectors, links: vectors.Links, parameters: Parameters, items: int
) -> dict[str, Any]:
    recall = vectors.recall(vectors.load(folder, items), parameters) if len(rows) else 1.0
    return {
        "items": items,
        "rows": len(rows),
        "links": len(links),
        "dimension": DIMENSION,
        "dtype": str(rows.dtype),
        "order": "rows by the first use of their text, records by id, kinds in the order of their names in the code",
        "sha256": hash_file(folder / vectors.VECTORS_FILE),
        "annoy": {"metric": "angular", "trees": parameters.annoy_trees, "seed": vectors.ANNOY_SEED, "jobs": 1},
        "annoy_recall_at_100": recall,
        "annoy_recall_sample": min(vectors.RECALL_SAMPLE, len(rows)),
    }
