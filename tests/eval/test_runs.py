"""A run comes back as it was written; a line that is no request is named, and half a file is never a whole one."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mambomeme_eval.benchmark import PartitionError
from mambomeme_eval.runs import Request, RunHeader, as_system, read_run, to_line
from tests.eval.run_files import Row, header, request, write
from tests.eval.scoring import unhurried

LINES = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=9)
HEADERS = st.builds(
    RunHeader,
    system=LINES,
    interface=LINES,
    version=LINES,
    corpus=LINES,
    partition=LINES,
    seed=st.integers(0, 10**18),
    repeats=st.integers(4, 9),
    identity=st.dictionaries(LINES, LINES | st.just(""), max_size=3),
)
TIMES = st.floats(0, allow_nan=False, allow_infinity=False)
NAMES = st.lists(st.sampled_from(["dense", "lexical"]), unique=True).map(tuple)
ANSWERS = st.builds(
    Request,
    query=st.text(max_size=6),
    repeat=st.integers(0, 3),
    items=st.lists(st.text(max_size=6), max_size=11).map(tuple),
    milliseconds=TIMES,
    error=st.just(""),
    routes=st.dictionaries(st.text(max_size=6), NAMES, max_size=3),
)
ERRORS = st.builds(
    Request,
    query=st.text(max_size=6),
    repeat=st.integers(0, 3),
    items=st.none(),
    milliseconds=st.none() | TIMES,
    error=st.text(min_size=1, max_size=9),
    routes=st.just({}),
)
REQUESTS = st.lists(ANSWERS | ERRORS, max_size=9, unique_by=lambda one: (one.query, one.repeat))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("runs")


def faults(path: Path) -> list[tuple[int, str]]:
    """Line and field of every fault of a run that must be refused."""
    with pytest.raises(PartitionError) as raised:
        read_run(path)
    assert raised.value.exit_code == 3
    assert raised.value.message.startswith("The run has ")
    assert {one.file for one in raised.value.faults} == {str(path)}
    return [(one.line, one.field) for one in raised.value.faults]


@unhurried
@given(first=HEADERS, requests=REQUESTS)
def test_a_run_comes_back_as_it_was_written(folder: Path, first: RunHeader, requests: list[Request]) -> None:
    path = folder / "whole.jsonl"
    path.write_text(to_line(first) + "".join(map(to_line, requests)), encoding="utf-8", newline="")
    assert read_run(path) == (first, requests)


@unhurried
@given(requests=REQUESTS, data=st.data())
def test_a_system_has_its_repeats_in_their_order_whatever_the_order_of_the_lines(
    requests: list[Request], data: st.DataObject
) -> None:
    system = as_system(data.draw(st.permutations(requests)))
    assert set(system.run) == set(system.latencies) == {one.query for one in requests}
    for query in system.run:
        mine = [one for repeat in range(4) for one in requests if (one.query, one.repeat) == (query, repeat)]
        assert list(system.run[query]) == [one.items for one in mine]
        assert list(system.latencies[query]) == [None if one.items is None else one.milliseconds for one in mine]
        found = {(item, name) for one in mine for item, names in one.routes.items() for name in names}
        assert {(item, name) for item, names in system.routes.get(query, {}).items() for name in names} == found


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_what_is_no_number_is_never_written(number: float) -> None:
    with pytest.raises(ValueError, match="JSON"):
        to_line(Request("dev-001", 0, (), number))


def test_a_run_that_was_cut_anywhere_is_refused_or_has_fewer_requests(tmp_path: Path) -> None:
    path = write(tmp_path / "run.jsonl", [header("bm25"), request("dev-001", ["é.ü"]), request("dev-002", None)])
    whole, (_, requests) = path.read_bytes(), read_run(path)
    accepted = []
    for size in range(len(whole)):
        path.write_bytes(whole[:size])
        if whole[size - 1 : size] != b"\n" or not size:
            assert len(faults(path)) == 1, size
        else:
            _, left = read_run(path)
            assert left == requests[: len(left)]
            accepted.append(len(left))
    assert accepted == [0, 1]


GOOD = request("dev-001", ["doge.a"])
BAD_REQUESTS: dict[str, tuple[object, str]] = {
    "no JSON": ("rubbish\n", "(line)"),
    "an empty line": ("\n", "(line)"),
    "NaN": ('{"query": "dev-001", "repeat": 0, "items": [], "milliseconds": NaN}\n', "(line)"),
    "Infinity": ('{"query": "dev-001", "repeat": 0, "items": [], "milliseconds": Infinity}\n', "(line)"),
    "a key twice": ('{"query": "dev-001", "repeat": 0, "items": [], "items": null, "milliseconds": 1}\n', "(line)"),
    "a nesting without an end": ("[" * 100_000 + "\n", "(line)"),
    "a number without an end": ("9" * 10_000 + "\n", "(line)"),
    "a list": ([], "(line)"),
    "a number": (3, "(line)"),
    "null": (None, "(line)"),
    "an unknown key": (GOOD | {"rank": 1}, "(line)"),
    "a header": (header("bm25"), "(line)"),
    "no items": ({"query": "dev-001", "repeat": 0, "milliseconds": 1.0}, "(line)"),
    "a query that is no text": (GOOD | {"query": 1}, "query"),
    "a query that is a list": (GOOD | {"query": []}, "query"),
    "a negative repeat": (GOOD | {"repeat": -1}, "repeat"),
    "a repeat that is true": (GOOD | {"repeat": True}, "repeat"),
    "a repeat that is a float": (GOOD | {"repeat": 1.0}, "repeat"),
    "a repeat beyond those of the header": (GOOD | {"repeat": 2}, "repeat"),
    "items that are a text": (GOOD | {"items": "doge.a"}, "items"),
    "items that are an object": (GOOD | {"items": {"doge.a": 1}}, "items"),
    "items that are a number": (GOOD | {"items": 1}, "items"),
    "an item that is no text": (GOOD | {"items": [1]}, "items"),
    "a negative time": (GOOD | {"milliseconds": -0.1}, "milliseconds"),
    "a time that is a text": (GOOD | {"milliseconds": "1"}, "milliseconds"),
    "a time that is true": (GOOD | {"milliseconds": True}, "milliseconds"),
    "a time beyond all floats": (GOOD | {"milliseconds": 10**400}, "milliseconds"),
    "a list with an error": (GOOD | {"error": "crashed"}, "error"),
    "neither list nor error": (GOOD | {"items": None}, "error"),
    "an error that is no text": (GOOD | {"items": None, "error": 5}, "error"),
    "routes that are a list": (GOOD | {"routes": ["lexical"]}, "routes"),
    "routes that are a number": (GOOD | {"routes": {"doge.a": 1}}, "routes"),
    "routes that are a text": (GOOD | {"routes": {"doge.a": "lexical"}}, "routes"),
    "routes that are lists": (GOOD | {"routes": {"doge.a": [["lexical"]]}}, "routes"),
    "an unknown route": (GOOD | {"routes": {"doge.a": ["visual"]}}, "routes"),
}


@pytest.mark.parametrize("case", BAD_REQUESTS)
def test_a_line_that_is_no_request_is_named(case: str, tmp_path: Path) -> None:
    line, field = BAD_REQUESTS[case]
    path = write(tmp_path / "run.jsonl", [header("bm25"), request("dev-002", []), line])
    assert faults(path) == [(3, field)]


def test_a_time_that_overflows_when_it_is_read_is_none(tmp_path: Path) -> None:
    line = json.dumps(GOOD | {"milliseconds": 5}).replace(": 5", ": 1e999") + "\n"
    assert faults(write(tmp_path / "run.jsonl", [header("bm25"), line])) == [(2, "milliseconds")]


def test_every_faulty_request_is_named(tmp_path: Path) -> None:
    rows = [header("bm25"), GOOD, GOOD, GOOD | {"repeat": -1}, request("dev-002", []), GOOD]
    assert faults(write(tmp_path / "run.jsonl", rows)) == [(3, "repeat"), (4, "repeat"), (6, "repeat")]


BAD_HEADERS: dict[str, tuple[object, str]] = {
    "a request": (GOOD, "(line)"),
    "a list": ([], "(line)"),
    "a text": ('"bm25"\n', "(line)"),
    "no seed": ({name: value for name, value in header("bm25").items() if name != "seed"}, "(line)"),
    "an unknown key": (header("bm25", time="now"), "(line)"),
    "no system": (header(""), "(line)"),
    "a system that is a list": (header("bm25") | {"system": ["bm25"]}, "(line)"),
    "a control code": (header("bm25\x1b[31m"), "(line)"),
    "half a character": (json.dumps(header("bm25\ud800")) + "\n", "(line)"),
    "a corpus that is null": (header("bm25", corpus=None), "(line)"),
    "a seed that is a text": (header("bm25", seed="7"), "seed"),
    "a negative seed": (header("bm25", seed=-7), "seed"),
    "no repeats": (header("bm25", repeats=0), "repeats"),
    "repeats that are true": (header("bm25", repeats=True), "repeats"),
    "an identity that is a text": (header("bm25", identity="a machine"), "identity"),
    "an identity with a number": (header("bm25", identity={"cores": 2}), "identity"),
    "an identity with a control code": (header("bm25", identity={"hardware": "\x07"}), "identity"),
}


@pytest.mark.parametrize("case", BAD_HEADERS)
def test_a_first_line_that_does_not_say_what_was_run_is_named(case: str, tmp_path: Path) -> None:
    line, field = BAD_HEADERS[case]
    assert faults(write(tmp_path / "run.jsonl", [line, GOOD])) == [(1, field)]


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"\x00"])
def test_what_is_no_text_is_no_run(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_bytes(content)
    assert [line for line, _ in faults(path)] == [1]


def test_a_run_that_is_not_there_or_is_a_folder_is_told(tmp_path: Path) -> None:
    assert faults(tmp_path / "nowhere.jsonl") == [(1, "(file)")]
    assert faults(tmp_path) == [(1, "(file)")]


def test_ends_of_lines_in_texts_are_kept(tmp_path: Path) -> None:
    row: Row = request("a\rb\u2028c\x85", ["d\ne"])
    _, (found,) = read_run(write(tmp_path / "run.jsonl", [header("bm25"), row]))
    assert (found.query, found.items) == (row["query"], ("d\ne",))
