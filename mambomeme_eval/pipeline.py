"""The pipeline benchmark: what publishing, going back and opening cost, on the bundled corpus and at scale.

It runs the real program on fresh data folders that are gone afterwards, prints a table, and decides nothing: a missed
target is told and is no error. What it reads of a file of captions stays in the processes that it starts.
"""

import argparse
import json
import tempfile
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from mambomeme_eval import machine
from mambomeme_eval.pipeline_measures import (
    CHANGED_ITEMS,
    Prepare,
    fresh_folder,
    measure_bundled,
    measure_captions,
    tell,
)
from mambomeme_eval.pipeline_process import Report, own_peak, run_product
from mambomeme_eval.pipeline_table import lines
from mambomeme_tui import __version__
from mambomeme_tui.errors import UsageError
from mambomeme_tui.paths import bundled, expand

REPORT_FILE = "pipeline.json"


@dataclass(frozen=True, slots=True)
class Plan:
    """What to measure: the corpus, so many runs of it, a file of captions or none, vectors for so many of them."""

    corpus: Path
    captions: Path | None
    dense_items: int
    repeats: int
    seed: int


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the pipeline benchmark."""
    parser.add_argument("--captions", metavar="FILE", help="publish these too: gzipped JSON lines of template and text")
    parser.add_argument("--dense", type=_count, default=50_000, metavar="N", help="captions with vectors (50000)")
    parser.add_argument("--repeats", type=_count, default=3, metavar="K", help="runs of the bundled corpus (3)")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="choice of changed items and of queries (1)")
    parser.add_argument("--out", metavar="DIR", help=f"write all figures into {REPORT_FILE} there")


def _count(text: str) -> int:
    if text.isascii() and text.isdecimal() and 0 < len(text) < 10 and int(text) > 0:
        return int(text)
    raise argparse.ArgumentTypeError(f"a number from 1, not {text[:20]!r}")


def run(options: argparse.Namespace) -> int:
    """Measure and print."""
    captions = expand(options.captions) if options.captions else None
    if captions and not captions.is_file():
        raise UsageError(f"There is no file {captions}.")
    out = expand(options.out) if options.out else None
    _write(out, {})  # a folder that can't be written to is told before minutes of measuring
    report = measure(Plan(bundled("corpus"), captions, options.dense, options.repeats, options.seed))
    _write(out, report)
    print("\n".join(lines(report)))
    return 0


def _write(out: Path | None, report: Report) -> None:
    if out is None:
        return
    try:
        out.mkdir(parents=True, exist_ok=True)
        (out / REPORT_FILE).write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{out} can't be written to: {error.strerror}.") from None


def measure(plan: Plan, prepare: Prepare = lambda _data: None) -> Report:
    """Measure everything of a plan.

    Args:
        plan: what to measure.
        prepare: see `mambomeme_eval.pipeline_measures.Prepare`.
    """
    report: Report = {
        "program": __version__,
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": machine.facts(),
        "seed": plan.seed,
        "repeats": plan.repeats,
        "bundled": _measure_bundled(plan, prepare),
        "captions": _measure_captions(plan, prepare),
    }
    return report | {"load_after": machine.facts()["load"], "least_peak_bytes": own_peak()}


def _measure_bundled(plan: Plan, prepare: Prepare) -> list[Report]:
    from mambomeme_eval.pipeline_corpus import change

    with tempfile.TemporaryDirectory(prefix="mambomeme-pipeline-") as scratch:
        changed = Path(scratch) / "corpus"
        items = change(plan.corpus, changed, CHANGED_ITEMS, plan.seed)
        run_product(Path(scratch), "corpus", "freeze", "--corpus", str(changed))
        run_product(Path(scratch), "corpus", "check", "--corpus", str(changed))
        runs = []
        for number in range(1, plan.repeats + 1):
            load = machine.facts()["load"]
            tell(f"Bundled corpus, run {number} of {plan.repeats}, load {load}")
            with fresh_folder(prepare) as data:
                known: Report = {"load": load, "changed_items": len(items)}
                runs.append(known | measure_bundled(data, plan.corpus, changed))
    return runs


def _measure_captions(plan: Plan, prepare: Prepare) -> Report | None:
    if plan.captions is None:
        return None
    load = machine.facts()["load"]
    tell(f"Captions, load {load}")
    with fresh_folder(prepare) as data:
        return {"load": load} | measure_captions(data, plan.captions, plan.dense_items, plan.seed)
