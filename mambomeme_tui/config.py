"""Settings: defaults < config.toml < environment < flags, checked once, then immutable.

Every setting is a field of `Settings`, documented where it is declared; an unknown or ill-typed one is a usage error
that names the place it came from.
"""

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from mambomeme_tui import paths
from mambomeme_tui.errors import UsageError

ROUTES = ("hybrid", "lexical", "dense")
ENVIRONMENT = {"route": "MAMBOMEME_ROUTE", "theme": "MAMBOMEME_THEME", "data_dir": "MAMBOMEME_DATA_DIR"}


@dataclass(frozen=True, slots=True)
class Settings:
    """What a person can set.

    Attributes:
        route: `hybrid`, `lexical` or `dense`: which way of finding is used.
        theme: the name of a colour theme, shipped or in the `themes` folder beside `config.toml`.
        data_dir: the folder of published versions and of the encoder.
    """

    route: str = "hybrid"
    theme: str = "night"
    data_dir: Path = field(default_factory=paths.data_dir)


def load(flags: Mapping[str, str | None] | None = None) -> Settings:
    """Merge all sources; `flags` are those given on the command line, None where not given.

    Raises:
        UsageError: an unknown key, a wrong type, an unknown route, or a file that is no TOML.
    """
    settings = Settings()
    file = paths.config_dir() / "config.toml"
    for source, values in (
        (str(file), _read(file)),
        ("the environment", {key: os.environ.get(name) or None for key, name in ENVIRONMENT.items()}),
        ("the command line", dict(flags or {})),
    ):
        settings = _merge(settings, values, source)
    return settings


def _read(file: Path) -> dict[str, object]:
    if file.exists() and not file.is_file():
        raise UsageError(f"{file} is no regular file.", "Mend or remove it.")
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError) as error:  # beyond Python's limits it is no TOMLDecodeError
        raise UsageError(f"{file} can't be read as TOML: {error}.", "Mend or remove that file.") from None


def _merge(settings: Settings, values: Mapping[str, object], source: str) -> Settings:
    known = [item.name for item in fields(Settings)]
    for key, value in values.items():
        if key not in known:
            raise UsageError(f"{source}: no setting is called {key!r}; there are {', '.join(known)}.")
        if value is None:
            continue
        if not isinstance(value, str | Path):
            raise UsageError(f"{source}: {key} takes a text, not {value!r}.")
        found: Any = paths.expand(value) if key == "data_dir" else str(value)
        settings = replace(settings, **{key: found})
    if settings.route not in ROUTES:
        raise UsageError(f"{source}: route is one of {', '.join(ROUTES)}, not {settings.route!r}.")
    return settings
