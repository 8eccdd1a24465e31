"""Proves what an engine promises of every result: places, evidence, states, cancellation, calm at any query."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mambomeme_tui.errors import ModelUnavailable, UsageError
from mambomeme_tui.index import structure
from mambomeme_tui.index.store import model_folder
from mambomeme_tui.index.vectors import VECTORS_FILE
from mambomeme_tui.retrieval.coverage import coverage
from mambomeme_tui.retrieval.dense import DenseRoute
from mambomeme_tui.retrieval.engine import Engine, SearchCancelled
from mambomeme_tui.retrieval.fusion import fuse
from mambomeme_tui.retrieval.lexical import LexicalRoute
from mambomeme_tui.retrieval.naming import families_named
from mambomeme_tui.retrieval.query import understand
from mambomeme_tui.retrieval.results import Candidate, Hit, RouteEvidence, State
from tests.folders import copy_of

ROUTES = ("hybrid", "lexical", "dense")
QUERIES = (
    "john cena",
    "guy looking back at another girl",
    "dog in a burning room",
    "when the code works",
    "zxqvwk cat",
)
DEADLINE = 60.0

anything = st.text(st.characters(exclude_categories=()), max_size=200)
"""Any code point, lone surrogates and control codes included."""


def judged(engine: Engine, least: float) -> Engine:
    """The same, for which everything fits (0) or nothing (1.1): how near is near enough is no matter here."""
    told = engine.version.parameters
    thresholds = {name: model | {"least": least} for name, model in told.thresholds.items()}
    engine._ranking._parameters = replace(told, thresholds=thresholds)
    return engine


def opened_with(data_dir: Path, least: float, dense: bool) -> Iterator[Engine]:
    opened = judged(Engine(data_dir), least)
    if dense:
        opened.load_dense()
        assert opened.dense_error is None
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def engine(data_dir: Path) -> Iterator[Engine]:
    """An engine with both routes for which everything fits."""
    yield from opened_with(data_dir, 0.0, dense=True)


@pytest.fixture
def wordy(data_dir: Path) -> Iterator[Engine]:
    """An engine for which everything fits and whose dense route was not loaded."""
    yield from opened_with(data_dir, 0.0, dense=False)


def spoil(path: Path) -> None:
    """Change one byte; the file is a hard link, so it is replaced and the other name keeps its content."""
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 0xFF
    path.unlink()
    path.write_bytes(content)


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("typed", QUERIES)
def test_ranks_count_from_one_and_no_id_comes_twice(engine: Engine, typed: str, route: str) -> None:
    result = engine.search(typed, route)
    assert [hit.rank for hit in result.hits] == list(range(1, len(result.hits) + 1))
    assert len({hit.meme.id for hit in result.hits}) == len(result.hits) <= 10
    assert [hit.score for hit in result.hits] == sorted((hit.score for hit in result.hits), reverse=True)
    assert (result.query, result.route, result.version) == (typed, route, engine.version.name)
    for hit in result.hits:
        assert engine.version.catalogue.by_id(hit.meme.id) == hit.meme


def test_john_cena_comes_first_and_fills_all_ten_places(engine: Engine) -> None:
    hits = engine.search("john cena").hits
    assert len(hits) == 10
    assert hits[0].meme.family.id == "john-cena"
    of_family = sum(hit.meme.family.id == "john-cena" for hit in engine.search("john cena", limit=8).hits)
    assert of_family == 8


@pytest.mark.parametrize("route", ["dense", "hybrid"])
def test_a_description_without_the_name_finds_the_distracted_boyfriend(engine: Engine, route: str) -> None:
    hits = engine.search("guy looking back at another girl", route).hits
    assert hits[0].meme.family.id == "distracted-boyfriend"


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("limit", [1, 3, 10])
def test_a_lower_limit_gives_the_beginning_of_the_same_ranking(engine: Engine, route: str, limit: int) -> None:
    everything = engine.search("john cena", route, 100).hits
    assert engine.search("john cena", route, limit).hits == everything[:limit]


def asked(engine: Engine, typed: str) -> dict[str, list[Candidate]]:
    """What each route finds; the dense one is told how much of the query one of the lexical candidates has."""
    told, version = engine.version.parameters, engine.version
    query, shown = understand(typed, engine._mend), engine._shown
    lexical = LexicalRoute(version.folder, told)
    dense = DenseRoute(version.folder, model_folder(version.folder.parents[1], version.manifest), engine.size, told)
    words = lexical.search(query, shown)
    covered = coverage(query, words, lexical, engine._vocabulary)
    lexical.close()
    return {"lexical": words, "dense": dense.search(dense.encode(query), shown, covered)}


@pytest.mark.parametrize("typed", QUERIES)
def test_hybrid_evidence_is_what_each_route_says(engine: Engine, typed: str) -> None:
    said = {
        route: {one.position: RouteEvidence(rank, one.score) for rank, one in enumerate(found, 1)}
        for route, found in asked(engine, typed).items()
    }
    places = {meme.id: at for at, meme in enumerate(engine.version.catalogue.at(range(engine.size)))}
    hits = engine.search(typed, "hybrid", 100).hits
    assert hits
    assert {tuple(sorted(hit.routes)) for hit in hits} & {("dense",), ("dense", "lexical"), ("lexical",)}
    for hit in hits:
        assert hit.routes.keys() <= {"lexical", "dense"}
        for route, found in said.items():
            assert hit.routes.get(route) == found.get(places[hit.meme.id])


@pytest.mark.parametrize("typed", QUERIES)
def test_hybrid_ranks_what_both_routes_find_fused_without_the_copies(engine: Engine, typed: str) -> None:
    told, version = engine.version.parameters, engine.version
    belonging = structure.load(version.folder / structure.STRUCTURE_FILE)
    named = families_named(understand(typed, engine._mend).meant, engine._vocabulary.named)
    expected: dict[str, tuple[str, float]] = {}
    for position, score in fuse(asked(engine, typed), told.route_weights, named, belonging, told):
        (meme,) = version.catalogue.at([position])
        if engine._shown[position]:
            expected.setdefault(meme.group, (meme.id, score))
    hits = engine.search(typed, "hybrid", 50).hits
    assert [(hit.meme.id, hit.score) for hit in hits] == list(expected.values())[:50]


@pytest.mark.parametrize("route", ["lexical", "dense"])
@pytest.mark.parametrize("typed", QUERIES)
def test_a_single_route_names_itself_as_the_only_evidence(engine: Engine, typed: str, route: str) -> None:
    hits = engine.search(typed, route, 100).hits
    assert hits[0].routes.keys() == {route}
    assert all(hit.routes.keys() <= {route} for hit in hits), "what its family alone found has none"
    said = sorted((hit.routes[route].rank, -hit.routes[route].score) for hit in hits if hit.routes)
    assert len({rank for rank, _ in said}) == len(said)
    assert [score for _, score in said] == sorted(score for _, score in said)


def test_the_reasons_name_the_fields_that_hold_the_words_and_the_nearest_vector(engine: Engine) -> None:
    query, readable = understand("john cena"), {"names": "name", "topics": "topic", "situations": "use"}
    version = engine.version
    model = model_folder(version.folder.parents[1], version.manifest)
    dense = DenseRoute(version.folder, model, engine.size, version.parameters)
    found = {one.position: one for one in dense.search(dense.encode(query), engine._shown)}
    memes = {meme.id: found[at] for at, meme in zip(found, version.catalogue.at(list(found)), strict=True)}
    hits = engine.search("john cena").hits
    assert "name: john cena" in hits[0].why
    assert len([hit for hit in hits if hit.meme.id in memes]) > 5
    for hit in hits:
        if not (near := memes.get(hit.meme.id)):
            assert not any("near in" in reason for reason in hit.why)
            continue
        assert hit.why[-1] == f"near in {readable.get(near.basis, near.basis)} ({near.cosine:.2f})"
    assert not any("near in" in reason for hit in engine.search("john cena", "lexical").hits for reason in hit.why)


@pytest.mark.parametrize("typed", QUERIES)
def test_the_same_query_ranks_the_same_again_and_in_another_engine(engine: Engine, wordy: Engine, typed: str) -> None:
    wordy.load_dense()
    for route in ROUTES:
        once = engine.search(typed, route).hits
        assert engine.search(typed, route).hits == once
        assert wordy.search(typed, route).hits == once


def test_before_dense_is_loaded_hybrid_says_so_and_ranks_as_lexical(wordy: Engine) -> None:
    result = wordy.search("john cena")
    assert result.state is State.DENSE_LOADING
    assert not wordy.dense_ready
    words = wordy.search("john cena", "lexical")
    assert words.state is State.COMPLETE
    assert [hit.meme.id for hit in result.hits] == [hit.meme.id for hit in words.hits] != []
    with pytest.raises(ModelUnavailable, match="loading"):
        wordy.search("john cena", "dense")


def test_a_search_that_began_without_dense_says_so_even_if_dense_gets_ready_meanwhile(wordy: Engine) -> None:
    def load_meanwhile() -> bool:
        if not wordy.dense_ready:
            wordy.load_dense()
        return False

    overtaken = wordy.search("john cena", cancelled=load_meanwhile)
    assert wordy.dense_ready
    assert not any("dense" in hit.routes for hit in overtaken.hits)
    assert overtaken.state is State.DENSE_LOADING
    assert wordy.search("john cena").state is State.COMPLETE


@pytest.mark.parametrize("damaged", ["model", "tokenizer", "vectors after the check"])
def test_a_damaged_dense_route_is_told_and_words_still_find(data_dir: Path, tmp_path: Path, damaged: str) -> None:
    data = copy_of(data_dir, tmp_path / "data")
    opened = Engine(data)
    if damaged == "vectors after the check":
        path = opened.version.folder / VECTORS_FILE
        path.unlink()
        path.write_bytes(b"no vectors")
    else:
        (path,) = (data / "models").glob(f"*/{damaged}.*")
        spoil(path)
    opened.load_dense()
    assert isinstance(opened.dense_error, ModelUnavailable)
    assert not opened.dense_ready
    result = judged(opened, 0.0).search("john cena")
    assert result.state is State.DENSE_FAILED
    assert result.hits[0].meme.family.id == "john-cena"
    with pytest.raises(ModelUnavailable) as raised:
        opened.search("john cena", "dense")
    assert raised.value is opened.dense_error
    opened.close()


@pytest.mark.parametrize("typed", ["john cena " * 1000, "cena" + " " * 20_000 + "john", "x " * 999 + "\u4e00" * 500])
def test_a_query_too_long_is_shortened_and_says_so(engine: Engine, typed: str) -> None:
    result = engine.search(typed)
    assert result.state is State.QUERY_SHORTENED
    assert len(result.query) <= 2000


def test_a_query_of_two_thousand_characters_is_still_searched_whole(engine: Engine) -> None:
    assert engine.search("john cena " * 199 + "johncena!!").state is State.COMPLETE


def test_an_unknown_route_is_a_usage_error(engine: Engine) -> None:
    with pytest.raises(UsageError, match="'sideways'"):
        engine.search("john cena", "sideways")


@pytest.mark.parametrize("route", ROUTES)
def test_a_search_stops_at_whichever_stage_it_is_cancelled(engine: Engine, route: str) -> None:
    asked = 0

    def stop_at(stage: int) -> Callable[[], bool]:
        def cancelled() -> bool:
            nonlocal asked
            asked += 1
            return asked == stage

        return cancelled

    engine.search("john cena", route, cancelled=stop_at(0))
    stages, before = asked, engine.search("john cena", route).hits
    assert stages >= (2 if route == "lexical" else 3)
    for stage in range(1, stages + 1):
        asked = 0
        with pytest.raises(SearchCancelled):
            engine.search("john cena", route, cancelled=stop_at(stage))
        assert asked == stage
    assert engine.search("john cena", route).hits == before


@settings(deadline=None, max_examples=80)
@given(anything, st.sampled_from(ROUTES))
@example('"' * 300 + "(((" + "AND OR NOT names:john^9 *?[cena TO cena]~", "hybrid")
@example("\x00\x1b[2J\x1b]0;title\x07\x9b31m cat", "hybrid")
@example("\ud800\udfff\ud83d", "hybrid")
@example("\ufdfa" * 2000, "lexical")
@example("e\u0301" * 5000, "hybrid")
@example("a" * 10_000, "hybrid")
@example("\u202ejohn\u2066 cena\u0000", "dense")
@example("\U000e0001\u200b\ufeff", "hybrid")
@example(" \t\r\n\u2028 ", "dense")
def test_no_query_breaks_the_engine_and_every_hit_is_in_the_catalogue(engine: Engine, typed: str, route: str) -> None:
    result = engine.search(typed, route)
    assert len({hit.meme.id for hit in result.hits}) == len(result.hits) <= 10
    for hit in result.hits:
        assert engine.version.catalogue.by_id(hit.meme.id) == hit.meme
    assert not any(ord(char) < 32 or 0x7F <= ord(char) < 0xA0 for char in result.query)
    result.query.encode()  # no lone surrogate is left


@settings(deadline=None, max_examples=10)
@given(st.text(st.characters(exclude_categories=()), min_size=10, max_size=50))
def test_ten_thousand_characters_of_anything_are_searched(engine: Engine, piece: str) -> None:
    typed = (piece * 1000)[:10_000]
    assert len(typed) == 10_000
    assert len(engine.search(typed).hits) <= 10


@pytest.mark.parametrize("typed", ["", "   ", "?!...", "\x00\x1b", "\ud800"])
@pytest.mark.parametrize("route", ROUTES)
def test_a_query_with_nothing_in_it_finds_nothing(engine: Engine, typed: str, route: str) -> None:
    result = engine.search(typed, route)
    assert result.hits == result.nearest == ()


def test_threads_that_search_at_once_get_what_each_gets_alone(engine: Engine) -> None:
    work = [(typed, route) for typed in QUERIES for route in ROUTES] * 3
    alone = [engine.search(*one).hits for one in work]
    found: dict[int, list[tuple[Hit, ...]]] = {0: [], 1: []}
    together = threading.Barrier(2)

    def run(number: int, order: int) -> None:
        together.wait(DEADLINE)
        found[number].extend(engine.search(*one).hits for one in work[::order])

    threads = [threading.Thread(target=run, args=(0, 1)), threading.Thread(target=run, args=(1, -1))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(DEADLINE)
    assert found[0] == alone
    assert found[1] == alone[::-1]


def test_closing_waits_for_the_search_that_is_under_way(data_dir: Path) -> None:
    opened = judged(Engine(data_dir), 0.0)
    closer = threading.Thread(target=opened.close)

    def close_meanwhile() -> bool:
        if not closer.ident:
            closer.start()
        closer.join(0.2)  # it must not end before this search does, and would in no time if it did not wait
        return False

    assert opened.search("john cena", cancelled=close_meanwhile).hits
    closer.join(DEADLINE)
    assert not closer.is_alive()
