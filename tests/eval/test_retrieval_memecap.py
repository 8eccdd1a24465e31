"""Proves that MemeCap is read as it is, that a spoilt folder is refused without a word of it, and the ranks."""

import json
import shutil
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest

from mambomeme_eval.pipeline_process import Report
from mambomeme_eval.retrieval.indexes import scratch_data
from mambomeme_eval.retrieval.known_items import corpus_for, figures, measure
from mambomeme_eval.retrieval.memecap import Described, KnownItem, read
from mambomeme_tui.errors import UsageError
from mambomeme_tui.index.views import lexical_fields
from tests.eval.retrieving import MEMES, QUERIES, SECRET, memecap_folder, pack

Spoil = Callable[[Path], object]


@pytest.fixture(scope="module")
def report(data_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Report:
    """The real engine on the five memes."""
    known = read(memecap_folder(tmp_path_factory.mktemp("memecap")))
    with scratch_data(data_dir) as data:
        return measure(data, known)


def test_memes_and_queries_are_read_with_their_answers(tmp_path: Path) -> None:
    known = read(memecap_folder(tmp_path))
    assert known.memes == tuple(Described(*one) for one in MEMES)
    assert known.queries == tuple(KnownItem(text, kind, answer) for _, text, kind, answer in QUERIES)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda folder: (folder / "corpus.jsonl.gz").unlink(),
        lambda folder: (folder / "queries-dev.jsonl.gz").write_bytes(b"no gzip"),
        lambda folder: (folder / "corpus.jsonl.gz").write_bytes((folder / "corpus.jsonl.gz").read_bytes()[:-9]),
        lambda folder: pack(folder / "corpus.jsonl.gz", []),
        lambda folder: pack(folder / "queries-dev.jsonl.gz", []),
        lambda folder: pack(folder / "corpus.jsonl.gz", [f'["{SECRET}"]']),
        lambda folder: pack(folder / "corpus.jsonl.gz", [f'{{"id": "{SECRET}", "title": 1, "text": ""}}']),
        lambda folder: pack(folder / "corpus.jsonl.gz", ["[" * 100_000]),
        lambda folder: pack(folder / "corpus.jsonl.gz", ['{"id": "fox1", "title": "", "text": ""}'] * 2),
        lambda folder: pack(folder / "qrels-dev.tsv.gz", ["query-id\tcorpus-id\tscore", f"q-fox {SECRET} 1"]),
        lambda folder: pack(folder / "qrels-dev.tsv.gz", ["h\th\th", *(f"{one[0]}\t{SECRET}\t1" for one in QUERIES)]),
        lambda folder: pack(folder / "qrels-dev.tsv.gz", ["h\th\th", *(f"{one[0]}\tfox1\t1" for one in QUERIES[1:])]),
        lambda folder: pack(
            folder / "qrels-dev.tsv.gz",
            ["h\th\th", *(f"{one[0]}\t{item}\t1" for one in QUERIES for item in ("fox1", "ban1"))],
        ),
        shutil.rmtree,
    ],
)
def test_a_spoilt_folder_is_one_sentence_that_quotes_nothing(tmp_path: Path, spoil: Spoil) -> None:
    folder = memecap_folder(tmp_path / "folder")
    spoil(folder)
    with pytest.raises(UsageError) as refused:
        read(folder)
    told = str(refused.value)
    assert str(folder) in told
    assert SECRET not in told
    assert told.count(". ") == 0
    assert told.endswith(".")


def test_title_and_description_are_all_that_is_indexed() -> None:
    corpus, names = corpus_for([Described("b", "Red fox", "It runs"), Described("a", "", "It sits")])
    memes = {meme.id: lexical_fields(meme) for meme in corpus.memes}
    kept = {name: (one["names"], one["picture"], one["quote"], one["meaning"]) for name, one in memes.items()}
    assert kept == {names["b"]: ("Red fox", "It runs", "", ""), names["a"]: ("It sits", "It sits", "", "")}
    assert len({meme.family.id for meme in corpus.memes}) == len({meme.group for meme in corpus.memes}) == 2


def test_a_mean_is_over_the_queries_of_its_kind() -> None:
    asked = [KnownItem("", kind, "") for kind in ("meaning", "visual", "meaning", "meaning")]
    ranks = [Fraction(1), Fraction(1, 4), Fraction(1, 2), Fraction(0)]
    assert figures(asked, ranks) == {
        "meaning": {"queries": 3, "mrr10": 0.5, "hit10": pytest.approx(2 / 3)},
        "visual": {"queries": 1, "mrr10": 0.25, "hit10": 1.0},
    }


def test_the_words_of_a_query_find_its_meme_at_the_rank_that_they_must(report: Report) -> None:
    """A fox stands in one meme; a banana in a name first, where it counts more; a trumpet nowhere."""
    assert (report["memes"], report["queries"]) == (5, 4)
    assert report["systems"]["bm25"] == {
        "meaning": {"queries": 3, "mrr10": pytest.approx((1 + 1 / 2 + 0) / 3), "hit10": pytest.approx(2 / 3)},
        "visual": {"queries": 1, "mrr10": 1.0, "hit10": 1.0},
    }


def test_where_nothing_fits_the_nearest_count_all_the_same(report: Report) -> None:
    """Of five memes each stands among the ten nearest to anything, a trumpet too."""
    for system in ("dense", "hybrid"):
        found = report["systems"][system]
        assert {kind: one["hit10"] for kind, one in found.items()} == {"meaning": 1.0, "visual": 1.0}
        assert 1 / 5 <= found["meaning"]["mrr10"] <= 1
    assert report["systems"]["dense"]["visual"]["mrr10"] == 1.0


def test_no_text_of_a_meme_or_a_query_is_in_the_report(report: Report) -> None:
    told = json.dumps(report).casefold()
    assert json.loads(json.dumps(report)) == report
    for word in ("banana", "kitten", "trumpet", "lighthouse"):
        assert word not in told
