"""Proves what `mambomeme find` promises scripts: shapes, exit codes and clean streams, in real processes."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from mambomeme_tui import media
from mambomeme_tui.index.pointer import current_name
from mambomeme_tui.retrieval.engine import Engine
from tests.folders import copy_of

ROOT = Path(__file__).parents[2]
NONSENSE = "zxqvwk"
ESCAPES = "john \x1b[31m\x1b]0;owned\x07\x9b5n\x1bP cena\x08\r\u202e"
C_LOCALE = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}
HIT_KEYS = {"rank", "id", "family", "title", "quote", "score", "routes", "why", "copies", "media", "rights", "safety"}
STAGES = {"encode", "lexical", "dense", "fusion", "policy", "total"}


def find(
    data: Path, *arguments: str | bytes, environment: dict[str, str] | None = None, **options: Any
) -> "subprocess.CompletedProcess[bytes]":
    """Run the real program; streams are bytes, as a script gets them."""
    command = [sys.executable, "-m", "mambomeme_tui", "find", *arguments]
    settings = os.environ | {"MAMBOMEME_DATA_DIR": str(data)} | (environment or {})
    settings.pop("PYTHONUNBUFFERED", None)  # or what is written too late would be written in time
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | options
    return subprocess.run(command, env=settings, cwd=ROOT, check=False, **streams)


def complaint(done: "subprocess.CompletedProcess[bytes]") -> str:
    """The one line that a failed run says."""
    text = done.stderr.decode()
    assert "Traceback" not in text
    assert done.stdout == b""
    (line,) = text.splitlines()
    assert line.startswith("mambomeme: ")
    return line


def test_json_holds_exactly_what_the_contract_says(data_dir: Path, engine: Engine) -> None:
    done = find(data_dir, "--json", "john", "cena")
    assert (done.returncode, done.stderr) == (0, b"")
    found = json.loads(done.stdout)
    assert found.keys() == {"query", "repaired", "route", "version", "state", "timing_ms", "hits", "nearest"}
    assert (found["query"], found["route"], found["state"]) == ("john cena", "hybrid", "complete")
    assert found["version"] == current_name(data_dir)
    assert found["timing_ms"].keys() == STAGES
    stages = [found["timing_ms"][name] for name in STAGES - {"total"}]
    assert all(isinstance(value, float) and value >= 0 for value in stages)
    assert sum(stages) <= found["timing_ms"]["total"] + 0.01
    assert [hit["rank"] for hit in found["hits"]] == list(range(1, 11))
    expected = engine.search("john cena").hits
    assert [hit["id"] for hit in found["hits"]] == [hit.meme.id for hit in expected]
    for hit, original in zip(found["hits"], expected, strict=True):
        assert hit.keys() == HIT_KEYS
        assert hit["rights"].keys() == {"creator", "source", "licence", "attribution", "cleared"}
        assert hit["safety"].keys() == {"level", "reasons", "policy"}
        assert hit["routes"].keys() <= {"lexical", "dense"}
        assert all(route.keys() == {"rank", "score"} for route in hit["routes"].values())
        assert all(isinstance(reason, str) for reason in hit["why"])
        assert hit["score"] == pytest.approx(original.score)
        assert (hit["family"], hit["title"]) == (original.meme.family.id, original.meme.title)
        assert (hit["quote"], hit["why"]) == (original.meme.quote, list(original.why))
        assert hit["media"] is None or Path(hit["media"]).is_file()


@pytest.mark.parametrize("route", ["hybrid", "lexical", "dense"])
def test_nothing_found_is_exit_code_one_and_still_valid_json(data_dir: Path, route: str) -> None:
    done = find(data_dir, "--json", "--route", route, NONSENSE * 3)
    found = json.loads(done.stdout)
    assert found["hits"] == []
    assert found["route"] == route
    assert done.returncode == 1


def test_nothing_found_is_said_to_a_person_too(data_dir: Path) -> None:
    done = find(data_dir, "--route", "lexical", NONSENSE)
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.decode().startswith("Nothing found · ")


@pytest.mark.parametrize(
    ("arguments", "query"),
    [
        (["cat", "-dog"], "cat -dog"),
        (["-dog", "cat"], "-dog cat"),
        (["cat", "--limit", "2", "-house", "sofa"], "cat -house sofa"),
        (["cat", "-tag:office", "--lim=2"], "cat -tag:office"),
        (["cat", "--limit=2", "--", "--json", "-h"], "cat --json -h"),
        (['"distracted boyfriend"', "-dog"], '"distracted boyfriend" -dog'),
    ],
)
def test_a_word_with_a_minus_is_part_of_the_query_wherever_it_stands(
    data_dir: Path, engine: Engine, arguments: list[str], query: str
) -> None:
    done = find(data_dir, "--json", "--route", "lexical", *arguments)
    found = json.loads(done.stdout)
    assert found["query"] == query
    limit = 2 if any("--lim" in one for one in arguments) else 10
    expected = engine.search(query, "lexical", limit).hits
    assert [hit["id"] for hit in found["hits"]] == [hit.meme.id for hit in expected]


def test_the_filter_that_no_meme_has_is_named_to_a_person(data_dir: Path) -> None:
    done = find(data_dir, "--route", "lexical", "cat", "who:kea")
    assert (done.returncode, done.stdout) == (1, b"")
    reason, summary = done.stderr.decode().splitlines()
    assert reason == 'No meme has who:kea. Did you mean who:"Keanu Reeves"?'
    assert summary.startswith("Nothing found · ")
    silent = find(data_dir, "--json", "--route", "lexical", "cat", "who:kea")
    assert (silent.returncode, silent.stderr) == (1, b"")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["", "  "], "query is empty"),
        (["\x1b\x07"], "query is empty"),
        (["-cat"], "That only says what to leave out; say what to find, too."),
        (["!?", "-cat", '-"big dog"'], "only says what to leave out"),
        (["cat", "--limit", "0"], "1 to 10"),
        (["cat", "--limit", "11"], "1 to 10"),
        (["cat", "--limit", "-1"], "1 to 10"),
        (["cat", "--limit", "ten"], "1 to 10"),
        (["cat", "--route", "sideways"], "sideways"),
        (["cat", "--json", "--print0"], "not allowed with"),
        ([], "required: query"),
        (["cat", "--\x1b]0;owned\x07"], "There is no option"),
        (["cat", "--jsno"], "There is no option '--jsno'. Did you mean --json?"),
        (["--nearst", "cat"], "Did you mean --nearest?"),
        (["cat", "--qqqq"], "after -- is all words"),
        (["cat", "--limit"], "expected one argument"),
        (["cat", "--d"], "could match --data-dir, --debug"),
        (["cat", "--json=yes"], "ignored explicit argument"),
    ],
)
def test_a_wrong_command_line_is_one_sentence_and_exit_code_two(
    data_dir: Path, arguments: list[str], said: str
) -> None:
    done = find(data_dir, *arguments)
    assert said in complaint(done)
    assert done.returncode == 2
    assert b"\x1b" not in done.stderr


def test_a_wrong_route_in_the_environment_is_a_usage_error_too(data_dir: Path) -> None:
    done = find(data_dir, "cat", environment={"MAMBOMEME_ROUTE": "\x1b[31m"})
    assert "route is one of" in complaint(done)
    assert done.returncode == 2
    assert b"\x1b" not in done.stderr


def test_print0_ends_every_name_with_a_nul_in_rank_order(data_dir: Path, engine: Engine) -> None:
    done = find(data_dir, "--print0", "john cena")
    names = done.stdout.decode().split("\0")
    assert names.pop() == ""
    for name, hit in zip(names, engine.search("john cena").hits, strict=True):
        assert name == hit.meme.id or Path(name).is_file()
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("limit", [1, 4, 10])
@pytest.mark.parametrize("route", ["hybrid", "lexical", "dense"])
def test_limit_and_route_choose_the_beginning_of_that_ranking(
    data_dir: Path, engine: Engine, route: str, limit: int
) -> None:
    done = find(data_dir, "--json", f"--limit={limit}", f"--route={route}", "dog", "in", "a", "burning", "room")
    expected = engine.search("dog in a burning room", route, limit)
    found = json.loads(done.stdout)
    assert (found["route"], done.returncode) == (route, 0)
    assert [hit["id"] for hit in found["hits"]] == [hit.meme.id for hit in expected.hits]


def test_the_data_folder_may_be_named_before_or_after_the_command(data_dir: Path, tmp_path: Path) -> None:
    elsewhere = os.environ | {"MAMBOMEME_DATA_DIR": str(tmp_path / "nowhere")}
    option, rest = ["--data-dir", str(data_dir)], ["--json", "--route", "lexical", "john cena"]
    for arguments in ([*option, "find", *rest], ["find", *option, *rest]):
        command = [sys.executable, "-m", "mambomeme_tui", *arguments]
        done = subprocess.run(command, env=elsewhere, cwd=ROOT, capture_output=True, check=False)
        assert json.loads(done.stdout)["version"] == current_name(data_dir)
    assert not (tmp_path / "nowhere").exists()


def test_a_person_reads_rank_title_id_and_quote_and_the_count_beside_it(data_dir: Path, engine: Engine) -> None:
    done = find(data_dir, "--limit", "2", "john cena")
    lines = done.stdout.decode().splitlines()
    for hit in engine.search("john cena", limit=2).hits:
        assert f"{hit.rank:>2}  {hit.meme.title}  ({hit.meme.family.year}, {hit.meme.id})" in lines
    assert done.stderr.decode().startswith("2 found · ")
    assert current_name(data_dir) in done.stderr.decode()


@pytest.mark.parametrize("shape", [[], ["--json"], ["--print0"]])
def test_a_terminal_without_utf8_gets_every_hit(data_dir: Path, engine: Engine, shape: list[str]) -> None:
    """The query brings in characters that no ASCII stream can carry."""
    done = find(data_dir, *shape, "confused math lady ¿é 👀".encode(), environment=C_LOCALE)
    assert done.returncode == 0
    text = done.stdout.decode("ascii")
    assert "Traceback" not in done.stderr.decode("ascii")
    for hit in engine.search("confused math lady").hits[:3]:
        assert (media.name_or_path(hit.meme) if shape == ["--print0"] else hit.meme.id) in text
    if shape == ["--json"]:
        assert len(json.loads(text)["hits"]) == 10


def test_json_is_json_whatever_the_encoding_of_the_stream(data_dir: Path) -> None:
    done = find(data_dir, "--json", "café 👀 john cena", environment={"PYTHONIOENCODING": "ascii"})
    assert json.loads(done.stdout.decode("ascii"))["query"] == "café 👀 john cena"


@pytest.mark.parametrize("shape", [[], ["--json"], ["--print0"]])
def test_a_reader_that_has_gone_is_no_error_worth_a_word(data_dir: Path, shape: list[str]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = find(data_dir, *shape, "--route=lexical", "john cena", stdout=writing)
    os.close(writing)
    assert done.returncode == 141
    assert b"Traceback" not in done.stderr
    assert b"rror" not in done.stderr


def test_bytes_that_are_no_text_are_left_out_of_the_query(data_dir: Path) -> None:
    done = find(data_dir, "--json", b"john\xff\xfe cena\xc3")
    found = json.loads(done.stdout)
    assert found["query"] == "john cena"
    assert found["hits"][0]["family"] == "john-cena"
    assert find(data_dir, b"\xff\xfe").returncode == 2


@pytest.mark.parametrize("shape", [[], ["--json"], ["--print0"]])
def test_escape_sequences_of_a_query_reach_no_stream(data_dir: Path, shape: list[str]) -> None:
    done = find(data_dir, *shape, ESCAPES)
    assert done.returncode == 0
    for stream in (done.stdout, done.stderr):
        text = stream.decode()
        assert not {char for char in text if ord(char) < 32 or 0x7F <= ord(char) < 0xA0} - {"\n", "\0"}
        assert "\u202e" not in text
        assert "\\u001b" not in text


def test_a_damaged_encoder_is_told_and_words_still_find(data_dir: Path, tmp_path: Path) -> None:
    data = copy_of(data_dir, tmp_path / "data")
    (tokenizer,) = (data / "models").glob("*/tokenizer.json")
    tokenizer.unlink()
    tokenizer.write_text("{}")
    done = find(data, "--json", "john cena")
    found = json.loads(done.stdout)
    assert (found["state"], found["hits"][0]["family"], done.returncode) == ("dense-failed", "john-cena", 0)
    told = find(data, "john cena").stderr.decode()
    assert "found by words alone" in told
    assert "tokenizer.json" in told
    alone = find(data, "--route", "dense", "john cena")
    assert "tokenizer.json" in complaint(alone)
    assert alone.returncode == 4


@pytest.mark.parametrize("place", ["file/data", "folder"])
def test_without_an_index_and_without_a_place_for_one_a_sentence_says_so(tmp_path: Path, place: str) -> None:
    """A file stands where a folder is needed, which stops even the superuser."""
    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "versions").touch()
    done = find(tmp_path / place, "john cena")
    assert done.returncode == 4
    assert done.stdout == b""
    announced, failed = done.stderr.decode().splitlines()
    assert announced.endswith("It is built now, once.")
    assert failed.startswith("mambomeme: The index could not be built: The index can't be written into")
