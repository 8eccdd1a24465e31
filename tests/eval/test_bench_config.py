"""`bench.toml`: the shipped one keeps the protocol, and whatever else it could say is refused in one sentence."""

import copy
import datetime
import tomllib
from pathlib import Path
from typing import Any

import pytest

from mambomeme_eval.bench import config
from mambomeme_eval.bench.command import BENCHMARKS
from mambomeme_eval.engine_run import SYSTEMS
from mambomeme_tui.errors import UsageError

SHIPPED = tomllib.loads(config.find().read_text(encoding="utf-8"))


def test_the_shipped_file_is_the_protocol_of_a_release() -> None:
    settings = config.read(config.find())
    assert (settings.full.warm_ups, settings.full.blocks) == (100, config.Blocks(development=9, hidden=5))
    assert settings.systems == tuple(SYSTEMS)
    assert settings.limits.timeout_ms == 5000
    assert str(settings.terminal) == "80x24 xterm-256color truecolor"
    assert settings.gates == config.Gates(30, 4, 1)
    assert (BENCHMARKS / settings.partition / "queries.jsonl").is_file()


def changed(path: str, value: Any) -> dict[str, Any]:
    """The shipped values with one changed, or taken away where it is None."""
    data = copy.deepcopy(SHIPPED)
    *tables, key = path.split(".")
    table = data
    for name in tables:
        table = table[name]
    if value is None:
        del table[key]
    else:
        table[key] = value
    return data


def paths(table: dict[str, Any], before: str = "") -> list[str]:
    """Every key, with the tables that it is in."""
    found = []
    for key, value in table.items():
        found.append(before + key)
        found += paths(value, f"{before}{key}.") if isinstance(value, dict) else []
    return found


@pytest.mark.parametrize("path", paths(SHIPPED))
def test_a_key_that_is_missing_is_named(path: str) -> None:
    with pytest.raises(UsageError, match=rf"^here: {path}: .*required.*\.$"):
        config.parse(changed(path, None), "here")


@pytest.mark.parametrize("table", ["", "full.", "full.blocks.", "limits.", "terminal.", "gates."])
def test_a_key_that_is_unknown_is_named(table: str) -> None:
    with pytest.raises(UsageError, match=rf"^here: {table}colour: .+\.$"):
        config.parse(changed(f"{table}colour", 1), "here")


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("protocol", ""),
        ("protocol", "two\nlines"),
        ("protocol", datetime.date(1979, 5, 27)),
        ("terminal.colorterm", datetime.time(7, 32)),
        ("partition", "../elsewhere"),
        ("partition", "/etc"),
        ("systems", []),
        ("systems", ["bm25", "bm25"]),
        ("systems", ["bm26"]),
        ("systems", "bm25"),
        ("seed", -1),
        ("seed", 2**63),
        ("seed", "1"),
        ("seed", True),
        ("full.warm_ups", 99),
        ("full.blocks.development", 8),
        ("full.blocks.hidden", 4),
        ("quick.warm_ups", 0),
        ("limits.timeout_ms", 4999),
        ("limits.quiet_ms", 0),
        ("limits.quiet_ms", float("inf")),
        ("limits.start_ms", float("nan")),
        ("terminal.columns", 81),
        ("terminal.rows", 25),
        ("terminal.term", ""),
        ("gates.floor_ratio", "4"),
        ("gates.hybrid_p95_ms", {}),
    ],
)
def test_a_value_that_may_not_be_is_named(path: str, value: Any) -> None:
    with pytest.raises(UsageError, match=rf"^here: {path}.*: .+\.$") as refused:
        config.parse(changed(path, value), "here")
    assert "\n" not in str(refused.value)


def test_a_file_that_is_no_toml_is_one_sentence(tmp_path: Path) -> None:
    file = tmp_path / "bench.toml"
    for content in (b"protocol = ", b"\xff", None):
        if content is not None:
            file.write_bytes(content)
        with pytest.raises(UsageError, match="can't be read as TOML"):
            config.read(file if content is not None else tmp_path / "none.toml")
