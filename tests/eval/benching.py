"""What the tests of the benchmark share: a few queries, what the engine finds for them, and small settings."""

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Final

from mambomeme_eval.bench import config, engine_path
from mambomeme_eval.bench.config import Settings
from mambomeme_eval.bench.references import References, from_json
from mambomeme_eval.bench.runner import ROUTES, Work
from mambomeme_eval.benchmark import Query
from mambomeme_eval.loading import Mode, load
from mambomeme_eval.pty.starts import PRODUCT
from mambomeme_eval.runs import RunHeader
from mambomeme_tui.retrieval.engine import Engine
from tests.eval.partitions import bundled_world, small

ROOT: Final = Path(__file__).parents[2]
FAULTY: Final = "dev-003"
MUTANT: Final = (sys.executable, str(Path(__file__).with_name("bench_mutant.py")))
QUICK_TIMEOUT_MS: Final = 2000.0
"""Long for a search and short for a test; whoever expects no timeout waits as long as the benchmark does."""


def queries_of(folder: Path) -> tuple[Query, ...]:
    """The queries of the small partition."""
    return load(small().write(folder), bundled_world(), Mode.STRUCTURE).queries


def references_of(engine: Engine, queries: tuple[Query, ...]) -> References:
    """What the engine finds by every route."""
    texts = {query.id: query.text for query in queries}
    lists, _ = engine_path.ask_all(
        engine, {"texts": texts, "routes": sorted(set(ROUTES.values())), "warm_ups": [], "blocks": []}
    )
    return from_json(
        {
            "version": engine.version.name,
            "corpus": engine.version.manifest.corpus["digest"],
            "catalogue": engine_path.catalogue(engine),
            "lists": lists,
        }
    )


def settings(timeout_ms: float | None = None) -> Settings:
    """The shipped settings, with as little of everything as there can be."""
    shipped = config.read(config.find())
    blocks = config.Blocks(1, 1)
    counts = replace(shipped.full, warm_ups=2, blocks=blocks, floor_blocks=1, starts=1, echo_rounds=1)
    limits = replace(shipped.limits, rewarm_ups=1, restarts=2)
    if timeout_ms:
        limits = replace(limits, timeout_ms=timeout_ms)
    return replace(shipped, full=counts, quick=counts, limits=limits)


def header(references: References, **other: object) -> RunHeader:
    """Of a run of bm25."""
    told = RunHeader("bm25", "tui", references.version, references.corpus, "development", 7, 2, {})
    return replace(told, **other)  # type: ignore[arg-type]


def work(
    references: References,
    order: list[list[Query]],
    surroundings: dict[str, str],
    fault: str = "",
    timeout_ms: float | None = None,
) -> Work:
    """Ask bm25 these queries, of a product with a fault in it or of the real one."""
    about = next((query.text for block in order for query in block if query.id == FAULTY), "")
    return Work(
        system="bm25",
        command=(*MUTANT, fault, about) if fault else PRODUCT,
        surroundings=surroundings,
        warm_ups=(),
        order=order,
        references=references,
        limits=settings(timeout_ms).limits,
    )


def surroundings_of(data: Path, empty: Path) -> dict[str, str]:
    """The environment of a product under measurement."""
    return {
        "MAMBOMEME_DATA_DIR": str(data),
        "MAMBOMEME_CONFIG_DIR": str(empty),
        "MAMBOMEME_CACHE_DIR": str(empty),
        "MAMBOMEME_RENDER_MARKERS": "1",
        "MAMBOMEME_ROUTE": "lexical",
        "PYTHONPATH": str(ROOT),
    }


Heard = Callable[[str, int, int], None]


def unheard(_system: str, _done: int, _total: int) -> None:
    """Nobody watches."""
