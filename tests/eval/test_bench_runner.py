"""The benchmark in real terminals: faults of the product are each caught under their names, and a run goes on."""

from dataclasses import replace
from pathlib import Path

import pytest

from mambomeme_eval.bench import runner
from mambomeme_eval.bench.references import References
from mambomeme_eval.bench.runner import Unmeasurable, measure
from mambomeme_eval.bench.samples import RUNS, file_of, read_processes, read_samples
from mambomeme_eval.bench.verify import Error
from mambomeme_eval.benchmark import Query
from mambomeme_eval.runs import read_run
from mambomeme_tui.errors import UsageError
from mambomeme_tui.retrieval.engine import Engine
from tests.eval.benching import (
    FAULTY,
    QUICK_TIMEOUT_MS,
    header,
    queries_of,
    references_of,
    surroundings_of,
    unheard,
    work,
)


@pytest.fixture(scope="module")
def queries(tmp_path_factory: pytest.TempPathFactory) -> tuple[Query, ...]:
    return queries_of(tmp_path_factory.mktemp("partition") / "small")


@pytest.fixture(scope="module")
def references(engine: Engine, queries: tuple[Query, ...]) -> References:
    return references_of(engine, queries)


@pytest.fixture
def surroundings(data_dir: Path, tmp_path: Path) -> dict[str, str]:
    return surroundings_of(data_dir, tmp_path / "nothing")


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        ("early", Error.EARLY),
        ("wrong", Error.WRONG_LIST),
        ("short", Error.WRONG_LIST),
        ("twice", Error.TWICE),
        ("stranger", Error.STRANGER),
        ("version", Error.VERSION),
        ("failing", Error.STATE),
        ("dropped", Error.SCREEN),
        ("count", Error.SCREEN),
        ("backdated", Error.MARKER),
        ("garbled", Error.MARKER),
        ("doubled", Error.MARKER),
        ("misnumbered", Error.MARKER),
        ("slow", Error.TIMEOUT),
        ("never", Error.TIMEOUT),
        ("stopped", Error.TIMEOUT),
        ("crash", Error.ENDED),
    ],
)
def test_a_fault_of_the_product_is_an_error_of_that_search_alone(
    fault: str,
    error: Error,
    queries: tuple[Query, ...],
    references: References,
    surroundings: dict[str, str],
    tmp_path: Path,
) -> None:
    order = [[query for query in queries if query.id in (FAULTY, "dev-005", "dev-007")]]
    lost = error in (Error.TIMEOUT, Error.ENDED)
    asked = work(references, order, surroundings, fault, QUICK_TIMEOUT_MS if error is Error.TIMEOUT else None)
    measure(asked, header(references), tmp_path, unheard)
    _, requests = read_run(file_of(tmp_path, RUNS, "bm25"))
    assert [(one.query, one.error) for one in requests] == [(FAULTY, error), ("dev-005", ""), ("dev-007", "")]
    assert [one.items is None for one in requests] == [True, False, False]
    samples = read_samples(tmp_path, "bm25")
    processes = read_processes(tmp_path, "bm25")
    assert [one.process for one in samples] == ([0, 1, 1] if lost else [0, 0, 0])
    assert [one.replaces for one in processes] == (["", error] if lost else [""])
    assert (samples[0].outside_ms is None) is lost
    right = references.lists["lexical", FAULTY].ids
    told = {"wrong": right[::-1], "short": right[:-1], "twice": (right[0], right[0], *right[2:])}
    assert samples[0].shown == told.get(fault, ())


def test_a_query_that_is_mended_is_borne_out_by_a_screen_that_says_so(
    engine: Engine, queries: tuple[Query, ...], surroundings: dict[str, str], tmp_path: Path
) -> None:
    asked = [replace(one, text=text) for one, text in zip(queries, ("jhon cenna", "distrakted boyfrend"), strict=False)]
    references = references_of(engine, tuple(asked))
    sentences = [references.lists["lexical", one.id].sentence for one in asked]
    assert sentences == ["jhon cena", "distracted boyfriend"]  # the first is what a family really is called too
    measure(work(references, [asked], surroundings), header(references), tmp_path, unheard)
    _, requests = read_run(file_of(tmp_path, RUNS, "bm25"))
    assert [(one.query, one.error) for one in requests] == [(one.id, "") for one in asked]


def test_what_is_right_is_measured_from_inside_and_outside(
    queries: tuple[Query, ...], references: References, surroundings: dict[str, str], tmp_path: Path
) -> None:
    order = runner.order_of(queries, 2, 7)
    measure(work(references, order, surroundings), header(references), tmp_path, unheard)
    head, requests = read_run(file_of(tmp_path, RUNS, "bm25"))
    assert head == header(references)
    assert [(one.query, one.repeat) for one in requests] == [
        (q.id, at) for at, block in enumerate(order) for q in block
    ]
    assert {one.error for one in requests} == {""}
    for one, sample in zip(requests, read_samples(tmp_path, "bm25"), strict=True):
        reference = references.lists["lexical", one.query]
        assert (one.items, one.routes) == (reference.ids, reference.routes)
        assert one.milliseconds == sample.inside_ms
        assert sample.inside_ms is not None
        assert sample.outside_ms is not None
        assert 0 < sample.inside_ms < sample.outside_ms
        assert sample.bytes
    (process,) = read_processes(tmp_path, "bm25")
    assert process.start_ms > 0


def test_an_interrupted_run_goes_on_where_it_stopped(
    queries: tuple[Query, ...], references: References, surroundings: dict[str, str], tmp_path: Path
) -> None:
    def stop(_system: str, done: int, _total: int) -> None:
        if done == 3:
            raise KeyboardInterrupt

    asked = work(references, runner.order_of(queries, 1, 7), surroundings)
    with pytest.raises(KeyboardInterrupt):
        measure(asked, header(references), tmp_path, stop)
    path = file_of(tmp_path, RUNS, "bm25")
    before = path.read_text()
    with path.open("a") as file:
        file.write('{"error": "", "items": ["john-ce')  # as a kill leaves it
    heard: list[int] = []
    measure(asked, header(references), tmp_path, lambda _system, done, _total: heard.append(done))
    assert heard == [3, 4, 5, 6, 7]
    assert path.read_text().startswith(before)
    _, requests = read_run(path)
    assert [one.query for one in requests] == [query.id for query in asked.order[0]]
    assert [one.process for one in read_samples(tmp_path, "bm25")] == [0, 0, 0, 1, 1, 1, 1]
    with pytest.raises(UsageError, match="other settings"):
        measure(asked, header(references, seed=8), tmp_path, unheard)
    with pytest.raises(UsageError, match="another order"):
        measure(work(references, runner.order_of(queries, 1, 8), surroundings), header(references), tmp_path, unheard)
    assert read_run(path)[1] == requests


def test_a_program_that_never_gets_ready_is_given_up(
    queries: tuple[Query, ...], references: References, surroundings: dict[str, str], tmp_path: Path
) -> None:
    asked = work(references, [list(queries)], surroundings | {"MAMBOMEME_DATA_DIR": str(tmp_path), "TERM": "dumb"})
    with pytest.raises(Unmeasurable, match="3 times while bm25"):
        measure(asked, header(references), tmp_path, unheard)


def test_one_seed_gives_one_order_of_everything(queries: tuple[Query, ...]) -> None:
    assert runner.order_of(queries, 3, 1) == runner.order_of(queries[::-1], 3, 1) != runner.order_of(queries, 3, 2)
    warm_ups = runner.warm_ups_of(queries, 10, 1)
    assert warm_ups == runner.warm_ups_of(queries[::-1], 10, 1) != runner.warm_ups_of(queries, 10, 2)
    assert len(warm_ups) == 10
    assert {query.id for query in warm_ups[:7]} == {query.id for query in queries}
