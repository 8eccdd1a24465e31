"""TREC files keep what they are given, order runs as trec_eval does, and refuse what has no one meaning."""

from pathlib import Path

import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

from mambomeme_eval.benchmark import PartitionError
from mambomeme_eval.trec import Run, format_qrels, format_run, format_runs, read_qrels, read_runs
from mambomeme_tui.errors import UsageError

QUERIES = ["q-1", "q-2", "q-3"]
ITEMS = [f"doge.n{number:02}" for number in range(14)]
LISTS = st.none() | st.lists(st.sampled_from(ITEMS), max_size=10, unique=True)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("trec")


def read(folder: Path, *texts: str) -> Run:
    paths = [folder / f"{number}.run" for number in range(len(texts))]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text, encoding="utf-8")
    return read_runs(paths, QUERIES, ITEMS)


@given(
    st.dictionaries(st.sampled_from(QUERIES), st.dictionaries(st.sampled_from(ITEMS), st.integers(0, 6), min_size=1))
)
def test_qrels_come_back_as_they_were(folder: Path, grades: dict[str, dict[str, int]]) -> None:
    path = folder / "qrels"
    path.write_text(format_qrels(grades))
    assert read_qrels(path, QUERIES, ITEMS) == grades


@given(repeats=st.lists(st.fixed_dictionaries(dict.fromkeys(QUERIES, LISTS)), min_size=1, max_size=3))
def test_runs_come_back_with_their_order_empty_answers_and_failures(
    folder: Path, repeats: list[dict[str, list[str] | None]]
) -> None:
    run: Run = {query: [one[query] for one in repeats] for query in QUERIES}
    assert read(folder, *format_runs(run, ITEMS, "bm25")) == run


def test_an_empty_answer_and_a_failed_request_are_told_apart() -> None:
    text = format_run({"q-1": [], "q-2": None, "q-3": ["doge.n01", "doge.n00"]}, ITEMS, "x")
    assert text == "q-1 Q0 (empty) 1 10 x\nq-3 Q0 doge.n01 1 10 x\nq-3 Q0 doge.n00 2 9 x\n"


@pytest.mark.parametrize("ids", [["doge.n00", "doge.n00"], ITEMS[:11], ["doge.unknown"], ["(empty)"], ["a b"]])
def test_a_list_that_is_an_error_in_itself_is_a_failed_request(folder: Path, ids: list[str]) -> None:
    text = format_run({"q-1": ids, "q-2": ["doge.n00"]}, ITEMS, "x")
    assert read(folder, text) == {"q-1": [None], "q-2": [["doge.n00"]], "q-3": [None]}


def oracle_rank(scores: dict[str, float], item: str) -> float:
    """One over the rank that trec_eval gives an item."""
    evaluator = pytrec_eval.RelevanceEvaluator({"q": {item: 1}}, {"recip_rank"})
    return float(evaluator.evaluate({"q": scores})["q"]["recip_rank"])


SCORES = st.sampled_from([0.0, -1.5, 1.0, 1.00000001, 1.0000002, 2.5, 1e-40, 3e38, 123456789.0, 123456788.0])


@given(scores=st.dictionaries(st.sampled_from(ITEMS), SCORES | st.floats(-9, 9), min_size=1, max_size=10))
def test_a_run_has_the_order_of_trec_eval_ties_and_single_precision_too(folder: Path, scores: dict[str, float]) -> None:
    order = sorted(scores, key=lambda item: -scores[item])
    text = "".join(f"q-1 Q0 {item} {rank} {scores[item]!r} x\n" for rank, item in enumerate(order, 1))
    (ranked,) = read(folder, text)["q-1"]
    assert ranked is not None
    assert [1 / (at + 1) for at in range(len(ranked))] == [oracle_rank(scores, item) for item in ranked]


@given(ranked=st.lists(st.sampled_from(ITEMS), min_size=1, max_size=10, unique=True))
def test_trec_eval_reads_an_exported_run_in_the_order_displayed(ranked: list[str]) -> None:
    rows = [line.split() for line in format_run({"q": ranked}, ITEMS, "x").splitlines()]
    scores = {item: float(score) for _, _, item, _, score, _ in rows}
    assert [oracle_rank(scores, item) for item in ranked] == [1 / rank for rank in range(1, len(ranked) + 1)]


def row(item: str = "doge.n00", rank: str = "1", score: str = "1", query: str = "q-1") -> str:
    return f"{query} Q0 {item} {rank} {score} x\n"


ELEVEN = "".join(row(item, str(at), str(20 - at)) for at, item in enumerate(ITEMS[:11], 1))


@pytest.mark.parametrize(
    ("text", "places"),
    [
        (row(score="nan"), [(1, "score")]),
        (row(score="NaN") + row(score="inf", item="doge.n01"), [(1, "score"), (2, "score")]),
        (row(score="-Infinity"), [(1, "score")]),
        (row(score="1e39"), [(1, "score")]),
        (row(score="1e999"), [(1, "score")]),
        (row(score="1_0"), [(1, "score")]),
        (row(score="١"), [(1, "score")]),
        (row(score="0x10"), [(1, "score")]),
        (row(rank="1.0"), [(1, "rank")]),
        (row(rank="-1"), [(1, "rank")]),
        (row() + row(score="0", rank="2"), [(2, "item")]),
        (row("doge.unknown"), [(1, "item")]),
        (row("(empty)") + row(rank="2", score="0"), [(1, "item")]),
        (row(query="q-9"), [(1, "query")]),
        (ELEVEN, [(11, "query")]),
        (row(rank="2", score="2") + row("doge.n01", "1", "1"), [(2, "rank")]),
        (row(rank="5", score="3") + row("doge.n01", "7", "2") + row("doge.n02", "3", "2"), [(3, "rank")]),
        (row(rank="9", score="3") + row("doge.n01", "9", "2"), [(2, "rank")]),
        (
            row(rank="5", score="3") + row("doge.n01", "1", "2") + row("doge.n02", "3", "1"),
            [(2, "rank"), (3, "rank")],
        ),
        ("q-1 Q0 doge.n00 1 1\n", [(1, "(line)")]),
        (row() + "\n", [(2, "(line)")]),
        (row()[:-1], [(1, "(line)")]),
    ],
)
def test_a_run_without_one_meaning_is_refused_with_every_place(
    folder: Path, text: str, places: list[tuple[int, str]]
) -> None:
    with pytest.raises(PartitionError, match="run has") as raised:
        read(folder, text)
    assert [(one.line, one.field) for one in raised.value.faults] == places


def test_faults_of_all_repeats_are_told(folder: Path) -> None:
    with pytest.raises(PartitionError, match="2 faults"):
        read(folder, row(score="nan"), row(), row(rank="?"))


def test_ranks_of_equal_scores_say_nothing_and_the_name_decides(folder: Path) -> None:
    text = row("doge.n03", "1", "2") + row("doge.n05", "2", "2") + row("doge.n04", "3", "2")
    assert read(folder, text)["q-1"] == [["doge.n05", "doge.n04", "doge.n03"]]


def test_a_query_missing_in_one_repeat_failed_there_alone(folder: Path) -> None:
    assert read(folder, row(), row(query="q-2"))["q-1"] == [["doge.n00"], None]


@pytest.mark.parametrize(
    "text",
    [
        "q-1 0 doge.n00 7\n",
        "q-1 0 doge.n00 -1\n",
        "q-1 0 doge.n00 1.5\n",
        "q-1 0 doge.unknown 1\n",
        "q-9 0 doge.n00 1\n",
        "q-1 0 doge.n00 1 x\n",
        "q-1 0 doge.n01 1\nq-1 0 doge.n01 2\n",
        "q-1 0 doge.n00 1",
    ],
)
def test_qrels_without_one_meaning_are_refused(folder: Path, text: str) -> None:
    path = folder / "bad"
    path.write_text(text)
    with pytest.raises(PartitionError, match="qrels file has 1 fault"):
        read_qrels(path, QUERIES, ITEMS)


def test_a_missing_run_file_is_a_fault(folder: Path) -> None:
    with pytest.raises(PartitionError, match="1 fault"):
        read_runs([folder / "no-such"], QUERIES, ITEMS)


@pytest.mark.parametrize("tag", ["", "a b", "a\n", "é"])
def test_a_tag_that_would_break_the_columns_is_refused(tag: str) -> None:
    with pytest.raises(UsageError):
        format_run({}, ITEMS, tag)


def test_queries_with_unequal_repeats_are_refused() -> None:
    with pytest.raises(UsageError):
        format_runs({"q-1": [[]], "q-2": [[], []]}, ITEMS, "x")
