"""Opening a meme: the person's own viewer gets one real picture, apart from the terminal, and nothing else."""

import json
import os
import pty
import resource
import shlex
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image

from mambomeme_tui import media, paths
from mambomeme_tui.opening import CARD_SIZE, OpenError, open_meme
from mambomeme_tui.records import Meme
from mambomeme_tui.retrieval.engine import Engine

VIEWER = """
import json, os, pathlib, sys
streams = [os.readlink(f"/proc/self/fd/{number}") for number in range(3)]
found = {"arguments": sys.argv[1:], "streams": streams, "session": os.getsid(0)}
told = pathlib.Path(__file__).with_suffix(".json")
told.with_suffix(".part").write_text(json.dumps(found))
told.with_suffix(".part").rename(told)
"""
DEADLINE = 30.0


@pytest.fixture
def meme(engine: Engine) -> Meme:
    """An item that has a text and no picture."""
    return replace(engine.search("john cena").hits[0].meme, media="")


@pytest.fixture
def viewer(tmp_path: Path) -> Path:
    """A viewer in a folder with a blank in its name; writes down how it was called."""
    script = tmp_path / "my viewers" / "viewer.py"
    script.parent.mkdir()
    script.write_text(VIEWER)
    return script


def call_of(viewer: Path) -> dict[str, object]:
    """What the viewer wrote down, as soon as it has."""
    told, deadline = viewer.with_suffix(".json"), time.monotonic() + DEADLINE
    while not told.exists():
        assert time.monotonic() < deadline, "the viewer was never called"
        time.sleep(0.01)
    found: dict[str, object] = json.loads(told.read_text())
    return found


@pytest.fixture
def cards(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The folder of cards, and a viewer that does nothing."""
    monkeypatch.setenv("MAMBOMEME_OPENER", "true")
    return tmp_path / "cache" / "cards"


def test_the_viewer_gets_its_own_arguments_and_the_picture_last(
    meme: Meme, viewer: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MAMBOMEME_OPENER", f"{sys.executable} '{viewer}' --title \"two words\" '' $HOME ;")
    path = open_meme(meme)
    assert call_of(viewer)["arguments"] == ["--title", "two words", "", "$HOME", ";", str(path)]


def test_the_viewer_can_neither_read_from_the_terminal_nor_write_to_it(
    meme: Meme, viewer: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MAMBOMEME_OPENER", shlex.join([sys.executable, str(viewer)]))
    before = os.dup(0)
    master, slave = pty.openpty()
    os.dup2(slave, 0)
    try:
        open_meme(meme)
    finally:
        os.dup2(before, 0)
    call = call_of(viewer)
    assert call["streams"] == ["/dev/null"] * 3
    assert call["session"] != os.getsid(0)
    for descriptor in (before, master, slave):
        os.close(descriptor)


@pytest.mark.parametrize("opener", ["/nowhere/viewer", "no-such-viewer --flag", "'never closed", "/"])
def test_a_viewer_that_cannot_be_started_is_an_open_error(
    meme: Meme, monkeypatch: pytest.MonkeyPatch, opener: str
) -> None:
    monkeypatch.setenv("MAMBOMEME_OPENER", opener)
    with pytest.raises(OpenError) as raised:
        open_meme(meme)
    assert raised.value.exit_code == 5
    assert ("MAMBOMEME_OPENER" if "closed" in opener else opener.partition(" ")[0]) in str(raised.value)


@pytest.mark.parametrize("opener", [None, "", "  "])
def test_without_a_viewer_of_ones_own_the_platform_opens(
    meme: Meme, viewer: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, opener: str | None
) -> None:
    if opener is not None:
        monkeypatch.setenv("MAMBOMEME_OPENER", opener)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    with pytest.raises(OpenError, match="MAMBOMEME_OPENER"):
        open_meme(meme)
    own = tmp_path / "bin" / ("open" if sys.platform == "darwin" else "xdg-open")
    own.parent.mkdir()
    own.write_text(f"#!{sys.executable}\n{VIEWER.replace('__file__', repr(str(viewer)))}")
    own.chmod(0o755)
    path = open_meme(meme)
    assert call_of(viewer)["arguments"] == [str(path)]


def test_a_card_is_a_readable_picture_of_its_text(meme: Meme, cards: Path) -> None:
    path = open_meme(meme)
    assert path.parent == cards
    other = open_meme(replace(meme, quote="Another text / altogether", content_hash="f" * 64))
    textless = open_meme(replace(meme, quote="", content_hash="e" * 64))
    with Image.open(path) as picture, Image.open(other) as second, Image.open(textless) as empty:
        assert (picture.format, picture.size) == ("PNG", (CARD_SIZE, CARD_SIZE))
        assert white(picture) > 500
        assert white(empty) == 0
        assert picture.tobytes() != second.tobytes()


def white(picture: Image.Image) -> int:
    """How many pixels have the colour of the text."""
    return sum(count for count, colour in picture.convert("RGB").getcolors(1 << 24) if colour == (255, 255, 255))


def test_the_longest_texts_of_the_corpus_fit_on_their_cards(engine: Engine, cards: Path) -> None:
    everything = engine.version.catalogue.at(range(engine.size))
    longest = sorted(everything, key=lambda meme: (meme.quote.count(" / "), len(meme.quote)))[-8:]
    for meme in [*longest, *sorted(everything, key=lambda meme: len(meme.quote))[-8:]]:
        with Image.open(open_meme(replace(meme, media=""))) as picture:
            ground = picture.getpixel((0, 0))
            edge = [*((at, 0) for at in range(CARD_SIZE)), *((0, at) for at in range(CARD_SIZE))]
            edge += [(CARD_SIZE - 1 - x, CARD_SIZE - 1 - y) for x, y in edge]
            assert {picture.getpixel(place) for place in edge} == {ground}, meme.id


def test_a_card_is_made_once_and_anew_for_a_changed_record(meme: Meme, cards: Path) -> None:
    first = open_meme(meme)
    first.write_bytes(b"kept as it is")
    assert open_meme(meme) == first
    assert first.read_bytes() == b"kept as it is"
    changed = open_meme(replace(meme, content_hash="0" * 64))
    assert changed != first
    assert sorted(cards.iterdir()) == sorted([first, changed])


@contextmanager
def files_no_larger_than(size: int) -> Iterator[None]:
    """As on a disk that becomes full after so many bytes of a file."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, before)


def test_a_card_that_could_not_be_written_whole_is_never_opened_later(meme: Meme, cards: Path) -> None:
    with files_no_larger_than(100), pytest.raises(OpenError, match="can't be written"):
        open_meme(meme)
    with Image.open(open_meme(meme)) as picture:
        picture.load()
    assert len(list(cards.iterdir())) == 1


def test_a_cache_that_cannot_be_written_is_an_open_error(
    meme: Meme, cards: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "in the way").write_text("a file")
    monkeypatch.setenv("MAMBOMEME_CACHE_DIR", str(tmp_path / "in the way"))
    with pytest.raises(OpenError, match="can't be written"):
        open_meme(meme)


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A corpus folder of the test's own with one picture, and a secret beside it that links and names point to."""
    corpus = tmp_path / "home" / "corpus"
    (corpus / "media").mkdir(parents=True)
    Image.new("RGB", (2, 2), "red").save(corpus / "media" / "ok.png")
    (tmp_path / "home" / "secret.png").write_bytes(b"secret")
    (tmp_path / "home" / "corpus-secret.png").write_bytes(b"secret")
    (corpus / "media" / "link.png").symlink_to(tmp_path / "home" / "secret.png")
    (corpus / "media" / "up").symlink_to("../..")
    (corpus / "media" / "loop.png").symlink_to("loop.png")
    monkeypatch.setattr(paths, "_PACKAGE", tmp_path / "home" / "package")
    return corpus


def test_a_picture_in_the_corpus_is_handed_over_as_it_is(meme: Meme, shelf: Path, cards: Path) -> None:
    named = replace(meme, media="media/ok.png")
    assert open_meme(named) == (shelf / "media" / "ok.png").resolve()
    assert media.name_or_path(named) == str((shelf / "media" / "ok.png").resolve())
    assert not cards.exists()


@pytest.mark.parametrize(
    "name",
    [
        "../secret.png",
        "media/../../secret.png",
        "media/link.png",
        "media/up/secret.png",
        "media/loop.png",
        "../corpus-secret.png",
        "/etc/hostname",
        "media",
        "media/missing.png",
        "media/\0.png",
        "\ud800",
        "x" * 5000,
        "x/" * 5000,
    ],
    ids=lambda name: ascii(name[:24]),
)
def test_no_name_of_a_picture_leads_out_of_the_corpus(meme: Meme, shelf: Path, cards: Path, name: str) -> None:
    named = replace(meme, media=name)
    assert media.path_of(named) is None
    assert media.name_or_path(named) == meme.id
    assert open_meme(named).parent == cards
