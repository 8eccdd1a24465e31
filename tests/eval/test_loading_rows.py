"""Files that are cut, torn or strange are refused with their line; whatever is written is read back the same."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mambomeme_eval.benchmark import Header, Judgement, PartitionError, Query, Role
from mambomeme_eval.loading import load
from mambomeme_eval.loading_rows import Table, read_document, read_table, to_lines
from mambomeme_tui.records import SafetyClass
from tests.eval.partitions import bundled_world, query, small

GOOD = json.dumps(query("dev-001", "Füße ✨ ist", "name", "john-cena"), ensure_ascii=False)
HEX = st.text("0123456789abcdef", min_size=64, max_size=64)
SLUGS = st.from_regex(r"[a-z0-9]{1,5}(-[a-z0-9]{1,5}){0,2}", fullmatch=True)
JUDGEMENTS = st.builds(
    Judgement,
    query=SLUGS,
    item=st.tuples(SLUGS, SLUGS).map(".".join),
    content_hash=HEX,
    annotator=st.text('abcÄß☃日"\\', min_size=1, max_size=9),
    role=st.sampled_from(Role),
    grade=st.integers(0, 3),
    safety=st.sampled_from(SafetyClass),
    position=st.integers(1, 10**6),
    repeat=st.booleans(),
    guideline=st.integers(1, 99).map(str),
    pool=HEX,
    time=st.datetimes(timezones=st.timezones()).map(lambda time: time.isoformat()),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("rows")


def read(folder: Path, data: bytes, kind: type = Query) -> Table[object]:
    path = folder / "rows.jsonl"
    path.write_bytes(data)
    return read_table(path, kind)


@given(rows=st.lists(JUDGEMENTS, max_size=4))
def test_what_is_written_is_read_back(folder: Path, rows: list[Judgement]) -> None:
    table = read(folder, to_lines(rows).encode(), Judgement)
    assert table.values == tuple(rows)
    assert table.whole
    assert [row.line for row in table.rows] == list(range(1, len(rows) + 1))


@given(rows=st.lists(JUDGEMENTS, min_size=1, max_size=3), data=st.data())
def test_a_file_cut_anywhere_is_refused_or_a_shorter_file(
    folder: Path, rows: list[Judgement], data: st.DataObject
) -> None:
    whole = to_lines(rows).encode()
    cut = data.draw(st.integers(0, len(whole)))
    table = read(folder, whole[:cut], Judgement)
    lines = whole[:cut].count(b"\n")
    assert table.values == tuple(rows[:lines])
    at_line_end = whole[:cut].endswith(b"\n") or cut == 0
    assert [(one.line, one.field) for one in table.faults] == ([] if at_line_end else [(lines + 1, "(line)")])


@given(data=st.binary(max_size=300))
def test_any_bytes_are_read_or_refused(folder: Path, data: bytes) -> None:
    table = read(folder, data)
    assert table.whole is (not data)  # no random bytes are a query


@given(at=st.integers(0, len(GOOD.encode()) - 1), byte=st.integers(0, 255))
def test_a_changed_byte_is_read_or_refused_and_never_more_than_a_row(folder: Path, at: int, byte: int) -> None:
    data = bytearray(GOOD.encode())
    data[at] = byte
    table = read(folder, bytes(data) + b"\n")
    assert len(table.rows) == 1 or table.faults


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (b"", "one JSON object"),
        (b"[]", "an object"),
        (b"null", "an object"),
        (b"\xff{}", "UTF-8"),
        (b"\xef\xbb\xbf" + GOOD.encode(), "BOM"),
        (GOOD.encode() + b" {}", "Extra data"),
        (GOOD.replace('"note": ""', '"note": "", "note": "x"').encode(), "'note' is there twice"),
        (GOOD.replace('"note": ""', '"note": NaN').encode(), "NaN is no value"),
        (GOOD.replace('"note": ""', '"note": -Infinity').encode(), "-Infinity is no value"),
        (GOOD.replace('"note": ""', '"note": "\\ud800"').encode(), "JSON"),
        (b'{"id": ' + b"[" * 99_999, "recursion"),
        (b'{"id": ' + b"9" * 9_999 + b"}", "limit"),
    ],
)
def test_a_line_that_is_no_row_is_told_with_its_number(folder: Path, line: bytes, told: str) -> None:
    table = read(folder, GOOD.encode() + b"\n" + line + b"\n")
    assert len(table.rows) == 1
    assert [(one.line, one.field) for one in table.faults] == [(2, "(line)")]
    assert told in table.faults[0].expected


def test_every_fault_of_a_row_is_told_in_words(folder: Path) -> None:
    row = json.loads(GOOD) | {"id": "Dev 1", "slice": "odd", "marks": ["safety", 1], "kind": None, "n\x1b": 1}
    del row["note"]
    table = read(folder, (json.dumps(row) + "\n").encode())
    told = {one.field: one.expected for one in table.faults}
    assert set(told) == {"id", "slice", "marks.2", "kind", "note", "'n\\x1b'"}
    assert told["slice"] == "'name', 'quote', 'topic', 'semantic', 'visual' or 'noisy' or ''"
    assert told["note"] == "a value; the field is missing"
    assert told["'n\\x1b'"].endswith("known here are id, text, kind, slice, family, marks, templates, note")


def test_a_line_separator_inside_a_text_ends_no_line(folder: Path) -> None:
    odd = GOOD.replace('"note": ""', '"note": "a\u2028b"')
    table = read(folder, f"{odd}\n{GOOD}\n".encode())
    assert [row.line for row in table.rows] == [2]
    assert [(one.line, one.field) for one in table.faults] == [(1, "note")]


def test_a_folder_in_the_place_of_a_file_is_refused(tmp_path: Path) -> None:
    assert [one.field for one in read_table(tmp_path, Query).faults] == ["(file)"]
    assert [one.field for one in read_document(tmp_path, Header).faults] == ["(file)"]


def test_a_document_tells_the_line_of_its_field_and_of_its_syntax(tmp_path: Path) -> None:
    path = tmp_path / "partition.json"
    path.write_text(json.dumps(small().header, indent=1).replace('"policy": "1"', '"policy": 1'))
    assert [(one.line, one.field) for one in read_document(path, Header).faults] == [(6, "policy")]
    path.write_text('{\n"benchmark": "v1",\n}\n')
    assert [one.line for one in read_document(path, Header).faults] == [3]


def test_judgements_that_end_early_are_missing_grades_and_never_guessed(tmp_path: Path) -> None:
    draft = small()
    file = draft.write(tmp_path) / "judgements.jsonl"
    lines = file.read_bytes().splitlines(keepends=True)
    whole = load(tmp_path, bundled_world()).judgements
    for count in range(len(lines) + 1):
        file.write_bytes(b"".join(lines[:count]))
        assert load(tmp_path, bundled_world()).judgements == whole[:count]
        if count < len(lines):
            file.write_bytes(b"".join(lines[:count]) + lines[count][:-1])
            with pytest.raises(PartitionError):
                load(tmp_path, bundled_world())
