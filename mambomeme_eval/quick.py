"""The quick benchmark: starts, keys, and searches of the real program in a terminal, in a few minutes.

python -m mambomeme_eval.quick

Times are printed beside their targets and decide nothing; an answer on the screen that is not the engine's is an
error.
"""

import argparse
import json
import sys
import tempfile
import tomllib
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, fields
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final

from mambomeme_eval import machine
from mambomeme_eval.figures import Spread
from mambomeme_eval.pty import searches, starts
from mambomeme_eval.queries import mixed
from mambomeme_tui import corpus, paths
from mambomeme_tui.errors import UsageError
from mambomeme_tui.index import store
from mambomeme_tui.records import Meme
from mambomeme_tui.retrieval.engine import Engine
from mambomeme_tui.retrieval.results import SearchResult, Timing
from mambomeme_tui.telling import searched_for

MOST_ERRORS_PRINTED: Final = 20
START_RATIO, LEXICAL_MS, HYBRID_MS, SEARCH_MS = 1.5, 1000, 2000, 40

Report = dict[str, Any]


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the quick benchmark."""
    parser.add_argument("--data-dir", metavar="DIR", help="a folder with a published index (MAMBOMEME_DATA_DIR)")
    parser.add_argument("--runs", type=_positive, default=9, metavar="N", help="starts of each program (9)")
    parser.add_argument("--searches", type=_positive, default=300, metavar="N", help="queries, entered twice (300)")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="choice and order of the queries (1)")
    parser.add_argument("--json", metavar="FILE", help="write all figures there too")


def _positive(text: str) -> int:
    if text.isdecimal() and int(text) > 0:
        return int(text)
    raise argparse.ArgumentTypeError(f"a number from 1, not {text!r}")


def run(options: argparse.Namespace) -> int:
    """Measure and print; 1 where the screen showed something else than the engine found."""
    data = Path(options.data_dir).expanduser().absolute() if options.data_dir else paths.data_dir()
    report = _introduce(data)
    _write(options.json, report)  # a file that can't be written is told before minutes of measuring
    with tempfile.TemporaryDirectory() as empty:
        settings = {"MAMBOMEME_DATA_DIR": str(data), "MAMBOMEME_CONFIG_DIR": empty, "MAMBOMEME_CACHE_DIR": empty}
        report |= _measure_starts(settings, options.runs)
        report |= _measure_echo(settings, options.runs)
        report |= _measure_searches(settings, data, options.searches, options.seed)
    _tell(f"load after: {' '.join(map(str, machine.facts()['load']))}")
    _write(options.json, report)
    return 1 if report["errors"] else 0


def _write(file: str | None, report: Report) -> None:
    if file is None:
        return
    try:
        Path(file).write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{file} can't be written: {error.strerror}.") from None


def _introduce(data: Path) -> Report:
    version = store.open_version(data)
    memes = len(version.catalogue)
    version.catalogue.close()
    facts = machine.facts()
    _tell(f"MamboMeme, version {version.name} with {memes} memes, in a terminal of 80x24")
    _tell(f"{facts['system']}, {facts['cores']} cores, Python {facts['python']}, load {facts['load']}")
    _tell(", ".join(f"{name} {number}" for name, number in facts["libraries"].items()))
    return {"version": version.name, "memes": memes, "machine": facts}


def _measure_starts(settings: Mapping[str, str], runs: int) -> Report:
    bare, product = [], []
    for number in range(runs):
        turns: list[Callable[[], None]] = [
            lambda: bare.append(starts.start_bare(settings)),
            lambda: product.append(starts.start_product(settings)),
        ]
        for turn in turns if number % 2 else reversed(turns):
            turn()
    spreads = {
        name: Spread.of([getattr(one, name) for one in product]) for name in ("first_paint", "lexical", "hybrid")
    }
    compared = Spread.of(bare)
    ratio = spreads["first_paint"].p50 / compared.p50
    _tell(f"\n1. Start to first paint, {runs} alternated runs")
    _row("mambomeme", spreads["first_paint"])
    _row("bare Textual application", compared)
    _tell(f"   ratio of medians {ratio:.2f} (target {START_RATIO})")
    _tell("\n2. Start to the first complete answer, for a query typed at the first paint")
    _row("by words", spreads["lexical"], LEXICAL_MS)
    _row("hybrid", spreads["hybrid"], HYBRID_MS)
    told = {name: asdict(spread) for name, spread in spreads.items()}
    return {"start": {**told, "bare_first_paint": asdict(compared), "ratio": ratio}}


def _measure_echo(settings: Mapping[str, str], runs: int) -> Report:
    times = [one for _ in range(-(-runs // 3)) for one in starts.echo_while_loading(settings)]
    _tell(f"\n3. Key to echo while loading, {len(times)} keys")
    _row("echo", Spread.of(times))
    return {"echo": asdict(Spread.of(times))}


def _measure_searches(settings: Mapping[str, str], data: Path, count: int, seed: int) -> Report:
    queries = mixed(_development_memes(), count, seed)
    texts = [query.text for query in queries]
    results = _ask_engine(data, texts)
    done = searches.drive(settings, {text: searched_for(result) for text, result in results.items()})
    _tell(f"\n4. Enter to the complete list, {len(texts)} mixed queries (target p95 {SEARCH_MS} ms)")
    report: Report = {"queries": [asdict(query) for query in queries], "search": {}}
    for entered, label in ((searches.TYPED, "text typed before"), (searches.AT_ONCE, "text and Enter at once")):
        times = [one.milliseconds for one in done if one.entered == entered and one.milliseconds is not None]
        if times:
            _row(label, Spread.of(times), SEARCH_MS)
            report["search"][entered] = {**asdict(Spread.of(times)), "milliseconds": times}
    errors = [fault for one in done for fault in searches.faults(one, results[one.query])]
    _tell(f"   {len(done)} lists compared with the engine's, {len(errors)} errors")
    for error in errors[:MOST_ERRORS_PRINTED]:
        _tell(f"   ERROR {error}")
    return report | {"errors": errors, "engine": _tell_engine(list(results.values()))}


def _development_memes() -> list[Meme]:
    """The items of the development families: the others are kept for judging, and are measured by nothing here."""
    root = paths.bundled("corpus")
    families = set(tomllib.loads((root / "development.toml").read_text(encoding="utf-8"))["families"])
    return [meme for meme in corpus.load(root).memes if meme.family.id in families]


def _ask_engine(data: Path, texts: Sequence[str]) -> dict[str, SearchResult]:
    """What the engine finds, in a process of its own: a process without one in it forks faster."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(_ask_all, data, texts).result()


def _ask_all(data: Path, texts: Sequence[str]) -> dict[str, SearchResult]:
    engine = Engine(data)
    engine.load_dense()
    try:
        if engine.dense_error:
            raise engine.dense_error
        engine.search("warming up")
        return {text: engine.search(text) for text in texts}
    finally:
        engine.close()


def _tell_engine(results: Sequence[SearchResult]) -> Report:
    _tell(f"\n5. The engine in process, {len(results)} queries")
    report: Report = {}
    for name in [field.name for field in fields(Timing)]:
        spread = Spread.of([getattr(result.timing, name) for result in results])
        _row(name, spread)
        report[name] = asdict(spread)
    return report


def _row(label: str, spread: Spread, target: float | None = None) -> None:
    _tell(f"   {label:<26} {spread}" + (f"  (target {target:.0f})" if target else ""))


def _tell(text: str) -> None:
    print(text, flush=True)


if __name__ == "__main__":
    from mambomeme_eval.cli import main

    raise SystemExit(main(["quick", *sys.argv[1:]]))
