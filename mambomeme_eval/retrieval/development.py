"""The three routes on the judged queries of a partition: nDCG@10, exact findability and coverage, with intervals.

Measures and draws are those of the scorecard; without its gates, for a route is compared here and no release is
decided. All systems are resampled with the same draws.
"""

import tempfile
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Final

from mambomeme_eval import bootstrap
from mambomeme_eval.engine_run import SYSTEMS, run_engine
from mambomeme_eval.figures import Spread
from mambomeme_eval.loading import load, world_of
from mambomeme_eval.metrics import Number, aggregate, macro_ndcg, unjudged
from mambomeme_eval.metrics import measure as measure_lists
from mambomeme_eval.pipeline_measures import tell
from mambomeme_eval.pipeline_process import Report
from mambomeme_eval.retrieval.indexes import opened
from mambomeme_eval.scorecard import System
from mambomeme_eval.scoring import read_systems, truth_of
from mambomeme_eval.settling import Settled, settle
from mambomeme_eval.truth import ANSWERABLE_SLICES, Key, Truth, Unjudged, answer_keys
from mambomeme_tui.paths import bundled

REPEATS: Final = 3
_RATIOS: Final = {name: f"ndcg-{name}" for name in ANSWERABLE_SLICES} | {
    "E": "exact-mrr",
    "hit10": "hit10",
    "correct-empty": "correct-empty",
}


def measure(data: Path, folder: Path, seed: int) -> Report:
    """Ask every query of a partition of each route, and score what came.

    Args:
        data: a folder with a published index of the bundled corpus.
        folder: the partition.
        seed: of the order of the requests and of the bootstrap.

    Returns:
        `systems`, as `figures` has them; or None there, and `unjudged`, how many results have no final grade.

    Raises:
        PartitionError: the partition has faults.
        Unscorable: the index is of another corpus, or the partition has no query for a figure.
        IndexUnavailable: no version can be served.
    """
    world = world_of(bundled("corpus"))
    partition = load(folder, world)
    known = {"labels": _labels(partition.provisional), "queries": len(partition.queries), "repeats": REPEATS}
    with tempfile.TemporaryDirectory(prefix="mambomeme-retrieval-") as scratch:
        with opened(data) as engine:
            runs = [run_engine(engine, partition, system, REPEATS, seed, Path(scratch), _unheard) for system in SYSTEMS]
        systems, identity = read_systems(runs, partition, world)
    report: Report = {**known, "version": identity["version"], "systems": None, "unjudged": 0}
    try:
        return report | {"systems": figures(systems, truth_of(partition, world), seed)}
    except Unjudged as error:
        tell(f"  {len(error.missing):,} results are not judged")
        return report | {"unjudged": len(error.missing)}


def _labels(provisional: bool) -> str:
    return "provisional" if provisional else "final"


def _unheard(_system: str, _done: int, _total: int) -> None:
    """An in-process run takes seconds; nobody needs to hear of its steps."""


def figures(systems: Mapping[str, System], truth: Truth, seed: int, resamples: int = bootstrap.RESAMPLES) -> Report:
    """Each system's figures with their 95 % intervals, the spread of its milliseconds, and its errors.

    Raises:
        Unjudged: with everything that any of the systems returned and that has no final grade.
    """
    keys = answer_keys(truth)
    settled = {name: settle(one.run, keys, truth.manifest, one.latencies) for name, one in systems.items()}
    if missing := [pair for one in settled.values() for pair in unjudged(one.lists, keys)]:
        raise Unjudged(missing)
    draws = bootstrap.draw(truth.topics, seed, resamples)
    return {name: _of_one(one, keys, truth, draws) for name, one in settled.items()}


def _of_one(settled: Settled, keys: Mapping[str, Key], truth: Truth, draws: bootstrap.Draws) -> Report:
    values = measure_lists(settled.lists, keys)
    found = aggregate((topic, values[topic.id]) for topic in truth.topics)
    resampled = bootstrap.resample(draws, truth.topics, values, settled.milliseconds or {})
    told = {"Q": _with_interval(macro_ndcg(found), resampled.macro_ndcg())}
    told |= {name: _with_interval(found[ratio], resampled.figures[ratio]) for name, ratio in _RATIOS.items()}
    return {
        "figures": told,
        "milliseconds": asdict(Spread.of(settled.charged())),
        "errors": settled.errors,
    }


def _with_interval(value: Number, resampled: bootstrap.Floats) -> dict[str, float]:
    spread = bootstrap.spread(resampled)
    return {"value": float(value), "low": spread.p2_5, "high": spread.p97_5}
