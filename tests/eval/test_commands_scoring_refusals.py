"""Bad input to the commands of scoring is refused in one sentence, with its faults named and the right exit code."""

from collections.abc import Callable
from pathlib import Path

import pytest

from mambomeme_eval import commands_scoring
from mambomeme_eval.gates import RELEASE_GATES
from tests.eval.command_line import Capture, refused, run
from tests.eval.partitions import bundled_world
from tests.eval.run_files import REPEATS, Desk, Row, drafted, request
from tests.eval.spoiling import OTHER_HASH, Spoil, drop, header, set_

Change = Callable[[Desk], object]
WORLD = bundled_world()


@pytest.fixture(autouse=True)
def _corpus_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands_scoring, "world_of", lambda _: WORLD)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def test_text_from_a_run_never_reaches_the_terminal_raw(desk: Desk, capsys: Capture) -> None:
    desk.rows["bm25"].append(request("dev-001\x1b[2J", []))
    code, _, sentence = refused(capsys, "score", *desk.runs(), *desk.options())
    assert code == 2
    assert "\x1b" not in sentence


def _last(desk: Desk) -> Row:
    return desk.rows["bm25"][-1]


BAD_RUNS: dict[str, tuple[Change, int, str]] = {
    "a missing query": (lambda desk: desk.rows["bm25"].__delitem__(slice(7, None, 7)), 2, "no request for 1 queries"),
    "a missing repeat": (lambda desk: desk.rows["bm25"].pop(), 2, "not made to its end"),
    "a missing block": (lambda desk: desk.rows["bm25"].__delitem__(slice(8, None)), 2, "not made to its end"),
    "only a header": (lambda desk: desk.rows["bm25"].__delitem__(slice(1, None)), 2, "no request for 7 queries"),
    "nothing": (lambda desk: desk.rows["bm25"].clear(), 3, "The run has 1 fault."),
    "a request twice": (lambda desk: desk.rows["bm25"].append(_last(desk)), 3, "The run has 1 fault."),
    "an unknown query": (
        lambda desk: desk.rows["bm25"].extend(request("dev-999", [], at) for at in range(REPEATS)),
        2,
        "a query that the partition does not hold: dev-999",
    ),
    "an unjudged item": (
        lambda desk: desk.answer("bm25", "dev-001", ["salt-bae.cat-fur"]),
        2,
        "Not everything returned has a final grade and safety class: dev-001 salt-bae.cat-fur.",
    ),
    "an item for a no-match query": (
        lambda desk: desk.answer("bm25", "dev-007", ["salt-bae.cat-fur"]),
        2,
        "dev-007 salt-bae.cat-fur",
    ),
    "an answer without a time": (lambda desk: _last(desk).update(milliseconds=None), 2, "has no latency"),
    "NaN": (lambda desk: _last(desk).update(milliseconds=float("nan")), 3, "The run has 1 fault."),
    "Infinity": (lambda desk: _last(desk).update(milliseconds=float("inf")), 3, "The run has 1 fault."),
    "another corpus": (lambda desk: desk.rows["bm25"][0].update(corpus=OTHER_HASH), 2, "another corpus"),
    "another partition": (lambda desk: desk.rows["bm25"][0].update(partition="hidden"), 2, "another partition"),
    "another machine": (lambda desk: desk.rows["bm25"][0].update(identity={}), 2, "can't be compared"),
    "another version": (lambda desk: desk.rows["bm25"][0].update(version="v-1"), 2, "can't be compared"),
    "another seed": (lambda desk: desk.rows["bm25"][0].update(seed=8), 2, "can't be compared"),
    "another interface": (lambda desk: desk.rows["bm25"][0].update(interface="tui"), 2, "can't be compared"),
    "a system twice": (lambda desk: desk.rows["bm25"][0].update(system="dense"), 2, "two runs of dense"),
    "rubbish": (lambda desk: desk.rows["bm25"].insert(3, "rubbish\n"), 3, "The run has 1 fault."),  # type: ignore[arg-type]
    "half a line": (lambda desk: desk.rows["bm25"].append('{"query": "dev'), 3, "The run has 1 fault."),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("command", [("score",), ("accept", "--claim", "overall")])
@pytest.mark.parametrize("case", BAD_RUNS)
def test_a_bad_run_is_refused_in_one_sentence(case: str, command: tuple[str, ...], desk: Desk, capsys: Capture) -> None:
    change, expected, told = BAD_RUNS[case]
    change(desk)
    code, faults, sentence = refused(capsys, *command, *desk.runs(), *desk.options())
    assert (code, bool(faults)) == (expected, expected == 3)
    assert told in sentence
    assert all("bm25.jsonl:" in one for one in faults)


def test_a_run_that_was_cut_at_any_byte_is_never_scored(desk: Desk, capsys: Capture) -> None:
    (path,) = [Path(one) for one in desk.runs() if "bm25" in one]
    whole = path.read_bytes()
    ends = [at for at in range(len(whole)) if whole[at - 1 : at] == b"\n"]
    near = {end + by for end in ends for by in (-1, 0, 1)}
    for size in sorted({0, 1, len(whole) // 2, len(whole) - 1} | near):
        path.write_bytes(whole[:size])
        code, _, _ = refused(capsys, "score", str(path), *desk.options())
        assert code == (2 if size in ends else 3), size


BAD_PARTITIONS: dict[str, tuple[Spoil, str]] = {
    "a query twice": (lambda draft: draft.queries.append(draft.queries[0] | {"text": "other"}), "queries.jsonl:8: id"),
    "an empty slice": (drop("queries", 2), "queries.jsonl:1: slice"),
    "a target of an unknown query": (set_("targets", 0, query="dev-099"), "targets.jsonl:1: query"),
    "an unknown target": (set_("targets", 0, items=["john-cena.nowhere"]), "targets.jsonl:1: items"),
    "an unknown candidate": (set_("pool", 0, item="john-cena.nowhere"), "pool.jsonl:1: item"),
    "a grade too high": (set_("judgements", 0, grade=4), "judgements.jsonl:1: grade"),
    "a negative grade": (set_("judgements", 0, grade=-1), "judgements.jsonl:1: grade"),
    "half a grade": (set_("judgements", 0, grade=2.5), "judgements.jsonl:1: grade"),
    "NaN as a grade": (set_("judgements", 0, grade=float("nan")), "judgements.jsonl:1: (line)"),
    "judgements of another content": (set_("judgements", 0, content_hash=OTHER_HASH), "judgements.jsonl:1: content_"),
    "another corpus": (header(corpus=OTHER_HASH), "partition.json:1: corpus"),
    "an expired audit": (set_("audits", 0, corpus=OTHER_HASH), "audits.jsonl:1: corpus"),
    "no audit": (drop("audits", 0), "queries.jsonl:7: id"),
}


@pytest.mark.parametrize("command", [("score",), ("accept", "--claim", "overall"), ("qrels",)])
@pytest.mark.parametrize("case", BAD_PARTITIONS)
def test_a_bad_partition_is_refused_with_its_faults(
    case: str, command: tuple[str, ...], desk: Desk, capsys: Capture
) -> None:
    spoil, told = BAD_PARTITIONS[case]
    spoil(draft := drafted())
    draft.write(desk.partition)
    runs = [] if command == ("qrels",) else [*desk.runs(), "--release", str(desk.release)]
    code, faults, sentence = refused(capsys, *command, *runs, "--partition", str(desk.partition))
    assert code == 3
    assert any(f"/{told}" in one for one in faults), faults
    assert f"The partition has {len(faults)} fault" in sentence


def test_judgements_that_end_in_half_a_line_are_refused(desk: Desk, capsys: Capture) -> None:
    path = desk.partition / "judgements.jsonl"
    path.write_bytes(path.read_bytes()[:-1])
    code, faults, _ = refused(capsys, "qrels", "--partition", str(desk.partition))
    assert code == 3
    assert any("half-written" in one for one in faults)


def test_missing_grades_are_named(desk: Desk, capsys: Capture) -> None:
    draft = drafted()
    lacking = draft.judgements.pop(1)
    draft.write(desk.partition)
    for command in (["score", *desk.runs()], ["qrels"]):
        code, _, sentence = refused(capsys, *command, "--partition", str(desk.partition))
        assert code == 2
        assert f"{lacking['query']} {lacking['item']}." in sentence


BAD_OPTIONS: dict[str, tuple[Callable[[Desk], list[str]], int]] = {
    "no run": (lambda _: ["score"], 2),
    "no claim": (lambda desk: ["accept", *desk.runs()], 2),
    "an unknown claim": (lambda desk: ["accept", *desk.runs(), "--claim", "both"], 2),
    "a seed with a sign": (lambda desk: ["score", *desk.runs(), "--seed", "-1"], 2),
    "a seed beyond 64 bits": (lambda desk: ["score", *desk.runs(), "--seed", "9" * 20], 2),
    "no repeats": (lambda desk: ["run", "--out", str(desk.folder), "--repeats", "0"], 2),
    "nowhere to write": (lambda _: ["run"], 2),
    "an unknown system": (lambda desk: ["run", "--out", str(desk.folder), "--system", "lexical"], 2),
    "a run that is not there": (lambda desk: ["score", str(desk.folder / "none.jsonl")], 2),
    "a run that is a folder": (lambda desk: ["score", str(desk.folder)], 2),
    "a partition that is not there": (lambda desk: ["score", *desk.runs(), "--partition", str(desk.folder)], 3),
    "an empty name": (lambda _: ["score", ""], 2),
    "a release file that is not there": (lambda desk: ["score", *desk.runs(), "--release", str(desk.folder / "x")], 2),
    "a card where none can be": (lambda desk: ["score", desk.trec(), "--json", str(desk.folder)], 2),
    "no data": (lambda desk: ["run", "--out", str(desk.folder), "--data-dir", str(desk.folder / "none")], 4),
    "an output that is a file": (lambda desk: ["run", "--out", str(desk.release)], 2),
}


@pytest.mark.parametrize("case", BAD_OPTIONS)
def test_a_bad_command_line_is_refused_in_one_sentence(case: str, desk: Desk, capsys: Capture) -> None:
    make, expected = BAD_OPTIONS[case]
    command, *arguments = make(desk)
    code, _, _ = refused(capsys, command, "--partition", str(desk.partition), *arguments)
    assert code == expected


def test_a_release_file_with_rubbish_is_refused(desk: Desk, capsys: Capture) -> None:
    desk.release.write_text('{"release-protocol": "yes"}')
    code, _, sentence = refused(capsys, "score", *desk.runs(), *desk.options())
    assert code == 2
    assert all(name in sentence for name in RELEASE_GATES)


def test_a_card_that_cant_be_written_is_told_after_it_was_printed(desk: Desk, capsys: Capture) -> None:
    code, out, told = run(capsys, "score", *desk.runs(), *desk.options(), "--json", str(desk.folder))
    assert code == 2
    assert out.startswith("MMTS-Search-v1")
    assert len(told) == 1
