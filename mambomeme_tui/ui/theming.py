"""Colour themes: TOML files, shipped or a person's own, each checked by itself.

A theme that fails is told and replaced by the default; the others are not touched by it.
"""

import re
import tomllib
from dataclasses import dataclass, fields
from pathlib import Path

from textual.theme import Theme

from mambomeme_tui.errors import UsageError
from mambomeme_tui.paths import bundled, config_dir

DEFAULT = "night"
_COLOUR = re.compile(r"#[0-9a-fA-F]{6}")


@dataclass(frozen=True, slots=True)
class Palette:
    """The colours of a theme, each `#rrggbb`, named by what they are for."""

    background: str
    surface: str
    footer: str
    border: str
    text: str
    muted: str
    title: str
    accent: str
    brand: str
    rank: str
    selection: str
    good: str
    warning: str
    error: str


def theme_folders() -> tuple[Path, Path]:
    """Where themes are looked for; a person's own win over shipped ones of the same name."""
    return config_dir() / "themes", bundled("themes")


def load_palette(name: str) -> tuple[Palette, bool]:
    """The colours of a theme, and whether it is dark.

    Raises:
        UsageError: there is no such theme, or its file is faulty; says which and why.
    """
    for folder in theme_folders():
        path = folder / f"{name}.toml"
        if path.parent == folder and path.is_file():
            return _read(path)
    known = sorted({path.stem for folder in theme_folders() for path in folder.glob("*.toml")})
    raise UsageError(f"There is no theme called {name!r}.", f"There are {', '.join(known)}.")


def _read(path: Path) -> tuple[Palette, bool]:
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
        colours, dark = dict(data["colours"]), data["dark"]
    except KeyError as error:
        raise UsageError(f"The theme {path} lacks {error}.") from None
    except (OSError, ValueError, TypeError) as error:
        raise UsageError(f"The theme {path} can't be read: {error}.") from None
    if not isinstance(dark, bool):
        raise UsageError(f"The theme {path}: dark is true or false, not {dark!r}.")
    names = [field.name for field in fields(Palette)]
    if wrong := sorted(set(names) ^ set(colours)):
        raise UsageError(f"The theme {path} lacks a colour or has one too many: {', '.join(wrong)}.")
    for key, value in colours.items():
        if not isinstance(value, str) or not _COLOUR.fullmatch(value):
            raise UsageError(f"The theme {path}: {key} is written as '#rrggbb', not {value!r}.")
    return Palette(**colours), dark


def textual_theme(palette: Palette, dark: bool) -> Theme:
    """The theme for Textual's own widgets, in the same colours."""
    return Theme(
        name="mambomeme",
        primary=palette.accent,
        secondary=palette.brand,
        warning=palette.warning,
        error=palette.error,
        success=palette.good,
        accent=palette.accent,
        foreground=palette.text,
        background=palette.background,
        surface=palette.surface,
        panel=palette.footer,
        dark=dark,
    )
