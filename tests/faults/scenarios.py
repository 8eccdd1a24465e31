"""What is done to a data folder while it is attacked, what it holds before, and what may be served meanwhile."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from mambomeme_tui import corpus
from mambomeme_tui.index import versions
from mambomeme_tui.index.build import version_name
from mambomeme_tui.index.layout import MODELS_FOLDER, SCRATCH, VERSIONS_FOLDER
from mambomeme_tui.index.publish import publish
from mambomeme_tui.index.vectors import VECTORS_FILE
from tests.faults.standins import FAMILIES, PARAMETERS, write_corpus

DATA = Path("home") / "data"
"""Where the data folder lies below the folder that is attacked: two levels, so that a first publish makes both."""


@dataclass(frozen=True)
class Sources:
    """Corpus folders, and the names of the versions that they make."""

    old: Path
    new: Path
    other: Path

    def name(self, source: Path) -> str:
        """The version that a corpus makes."""
        return version_name(corpus.load(source), PARAMETERS)


@dataclass(frozen=True)
class Scenario:
    """An action under attack.

    Attributes:
        prepare: fills the folder that the data folder lies in.
        act: the action, on a data folder; returns the name of the version that is served then.
        again: the action once more, without faults; the same as `act` where that may be done twice.
        before: the name of the version that is served before; None where there is none.
        after: the name of the version that is served afterwards.
        keeps: names of versions that must stay whole.
        fallback: whether the version that `current` names may be missing, so that the last good one stands in.
    """

    prepare: Callable[[Path], None]
    act: Callable[[Path], str]
    again: Callable[[Path], str]
    before: str | None
    after: str
    keeps: tuple[str, ...] = ()
    fallback: bool = False


def make_sources(folder: Path) -> Sources:
    """Three corpora; the new one differs from the old one by one word, the other one by a family."""
    old, new = write_corpus(folder / "old"), write_corpus(folder / "new", changed=True)
    return Sources(old, new, write_corpus(folder / "other", FAMILIES[:1]))


def publishing(source: Path) -> Callable[[Path], str]:
    """The action that publishes a corpus."""
    return lambda data: publish(data, source, PARAMETERS, lambda *_step: None).name


def all_scenarios(sources: Sources) -> dict[str, Scenario]:
    """Every scenario by its name."""
    act = publishing(sources.new)
    old, new = sources.name(sources.old), sources.name(sources.new)
    return {
        "publish": Scenario(_published(sources.old), act, act, old, new, (old,)),
        "first": Scenario(lambda _folder: None, act, act, None, new),
        "mend": Scenario(_damaged(sources, new), act, _twice(act), old, new, (old,), fallback=True),
        "roll_back": Scenario(
            _published(sources.old, sources.new),
            lambda data: versions.roll_back(data, None),
            lambda data: versions.roll_back(data, old),
            *(new, old, (old, new)),
        ),
        "prune": Scenario(_crowded(sources), _pruning(new), _pruning(new), new, new, (new,)),
    }


def _twice(act: Callable[[Path], str]) -> Callable[[Path], str]:
    """The second time clears what the first moved aside and left to readers that may have it open."""
    return lambda data: (act(data), act(data))[1]


def _published(*order: Path) -> Callable[[Path], None]:
    def prepare(folder: Path) -> None:
        for source in order:
            publishing(source)(folder / DATA)

    return prepare


def _damaged(sources: Sources, name: str) -> Callable[[Path], None]:
    """The served version has a flipped bit, so that it moves aside when it is built anew."""

    def prepare(folder: Path) -> None:
        _published(sources.old, sources.new)(folder)
        path = folder / DATA / VERSIONS_FOLDER / name / VECTORS_FILE
        path.write_bytes(path.read_bytes()[:-1] + b"\x55")

    return prepare


def _crowded(sources: Sources) -> Callable[[Path], None]:
    """Two versions too many, an export that no version needs, and what an interrupted writer left everywhere."""

    def prepare(folder: Path) -> None:
        _published(sources.other, sources.old, sources.new)(folder)
        data = folder / DATA
        (data / MODELS_FOLDER / "0123456789ab").mkdir()
        (data / MODELS_FOLDER / "0123456789ab" / "model.onnx").write_bytes(b"unused")
        for place in (data, data / VERSIONS_FOLDER, data / MODELS_FOLDER):
            (place / f"{SCRATCH}folder" / "whoosh").mkdir(parents=True)
            for half in (f"{SCRATCH}file", f"{SCRATCH}folder/manifest.json", f"{SCRATCH}folder/whoosh/_MAIN_1.toc"):
                (place / half).write_text("half", encoding="utf-8")

    return prepare


def _pruning(name: str) -> Callable[[Path], str]:
    def act(data: Path) -> str:
        versions.prune(data, 0, dry_run=False)
        return name

    return act
