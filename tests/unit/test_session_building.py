"""Proves that a session tells what it loads, builds an index that is missing or damaged, and ends a build on close."""

import signal
from pathlib import Path

import pytest

from mambomeme_tui import corpus, paths
from mambomeme_tui.errors import IndexUnavailable, ModelUnavailable
from mambomeme_tui.index.catalogue import CATALOGUE_FILE
from mambomeme_tui.index.layout import CURRENT_FILE, VERSIONS_FOLDER
from mambomeme_tui.index.pointer import current_name
from mambomeme_tui.index.store import check
from mambomeme_tui.retrieval.results import State
from mambomeme_tui.rights import withheld_because
from mambomeme_tui.session import Answer, Building, DenseFailed, DenseReady, LexicalReady, Unavailable
from mambomeme_tui.stages import STAGES
from tests.folders import copy_of, without_version
from tests.unit.test_session import Heard, spoil

SOME_SECONDS = 500
"""How many texts take some seconds to embed, so that a build is still under way when it is ended."""


def built(data: Path, data_dir: Path) -> Heard:
    """Start a session that must build; checks what it told, and that a search asked meanwhile is answered."""
    made = Heard(data)
    made.start()
    made.until(Building)
    number = made.session.submit("john cena", "lexical", 10)
    ready = made.until(LexicalReady)
    progress = [event for event in made.all if isinstance(event, Building)]
    assert list(dict.fromkeys(event.stage for event in progress)) == ["start", *STAGES]
    for stage in ("embed", "index"):
        done = [event.done for event in progress if event.stage == stage]
        total = {event.total for event in progress if event.stage == stage}
        assert done == sorted(done)
        assert total == {done[-1]}
        assert done[-1] > 1
    assert ready.version == current_name(data) == current_name(data_dir)
    assert check(data, ready.version).corpus == check(data_dir, ready.version).corpus
    assert not ready.stale
    assert made.until(Answer, number).result.hits
    made.until(DenseReady)
    return made


def test_loading_tells_words_first_then_meanings(data_dir: Path) -> None:
    made = Heard(data_dir)
    made.start()
    made.until(DenseReady)
    made.close()
    made.drain()
    first, second = made.all
    assert isinstance(first, LexicalReady)
    assert first.version == current_name(data_dir)
    everything = corpus.load(paths.bundled("corpus")).memes
    may_be_shown = [meme for meme in everything if meme.safety.level == "safe" and not withheld_because(meme.rights)]
    assert first.memes == len(may_be_shown) < check(data_dir, first.version).corpus["items"]
    assert not first.stale
    assert second == DenseReady()


def test_a_damaged_encoder_is_told_and_words_are_answered(data_dir: Path, tmp_path: Path) -> None:
    data = copy_of(data_dir, tmp_path / "data")
    spoil(next((data / "models").glob("*/model.onnx")))
    made = Heard(data)
    made.start()
    assert isinstance(made.until(DenseFailed).error, ModelUnavailable)
    made.session.submit("john cena", "hybrid", 10)
    answer = made.until(Answer)
    made.close()
    assert answer.result.state is State.DENSE_FAILED
    assert answer.result.hits


def test_a_version_of_an_older_corpus_is_called_stale(data_dir: Path, tmp_path: Path) -> None:
    data = copy_of(data_dir, tmp_path / "data")
    name = current_name(data)
    (data / CURRENT_FILE).unlink()
    (data / CURRENT_FILE).write_text(f"{name} bundled {'0' * 64}\n")
    made = Heard(data)
    made.start()
    assert made.until(LexicalReady).stale
    made.until(DenseReady)
    made.close()


def test_a_missing_index_is_built_and_then_searched(data_dir: Path, tmp_path: Path) -> None:
    made = built(without_version(data_dir, tmp_path / "data"), data_dir)
    made.session.submit("guy looking back at another girl", "hybrid", 10)
    answer = made.until(Answer)
    made.close()
    assert answer.result.state is State.COMPLETE
    assert answer.result.hits[0].meme.family.id == "distracted-boyfriend"


def test_a_damaged_index_is_built_anew_and_never_served(data_dir: Path, tmp_path: Path) -> None:
    data = copy_of(data_dir, tmp_path / "data")
    spoil(data / VERSIONS_FOLDER / current_name(data) / CATALOGUE_FILE)
    with pytest.raises(IndexUnavailable):
        check(data, current_name(data))
    built(data, data_dir).close()


def test_closing_ends_a_build_that_is_under_way(data_dir: Path, tmp_path: Path) -> None:
    data = without_version(data_dir, tmp_path / "data", SOME_SECONDS)
    made = Heard(data)
    made.start()
    while made.until(Building).stage != "embed":
        pass
    rebuild = made.session._rebuild  # the only one who knows the other process
    assert rebuild is not None
    assert rebuild._process.poll() is None
    made.close()
    assert rebuild._process.returncode == 128 + signal.SIGTERM
    assert not (data / CURRENT_FILE).exists()
    assert list((data / VERSIONS_FOLDER).iterdir()) == []
    made.drain()
    assert not any(isinstance(event, Unavailable) for event in made.all)


def test_an_index_that_can_not_be_built_is_told_as_unavailable(tmp_path: Path) -> None:
    occupied = tmp_path / "file"
    occupied.touch()
    made = Heard(occupied / "data")
    made.start()
    unavailable = made.until(Unavailable)
    made.close()
    assert isinstance(unavailable.error, IndexUnavailable)
    assert "can't be written" in unavailable.error.message
