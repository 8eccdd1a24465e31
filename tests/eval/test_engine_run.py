"""The engine path: every query in seeded blocks, answered as the engine answers, and errors that stay errors."""

from pathlib import Path
from typing import Any

import pytest

from mambomeme_eval import engine_run
from mambomeme_eval.loading import load
from mambomeme_eval.runs import read_run
from mambomeme_tui.errors import MamboError, UsageError
from mambomeme_tui.retrieval.engine import Engine
from tests.eval.command_line import Capture, refused, run
from tests.eval.partitions import bundled_world, small
from tests.eval.run_files import SYSTEMS, Desk

WORLD = bundled_world()


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def test_every_system_asks_every_query_equally_often_in_shuffled_blocks(
    tmp_path: Path, data_dir: Path, engine: Engine, capsys: Capture
) -> None:
    partition = small().write(tmp_path / "partition")
    out = tmp_path / "new" / "runs"
    arguments = ["run", "--partition", str(partition), "--data-dir", str(data_dir), "--repeats", "3", "--out", str(out)]
    code, printed, told = run(capsys, *arguments)
    assert (code, told) == (0, [])
    assert printed.splitlines() == [str(out / f"{system}.jsonl") for system in SYSTEMS]
    ids = [one["id"] for one in small().queries]
    texts = {one["id"]: one["text"] for one in small().queries}
    orders = []
    for system in SYSTEMS:
        first, requests = read_run(out / f"{system}.jsonl")
        assert (first.system, first.interface, first.repeats) == (system, "engine", 3)
        assert first.version == engine.version.name
        assert first.corpus == WORLD.corpus.digest
        orders.append([one.query for one in requests])
        assert [one.repeat for one in requests] == [at for at in range(3) for _ in ids]
        assert all(sorted(orders[-1][at : at + 7]) == ids for at in (0, 7, 14))
        for one in requests:
            hits = engine.search(texts[one.query], engine_run.SYSTEMS[system]).hits
            assert one.items == tuple(hit.meme.id for hit in hits)
            assert set(one.routes) == set(one.items)
            assert one.milliseconds is not None
            assert one.milliseconds > 0
    assert orders[0] == orders[1] == orders[2]
    assert orders[0][:7] != orders[0][7:14]
    assert not any(text in (out / "bm25.jsonl").read_text() for text in texts.values() if " " in text)
    code, _, sentence = refused(capsys, "score", *printed.split(), "--partition", str(partition))
    assert code == 2  # the small pool does not hold what the engine finds
    assert "Not everything returned has a final grade" in sentence


class Broken:
    """An engine of which every other search fails in its own way."""

    def __init__(self, engine: Engine, failure: Exception) -> None:
        self.engine, self.failure, self.asked = engine, failure, 0
        self.version = engine.version

    def search(self, typed: str, route: str, limit: int) -> object:
        """A search or a failure."""
        self.asked += 1
        if self.asked % 2:
            raise self.failure
        return self.engine.search(typed, route, limit)


@pytest.mark.parametrize("failure", [MamboError("no"), ValueError("no"), OSError("no"), MemoryError()])
def test_whatever_the_engine_raises_is_an_error_of_that_request_alone(
    failure: Exception, desk: Desk, engine: Engine, data_dir: Path
) -> None:
    partition = load(desk.partition, WORLD)
    broken: Any = Broken(engine, failure)
    engine_run.run_engine(broken, partition, "bm25", 2, 1, desk.folder, lambda *_: None)
    _, requests = read_run(desk.folder / "bm25.jsonl")
    assert [one.error for one in requests] == [type(failure).__name__, ""] * 7
    assert [one.items is None for one in requests] == [True, False] * 7


def test_half_an_answer_is_an_error(desk: Desk, data_dir: Path) -> None:
    partition = load(desk.partition, WORLD)
    lexical = Engine(data_dir)  # whose dense route is not loaded
    try:
        found = engine_run.ask(lexical, partition.queries[0], "hybrid", 0)
    finally:
        lexical.close()
    assert (found.items, found.error) == (None, "dense-loading")


def test_a_run_that_cant_be_written_is_told(desk: Desk, data_dir: Path, capsys: Capture) -> None:
    (desk.folder / "bm25.jsonl").mkdir()
    arguments = ["run", "--partition", str(desk.partition), "--data-dir", str(data_dir), "--out", str(desk.folder)]
    code, _, sentence = refused(capsys, *arguments, "--system", "bm25")
    assert code == 2
    assert "is there already" in sentence


def test_a_run_is_not_written_over_and_has_its_name_only_when_it_is_whole(desk: Desk, engine: Engine) -> None:
    partition = load(desk.partition, WORLD)
    path = desk.folder / "bm25.jsonl"

    def stopped(_system: str, done: int, _total: int) -> None:
        assert not path.exists()
        if done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        engine_run.run_engine(engine, partition, "bm25", 2, 1, desk.folder, stopped)
    assert [one.name for one in desk.folder.iterdir() if "bm25" in one.name] == []
    engine_run.run_engine(engine, partition, "bm25", 1, 1, desk.folder, lambda *_: None)
    before = path.read_bytes()
    with pytest.raises(UsageError, match="there already"):
        engine_run.run_engine(engine, partition, "bm25", 1, 1, desk.folder, lambda *_: None)
    assert path.read_bytes() == before


def test_one_seed_gives_one_order_and_another_seed_another(desk: Desk) -> None:
    queries = load(desk.partition, WORLD).queries
    one, other = (engine_run.blocks(queries, 4, seed) for seed in (1, 2))
    assert engine_run.blocks(queries[::-1], 4, 1) == one
    assert one != other
    assert all(sorted(query.id for query in block) == [query.id for query in queries] for block in one + other)
