"""What the pipeline benchmark measures inside a process of its own: one task a run, its answer as JSON.

python -m mambomeme_eval.pipeline_child TASK DATA STAMP ARGUMENTS

STAMP is the monotonic clock in nanoseconds just before this process was started. Nothing heavy is imported before a
task needs it. No answer holds a caption or a query.
"""

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from mambomeme_eval.figures import milliseconds

PROGRESS_EVERY: Final = 10.0
"""Seconds between two lines of progress."""
ROLLBACKS: Final = 10
SEARCHES: Final = 200

Answer = dict[str, Any]


def publish_captions(data: Path, _stamp: int, file: str, dense_items: str, seed: str, queries: str) -> Answer:
    """Publish all captions of a file, and write the queries that are made of them into the file `queries`.

    Returns:
        Counts of the captions, the seconds until they were records, the stages, and the version's name.
    """
    from mambomeme_eval import pipeline_captions
    from mambomeme_tui.index.pipeline import Pipeline
    from mambomeme_tui.index.publish import publish_corpus
    from mambomeme_tui.parameters import Parameters

    started = time.monotonic()
    captions = pipeline_captions.load(Path(file))
    read = time.monotonic() - started
    pipeline = Pipeline(_Told())
    limit = int(dense_items)
    published = publish_corpus(data, captions.corpus, Parameters(), pipeline, dense_items=limit)
    texts = pipeline_captions.queries(captions.corpus.memes, SEARCHES, int(seed))
    Path(queries).write_text(json.dumps(texts), encoding="utf-8")
    return {
        "rows": captions.rows,
        "left_out": captions.left_out,
        "shortened": captions.shortened,
        "items": len(captions.corpus.memes),
        "families": len({meme.family.id for meme in captions.corpus.memes}),
        "dense_items": min(limit, len(captions.corpus.memes)),
        "read_seconds": read,
        "version": published.name,
        "stages": pipeline.to_list(),
    }


class _Told:
    """Progress on standard error, a line in a while."""

    def __init__(self) -> None:
        self._last = time.monotonic()

    def __call__(self, stage: str, done: int, total: int) -> None:
        now = time.monotonic()
        if now - self._last >= PROGRESS_EVERY:
            self._last = now
            print(f"  {stage} {done:,} of {total:,}", file=sys.stderr, flush=True)


def open_version(data: Path, stamp: int, queries: str, route: str) -> Answer:
    """Open, answer by words, load the dense route, answer by `route`, in the order in which the interface does it.

    Returns:
        Milliseconds since the stamp until the interpreter ran, until the engine was imported, and until each answer;
        and apart those of `Engine()` and of `load_dense()`.
    """
    query = json.loads(Path(queries).read_text(encoding="utf-8"))[0]
    running = time.monotonic_ns()
    from mambomeme_tui.retrieval.engine import Engine

    imported = time.monotonic_ns()
    engine = Engine(data)
    opened = time.monotonic_ns()
    engine.search(query, "lexical")
    first = time.monotonic_ns()
    engine.load_dense()
    loaded = time.monotonic_ns()
    if engine.dense_error:
        raise engine.dense_error
    engine.search(query, route)
    last = time.monotonic_ns()
    engine.close()
    return {
        "running": milliseconds(stamp, running),
        "imported": milliseconds(stamp, imported),
        "engine": milliseconds(imported, opened),
        "lexical": milliseconds(stamp, first),
        "load_dense": milliseconds(first, loaded),
        route: milliseconds(stamp, last),
    }


def search(data: Path, _stamp: int, queries: str, route: str) -> Answer:
    """Milliseconds of each query by one route, after one that warms up; and how many found something."""
    from mambomeme_tui.retrieval.engine import Engine

    engine = Engine(data)
    if route != "lexical":
        engine.load_dense()
    texts = json.loads(Path(queries).read_text(encoding="utf-8"))
    engine.search("warming up", route)
    results = [engine.search(text, route) for text in texts]
    engine.close()
    return {
        "milliseconds": [result.timing.total for result in results],
        "found": sum(bool(result.hits) for result in results),
    }


def roll_back(data: Path, _stamp: int, older: str, newer: str) -> Answer:
    """Milliseconds of going back to the older version and forward again, in turn, several times."""
    from mambomeme_tui.index.versions import roll_back as go_to

    times = []
    for number in range(ROLLBACKS):
        started = time.monotonic_ns()
        go_to(data, newer if number % 2 else older)
        times.append(milliseconds(started, time.monotonic_ns()))
    return {"milliseconds": times}


TASKS: Final[dict[str, Callable[..., Answer]]] = {
    "publish-captions": publish_captions,
    "open": open_version,
    "search": search,
    "rollback": roll_back,
}


def main(arguments: list[str]) -> int:
    """Run one task; an error is one sentence, and never quotes what was read."""
    from mambomeme_tui.errors import MamboError

    task, data, stamp, *others = arguments
    try:
        answer = TASKS[task](Path(data), int(stamp), *others)
    except MamboError as error:
        print(f"mambomeme-eval: {error}", file=sys.stderr)
        return error.exit_code
    print(json.dumps(answer))
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
