"""Where things lie: bundled data, and the folders of the person who runs the program.

Nothing here creates a folder. Environment variables win over the platform's conventions, so that tests, scripts and
several installations can live side by side.
"""

import os
from pathlib import Path

from platformdirs import PlatformDirs

from mambomeme_tui.errors import UsageError

_PACKAGE = Path(__file__).resolve().parent
_DIRS = PlatformDirs("mambomeme", appauthor=False)


def expand(path: str | Path) -> Path:
    """The absolute path, with `~` replaced.

    Raises:
        UsageError: it names nothing, a home that is not here, or what no folder can be called.
    """
    name = str(path)
    if not name or "\0" in name or name != name.encode("utf-8", "replace").decode():
        raise UsageError(f"{name!r} is no folder's name.")
    try:
        return Path(path).expanduser().absolute()
    except RuntimeError:
        raise UsageError(f"The folder {name!r} names a home that is not here.") from None
    except OSError:
        raise UsageError(f"The folder {name!r} is relative to a folder that is gone.") from None


def data_dir() -> Path:
    """Published versions and the encoder's export; `MAMBOMEME_DATA_DIR` overrides the platform's folder."""
    return expand(os.environ.get("MAMBOMEME_DATA_DIR") or _DIRS.user_data_dir)


def config_dir() -> Path:
    """`config.toml` and a person's own themes; `MAMBOMEME_CONFIG_DIR` overrides the platform's folder."""
    return expand(os.environ.get("MAMBOMEME_CONFIG_DIR") or _DIRS.user_config_dir)


def cache_dir() -> Path:
    """Pictures made to be opened by another program; may be deleted at any time."""
    return expand(os.environ.get("MAMBOMEME_CACHE_DIR") or _DIRS.user_cache_dir)


def bundled(name: str) -> Path:
    """A folder that ships with the program (`corpus`, `themes`): in the wheel, or beside the package in a checkout."""
    installed = _PACKAGE / "bundled" / name
    return installed if installed.is_dir() else _PACKAGE.parent / name
