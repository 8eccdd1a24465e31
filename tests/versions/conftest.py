"""A small corpus, and data folders in which its versions are published in this very process, within a second each."""

from collections.abc import Callable
from pathlib import Path

import pytest

from mambomeme_tui import paths
from mambomeme_tui.index.pointer import current_name
from mambomeme_tui.index.publish import Published, publish
from mambomeme_tui.parameters import Parameters
from tests.folders import without_version

FAMILIES = ("john-cena", "distracted-boyfriend")
Publish = Callable[..., Published]


def unheard(_stage: str, _done: int, _total: int) -> None:
    """Hears every step of a publication, and keeps nothing of it."""


def make_corpus(folder: Path, said: str = "Camera off") -> Path:
    """A corpus of two families, without pictures; `said` is in one quote."""
    (folder / "families").mkdir(parents=True)
    for name in FAMILIES:
        text = (paths.bundled("corpus") / "families" / f"{name}.toml").read_text(encoding="utf-8")
        (folder / "families" / f"{name}.toml").write_text(text.replace("Camera off", said), encoding="utf-8")
    return folder


@pytest.fixture
def data(data_dir: Path, tmp_path: Path) -> Path:
    """An empty data folder with the encoder and a full cache."""
    return without_version(data_dir, tmp_path / "data")


@pytest.fixture
def put_out(data: Path, tmp_path: Path) -> Publish:
    """Publishes the small corpus with these words in it."""

    def put_out(said: str = "Camera off", parameters: Parameters | None = None) -> Published:
        source = tmp_path / f"corpus-{said}"
        if not source.exists():
            make_corpus(source, said)
        return publish(data, source, parameters or Parameters(), unheard)

    return put_out


@pytest.fixture
def three(data: Path, put_out: Publish) -> list[str]:
    """Three versions, the last one served."""
    names = [put_out(said).name for said in ("Camera one", "Camera two", "Camera three")]
    assert current_name(data) == names[-1]
    return names
