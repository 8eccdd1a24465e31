"""`mambomeme corpus` finds every fault of texts, pictures, groups and manifest, and counts what is really there."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image

from mambomeme_tui import corpus as corpora
from mambomeme_tui.commands import corpus
from mambomeme_tui.commands.output import answering
from mambomeme_tui.errors import CorpusError, UsageError
from mambomeme_tui.fingerprints import fingerprint

ROOT = Path(__file__).parents[2]
BUNDLED = ROOT / "corpus"
FAMILIES = ("john-cena", "this-is-fine", "two-buttons")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A small frozen corpus: three families of the bundled one, one of them with a copy."""
    folder = tmp_path / "corpus"
    for family in FAMILIES:
        for part in (f"families/{family}.toml", f"media/{family}"):
            target = folder / part
            target.parent.mkdir(parents=True, exist_ok=True)
            (shutil.copytree if (BUNDLED / part).is_dir() else shutil.copyfile)(BUNDLED / part, target)
    shutil.copyfile(BUNDLED / "policy.toml", folder / "policy.toml")
    assert corpus.freeze(folder) == 0
    return folder


def version(root: Path) -> str:
    return str(json.loads((root / "manifest.json").read_bytes())["version"])


def replace(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def test_the_bundled_corpus_has_no_fault() -> None:
    command = [sys.executable, "-m", "mambomeme_tui", "corpus", "check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT, env=os.environ | {})
    assert done.returncode == 0, done.stderr[-2000:]
    assert "no faults" in done.stdout


def test_a_sound_corpus_is_told_to_be_sound(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert corpus.check(root) == 0
    count = len(corpora.load(root).memes)
    assert f"{count} items in 3 families: no faults." in capsys.readouterr().out


def test_freezing_twice_gives_the_same_version(root: Path) -> None:
    before = (root / "manifest.json").read_bytes()
    corpus.freeze(root)
    assert (root / "manifest.json").read_bytes() == before


@pytest.mark.parametrize(
    "change",
    [
        lambda root: replace(root / "families" / "two-buttons.toml", 'meaning = "', 'meaning = "X'),
        lambda root: replace(root / "families" / "two-buttons.toml", '"\n', '" \n'),
        lambda root: replace(root / "policy.toml", "anywhere", "everywhere"),
        lambda root: next((root / "media" / "two-buttons").iterdir()).write_bytes(
            next((root / "media" / "john-cena").iterdir()).read_bytes()
        ),
    ],
    ids=["a letter", "a blank", "the policy", "a picture"],
)
def test_whatever_changes_makes_another_version_and_is_noticed(root: Path, change: Callable[[Path], object]) -> None:
    before = version(root)
    change(root)
    with pytest.raises(CorpusError) as caught:
        corpus.check(root)
    assert any(fault.field == "version" for fault in caught.value.faults)
    corpus.freeze(root)
    assert version(root) != before


def faults_of(root: Path) -> list[str]:
    with pytest.raises(CorpusError) as caught:
        corpus.check(root)
    return [str(fault) for fault in caught.value.faults]


def test_a_missing_picture_is_named(root: Path) -> None:
    gone = sorted((root / "media" / "two-buttons").iterdir())[0]
    gone.unlink()
    assert any(str(gone) in fault and "a picture for two-buttons." in fault for fault in faults_of(root))


def test_a_picture_that_is_none_is_named(root: Path) -> None:
    broken = sorted((root / "media" / "two-buttons").iterdir())[0]
    broken.write_bytes(b"RIFF no picture")
    assert any(str(broken) in fault for fault in faults_of(root))


def test_a_picture_that_is_too_large_is_named(root: Path) -> None:
    large = sorted((root / "media" / "two-buttons").iterdir())[0]
    Image.new("RGB", (481, 20), "red").save(large)
    assert any(str(large) in fault and "480 pixels" in fault for fault in faults_of(root))


def test_pictures_that_look_alike_must_be_declared_copies(root: Path) -> None:
    first, second = sorted((root / "media" / "two-buttons").glob("*.webp"))[:2]
    with Image.open(first) as image:
        image.convert("RGB").resize((200, 200)).save(second, quality=60)
    told = [fault for fault in faults_of(root) if "look like copies" in fault]
    assert any(f"two-buttons.{first.stem} and two-buttons.{second.stem}" in fault for fault in told)


def test_declared_copies_must_look_alike(root: Path) -> None:
    (copy,) = [meme for meme in corpora.load(root).memes if meme.change and meme.family.id == "john-cena"]
    Image.linear_gradient("L").resize((300, 300)).save(root / copy.media)
    assert any(f"{copy.id}" in fault and "declared copies but differ" in fault for fault in faults_of(root))


def test_an_item_judged_by_another_policy_is_named(root: Path) -> None:
    replace(root / "families" / "two-buttons.toml", 'policy = "1"', 'policy = "0"')
    assert any("two-buttons.toml" in fault and "the policy's version, '1'" in fault for fault in faults_of(root))


def test_sentences_that_two_families_share_are_listed_and_counted(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for family in ("two-buttons", "this-is-fine"):
        path = root / "families" / f"{family}.toml"
        replace(path, 'meaning = "', 'meaning = "Purple elephants juggle melons. ')
    assert any("(sentences)" in fault for fault in faults_of(root))
    assert (
        "repeated: 'purple elephants juggle' in this-is-fine: meaning; two-buttons: meaning" in capsys.readouterr().out
    )


def test_the_hashes_of_the_records_are_those_of_the_files(root: Path) -> None:
    for meme in corpora.load(root).memes:
        picture = fingerprint(root / meme.media)
        assert (meme.exact_hash, meme.perceptual_hash) == (picture.sha256, picture.perceptual_hash)
        assert len(meme.perceptual_hash) == 64


def test_a_copy_is_its_original_but_for_name_and_picture(root: Path) -> None:
    memes = {meme.id: meme for meme in corpora.load(root).memes}
    copies = [meme for meme in memes.values() if meme.change]
    assert copies
    for copy in copies:
        original = memes[copy.group]
        assert (copy.quote, copy.tags, copy.rights, copy.safety) == (
            original.quote,
            original.tags,
            original.rights,
            original.safety,
        )
        assert copy.exact_hash != original.exact_hash
        assert original.group == original.id


def test_stats_count_what_is_there(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert corpus.stats(root) == 0
    memes = corpora.load(root).memes
    copies = sum(bool(meme.change) for meme in memes)
    out = capsys.readouterr().out
    assert out.startswith(f"3 families, {len(memes) - copies} items, {copies} copies of them\n")
    line = next(line for line in out.splitlines() if line.startswith("  safe "))
    assert line.split()[1] == str(len(memes) - copies)
    assert set(line.split()[2]) == {"▇"}


def test_show_prints_an_item_or_a_family(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    memes = [meme for meme in corpora.load(root).memes if meme.family.id == "two-buttons"]
    assert corpus.show(root, memes[0].id) == 0
    assert memes[0].quote in capsys.readouterr().out
    assert corpus.show(root, "two-buttons") == 0
    out = capsys.readouterr().out
    assert all(meme.quote in out for meme in memes)


def test_show_says_so_when_there_is_no_such_item(root: Path) -> None:
    with pytest.raises(UsageError) as caught:
        corpus.show(root, "no\x1b[31m-such")
    assert "\x1b" not in str(caught.value)


def test_a_file_that_can_not_be_read_is_no_fault_of_the_output() -> None:
    with pytest.raises(PermissionError), answering():
        raise PermissionError(13, "not this one")


@pytest.mark.parametrize("command", ["check", "stats", "show"])
def test_an_answer_that_can_not_be_written_is_told(root: Path, command: str) -> None:
    arguments = [
        sys.executable,
        "-m",
        "mambomeme_tui",
        "corpus",
        command,
        *(["john-cena"] if command == "show" else []),
        "--corpus",
        str(root),
    ]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(arguments, stdout=full, stderr=subprocess.PIPE, text=True, cwd=ROOT, check=False)
    assert done.returncode == 6
    assert done.stderr == "mambomeme: The answer can't be written: No space left on device.\n"
