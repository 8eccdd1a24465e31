"""`mambomeme-eval bench`: measures the systems in a terminal, runs the gates of a release, and scores.

Everything that is measured lies in one folder, from which an interrupted measurement goes on. Nothing in it holds the
text of a query, wherever the partition lies.
"""

import argparse
import sys
import time
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from mambomeme_eval import machine, scorecard_text
from mambomeme_eval.bench import config, measuring, protocol, report, report_text
from mambomeme_eval.bench.measuring import Plan, write_json
from mambomeme_eval.bench.progress import Bar
from mambomeme_eval.bench.references import References
from mambomeme_eval.bench.runner import FLOOR
from mambomeme_eval.bench.samples import RUNS, alone, file_of, read_processes, read_samples
from mambomeme_eval.benchmark import Labels
from mambomeme_eval.engine_run import SYSTEMS
from mambomeme_eval.gates import Critical
from mambomeme_eval.loading import Mode, load, world_of
from mambomeme_eval.loading_structure import World
from mambomeme_eval.runs import read_run
from mambomeme_eval.scorecard import Card, Terms, assess, to_dict
from mambomeme_eval.scoring import identity_of, read_systems, truth_of
from mambomeme_eval.truth import Truth, Unscorable
from mambomeme_tui import paths
from mambomeme_tui.errors import UsageError
from mambomeme_tui.index import store
from mambomeme_tui.text import printable

BENCHMARKS: Final = Path(__file__).resolve().parents[1] / "benchmarks"
REPORT_FILE: Final = "bench.json"
CARD_FILE: Final = "scorecard.json"
RELEASE_FILE: Final = "release.json"
FAILED: Final = 1

Report = dict[str, Any]


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the release benchmark."""
    parser.add_argument("--system", action="append", choices=SYSTEMS, help="only this one; may be given again")
    parser.add_argument("--partition", metavar="DIR", help="the one that bench.toml names, if none")
    parser.add_argument("--quick", action="store_true", help="one block, a provisional protocol that is not scored")
    parser.add_argument("--out", metavar="DIR", help="where everything is written; an unfinished run there goes on")
    parser.add_argument("--data-dir", metavar="DIR", help="a folder with a published index (MAMBOMEME_DATA_DIR)")
    parser.add_argument("--seed", type=_whole, metavar="N", help="of the order of the requests (bench.toml)")


def _whole(text: str) -> int:
    if text.isascii() and text.isdigit() and len(text) < 19:
        return int(text)
    raise argparse.ArgumentTypeError(f"a whole number from 0, not {text[:20]!r}")


def run(options: argparse.Namespace) -> int:
    """`bench`: 0 where every gate is passed, and 1 where one is not."""
    world = world_of(paths.bundled("corpus"))
    return run_plan(plan_of(options, world), world)


def plan_of(options: argparse.Namespace, world: World) -> Plan:
    """What the command line and `bench.toml` ask for.

    Raises:
        PartitionError, UsageError: something of it has faults.
    """
    settings = config.read(config.find())
    shipped = BENCHMARKS / settings.partition
    folder = shipped if options.partition is None else paths.expand(options.partition)
    partition = load(folder, world, Mode.STRUCTURE if options.quick else Mode.SCORING)
    development = load(shipped, world, Mode.STRUCTURE)
    counts = settings.quick if options.quick else settings.full
    seed = settings.seed if options.seed is None else options.seed
    systems = tuple(name for name in settings.systems if name in (options.system or settings.systems))
    if not systems:
        raise UsageError(f"bench.toml names none of these systems; it has {', '.join(settings.systems)}.")
    return Plan(
        settings=settings,
        partition=partition,
        warm_ups=measuring.plan_warm_ups(development.queries, counts.warm_ups, seed),
        data=paths.data_dir() if options.data_dir is None else paths.expand(options.data_dir),
        out=paths.expand(time.strftime("bench-%Y%m%d-%H%M%S") if options.out is None else options.out),
        seed=seed,
        systems=systems,
        quick=options.quick,
    )


def run_plan(plan: Plan, world: World) -> int:
    """Measure, tell, and judge; the exit code.

    Raises:
        IndexUnavailable: nothing is published there.
        Unscorable: the index is of another corpus, or the lists can't be scored.
        UsageError: the folder belongs to another measurement, or can't be written.
    """
    store.open_version(plan.data).close()
    truth = None if plan.quick else truth_of(plan.partition, world)  # before minutes of measuring
    with alone(plan.out):
        return _run_alone(plan, world, truth)


def _run_alone(plan: Plan, world: World, truth: Truth | None) -> int:
    found, passed = _measure(plan, world)
    write_json(plan.out / REPORT_FILE, found)
    if truth is None:
        passed = passed and not any(one["errors"] for one in found["systems"].values())
    else:
        passed = _score(plan, world, truth, not found["protocol_faults"]) and passed
    write_json(plan.out / REPORT_FILE, found | {"passed": passed})
    _tell(f"\n{'PASS' if passed else 'FAIL'}; everything is in {printable(str(plan.out))}\n")
    return 0 if passed else FAILED


def _measure(plan: Plan, world: World) -> tuple[Report, bool]:
    """Measure and tell; the report, and whether the bounds of `bench.toml` hold."""
    before = machine.facts()["load"]
    with Bar() as progress:
        references, engine = measuring.ask_engine(plan)
        if references.corpus != world.corpus.digest:
            raise Unscorable(f"Version {references.version} was made of another corpus than the partition's.")
        measuring.measure_systems(plan, references, progress)
        keys = measuring.measure_keys(plan, progress)
    found = _figures(plan, engine, keys) | {"load_before": before, "load_after": machine.facts()["load"]}
    gates = report.gates(plan.settings.gates, found["systems"])
    found["protocol_faults"] = _protocol_faults(plan, references)
    found["gates"] = [asdict(gate) | {"passed": gate.passed} for gate in gates]
    _tell(report_text.render(found, gates))
    return found, all(gate.passed for gate in gates)


def _figures(plan: Plan, engine: Mapping[str, Any], keys: tuple[list[float], list[float | None]]) -> Report:
    systems = {}
    for system in (FLOOR, *plan.systems):
        _, requests = read_run(file_of(plan.out, RUNS, system))
        samples, processes = read_samples(plan.out, system), read_processes(plan.out, system)
        systems[system] = report.of_system(requests, samples, processes)
    header = plan.partition.header
    return {
        "protocol": plan.protocol,
        "scored": not plan.quick,
        "partition": str(header.partition),
        "labels": str(Labels.PROVISIONAL if plan.partition.provisional else Labels.FINAL),
        "benchmark": asdict(header),
        "version": engine["manifest"]["version"],
        "manifest": engine["manifest"],
        "seed": plan.seed,
        "settings": asdict(plan.settings),
        "timeout_ms": plan.settings.limits.timeout_ms,
        "identity": plan.identity(),
        "machine": machine.facts(),
        "systems": systems,
        "engine": report.of_engine(engine, {name: SYSTEMS[name] for name in plan.systems}),
        "start_to_ready_ms": report.start_figures(keys[0]),
        "key_to_echo": report.echo_figures(keys[1]),
    }


def _protocol_faults(plan: Plan, references: References) -> list[str]:
    measured = {
        system: protocol.Measured(*read_run(file_of(plan.out, RUNS, system)), read_processes(plan.out, system))
        for system in plan.systems
    }
    order = [[query.id for query in block] for block in plan.order("")]
    return protocol.faults(plan.settings, plan.counts, order, references, measured)


def _score(plan: Plan, world: World, truth: Truth, protocol_kept: bool) -> bool:
    """Run the gates of a release, and score; whether everything passed."""
    from mambomeme_eval.bench.release import run_gates

    with Bar() as progress:
        release = run_gates(plan.data, plan.out, progress) | {protocol.GATE: protocol_kept}
    write_json(plan.out / RELEASE_FILE, release)
    card = _card(plan, world, truth, release)
    write_json(plan.out / CARD_FILE, to_dict(card))
    _tell("\n" + scorecard_text.render(card))
    return all(row.verdict.passed for row in card.rows)


def _card(plan: Plan, world: World, truth: Truth, release: Mapping[str, bool]) -> Card:
    files = [file_of(plan.out, RUNS, system) for system in plan.systems]
    systems, common = read_systems(files, plan.partition, world)
    identity = identity_of(plan.partition, world, common)
    labels = str(plan.partition.header.labels)
    return assess(systems, truth, Terms(release, labels, plan.seed, identity, _critical(plan, truth)))


def _critical(plan: Plan, truth: Truth) -> dict[str, tuple[str, ...]]:
    """What wrong lists showed and must not have; such a list is an error, so that no run holds it."""
    found: dict[str, list[str]] = {str(Critical.BLOCKED_SHOWN): [], str(Critical.UNCLEARED_SHOWN): []}
    for system in plan.systems:
        for sample in read_samples(plan.out, system):
            for item in (one for one in sample.shown if one in truth.manifest):
                facts, told = truth.manifest[item], f"{sample.query} {item}"
                if facts.level == "blocked":
                    found[Critical.BLOCKED_SHOWN].append(told)
                if not facts.cleared:
                    found[Critical.UNCLEARED_SHOWN].append(told)
    return {name: tuple(sorted(set(what))) for name, what in found.items() if what}


def _tell(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()
