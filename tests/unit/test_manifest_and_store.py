"""Nothing of a version is opened before every byte of it was compared, and opening one changes nothing.

An audit hook watches what Python itself reports: databases connected, classes unpickled, files mapped.
"""

import hashlib
import json
import os
import pickle
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mambomeme_tui import corpus, paths
from mambomeme_tui.digests import hash_json
from mambomeme_tui.errors import DamagedVersion, IndexUnavailable, ModelUnavailable
from mambomeme_tui.index import store, writing
from mambomeme_tui.index.manifest import FileEntry, Manifest, list_files, verify
from mambomeme_tui.index.pointer import current_name
from mambomeme_tui.index.verification import verify_version
from mambomeme_tui.retrieval.engine import Engine
from mambomeme_tui.retrieval.results import State

ROOT = Path(__file__).parents[2]
OPENINGS = ("sqlite3.connect", "pickle.find_class", "mmap.__new__")
KINDS = ("annoy.ann", "catalogue.sqlite", "links.npy", "policy.toml", "structure.npy", "vectors.npy")
KINDS += ("facets/facets.json", "facets/facet_starts.npy", "facets/facet_positions.npy")
KINDS += ("impacts/docs.npy", "impacts/starts.npy", "impacts/terms.json", "impacts/values.npy")
KINDS += ("vocabulary/common.txt", "vocabulary/known.json", "whoosh/*.seg", "whoosh/*.toc")
_heard: list[list[str]] = []


def _hook(event: str, _arguments: tuple[Any, ...]) -> None:
    for heard in _heard if event in OPENINGS else ():
        heard.append(event)


sys.addaudithook(_hook)


@contextmanager
def listening() -> Iterator[list[str]]:
    """The kinds of opening that happen meanwhile; a hook can't be taken off again, so that it only listens here."""
    heard: list[str] = []
    _heard.append(heard)
    try:
        yield heard
    finally:
        _heard.remove(heard)


@pytest.fixture
def data(data_dir: Path, tmp_path: Path) -> Path:
    """A copy to damage; the encoder is only linked."""
    shutil.copytree(data_dir / "versions", tmp_path / "data" / "versions")
    shutil.copy(data_dir / "current", tmp_path / "data" / "current")
    (tmp_path / "data" / "models").symlink_to(data_dir / "models")
    return tmp_path / "data"


def folder_of(data: Path) -> Path:
    return data / "versions" / current_name(data)


def assert_refused(data: Path, told: str | None = None) -> None:
    with listening() as heard, pytest.raises(DamagedVersion, match=told) as caught:
        Engine(data)
    assert heard == []
    assert caught.value.exit_code == 4
    assert "\n" not in str(caught.value)


def test_a_sound_version_opens_and_the_hook_would_hear_it(data: Path) -> None:
    with listening() as heard:
        opened = Engine(data)
        opened.load_dense()
    opened.close()
    assert set(heard) == set(OPENINGS) - {"pickle.find_class"}, "words are looked up without Whoosh and its pickles"
    with listening() as heard:
        verify_version(folder_of(data))
    assert set(heard) >= {"sqlite3.connect", "pickle.find_class"}


def test_the_kinds_of_files_damaged_below_are_all_there_are(data: Path) -> None:
    folder = folder_of(data)
    found = [path for kind in KINDS for path in folder.glob(kind)]
    assert {*found, folder / "build.json", folder / "manifest.json"} == {
        path for path in folder.rglob("*") if path.is_file()
    }
    assert len(found) == len(KINDS)


def flip(path: Path) -> None:
    written = bytearray(path.read_bytes())
    written[len(written) // 2] ^= 1
    path.write_bytes(written)


def cut(path: Path) -> None:
    os.truncate(path, path.stat().st_size - 1)


def lengthen(path: Path) -> None:
    path.write_bytes(path.read_bytes() + b"\0")


def make_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


@pytest.mark.parametrize("damage", [flip, cut, lengthen, Path.unlink, make_folder])
@pytest.mark.parametrize("kind", KINDS)
def test_a_damaged_file_keeps_the_version_closed(kind: str, damage: Callable[[Path], None], data: Path) -> None:
    (path,) = folder_of(data).glob(kind)
    damage(path)
    assert_refused(data, path.name)


@pytest.mark.parametrize("name", ["extra", "whoosh/_MAIN_2.toc", "whoosh/manifest.json", ".hidden", "deep/er/file"])
def test_a_file_that_the_manifest_does_not_name_keeps_the_version_closed(name: str, data: Path) -> None:
    path = folder_of(data) / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"")
    assert_refused(data, f"does not name: {name}")


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(drawn=st.data())
def test_no_flipped_bit_in_any_file_goes_unseen(drawn: st.DataObject, tmp_path: Path) -> None:
    folder = tmp_path / "v"
    (folder / "below").mkdir(parents=True, exist_ok=True)
    for name, size in (("one", 257), ("below/two", 1), ("three", 64)):
        (folder / name).write_bytes(bytes(range(256)) * 2 if size > 256 else b"\x55" * size)
    entries = list_files(folder)
    verify(folder, entries)
    path = folder / drawn.draw(st.sampled_from(entries)).path
    written = bytearray(path.read_bytes())
    written[drawn.draw(st.integers(0, len(written) - 1))] ^= 1 << drawn.draw(st.integers(0, 7))
    path.write_bytes(written)
    with pytest.raises(DamagedVersion, match=path.name):
        verify(folder, entries)


def test_a_pickle_that_would_run_code_is_never_unpickled(data: Path, tmp_path: Path) -> None:
    (toc,) = folder_of(data).glob("whoosh/*.toc")
    sound, ran = toc.read_bytes(), tmp_path / "ran"

    class Bomb:
        def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
            return os.mkdir, (str(ran),)

    bomb, start = pickle.dumps(Bomb(), 2), sound.index(pickle.PROTO + b"\x02")
    # in the schema's place and no longer than it: the file keeps its size, and pickle stops where the bomb ends
    toc.write_bytes(sound[:start] + bomb + sound[start + len(bomb) :])
    assert toc.stat().st_size == len(sound)
    assert_refused(data, toc.name)
    assert not ran.exists()
    unguarded = "import sys; from mambomeme_tui.index.postings import open_index; open_index(sys.argv[1])"
    subprocess.run([sys.executable, "-c", unguarded, toc.parent], cwd=ROOT, check=False, stderr=subprocess.DEVNULL)
    assert ran.exists()  # the bomb was a live one


MANIFESTS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "another format": lambda m: m | {"format": 2},
    "another version's": lambda m: m | {"version": "v-0123456789ab"},
    "a list": lambda m: [m],
    "nothing": lambda _: {},
    "no files": lambda m: m | {"files": []},
    "a file less": lambda m: m | {"files": m["files"][1:]},
    "files of another shape": lambda m: m | {"files": ["annoy.ann"]},
    "a field less": lambda m: {key: value for key, value in m.items() if key != "model"},
    "a field more": lambda m: m | {"surprise": 1},
    "unknown parameters": lambda m: m | {"parameters": m["parameters"] | {"surprise": 1}},
    "a model of another shape": lambda m: m | {"model": {}},
    "a corpus of another shape": lambda m: m | {"corpus": {}},
    "an embedding of another shape": lambda m: m | {"embedding": m["embedding"] | {"rows": "7"}},
    "code of another shape": lambda m: m | {"code": None},
    "a wrong size": lambda m: m | {"files": [m["files"][0] | {"size": 1}, *m["files"][1:]]},
    "a wrong hash": lambda m: m | {"files": [m["files"][0] | {"sha256": "0" * 64}, *m["files"][1:]]},
}


def signed(manifest: Any) -> Any:
    """With a digest that fits, as somebody would who means to deceive: the shape alone has to give it away."""
    if not isinstance(manifest, dict):
        return manifest
    rest = {key: value for key, value in manifest.items() if key != "digest"}
    return rest | {"digest": hash_json(rest)}


@pytest.mark.parametrize("change", MANIFESTS.values(), ids=MANIFESTS.keys())
def test_a_manifest_of_another_shape_keeps_the_version_closed(
    change: Callable[[dict[str, Any]], Any], data: Path
) -> None:
    path = folder_of(data) / "manifest.json"
    path.write_text(json.dumps(signed(change(json.loads(path.read_bytes())))))
    assert_refused(data)


@pytest.mark.parametrize("written", [b"", b"{", b"\xff\xfe", b"[]", b"null"])
def test_a_manifest_that_is_no_json_keeps_the_version_closed(written: bytes, data: Path) -> None:
    (folder_of(data) / "manifest.json").write_bytes(written)
    assert_refused(data, "can't be read")


def test_a_version_without_a_manifest_or_without_a_folder_is_refused(data: Path) -> None:
    folder = folder_of(data)
    (folder / "manifest.json").unlink()
    assert_refused(data, "can't be read")
    shutil.rmtree(folder)
    assert_refused(data, "can't be read")


@pytest.mark.parametrize(
    "written",
    [
        *(b"", b"\n", b"..", b"../x", b"/etc", b"\xff\xfe", b"v-\x00", b"v-0123456789aB", b"v-0123456789abc"),
        *("../versions/NAME", "../../data/versions/NAME", "./NAME", "NAME/../NAME", "NAME/", "NAME\nNAME", "x-NAME"),
    ],
)
def test_a_pointer_that_is_no_version_s_name_leads_to_no_other_folder(written: bytes | str, data: Path) -> None:
    name = current_name(data)
    content = written.replace("NAME", name).encode() if isinstance(written, str) else written
    (data / "current").write_bytes(content)
    with pytest.raises(DamagedVersion, match="that says what is served"):
        current_name(data)
    opened = store.open_version(data)
    assert opened.folder == data / "versions" / name
    assert opened.instead_of is not None
    assert "that says what is served" in opened.instead_of.message
    opened.close()


def test_a_missing_pointer_leads_nowhere_and_a_folder_in_its_place_is_told(data: Path) -> None:
    (data / "current").unlink()
    with pytest.raises(IndexUnavailable, match="No index is published") as caught:
        store.open_version(data)
    assert not isinstance(caught.value, DamagedVersion)
    assert caught.value.hint == "Run `mambomeme publish`."
    (data / "current").mkdir()
    opened = store.open_version(data)
    assert opened.instead_of is not None
    opened.close()


@pytest.mark.parametrize("name", ["current", "versions/NAME/manifest.json", "versions/NAME/build.json", "publish.lock"])
def test_a_pipe_in_a_file_s_place_holds_nobody_up(name: str, data: Path) -> None:
    path = data / name.replace("NAME", current_name(data))
    path.unlink(missing_ok=True)
    os.mkfifo(path)
    assert writing.is_locked(data) is False
    try:
        store.open_version(data).close()
    except DamagedVersion as error:
        assert "can't be read" in str(error)  # noqa: PT017  # either is right: what counts is that it ends


@pytest.mark.parametrize("written", [b"[" * 200_000, b'{"process": 1e400, "started": "2026-01-01T00:00:00+00:00"}'])
def test_json_that_breaks_parsers_is_damage_like_any_other(written: bytes, data: Path) -> None:
    (data / "publish.holder").write_bytes(written)
    assert writing.holder(data) == "Another process"
    (folder_of(data) / "manifest.json").write_bytes(written)
    assert_refused(data, "can't be read")


def test_a_file_of_terabytes_is_not_read(data: Path) -> None:
    path = folder_of(data) / "manifest.json"
    os.truncate(path, 3 << 40)
    assert_refused(data, "can't be read")


def test_opening_and_searching_changes_nothing_in_a_read_only_folder(data: Path) -> None:
    everything = [data, *data.rglob("*")]
    for path in everything:
        if not path.is_symlink():
            path.chmod(0o555 if path.is_dir() else 0o444)
    before = _listing(data)
    try:
        opened = Engine(data)
        opened.load_dense()
        assert opened.dense_error is None
        assert all(opened.search("john cena", route).hits for route in ("hybrid", "lexical", "dense"))
        during = _listing(data)
        opened.close()
    finally:
        for path in everything:
            if path.is_dir() and not path.is_symlink():
                path.chmod(0o755)  # or nobody but root could clear it away
    after = {path: seen[1:] for path, seen in _listing(data).items()}
    assert during == before
    assert after == {path: seen[1:] for path, seen in before.items()}


def _listing(folder: Path) -> dict[str, tuple[int, int, int]]:
    seen = {str(path): path.lstat() for path in [folder, *folder.rglob("*")]}
    return {path: (found.st_mode, found.st_mtime_ns, found.st_size) for path, found in seen.items()}


def test_a_version_held_open_stays_what_it_was_when_its_files_are_gone(data: Path) -> None:
    opened = Engine(data)
    opened.load_dense()
    before = [hit.meme for hit in opened.search("invisible wrestler").hits]
    shutil.rmtree(data / "versions")
    assert [hit.meme for hit in opened.search("invisible wrestler").hits] == before != []
    opened.close()


def test_the_folder_s_name_may_hold_what_means_something_in_an_address(data: Path) -> None:
    odd = data.rename(data.with_name("50% of #1? & é"))
    version = store.open_version(odd)
    memes = corpus.load(paths.bundled("corpus")).memes
    assert tuple(version.catalogue.at(range(len(version.catalogue)))) == memes
    assert version.catalogue.by_id(memes[7].id) == memes[7]
    assert version.catalogue.by_id("nobody.nowhere") is None
    version.close()


def test_a_damaged_encoder_is_told_and_words_are_still_found(data: Path, data_dir: Path) -> None:
    (data / "models").unlink()
    shutil.copytree(data_dir / "models", data / "models")
    (model,) = (data / "models").glob("*/model.onnx")
    flip(model)
    opened = Engine(data)
    opened.load_dense()
    assert isinstance(opened.dense_error, ModelUnavailable)
    assert str(opened.dense_error) == "The encoder's model.onnx is missing or damaged. Run `mambomeme publish`."
    result = opened.search("john cena")
    assert result.state is State.DENSE_FAILED
    assert result.hits[0].meme.family.id == "john-cena"
    opened.close()


def test_the_manifest_comes_back_as_it_was_and_names_every_file_with_its_hash(data: Path, tmp_path: Path) -> None:
    folder = folder_of(data)
    manifest = Manifest.read(folder)
    manifest.write(tmp_path)
    assert Manifest.read(tmp_path) == manifest
    files = sorted(
        path for path in folder.rglob("*") if path.is_file() and path.name not in ("build.json", "manifest.json")
    )
    assert manifest.files == tuple(
        FileEntry(str(path.relative_to(folder)), len(read := path.read_bytes()), hashlib.sha256(read).hexdigest())
        for path in files
    )
    memes = corpus.load(paths.bundled("corpus"))
    assert (manifest.corpus["digest"], manifest.corpus["items"]) == (memes.digest, len(memes.memes))
