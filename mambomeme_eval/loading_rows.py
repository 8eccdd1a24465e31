"""Reads JSONL and JSON files into records, or says every fault with its line.

A JSONL file is UTF-8, one object a line, and every line ends with a line feed, the last one too: a file that was cut
in the middle of a line is refused even where the remains could be read. One that was cut at a line's end is a shorter
file, and what is missing in it is for the rules of the partition to notice. Nothing is guessed: an unknown key, a key
twice, NaN, and a number where a text should be are faults.
"""

import json
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Generic, NoReturn, TypeVar

from pydantic import TypeAdapter, ValidationError

from mambomeme_eval.benchmark import to_row
from mambomeme_tui.errors import Fault
from mambomeme_tui.files import read_bytes

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Row(Generic[T]):
    """A record and the line (from 1) on which it stands."""

    line: int
    value: T


@dataclass(frozen=True, slots=True)
class Table(Generic[T]):
    """What a file holds; its `rows` are not all of them where there are `faults`."""

    file: str
    rows: tuple[Row[T], ...]
    faults: tuple[Fault, ...]

    @property
    def whole(self) -> bool:
        """Whether every line could be read, so that what is not there is really missing."""
        return not self.faults

    @property
    def values(self) -> tuple[T, ...]:
        """The records without their lines."""
        return tuple(row.value for row in self.rows)

    def fault(self, line: int, field: str, expected: str) -> Fault:
        """A fault in this file."""
        return Fault(self.file, line, field, expected)


def read_table(path: Path, kind: type[T]) -> Table[T]:
    """Every row of a JSONL file that can be read, and every fault of the others."""
    data, faults = _read(path)
    rows: list[Row[T]] = []
    adapter = TypeAdapter(kind)
    *lines, rest = data.split(b"\n")
    for number, line in enumerate(lines, 1):
        values, found = _record(str(path), number, line, kind, adapter)
        faults.extend(found)
        rows.extend(Row(number, value) for value in values)
    if rest:
        faults.append(Fault(str(path), len(lines) + 1, "(line)", "a line feed at its end; the line is half-written"))
    return Table(str(path), tuple(rows), tuple(faults))


def read_document(path: Path, kind: type[T]) -> Table[T]:
    """The one object of a JSON file: a table of one row, or of none."""
    data, faults = _read(path)
    if faults:
        return Table(str(path), (), tuple(faults))
    values, found = _record(str(path), 1, data, kind, TypeAdapter(kind))
    placed = [replace(one, line=_line_of(data, one.field)) if one.field != "(line)" else one for one in found]
    return Table(str(path), tuple(Row(1, value) for value in values), tuple(placed))


def _line_of(data: bytes, field: str) -> int:
    """The line on which a document writes a field, or the first where it does not."""
    before, key, _ = data.partition(b'"%s"' % field.split(".", maxsplit=1)[0].encode())
    return before.count(b"\n") + 1 if key else 1


def twice(table: Table[T], field: str, key: Callable[[T], Hashable]) -> Iterator[Fault]:
    """A fault for each row whose key an earlier row has."""
    first: dict[Hashable, int] = {}
    for row in table.rows:
        line = first.setdefault(key(row.value), row.line)
        if line != row.line:
            yield table.fault(row.line, field, f"what no other row has; line {line} has the same")


def to_lines(records: Iterable[Any]) -> str:
    """Records as the text of a JSONL file, keys in the order of their fields."""
    return "".join(json.dumps(to_row(record), ensure_ascii=False) + "\n" for record in records)


def is_record(data: bytes, kind: type[Any]) -> bool:
    """Whether a line without its end is a whole row."""
    return bool(_record("", 1, data, kind, TypeAdapter(kind))[0])


def is_there(path: Path) -> bool:
    """Whether a name is taken; also where what it names can't be looked at, which reading it will tell."""
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return path.is_symlink()
    except OSError:
        return True
    return True


def _read(path: Path) -> tuple[bytes, list[Fault]]:
    try:
        return read_bytes(path), []
    except (OSError, ValueError) as error:
        return b"", [Fault(str(path), 1, "(file)", f"a readable file: {getattr(error, 'strerror', None) or error}")]


def _record(file: str, line: int, data: bytes, kind: type[T], adapter: TypeAdapter[T]) -> tuple[list[T], list[Fault]]:
    try:
        text = data.decode("utf-8")
        json.loads(text, object_pairs_hook=distinct, parse_constant=refuse)
        return [adapter.validate_json(text)], []
    except ValidationError as error:
        wanted: dict[str, list[str]] = {}
        for detail in error.errors():  # one for each alternative of a field
            wanted.setdefault(_dotted(detail["loc"]), []).append(_expected(detail, kind))
        return [], [Fault(file, line, field, " or ".join(texts)) for field, texts in wanted.items()]
    except UnicodeDecodeError as error:
        return [], [Fault(file, line, "(line)", f"UTF-8 text; byte {error.start} of the line is not")]
    except json.JSONDecodeError as error:
        at, where = line + error.lineno - 1, f"{error.msg} at character {error.colno}"
        return [], [Fault(file, at, "(line)", f"one JSON object: {where}")]
    except (ValueError, RecursionError) as error:  # also a number or a nesting beyond Python's limits
        return [], [Fault(file, line, "(line)", f"one JSON object: {error}")]


def distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """For `json.loads`: an object; a key that is there twice is a ValueError."""
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"the key {twice!a} is there twice")
    return found


def refuse(name: str) -> NoReturn:
    """For `json.loads`: NaN and the infinities are ValueErrors."""
    raise ValueError(f"{name} is no value")


def _dotted(where: Iterable[str | int]) -> str:
    """A path of the fields that a person wrote: not the alternatives of a type, which pydantic adds behind them."""
    parts = [str(part + 1) if isinstance(part, int) else part for part in where]
    kept = parts[:1] + [part for part in parts[1:] if not part.endswith(("]", ")")) and part != "Slice"]
    return ".".join(part if part.isprintable() else ascii(part) for part in kept) or "(line)"


def _expected(detail: Any, kind: type[Any]) -> str:
    match detail["type"]:
        case "missing":
            return "a value; the field is missing"
        case "unexpected_keyword_argument":
            known = ", ".join(field.name for field in fields(kind))
            return f"no such field; known here are {known}" if len(detail["loc"]) == 1 else "no such field"
        case "string_pattern_mismatch":
            return f"text that matches {detail['ctx']['pattern']}"
        case "value_error":
            return str(detail["ctx"]["error"])
        case _:
            return str(detail["msg"]).removeprefix("Input should be ")
