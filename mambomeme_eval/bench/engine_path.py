"""The engine path, in a process of its own: its lists, its times with their split, its cold start, and its memory.

python -m mambomeme_eval.bench.engine_path JOB STAMP

JOB is a JSON file that says what to ask; STAMP is the monotonic clock in nanoseconds just before this process was
started. The answer is JSON and holds no query but the sentences that the screen has to show.
"""

import json
import os
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from mambomeme_eval.figures import milliseconds
from mambomeme_eval.pipeline_process import run_program
from mambomeme_tui.telling import searched_for

if TYPE_CHECKING:
    from mambomeme_tui.retrieval.engine import Engine
    from mambomeme_tui.retrieval.results import SearchResult

CHILD: Final = (sys.executable, "-m", "mambomeme_eval.bench.engine_path")
Answer = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Job:
    """What to ask.

    Attributes:
        texts: id of a query -> what is typed.
        routes: of the engine.
        warm_ups: ids, asked by every route before anything is timed.
        blocks: ids in their order, a list for each block; every query that is to have a reference stands in
            `texts`, whether it is in a block or not.
    """

    texts: Mapping[str, str]
    routes: Sequence[str]
    warm_ups: Sequence[str]
    blocks: Sequence[Sequence[str]]


def run(job: Job, data: Path) -> Answer:
    """Let a process of its own do the job; its answer, with the `peak_bytes` of that process.

    Raises:
        MamboError: it failed, and has said why on standard error.
    """
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "job.json"
        file.touch(mode=0o600)
        file.write_text(json.dumps(asdict(job) | {"data": str(data)}), encoding="utf-8")
        ran = run_program([*CHILD, str(file), str(time.monotonic_ns())], data)
    answer: Answer = json.loads(ran.output)
    return answer | {"peak_bytes": ran.peak_bytes}


def work(job: Answer, stamp: int) -> Answer:
    """Do a job; see `Job`."""
    running = time.monotonic_ns()
    from mambomeme_tui.retrieval.engine import Engine

    engine = Engine(Path(job["data"]))
    opened = time.monotonic_ns()
    engine.load_dense()
    if engine.dense_error:
        raise engine.dense_error
    loaded = time.monotonic_ns()
    engine.search("warming up")
    answered = time.monotonic_ns()
    cold = {"running": running, "opened": opened, "loaded": loaded, "first_answer": answered}
    try:
        lists, times = ask_all(engine, job)
        return {
            "version": engine.version.name,
            "corpus": str(engine.version.manifest.corpus["digest"]),
            "manifest": asdict(engine.version.manifest),
            "catalogue": catalogue(engine),
            "lists": lists,
            "times": times,
            "cold_start": {name: milliseconds(stamp, one) for name, one in cold.items()},
            "index_bytes": sum(file.stat().st_size for file in _files(engine.version.folder)),
        }
    finally:
        engine.close()


def _files(folder: Path) -> Iterable[Path]:
    return (Path(root) / name for root, _, names in os.walk(folder) for name in names)


def catalogue(engine: "Engine") -> list[list[str]]:
    """Id, title and quote of everything that a version holds."""
    return [[meme.id, meme.title, meme.quote] for meme in engine.version.catalogue.at(list(range(engine.size)))]


def ask_all(engine: "Engine", job: Answer) -> tuple[list[Answer], list[Answer]]:
    """The lists of all queries by every route, and the times of those in blocks; both routes are loaded."""
    texts, lists, times = job["texts"], [], []
    for route in job["routes"]:
        for query in job["warm_ups"]:
            engine.search(texts[query], route)
        first = {query: engine.search(text, route) for query, text in texts.items()}
        unsteady = set()
        for repeat, block in enumerate(job["blocks"]):
            for query in block:
                result = engine.search(texts[query], route)
                times.append({"route": route, "query": query, "repeat": repeat, "ms": asdict(result.timing)})
                if _ids(result) != _ids(first[query]):
                    unsteady.add(query)
        lists += [_reference(query, result, query not in unsteady) for query, result in first.items()]
    return lists, times


def _ids(result: "SearchResult") -> list[str]:
    return [hit.meme.id for hit in result.hits]


def _reference(query: str, result: "SearchResult", steady: bool) -> Answer:
    return {
        "query": query,
        "route": result.route,
        "sentence": searched_for(result),
        "state": str(result.state),
        "steady": steady,
        "hits": [[hit.meme.id, hit.meme.title, hit.meme.quote] for hit in result.hits],
        "routes": {hit.meme.id: sorted(hit.routes) for hit in result.hits},
    }


def main(arguments: Sequence[str]) -> int:
    """Do the job of a file; an error is one sentence."""
    from mambomeme_tui.errors import MamboError

    file, stamp = arguments
    try:
        answer = work(json.loads(Path(file).read_text(encoding="utf-8")), int(stamp))
    except MamboError as error:
        print(f"mambomeme-eval: {error}", file=sys.stderr)
        return error.exit_code
    json.dump(answer, sys.stdout)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
