"""Measures publishing, rolling back and opening, each by processes of their own on a fresh data folder.

Every figure is in the unit that its name says: `seconds`, `bytes`, or milliseconds where it stands under `open`,
`rollback` or `search`.
"""

import json
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from mambomeme_eval.pipeline_process import Report, run_child, run_product
from mambomeme_tui.errors import MamboError
from mambomeme_tui.index.layout import CACHE_FOLDER, MODELS_FOLDER, VERSIONS_FOLDER
from mambomeme_tui.index.manifest import BuildRecord
from mambomeme_tui.index.pointer import current_name

OPENINGS: Final = 5
FIRST_QUERY: Final = "john cena"
CHANGED_ITEMS: Final = 10

Prepare = Callable[[Path], None]
"""Puts something into a fresh data folder before it is measured; a person's folder has nothing."""


@contextmanager
def fresh_folder(prepare: Prepare) -> Iterator[Path]:
    """A data folder that is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="mambomeme-pipeline-") as scratch:
        data = Path(scratch) / "data"
        data.mkdir()
        prepare(data)
        yield data


def measure_bundled(data: Path, corpus: Path, changed: Path) -> Report:
    """Publish a corpus, publish it again, publish the changed copy of it, open that, and go back and forth."""
    tell("  publish for the first time")
    report: Report = {"first": _publish(data, corpus)}
    older = current_name(data)
    report["sizes"] = sizes(data, older)
    tell("  publish again, unchanged and changed")
    report["unchanged"] = run_product(data, "publish", "--corpus", str(corpus)).cost()
    report["changed"] = _publish(data, changed)
    newer = current_name(data)
    if newer == older:
        raise MamboError("The changed corpus made no other version.")
    report["changed"]["percent_of_first"] = percent(report["changed"]["seconds"], report["first"]["seconds"])
    report["verify"] = run_product(data, "verify").cost()
    tell("  open and roll back")
    queries = data.parent / "queries.json"
    queries.write_text(json.dumps([FIRST_QUERY]), encoding="utf-8")
    report["open"] = open_often(data, queries, "hybrid")
    return report | {"rollback": _roll_back(data, older, newer)}


def _publish(data: Path, corpus: Path) -> Report:
    ran = run_product(data, "publish", "--corpus", str(corpus))
    name = current_name(data)
    stages = BuildRecord.read(data / VERSIONS_FOLDER / name).stages
    return {**ran.cost(), "version": name, "stages": list(stages), "outside_stages": _outside(ran.seconds, stages)}


def _outside(seconds: float, stages: Sequence[Report]) -> float:
    """Seconds that belong to no stage, starting the program among them."""
    return seconds - float(sum(stage["seconds"] for stage in stages))


def _roll_back(data: Path, older: str, newer: str) -> Report:
    """In process, then as a command: back to what was served before, and by name to the newer one again."""
    answer, _ = run_child(data, "rollback", older, newer)
    if current_name(data) != newer:
        raise MamboError("A rollback served another version than the one that was named.")
    commands = [run_product(data, "rollback"), run_product(data, "rollback", newer)]
    return {"in_process": answer["milliseconds"], "command": [ran.seconds * 1000 for ran in commands]}


def measure_captions(data: Path, file: Path, dense_items: int, seed: int) -> Report:
    """Publish all captions of a file, open the version, and search it; no text of the file is in the report."""
    queries = data.parent / "queries.json"
    tell(f"  publish, with vectors for the first {dense_items:,}")
    arguments = [str(file), str(dense_items), str(seed), str(queries)]
    report, ran = run_child(data, "publish-captions", *arguments)
    outside = _outside(ran.seconds - report["read_seconds"], report["stages"])
    report |= {"publish": ran.cost(), "outside_stages": outside, "sizes": sizes(data, report["version"])}
    report["verify"] = run_product(data, "verify").cost()
    tell("  open and search")
    report["open"] = open_often(data, queries, "dense")
    report["search"] = {}
    for route in ("lexical", "dense"):
        answer, searching = run_child(data, "search", str(queries), route)
        report["search"][route] = {**answer, "peak_bytes": searching.peak_bytes}
    return report


def open_often(data: Path, queries: Path, route: str) -> list[Report]:
    """Open the served version several times; see `mambomeme_eval.pipeline_child.open_version`."""
    answers = [run_child(data, "open", str(queries), route) for _ in range(OPENINGS)]
    return [{**answer, "peak_bytes": ran.peak_bytes} for answer, ran in answers]


def sizes(data: Path, version: str) -> Report:
    """Bytes of every file of a version by its path, and of the version, the encoder and the cache of vectors."""
    folder = data / VERSIONS_FOLDER / version
    return {
        "files": {path.relative_to(folder).as_posix(): path.stat().st_size for path in _files(folder)},
        "version": _size(folder),
        "encoder": _size(data / MODELS_FOLDER),
        "cache": _size(data / CACHE_FOLDER),
    }


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in _files(folder))


def percent(part: float, whole: float) -> float | None:
    """How much of the whole a part is, in percent; None where there is no whole."""
    return 100 * part / whole if whole > 0 else None


def tell(text: str) -> None:
    """A line of progress."""
    print(text, file=sys.stderr, flush=True)
