"""Proves that the quick benchmark measures what it says: quantiles, replay, reading off, and one short real run."""

import json
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mambomeme_eval import cli
from mambomeme_eval.figures import Spread, quantile
from mambomeme_eval.pty import layout, searches, starts
from mambomeme_eval.pty.replay import Frame, Replay, completing, first
from mambomeme_eval.pty.searches import Search, ShownAnswer, faults
from mambomeme_eval.pty.terminal import Chunk, ProgramEnded, Terminal
from mambomeme_eval.queries import KINDS, mixed
from mambomeme_tui import __version__, corpus
from mambomeme_tui.paths import bundled
from mambomeme_tui.retrieval.engine import Engine
from mambomeme_tui.retrieval.results import SearchResult

ROOT = Path(__file__).parents[2]
MEASURED = st.lists(st.floats(0, 1e6), min_size=1, max_size=300)


@given(MEASURED, st.sampled_from([50, 95, 99, 100]))
def test_a_quantile_is_the_nearest_rank_of_numpy(values: list[float], percent: int) -> None:
    oracle = np.quantile(values, percent / 100, method="inverted_cdf")
    assert quantile(values, percent) == oracle


@given(MEASURED, st.integers(1, 100))
def test_a_quantile_is_the_smallest_value_that_enough_others_do_not_exceed(values: list[float], percent: int) -> None:
    enough = [one for one in values if Fraction(sum(other <= one for other in values), len(values)) * 100 >= percent]
    assert quantile(values, percent) == min(enough)


def test_a_spread_names_each_quantile_by_its_own_name() -> None:
    assert Spread.of([float(number) for number in range(200, 0, -1)]) == Spread(200, 100.0, 190.0, 198.0, 200.0)


def recording(*pieces: str) -> list[Chunk]:
    """Chunks that were read at 1000, 1001, ..."""
    return [Chunk(1000 + number, piece.encode()) for number, piece in enumerate(pieces)]


def at(row: int, text: str) -> str:
    """Text at the start of a row that counts from 0."""
    return f"\x1b[{row + 1};1H{text}"


def top_rows(frame: Frame) -> tuple[str, str]:
    """The region of the synthetic recordings: two rows."""
    return frame.text(0, 0, 10), frame.text(1, 0, 10)


def test_the_completing_chunk_is_the_one_that_drew_the_last_of_the_region() -> None:
    frames = Replay().feed(recording(at(0, "old"), at(0, "new"), at(1, "list"), at(5, "a clock beside it")))
    assert [frame.stamp for frame in frames] == [1000, 1001, 1002, 1003]
    done = completing(frames, top_rows)
    assert done is not None
    assert done.stamp == 1002


def test_a_region_that_flickers_is_complete_when_it_stays() -> None:
    frames = Replay().feed(recording(at(0, "done"), at(0, "gone"), at(0, "done")))
    assert getattr(completing(frames, top_rows), "stamp", None) == 1002


def test_a_frame_that_is_held_back_is_complete_when_it_is_released() -> None:
    frames = Replay().feed(recording("\x1b[?2026h" + at(0, "done"), at(7, "more"), "\x1b[?2026l", at(9, "later")))
    assert getattr(completing(frames, top_rows), "stamp", None) == 1002
    assert getattr(first(frames, lambda frame: "done" in frame.text(0)), "stamp", None) == 1002


def test_a_region_that_was_complete_before_waits_for_the_proof_that_the_key_arrived() -> None:
    replay = Replay()
    replay.feed(recording(at(0, "done")))
    frames = replay.feed(recording(at(3, "echo"), at(23, "keys"), at(5, "later")))
    assert getattr(completing(frames, top_rows), "stamp", None) == 1000
    assert getattr(completing(frames, top_rows, frozenset({23})), "stamp", None) == 1001
    assert completing(frames, top_rows, frozenset({22})) is None


def test_a_change_of_colour_alone_counts_for_the_answer() -> None:
    frames = Replay().feed(recording(at(2, "hit"), at(2, "\x1b[7mhit\x1b[0m"), at(0, "box")))
    assert getattr(completing(frames, layout.answer_region), "stamp", None) == 1001


@given(st.sets(st.integers(1, 60)))
def test_however_a_recording_is_cut_the_chunk_with_its_last_letter_completes_it(cuts: set[int]) -> None:
    text = (at(0, "\x1b[38;2;1;2;3m“grüße”\x1b[0m") + at(1, "unten")).encode()
    edges = [0, *sorted(cut for cut in cuts if cut < len(text)), len(text)]
    pieces = [text[start:end] for start, end in pairwise(edges)]
    frames = Replay().feed(Chunk(1000 + number, piece) for number, piece in enumerate(pieces))
    assert frames[-1].text(0).startswith("“grüße”")
    done = completing(frames, top_rows)
    assert done is not None
    assert done.stamp == 1000 + len(pieces) - 1  # the last byte is the last letter


@pytest.mark.parametrize(("text", "shown"), [("a⚠\ufe0fb", "a⚠ bxx"), ("a\u200d⚠b", "a⚠bxxx"), ("日\ufe0fb", "日bxxx")])
def test_invisible_characters_neither_end_a_line_nor_shift_what_follows(text: str, shown: str) -> None:
    for cut in range(len(text) + 1):
        frames = Replay().feed(recording(at(0, "x" * 6), at(0, text[:cut]), text[cut:]))
        assert frames[-1].text(0, 0, 6) == shown


def test_each_letter_is_measured_to_its_own_echo_and_only_while_loading() -> None:
    letters = starts.ECHO_TEXT
    box = lambda count: f"\x1b[1;{starts.BOX_START + 1}H{letters[:count]}"  # noqa: E731
    loaded = at(layout.STATUS, " ✓  10 found · 3 ms · hybrid")
    pieces = [at(9, "noise"), box(1), box(2), box(2) + loaded, box(3)]
    frames = Replay().feed(Chunk(number * 1_000_000, piece.encode()) for number, piece in enumerate(pieces, 1))
    assert starts.echoes(frames, [500_000, 2_500_000, 4_500_000]) == [1.5, 0.5]


ASKING = r"""
import os, sys, tty
tty.setraw(0)
for question in sys.argv[1:]:
    os.write(1, b"\x1b" + question.encode())
    answer = b""
    while not answer.endswith((b"y", b"c", b"n", b"R", b"t")):
        answer += os.read(0, 1)
    os.write(1, answer.replace(b"\x1b", b"<") + b"!")
print(os.get_terminal_size(), os.environ["TERM"], os.environ.get("MAMBOMEME_ROUTE"), "end.")
os.read(0, 1)
"""


def test_a_terminal_answers_what_an_emulator_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAMBOMEME_ROUTE", "dense")
    questions = ["[?2026$p", "[?2048$p", "[?9999$p", "[?2048h", "[c", "[5n", "[6n"]
    with Terminal([sys.executable, "-c", ASKING, *questions], {}) as terminal:
        assert terminal.read_until(lambda: b"end." in terminal.unread, patience=30)
        text = bytes(terminal.unread)
        assert terminal.finish(b"q") == 0
    for answer in (
        b"<[?2026;2$y!",
        b"<[?2048;2$y!",
        b"<[?9999;0$y!",
        b"<[48;24;80;",
        b"<[?62;22c!",
        b"<[0n!",
        b"<[1;1R!",
    ):
        assert answer in text
    assert b"columns=80, lines=24" in text
    assert b"xterm-256color None end." in text


def test_chunks_carry_rising_stamps_and_are_taken_once() -> None:
    code = "import sys, time; print('one', flush=True); sys.stdin.readline(); print('two', flush=True); input()"
    with Terminal([sys.executable, "-c", code], {}) as terminal:
        terminal.read_until(lambda: b"one" in terminal.unread, patience=30)
        before = terminal.take()
        written = terminal.write(b"\n")
        terminal.read_until(lambda: b"two" in terminal.unread, patience=30)
        after = terminal.take()
    assert b"one" in b"".join(chunk.data for chunk in before)
    assert b"one" not in b"".join(chunk.data for chunk in after)
    stamps = [terminal.started, *[chunk.stamp for chunk in before], written, *[chunk.stamp for chunk in after]]
    assert stamps == sorted(stamps)


def test_a_program_that_dies_is_no_endless_wait() -> None:
    with Terminal([sys.executable, "-c", "raise SystemExit(3)"], {}) as terminal, pytest.raises(ProgramEnded):
        terminal.read_until(lambda: False, patience=30)


def test_mixed_queries_are_even_distinct_and_the_same_for_the_same_seed() -> None:
    memes = corpus.load(bundled("corpus")).memes
    queries = mixed(memes, 300, 1)
    assert queries == mixed(memes, 300, 1)
    assert queries != mixed(memes, 300, 2)
    assert len({query.text.casefold() for query in queries}) == 300
    counts = Counter(query.kind for query in queries)
    assert set(counts) == set(KINDS)
    assert max(counts.values()) - min(counts.values()) <= 15
    name = memes[0].family.name
    alike = [replace(meme, quote=name, meaning=name.upper(), picture=name) for meme in memes[:1]]
    texts = [query.text.casefold() for query in mixed(alike, 300, 1)]
    assert 1 < len(texts) == len(set(texts)) < 6  # no text twice, and an end where there are no more


@pytest.mark.parametrize(
    ("shown", "whole", "right"),
    [
        ("abc", "abc", True),
        ("abc", "abcd", False),
        ("abcd…", "abcdef", True),
        ("abc…", "abcdef", False),
        ("abcx…", "abcdef", False),
        ("abcd", "abcdef", False),
        ("日本…", "日本語", True),
        ("日…", "日本語", False),
        ("⚠  ab", "⚠\ufe0f ab", True),
        ("⚠  a…", "⚠\ufe0f abc", True),
    ],
)
def test_a_text_is_shown_whole_or_cut_where_its_room_ends(shown: str, whole: str, right: bool) -> None:
    assert layout.says(shown, whole, 5) is right


def drawn(result: SearchResult) -> Search:
    """A search whose screen shows exactly this result, laid out here a second time."""
    hits = []
    for hit in result.hits:
        quote = hit.meme.quote if len(hit.meme.quote) <= 45 else hit.meme.quote[:44] + "…"
        hits.append(layout.ShownHit(str(hit.rank), hit.meme.title, quote, 40, 45))
    return Search(result.query, searches.TYPED, 5.0, ShownAnswer(f"10 for “{result.query}”", 46, tuple(hits)))


def test_a_list_is_faultless_only_if_it_is_the_engines(engine: Engine) -> None:
    right, other = engine.search("john cena"), engine.search("distracted boyfriend")
    search = drawn(right)
    shown, hits = search.shown, search.shown.hits
    assert faults(search, right) == []
    swapped = (replace(hits[1], rank="1"), replace(hits[0], rank="2"), *hits[2:])
    wrong = [
        replace(search, shown=replace(shown, hits=swapped)),
        replace(search, shown=replace(shown, hits=hits[:-1])),
        replace(search, shown=replace(shown, hits=(replace(hits[0], title="Jon Cena"), *hits[1:]))),
        replace(search, shown=replace(shown, hits=(*hits[:-1], replace(hits[-1], rank="9")))),
        replace(search, shown=replace(shown, heading="10 for “john”")),
        replace(search, shown=replace(shown, heading="9 for “john cena”")),
        replace(search, milliseconds=None),
    ]
    assert [bool(faults(one, right)) for one in wrong] == [True] * len(wrong)
    assert len(faults(search, other)) > 10


def test_a_mended_query_is_awaited_and_read_as_what_was_meant(engine: Engine, data_dir: Path, tmp_path: Path) -> None:
    mended = engine.search("distrakted boyfrend")
    assert mended.repaired == "distracted boyfriend"
    right = replace(
        drawn(mended), shown=replace(drawn(mended).shown, heading=f"{len(mended.hits)} for “{mended.repaired}”")
    )
    assert faults(right, mended) == []
    assert len(faults(drawn(mended), mended)) == 1  # a heading that claims what was typed
    settings = {"MAMBOMEME_DATA_DIR": str(data_dir), "MAMBOMEME_CONFIG_DIR": str(tmp_path)}
    done = searches.drive(settings, {"john cena": "john cena", mended.query: mended.repaired})
    assert [fault for one in done for fault in faults(one, engine.search(one.query))] == []


def run_quick(*arguments: str) -> subprocess.CompletedProcess[str]:
    """The benchmark as a process of its own."""
    command = [sys.executable, "-W", "error", "-m", "mambomeme_eval.quick", *arguments]
    return subprocess.run(command, check=False, cwd=ROOT, capture_output=True, text=True, timeout=300)


def test_a_short_run_measures_everything_and_finds_the_engines_lists_on_the_screen(
    data_dir: Path, tmp_path: Path
) -> None:
    file = tmp_path / "report.json"
    done = run_quick("--data-dir", str(data_dir), "--runs", "1", "--searches", "3", "--json", str(file))
    assert (done.returncode, done.stderr) == (0, "")
    report = json.loads(file.read_text())
    assert report["errors"] == []
    assert report["version"] == (data_dir / "current").read_text().split()[0]
    start = report["start"]
    assert 0 < start["first_paint"]["p50"] < start["lexical"]["p50"] <= start["hybrid"]["p50"]
    assert start["ratio"] == start["first_paint"]["p50"] / start["bare_first_paint"]["p50"]
    assert report["echo"]["count"] > 0
    assert [len(report["search"][entered]["milliseconds"]) for entered in (searches.TYPED, searches.AT_ONCE)] == [3, 3]
    assert report["engine"]["total"]["count"] == len(report["queries"]) == 3
    assert "6 lists compared with the engine's, 0 errors" in done.stdout


def test_without_an_index_it_says_so_in_one_sentence(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["quick", "--data-dir", str(tmp_path)]) == 4
    out, err = capfd.readouterr()
    assert out == ""
    assert err == f"mambomeme-eval: No index is published in {tmp_path}. Run `mambomeme publish`.\n"


@pytest.mark.parametrize("arguments", [[], ["slow"], ["quick", "--runs", "0"], ["quick", "--searches", "x"]])
def test_a_wrong_command_line_is_one_sentence_and_exit_code_2(
    arguments: list[str], capfd: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(arguments) == 2
    assert capfd.readouterr().err.count("\n") == 1


def test_the_version_is_the_products(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        cli.main(["--version"])
    assert left.value.code == 0
    assert capfd.readouterr().out == f"mambomeme-eval {__version__}\n"


def test_without_its_own_packages_it_says_how_to_install_them() -> None:
    code = "import sys; sys.modules['pexpect'] = None; from mambomeme_eval.cli import main; sys.exit(main(['quick']))"
    done = subprocess.run([sys.executable, "-c", code], check=False, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr == (
        "mambomeme-eval: The evaluation needs the package pexpect. Install it: pip install 'mambomeme[eval]'\n"
    )
