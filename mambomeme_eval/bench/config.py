"""What `bench.toml` says, as immutable settings: every key is there, none is unknown, and the full protocol is kept."""

import json
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar, Final, Literal

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError

from mambomeme_eval.benchmark import SIZES, PartitionName
from mambomeme_eval.benchmark_values import STRICT, Line
from mambomeme_eval.pty.terminal import COLUMNS, ROWS
from mambomeme_eval.settling import TIMEOUT_MS
from mambomeme_tui.errors import UsageError

NAME: Final = "bench.toml"
LEAST_WARM_UPS: Final = 100
LEAST_REQUESTS: Final = 1000
"""Measured searches of one system. Source: evaluation specification, Performance metrics."""

Count = Annotated[int, Field(ge=1)]
Milliseconds = Annotated[float, Field(gt=0, allow_inf_nan=False)]


@dataclass(frozen=True, slots=True)
class Blocks:
    """How often every query of a partition is asked."""

    development: Count
    hidden: Count
    __pydantic_config__: ClassVar[ConfigDict] = STRICT


@dataclass(frozen=True, slots=True)
class Counts:
    """How much is measured.

    Attributes:
        warm_ups: searches before anything of a system is measured.
        blocks: by partition, each with every query once.
        floor_blocks: of the same for the engine that answers at once.
        starts: of the program, until it is ready.
        echo_rounds: how often a line is typed key by key.
    """

    warm_ups: Count
    blocks: Blocks
    floor_blocks: Count
    starts: Count
    echo_rounds: Count
    __pydantic_config__: ClassVar[ConfigDict] = STRICT


@dataclass(frozen=True, slots=True)
class Limits:
    """How long anything is waited for, in milliseconds, and how often the program is started again."""

    timeout_ms: Milliseconds
    start_ms: Milliseconds
    quiet_ms: Milliseconds
    restarts: Count
    rewarm_ups: Count
    __pydantic_config__: ClassVar[ConfigDict] = STRICT


@dataclass(frozen=True, slots=True)
class Terminal:
    """The declared terminal; the screen can be read at one size only."""

    columns: Literal[80]
    rows: Literal[24]
    term: Annotated[Line, Field(min_length=1)]
    colorterm: Line
    __pydantic_config__: ClassVar[ConfigDict] = STRICT

    def __str__(self) -> str:
        return f"{self.columns}x{self.rows} {self.term} {self.colorterm}".rstrip()


@dataclass(frozen=True, slots=True)
class Gates:
    """What has to be reached, beside the gates of the score."""

    hybrid_p95_ms: Milliseconds
    floor_ratio: Annotated[float, Field(gt=0, allow_inf_nan=False)]
    outside_inside_median_ms: Milliseconds
    __pydantic_config__: ClassVar[ConfigDict] = STRICT


@dataclass(frozen=True, slots=True)
class Settings:
    """All of it; `partition` lies below the package's benchmarks."""

    protocol: Annotated[Line, Field(min_length=1)]
    partition: Annotated[str, Field(pattern=r"^[a-z0-9-]+(/[a-z0-9-]+)*$")]
    systems: Annotated[tuple[Literal["bm25", "dense", "hybrid"], ...], Field(min_length=1)]
    seed: Annotated[int, Field(ge=0, lt=2**63)]
    full: Counts
    quick: Counts
    limits: Limits
    terminal: Terminal
    gates: Gates
    __pydantic_config__: ClassVar[ConfigDict] = STRICT


def find() -> Path:
    """The shipped file: beside this module in an installation, at the root of a checkout."""
    here = Path(__file__).resolve()
    installed = here.with_name(NAME)
    return installed if installed.is_file() else here.parents[2] / NAME


def read(path: Path) -> Settings:
    """Read and check the settings.

    Raises:
        UsageError: the file can't be read, or says something that it may not; the first fault is named.
    """
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise UsageError(f"{path} can't be read as TOML: {error}.") from None
    return parse(data, str(path))


def parse(data: dict[str, Any], source: str) -> Settings:
    """Settings from the values of a TOML file, which is called `source` in errors."""
    try:  # as JSON, in whose strict reading a mapping may be a record and a list may be a tuple
        settings: Settings = TypeAdapter(Settings).validate_json(json.dumps(data, default=_no_value))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise UsageError(f"{source}: {where}: {first['msg'][:1].lower()}{first['msg'][1:]}.") from None
    if fault := _fault(settings):
        raise UsageError(f"{source}: {fault}.")
    return settings


def _no_value(_date: object) -> dict[str, Any]:
    """In the place of a date or a time, which no key may be: as text it would pass for one."""
    return {}


def _fault(settings: Settings) -> str:
    """What breaks the protocol of a release."""
    full = settings.full
    if len(set(settings.systems)) < len(settings.systems):
        return "systems: each system once"
    if full.warm_ups < LEAST_WARM_UPS:
        return f"full.warm_ups: at least {LEAST_WARM_UPS}"
    for name in PartitionName:
        size = SIZES[name]
        least = -(-LEAST_REQUESTS // (size.answerable + size.no_match))
        if getattr(full.blocks, name) < least:
            return f"full.blocks.{name}: at least {least}, which is {LEAST_REQUESTS} searches"
    if settings.limits.timeout_ms != TIMEOUT_MS:
        return f"limits.timeout_ms: {TIMEOUT_MS:.0f}, which every error is charged"
    assert (settings.terminal.columns, settings.terminal.rows) == (COLUMNS, ROWS)
    return ""
