"""The pool holds what every system found and what people named, tells nothing of either, and only grows."""

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mambomeme_eval import pool_writing, writing
from mambomeme_eval.benchmark import Candidate, Kind, PartitionError, Query, Slice, Targets, pool_version
from mambomeme_eval.desk import annotator_desk
from mambomeme_eval.loading import load
from mambomeme_eval.pooling import NEAR_MISSES, Gold, Likeness, gather, read_gold, search_all
from mambomeme_tui.errors import OutputError, UsageError
from mambomeme_tui.retrieval.engine import Engine
from tests.eval.judging_sets import FOUND, ITEMS, MADE, grown, judged, opened, partition, pooled
from tests.eval.partitions import bundled_world

FILES = ("pooling.json", "pool.jsonl", "pool.json", "partition.json")
CENA = Query("q", "john cena", Kind.ANSWERABLE, Slice.NAME, "cena", (), ("john-cena",), "")
NOTHING = Query("n", "medieval tax form", Kind.NO_MATCH, "", "tax", (), (), "")
OTHERS = [one for one in ITEMS if one.startswith(("doge.", "stonks.", "rickroll.", "grumpy-"))]


def pool_of(query: Query, lists: dict[str, Sequence[str]], *named: str, **targets: tuple[str, ...]) -> list[str]:
    rankings = {name: {query.id: ranked} for name, ranked in lists.items()}
    exact = {query.id: Targets(query.id, targets.get("items", ()), targets.get("groups", ()))} if targets else {}
    gold = [Gold(query.id, named)] if named else []
    return gather([query], rankings, exact, gold, bundled_world())[query.id]


def families(items: Sequence[str]) -> set[str]:
    return {one.partition(".")[0] for one in items}


def test_the_ten_best_of_every_system_are_pooled_once_each() -> None:
    found = pool_of(CENA, {"bm25": OTHERS[:12], "dense": OTHERS[5:17]})
    assert set(found) & set(OTHERS) == set(OTHERS[:10]) | set(OTHERS[5:15])
    assert len(found) == len(set(found))


def test_ranks_eleven_to_fifteen_of_the_hybrid_system_are_hard_negatives_and_no_more() -> None:
    assert set(pool_of(CENA, {"hybrid": OTHERS[:17]})) & set(OTHERS) == set(OTHERS[: 10 + NEAR_MISSES])


def test_targets_groups_and_named_items_are_pooled_though_nobody_found_them() -> None:
    exact = {"items": ("john-cena.shy-bug",), "groups": ("john-cena.reading-room",)}
    found = pool_of(CENA, {"bm25": ()}, "salt-bae.cat-fur", **exact)
    assert {"john-cena.shy-bug", "john-cena.reading-room", "salt-bae.cat-fur"} <= set(found)


def test_one_item_of_a_family_like_the_asked_one_is_added() -> None:
    found = pool_of(CENA, {"bm25": OTHERS[:10]})
    more = set(found) - set(OTHERS[:10])
    assert len(more) == 1
    others = families(OTHERS[:10]) | {"john-cena"}
    assert families(list(more)) == {Likeness(bundled_world()).nearest(["john-cena"], others)}
    assert not families(list(more)) & others


def test_a_no_match_query_gets_a_family_like_that_of_its_first_result_and_nothing_without_results() -> None:
    assert len(pool_of(NOTHING, {"hybrid": OTHERS[:1]})) == 2
    assert pool_of(NOTHING, {"hybrid": ()}) == []


@pytest.mark.parametrize(
    ("asked", "among", "nearest"),
    [
        ("tired-spongebob", {"mocking-spongebob", "doge", "stonks"}, "mocking-spongebob"),  # the same series
        ("smug-pepe", {"pepe-feels-bad-man", "grumpy-cat", "stonks"}, "pepe-feels-bad-man"),  # the same character
        ("smug-pepe", set(), ""),
    ],
)
def test_the_family_that_shares_the_rarest_cues_is_the_nearest(asked: str, among: set[str], nearest: str) -> None:
    likeness = Likeness(bundled_world())
    assert likeness.nearest([asked], set(likeness.items) - among) == nearest
    assert likeness.nearest([], set()) == ""


LISTS = st.dictionaries(st.sampled_from(["bm25", "dense", "hybrid"]), st.lists(st.sampled_from(OTHERS), unique=True))


@given(LISTS)
def test_every_first_ten_is_in_the_pool_sorted_whatever_order_systems_come_in(lists: dict[str, Sequence[str]]) -> None:
    found = pool_of(CENA, lists)
    assert all(set(ranked[:10]) <= set(found) for ranked in lists.values())
    assert found == sorted(set(found))
    assert found == pool_of(CENA, dict(reversed(lists.items())))


def test_the_files_tell_neither_system_nor_rank_of_a_candidate(tmp_path: Path) -> None:
    texts = []
    for number, ranked in enumerate((OTHERS[:10], OTHERS[9::-1])):
        folder = partition(tmp_path / str(number))
        grown(folder, {"dev-001": pool_of(CENA, {"bm25": ranked, "hybrid": OTHERS[3:9]})})
        texts.append((folder / "pool.jsonl").read_bytes())
    assert texts[0] == texts[1]
    assert all(set(json.loads(line)) == {"query", "item", "content_hash"} for line in texts[0].splitlines())


def test_a_new_pool_keeps_the_judgement_set_and_names_its_rows(tmp_path: Path) -> None:
    folder = partition(tmp_path / "p")
    done = grown(folder, FOUND)
    assert (done.added, done.total, done.judgement_set) == (51, 51, 1)
    judging = opened(folder)
    assert judging.pool.version == done.version == pool_version(judging.candidates)
    assert [(one.query, one.item) for one in judging.candidates] == [(q, one) for q in FOUND for one in FOUND[q]]
    assert (judging.pool.systems, judging.pool.depth, judging.pooling.seed) == (("bm25", "hybrid"), 10, 7)


def test_pooling_the_same_again_changes_no_byte(tmp_path: Path) -> None:
    folder = partition(tmp_path / "p")
    grown(folder, FOUND)
    before = contents(folder)
    assert grown(folder, {"dev-001": FOUND["dev-001"][3:8]}).added == 0
    assert contents(folder) == before


def test_unseen_candidates_begin_a_new_judgement_set_and_keep_orders_and_judgements(tmp_path: Path) -> None:
    judging = pooled(tmp_path / "p")
    judged(judging, ann=2, bob=3)
    order = annotator_desk(judging, "ann").tasks
    done = grown(judging.folder, {"dev-001": [*ITEMS[:5], *ITEMS[30:33]], "dev-002": ITEMS[:1]})
    assert (done.added, done.judgement_set) == (4, 2)
    after = opened(judging.folder)
    assert after.header == replace(judging.header, judgement_set=2)
    assert after.candidates[: len(judging.candidates)] == judging.candidates
    tasks = annotator_desk(after, "ann").tasks
    assert tasks[: len(order)] == order
    assert {task.pair for task in tasks[len(order) :]} == {("dev-001", one) for one in ITEMS[30:33]} | {
        ("dev-002", ITEMS[0])
    }


def test_a_system_that_finds_nothing_new_is_named_without_a_new_judgement_set(tmp_path: Path) -> None:
    judging = pooled(tmp_path / "p")
    done = pool_writing.extend(judging.folder, bundled_world(), FOUND, replace(MADE, systems=("dense",), depth=12), 7)
    assert (done.added, done.judgement_set, done.version) == (0, 1, judging.pool.version)
    assert opened(judging.folder).pool.systems == ("bm25", "hybrid", "dense")
    assert opened(judging.folder).pool.depth == 12


def contents(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in FILES}


@pytest.mark.parametrize("written", range(5))
@pytest.mark.parametrize("first", [True, False])
def test_an_interrupted_pooling_is_completed_by_the_same_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, written: int, first: bool
) -> None:
    folder, other = partition(tmp_path / "p"), partition(tmp_path / "q")
    for one in (folder, other) if not first else ():
        grown(one, {"dev-001": FOUND["dev-001"]})
    grown(other, FOUND)
    calls = []

    def failing(path: Path, text: str) -> None:
        calls.append(path)
        if len(calls) > written:
            raise OutputError("interrupted")
        writing.write_whole(path, text)

    monkeypatch.setattr(pool_writing, "write_whole", failing)
    with suppress(OutputError):
        grown(folder, FOUND)
    before_all, half_done = written == 0, 0 < written < (3 if first else 4)
    if half_done or (before_all and first):
        with pytest.raises((PartitionError, UsageError), match="pool"):
            opened(folder)
    monkeypatch.undo()
    grown(folder, FOUND)
    assert contents(folder) == contents(other)
    assert len(opened(folder).candidates) == 51


def test_rows_that_something_else_changed_are_refused(tmp_path: Path) -> None:
    judging = pooled(tmp_path / "p")
    lines = (judging.folder / "pool.jsonl").read_text().splitlines(keepends=True)
    (judging.folder / "pool.jsonl").write_text("".join(lines[:-1]))
    with pytest.raises(UsageError, match=r"not those that pooling\.json names"):
        grown(judging.folder, FOUND)
    with pytest.raises(PartitionError):
        opened(judging.folder)


def test_a_pool_keeps_its_seed(tmp_path: Path) -> None:
    judging = pooled(tmp_path / "p")
    assert pool_writing.seed_of(judging.folder) == 7
    with pytest.raises(UsageError, match="seed 7"):
        grown(judging.folder, FOUND, seed=8)


def test_an_empty_pool_is_no_pool(tmp_path: Path) -> None:
    folder = partition(tmp_path / "p")
    with pytest.raises(UsageError, match="nothing to be judged"):
        grown(folder, {"dev-001": []})
    with pytest.raises(UsageError, match="has no pool"):
        opened(folder)


@pytest.mark.parametrize(("field", "value"), [("corpus", "f" * 64), ("policy", "9")])
def test_a_partition_of_another_corpus_or_policy_is_neither_pooled_nor_judged(
    tmp_path: Path, field: str, value: str
) -> None:
    judging = pooled(tmp_path / "p")
    header = json.loads((judging.folder / "partition.json").read_text()) | {field: value}
    (judging.folder / "partition.json").write_text(json.dumps(header))
    for attempt in (lambda: grown(judging.folder, FOUND), lambda: opened(judging.folder)):
        with pytest.raises(PartitionError) as raised:
            attempt()
        assert [one.field for one in raised.value.faults] == [field]


def test_a_candidate_whose_content_has_changed_is_told(tmp_path: Path) -> None:
    judging = pooled(tmp_path / "p")
    rows = [json.loads(line) for line in (judging.folder / "pool.jsonl").read_text().splitlines()]
    rows[3]["content_hash"] = "e" * 64
    (judging.folder / "pool.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    for attempt in (lambda: grown(judging.folder, FOUND), lambda: opened(judging.folder)):
        with pytest.raises(PartitionError) as raised:
            attempt()
        assert (4, "content_hash") in [(one.line, one.field) for one in raised.value.faults]


def test_a_gold_file_names_items_that_are_shown_for_queries_that_are_there(tmp_path: Path) -> None:
    path = tmp_path / "gold.jsonl"
    rows = [{"query": "q", "items": ["doge.x"]}, {"query": "z", "items": ["salt-bae.cat-fur"]}]
    rows += [{"query": "q", "items": []}, {"query": "q", "items": ["tide-pod-challenge.behind-glass"]}]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.raises(PartitionError) as raised:
        read_gold(path, {"q": CENA}, bundled_world())
    assert [(one.line, one.field) for one in raised.value.faults] == [
        (1, "items"),
        (2, "query"),
        (3, "items"),
        (4, "items"),
    ]
    path.write_text('{"query": "q", "items": ["salt-bae.cat-fur"]}\n')
    assert read_gold(path, {"q": CENA}, bundled_world()) == (Gold("q", ("salt-bae.cat-fur",)),)


def test_the_real_engine_is_pooled_by_every_route(engine: Engine, tmp_path: Path) -> None:
    folder = partition(tmp_path / "p")
    world = bundled_world()
    queries = [json.loads(line) for line in (folder / "queries.jsonl").read_text().splitlines()]
    asked = [replace(CENA, id=row["id"], text=row["text"], templates=tuple(row["templates"])) for row in queries]
    rankings = search_all(engine, asked, world)
    found = gather(asked, rankings, {}, (), world)
    for query in asked:
        for route in ("lexical", "dense", "hybrid"):
            assert {hit.meme.id for hit in engine.search(query.text, route).hits} <= set(found[query.id])
        assert [hit.meme.id for hit in engine.search(query.text, limit=15).hits] == rankings["hybrid"][query.id]
    assert len(found["dev-001"]) >= 16
    grown(folder, found)
    assert {(one.query, one.item) for one in opened(folder).candidates} == {
        (query, item) for query, items in found.items() for item in items
    }


def test_an_index_of_another_corpus_is_refused(engine: Engine) -> None:
    world = bundled_world()
    other = replace(world, corpus=replace(world.corpus, digest="f" * 64))
    with pytest.raises(UsageError, match="another corpus"):
        search_all(engine, [CENA], other)


def test_a_judged_pool_is_loaded_for_scoring_once_its_audits_are_there(tmp_path: Path) -> None:
    judging = judged(pooled(tmp_path / "p", {f"dev-00{n}": ITEMS[:2] for n in range(1, 7)}), ann=2, bob=3)
    with pytest.raises(PartitionError) as raised:
        load(judging.folder, bundled_world())
    assert {Path(one.file).name for one in raised.value.faults} == {"audits.jsonl"}
    assert Candidate("dev-001", ITEMS[0], bundled_world().memes[ITEMS[0]].content_hash) in judging.candidates
