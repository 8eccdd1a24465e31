"""Raw runs: every request of one system, with its list or its error, its milliseconds, and the routes of its hits.

A run is a JSONL file. Its first line says what was run; then comes one line a request, in the order in which they were
made, written and flushed one by one, so that a run that was interrupted can be resumed. Every line ends with a line
feed, the last one too. Nothing in it is rounded, and it holds ids but no query text.
"""

import hashlib
import json
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from mambomeme_eval.benchmark import Partition, PartitionError
from mambomeme_eval.loading_rows import distinct, refuse
from mambomeme_eval.scorecard import System
from mambomeme_tui.errors import Fault
from mambomeme_tui.files import read_bytes

SUFFIX: Final = ".jsonl"
MOST_BYTES: Final = 512_000_000
"""Of a run; the largest plan, 480 queries sixty times, makes a tenth of it."""
ROUTES: Final = frozenset({"lexical", "dense"})


@dataclass(frozen=True, slots=True)
class RunHeader:
    """What was run.

    Attributes:
        system: `bm25`, `dense` or `hybrid`.
        interface: `engine` for the search in process, `tui` for the real program in a terminal.
        version: of the index.
        corpus: its digest.
        partition: the partition's name.
        seed: of the order of the requests.
        repeats: how often every query was to be asked; a run that ends earlier is not whole.
        identity: hardware, libraries, protocol and whatever else must be equal for two runs to be compared.
        queries: their digest, see `partition_digest`; a run that doesn't name it can't be scored.
    """

    system: str
    interface: str
    version: str
    corpus: str
    partition: str
    seed: int
    repeats: int
    identity: dict[str, str] = field(default_factory=dict)
    queries: str = ""


@dataclass(frozen=True, slots=True)
class Request:
    """One request.

    Attributes:
        query: its id.
        repeat: how often the query was asked before in this run.
        items: the ranked ids, or None for an error.
        milliseconds: from submit to the complete list; None where there was no answer.
        error: why there is no list; empty otherwise.
        routes: id -> the routes that found it.
    """

    query: str
    repeat: int
    items: tuple[str, ...] | None
    milliseconds: float | None
    error: str = ""
    routes: dict[str, tuple[str, ...]] = field(default_factory=dict)


def partition_digest(partition: Partition) -> str:
    """SHA-256 of the ids and texts of a partition's queries, in any order: what a run was asked."""
    asked = sorted((query.id, query.text) for query in partition.queries)
    return hashlib.sha256(json.dumps(asked, ensure_ascii=False).encode("utf-8")).hexdigest()


def to_line(record: RunHeader | Request) -> str:
    """One line of a run file, its end included."""
    return json.dumps(asdict(record), ensure_ascii=False, sort_keys=True, allow_nan=False) + "\n"


def read_run(path: Path) -> tuple[RunHeader, list[Request]]:
    """Read a run.

    Raises:
        PartitionError: naming every line that is no request, and a last line that was not written to its end.
    """
    faults: list[Fault] = []
    lines = list(_lines(path))
    header = _header(path, lines[0][1] if lines else None, faults)
    requests: dict[tuple[str, int], Request] = {}
    for number, data in lines[1:]:
        one = _request(path, number, data, faults)
        if one and requests.setdefault((one.query, one.repeat), one) is not one:
            faults.append(Fault(str(path), number, "repeat", "each repeat of a query once"))
        if one and header and one.repeat >= header.repeats:
            faults.append(Fault(str(path), number, "repeat", "less than the repeats that the first line names"))
    if faults or header is None:
        raise PartitionError(faults, "run")
    return header, list(requests.values())


def _lines(path: Path) -> Iterator[tuple[int, Any]]:
    try:
        *lines, rest = read_bytes(path, MOST_BYTES).decode("utf-8").split("\n")
    except OSError as error:
        fault = Fault(str(path), 1, "(file)", f"a readable run: {error.strerror or error}")
        raise PartitionError([fault], "run") from None
    except UnicodeDecodeError as error:
        raise PartitionError([Fault(str(path), 1, "(file)", f"a run in UTF-8: {error}")], "run") from None
    for number, line in enumerate(lines, 1):
        try:
            yield number, json.loads(line, object_pairs_hook=distinct, parse_constant=refuse)
        except (ValueError, RecursionError) as error:
            fault = Fault(str(path), number, "(line)", f"a whole line of JSON: {error}")
            raise PartitionError([fault], "run") from None
    if rest:
        fault = Fault(str(path), len(lines) + 1, "(line)", "a line feed at its end; the line is half-written")
        raise PartitionError([fault], "run")


def _header(path: Path, data: Any, faults: list[Fault]) -> RunHeader | None:
    try:
        header = RunHeader(**data)
    except TypeError:
        faults.append(Fault(str(path), 1, "(line)", "what was run"))
        return None
    texts = (header.system, header.interface, header.version, header.corpus, header.partition)
    for name, sound, expected in (
        ("(line)", all(_is_text(text) and text for text in texts), "texts that say what was run"),
        ("seed", type(header.seed) is int and header.seed >= 0, "a whole number from 0"),
        ("repeats", type(header.repeats) is int and header.repeats >= 1, "a whole number from 1"),
        ("identity", _is_texts(header.identity), "texts by name"),
        ("queries", _is_text(header.queries), "the digest of the queries"),
    ):
        if not sound:
            faults.append(Fault(str(path), 1, name, expected))
            return None
    return header


def _is_text(value: object) -> bool:
    return isinstance(value, str) and value.isprintable()


def _is_texts(value: object) -> bool:
    return isinstance(value, dict) and all(_is_text(text) for pair in value.items() for text in pair)


def _request(path: Path, number: int, data: Any, faults: list[Fault]) -> Request | None:
    try:
        request = Request(**data)
    except TypeError:
        faults.append(Fault(str(path), number, "(line)", "a request"))
        return None
    for name, sound, expected in (
        ("query", isinstance(request.query, str), "a query's id"),
        ("repeat", type(request.repeat) is int and request.repeat >= 0, "a whole number from 0"),
        ("items", request.items is None or _is_ids(request.items), "ids, or null"),
        ("milliseconds", _is_time(request.milliseconds), "milliseconds from 0, or null"),
        ("error", isinstance(request.error, str) and bool(request.error) == (request.items is None), "why, or a list"),
        ("routes", _is_routes(request.routes), f"{' and '.join(sorted(ROUTES))}, by id"),
    ):
        if not sound:
            faults.append(Fault(str(path), number, name, expected))
            return None
    return replace(
        request,
        items=None if request.items is None else tuple(request.items),
        routes={item: tuple(names) for item, names in request.routes.items()},
    )


def _is_ids(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def _is_routes(value: object) -> bool:
    return isinstance(value, dict) and all(_is_ids(names) and ROUTES.issuperset(names) for names in value.values())


def _is_time(value: object) -> bool:
    """A whole number beyond all floats is none, and a NaN is never between two numbers."""
    if value is None:
        return True
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= sys.float_info.max


def as_system(requests: list[Request]) -> System:
    """A run as what is scored: lists, latencies and routes by query, repeats in their order."""
    run: dict[str, list[tuple[str, ...] | None]] = defaultdict(list)
    latencies: dict[str, list[float | None]] = defaultdict(list)
    routes: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for one in sorted(requests, key=lambda request: (request.query, request.repeat)):
        run[one.query].append(one.items)
        latencies[one.query].append(one.milliseconds if one.items is not None else None)
        for item, names in one.routes.items():
            routes[one.query][item].update(names)
    return System(dict(run), dict(latencies), {query: dict(items) for query, items in routes.items()})
