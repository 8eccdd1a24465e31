"""Runs of the small partition that find everything, as rows that a test may spoil before they are written."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from mambomeme_eval.gates import RELEASE_GATES
from mambomeme_eval.loading import load
from mambomeme_eval.scoring import truth_of
from mambomeme_eval.trec import format_run
from mambomeme_eval.truth import Truth
from tests.eval.partitions import Draft, bundled_world, candidate, judgement, small

Row = dict[str, Any]
SYSTEMS = ("bm25", "dense", "hybrid")
REPEATS = 2
MILLISECONDS = 100.0
JUDGED = "dev-003"
"""The query for which also what policy withholds was judged."""


def withheld(blocked: bool) -> str:
    """An item of a development family that is blocked, or that is safe and has no cleared rights."""
    world = bundled_world()
    hidden = [one for one in world.corpus.memes if one.id not in world.serving and one.family.id in world.development]
    return next(one.id for one in hidden if (one.safety.level == "blocked") is blocked)


def drafted() -> Draft:
    """The small partition, with two withheld candidates more."""
    draft = small()
    for blocked in (True, False):
        draft.pool.append(candidate(JUDGED, withheld(blocked)))
        safety = "blocked" if blocked else "safe"
        draft.judgements += [judgement(draft.pool[-1], name, 3, safety=safety) for name in ("ann", "bob")]
    return draft


def truth(folder: Path) -> Truth:
    """Everything known about a partition."""
    world = bundled_world()
    return truth_of(load(folder, world), world)


def best(known: Truth) -> dict[str, list[str]]:
    """The ideal list of each query: what may be shown and is worth anything, the best first."""
    served = bundled_world().serving
    lists: dict[str, list[str]] = {}
    for topic in known.topics:
        grades = known.qrels.get(topic.id, {})
        useful = [item for item, grade in grades.items() if grade and item in served]
        lists[topic.id] = sorted(useful, key=lambda item: -grades[item])
    return lists


def asked() -> str:
    """The digest of the small partition's queries, as a run names it."""
    texts = sorted([one["id"], one["text"]] for one in small().queries)
    return hashlib.sha256(json.dumps(texts, ensure_ascii=False).encode()).hexdigest()


def header(system: str, **other: object) -> Row:
    """The first line of a run."""
    return {
        "system": system,
        "interface": "engine",
        "version": "v-0123456789ab",
        "corpus": bundled_world().corpus.digest,
        "partition": "development",
        "seed": 7,
        "repeats": REPEATS,
        "identity": {"hardware": "a machine"},
        "queries": asked(),
    } | other


def request(query: str, items: list[str] | None, repeat: int = 0, **other: object) -> Row:
    """A line of a request."""
    return {
        "query": query,
        "repeat": repeat,
        "items": items,
        "milliseconds": None if items is None else MILLISECONDS,
        "error": "crashed" if items is None else "",
        "routes": {},
    } | other


def rows_of(lists: Mapping[str, list[str]], system: str) -> list[Row]:
    """A whole run, block by block."""
    asked = [request(query, items, at) for at in range(REPEATS) for query, items in lists.items()]
    return [header(system), *asked]


def write(path: Path, rows: Iterable[object]) -> Path:
    """Rows as a file; a text stands for itself, without a line's end."""
    lines = [row if isinstance(row, str) else json.dumps(row, ensure_ascii=False) + "\n" for row in rows]
    path.write_text("".join(lines), encoding="utf-8")
    return path


class Desk:
    """A partition and one perfect run of each system in a folder, with the options of a command that scores them.

    Attributes:
        rows: system -> the lines of its run.
    """

    def __init__(self, folder: Path, draft: Draft | None = None) -> None:
        self.folder = folder
        self.partition = drafted().write(folder / "partition")
        self.truth = truth(self.partition)
        self.lists = best(self.truth)
        self.rows: dict[str, list[Row]] = {system: rows_of(self.lists, system) for system in SYSTEMS}
        if draft:
            draft.write(self.partition)
        self.release = folder / "release.json"
        self.release.write_text(json.dumps(dict.fromkeys(RELEASE_GATES, True)))

    def answer(self, system: str, query: str, items: list[str] | None, **other: object) -> None:
        """Every repeat of a query gives this."""
        for at, row in enumerate(self.rows[system]):
            if row.get("query") == query:
                self.rows[system][at] = request(query, items, row["repeat"], **other)

    def options(self) -> list[str]:
        """What follows the runs on the command line."""
        return ["--partition", str(self.partition), "--release", str(self.release)]

    def runs(self) -> list[str]:
        """Write the runs; dense comes first, which no order of the scorecard is."""
        return [str(write(self.folder / f"{system}.jsonl", self.rows[system])) for system in SYSTEMS[::-1]]

    def trec(self, name: str = "bm25.run", text: str | None = None) -> str:
        """Write a TREC run, the perfect one if none is given."""
        path = self.folder / name
        path.write_text(format_run(self.lists, bundled_world().memes, "x") if text is None else text)
        return str(path)
