"""Indexes that live as long as a measurement: data folders in a temporary place, published by the product itself.

The encoder's export is taken from a folder that has it, so that it is not made once more; no version of that folder is
read or changed.
"""

import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final

from mambomeme_eval.pipeline_process import Report
from mambomeme_tui.corpus import Corpus, situations_digest
from mambomeme_tui.digests import hash_json
from mambomeme_tui.index.layout import MODELS_FOLDER
from mambomeme_tui.index.pipeline import Pipeline
from mambomeme_tui.index.publish import publish_corpus
from mambomeme_tui.parameters import Parameters
from mambomeme_tui.records import Meme
from mambomeme_tui.retrieval.engine import Engine

PROGRESS_EVERY: Final = 10.0
"""Seconds between two lines of progress."""


@contextmanager
def scratch_data(known: Path) -> Iterator[Path]:
    """A data folder that is gone afterwards, with the encoder of the folder `known` where that has one."""
    with tempfile.TemporaryDirectory(prefix="mambomeme-retrieval-") as scratch:
        data = Path(scratch) / "data"
        data.mkdir()
        if (known / MODELS_FOLDER).is_dir():
            shutil.copytree(known / MODELS_FOLDER, data / MODELS_FOLDER)
        yield data


def corpus_of(memes: Sequence[Meme], like: Corpus) -> Corpus:
    """These records, ordered by id, under the policy of another corpus."""
    ordered = sorted(memes, key=lambda meme: meme.id)
    digest = hash_json([like.policy.digest, *(meme.content_hash for meme in ordered)])
    return replace(like, memes=tuple(ordered), digest=digest, situations=situations_digest(ordered))


@contextmanager
def published(data: Path, corpus: Corpus, dense_items: int | None = None) -> Iterator[tuple[Engine, list[Report]]]:
    """An engine with both routes on an index of a corpus, and the figures of the stages that made it.

    Args:
        data: a scratch folder; what was published there before stays.
        corpus: the records.
        dense_items: so many of them, the first, get vectors; all, if it is None.

    Raises:
        ModelUnavailable: the dense route can't be loaded.
    """
    pipeline = Pipeline(_Told())
    publish_corpus(data, corpus, Parameters(), pipeline, dense_items=dense_items)
    with opened(data) as engine:
        yield engine, pipeline.to_list()


@contextmanager
def opened(data: Path) -> Iterator[Engine]:
    """An engine with both routes, warm.

    Raises:
        IndexUnavailable: no version can be served.
        ModelUnavailable: the dense route can't be loaded.
    """
    engine = Engine(data)
    try:
        engine.load_dense()
        if engine.dense_error:
            raise engine.dense_error
        engine.search("warming up")
        yield engine
    finally:
        engine.close()


class _Told:
    """Progress on standard error, a line in a while."""

    def __init__(self) -> None:
        self._last = time.monotonic()

    def __call__(self, stage: str, done: int, total: int) -> None:
        now = time.monotonic()
        if now - self._last >= PROGRESS_EVERY:
            self._last = now
            print(f"  {stage} {done:,} of {total:,}", file=sys.stderr, flush=True)
