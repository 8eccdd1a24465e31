"""Rolling back goes to the last good version, pruning takes away what nobody has open, and lists tell the truth."""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from mambomeme_tui.cli import main
from mambomeme_tui.errors import DamagedVersion, IndexUnavailable, UsageError
from mambomeme_tui.index import pointer, store, versions
from mambomeme_tui.retrieval.engine import Engine
from tests.versions.conftest import Publish


def flip(path: Path, at: int | None = None) -> None:
    """Change one bit, in a file of its own, so that what shares it stays as it is."""
    written = bytearray(path.read_bytes())
    written[len(written) // 2 if at is None else at] ^= 4
    path.unlink()
    path.write_bytes(written)


def read_pointer(data: Path) -> tuple[str, ...]:
    """The names, the served one first."""
    return tuple(one.name for one in pointer.read_pointer(data))


def served_quotes(data: Path) -> str:
    engine = Engine(data)
    try:
        return " ".join(hit.meme.quote for hit in engine.search("camera", "lexical").hits)
    finally:
        engine.close()


def test_a_rollback_serves_what_was_served_before_and_a_second_one_goes_further(data: Path, three: list[str]) -> None:
    assert "three" in served_quotes(data)
    assert versions.roll_back(data, None) == three[1]
    assert "two" in served_quotes(data)
    assert versions.roll_back(data, None) == three[0]
    assert "one" in served_quotes(data)
    with pytest.raises(UsageError, match="No version was served before"):
        versions.roll_back(data, None)
    assert read_pointer(data) == (three[0],)


def test_a_rollback_to_a_name_goes_forward_again(data: Path, three: list[str]) -> None:
    assert versions.roll_back(data, three[0]) == three[0]
    assert versions.roll_back(data, three[2]) == three[2]
    assert read_pointer(data) == (three[2], three[0])
    assert "three" in served_quotes(data)


def test_publishing_what_was_rolled_back_builds_nothing_and_serves_it(
    data: Path, three: list[str], put_out: Publish
) -> None:
    versions.roll_back(data, None)
    again = put_out("Camera three")
    assert (again.name, again.built) == (three[2], False)
    assert read_pointer(data) == (three[2], three[1], three[0])


def test_a_rollback_skips_a_damaged_version_and_never_serves_one_by_name(data: Path, three: list[str]) -> None:
    flip(data / "versions" / three[1] / "vectors.npy")
    with pytest.raises(DamagedVersion, match=r"vectors\.npy"):
        versions.roll_back(data, three[1])
    assert read_pointer(data)[0] == three[2]
    assert versions.roll_back(data, None) == three[0]


@pytest.mark.parametrize("name", ["v-000000000000", "..", "../../etc", "", "v-\x1b[31m", "x" * 5000])
def test_a_rollback_to_what_is_no_version_changes_nothing(name: str, data: Path, three: list[str]) -> None:
    before = (data / "current").read_bytes()
    with pytest.raises(UsageError, match="There is no version"):
        versions.roll_back(data, name)
    assert (data / "current").read_bytes() == before
    assert len(three) == 3


def files_of(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def test_a_bit_flipped_in_any_file_is_caught_and_the_last_good_version_serves(
    data: Path, three: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    folder = data / "versions" / three[2]
    assert len(files_of(folder)) == 19
    for path in files_of(folder):
        sound = path.read_bytes()
        flip(path)
        with pytest.raises(DamagedVersion):
            store.check(data, three[2])
        assert main(["verify", "--data-dir", str(data)]) == 4
        assert "damaged" in capsys.readouterr().out
        opened = store.open_version(data)
        assert opened.name == three[1]
        assert opened.instead_of is not None
        opened.close()
        path.write_bytes(sound)
    assert main(["verify", "--all", "--data-dir", str(data)]) == 0
    assert capsys.readouterr().out.count("whole") == 3


def test_find_answers_from_the_last_good_version_and_says_so(
    data: Path, three: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    flip(data / "versions" / three[2] / "catalogue.sqlite")
    assert main(["find", "camera", "--json", "--data-dir", str(data)]) == 0
    told = capsys.readouterr()
    assert json.loads(told.out)["version"] == three[1]
    assert f"{three[1]} answered" in told.err
    assert "catalogue.sqlite" in told.err


def test_publishing_mends_the_damaged_version_under_its_name(data: Path, three: list[str], put_out: Publish) -> None:
    flip(data / "versions" / three[2] / "annoy.ann")
    again = put_out("Camera three")
    assert (again.name, again.built) == (three[2], True)
    assert "three" in served_quotes(data)


def test_where_no_version_is_whole_none_is_opened(data: Path, three: list[str]) -> None:
    for name in three:
        flip(data / "versions" / name / "links.npy")
    with pytest.raises(DamagedVersion, match=three[2]):
        store.open_version(data)
    with pytest.raises(IndexUnavailable, match="No version that was served before is whole"):
        versions.roll_back(data, None)


def test_pruning_keeps_the_served_version_and_so_many_of_its_predecessors(data: Path, three: list[str]) -> None:
    planned = versions.prune(data, keep=1, dry_run=True)
    assert planned.removed == (three[0],)
    assert len(versions.list_versions(data)) == 3
    done = versions.prune(data, keep=1, dry_run=False)
    assert (done.removed, done.held) == ((three[0],), ())
    assert done.freed >= planned.freed > 0
    assert [one.name for one in versions.list_versions(data)] == [three[2], three[1]]
    assert read_pointer(data) == (three[2], three[1])
    assert list((data / "versions").glob(".*")) == []


def test_pruning_leaves_what_a_program_has_open(data: Path, three: list[str]) -> None:
    versions.roll_back(data, three[0])
    reader = Engine(data)
    reader.load_dense()
    before = [hit.meme.id for hit in reader.search("camera").hits]
    versions.roll_back(data, three[2])
    done = versions.prune(data, keep=0, dry_run=False)
    assert (done.removed, done.held) == ((three[1],), (three[0],))
    assert [hit.meme.id for hit in reader.search("camera").hits] == before != []
    reader.close()
    assert versions.prune(data, keep=0, dry_run=False).removed == (three[0],)


def test_pruning_forgets_vectors_that_no_kept_version_uses_and_keeps_the_others(
    data: Path, three: list[str], put_out: Publish
) -> None:
    (cache,) = (data / "cache").glob("*.sqlite")
    before = cache.stat().st_size
    versions.prune(data, keep=0, dry_run=False)
    assert cache.stat().st_size < before / 4  # it knew the whole bundled corpus
    (data / "versions" / three[2] / "manifest.json").unlink()
    again = put_out("Camera three")
    (embed,) = [stage for stage in again.stages if stage.stage == "embed"]
    assert embed.note == f"{embed.items} from the cache"


def test_pruning_removes_an_encoder_that_no_kept_version_names(data: Path, three: list[str]) -> None:
    shutil.copytree(data / "models", data / "models" / "000000000000", ignore=lambda *_: ["model.onnx"])
    versions.prune(data, keep=9, dry_run=False)
    assert [path.name for path in (data / "models").iterdir()] == ["53aa51172d14"]
    assert len(three) == 3


def test_the_list_tells_what_is_served_open_and_damaged(
    data: Path, three: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    (data / "versions" / three[0] / "build.json").write_text("{}")
    reader = Engine(data)
    assert main(["versions", "--json", "--data-dir", str(data)]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert [(one["name"], one["served"], one["held"]) for one in listed] == [
        (three[2], True, True),
        (three[1], False, False),
        (three[0], False, False),
    ]
    assert "build record" in listed[2]["fault"]
    assert listed[0]["items"] == listed[1]["items"] > 10
    assert main(["versions", "--data-dir", str(data)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line[:2] for line in lines] == ["* ", "  ", "  "]
    assert "open in a program" in lines[0]
    reader.close()


@pytest.mark.parametrize("command", [["versions"], ["status"], ["doctor"], ["verify"], ["rollback"], ["prune"]])
def test_every_command_copes_with_a_folder_that_is_not_there(
    command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = main([*command, "--data-dir", str(tmp_path / "gone")])
    assert code in (0, 2, 4)
    told = capsys.readouterr()
    assert "Traceback" not in told.err
    assert "Something went wrong" not in told.err
    assert (tmp_path / "gone" / "versions").exists() is False


def test_status_tells_what_is_served_and_fails_where_it_is_damaged(
    data: Path, three: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["status", "--json", "--data-dir", str(data)]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["served"], told["opened"], told["rollback_to"]) == (three[2], three[2], three[1])
    assert told["up_to_date"] is True
    assert (told["fault"], told["encoder_fault"], told["writer"]) == ("", "", "")
    flip(data / "versions" / three[2] / "policy.toml")
    assert main(["status", "--data-dir", str(data)]) == 4
    text = capsys.readouterr().out
    assert "policy.toml is not what the manifest says" in text
    assert three[1] in text


def spoil_encoder(data: Path) -> None:
    (model,) = (data / "models").glob("*/model.onnx")
    model.unlink()


def spoil_version(data: Path) -> None:
    flip(data / "versions" / read_pointer(data)[0] / "annoy.ann")


def spoil_pointer(data: Path) -> None:
    (data / "current").write_text("rubbish\n")


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (spoil_encoder, "model.onnx is missing"),
        (spoil_version, "annoy.ann is not what"),
        (spoil_pointer, "that says what is served"),
    ],
)
def test_the_doctor_finds_what_is_broken(
    spoil: Callable[[Path], None], told: str, data: Path, three: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["doctor", "--data-dir", str(data)]) == 0
    assert not any(line.startswith("x ") for line in capsys.readouterr().out.splitlines())
    spoil(data)
    assert main(["doctor", "--data-dir", str(data)]) == 4
    (line,) = [line for line in capsys.readouterr().out.splitlines() if line.startswith("x ")]
    assert told in line
    assert len(three) == 3


def test_a_read_only_folder_is_searched_and_every_writer_says_why_it_can_not(
    data: Path, three: list[str], put_out: Publish, capsys: pytest.CaptureFixture[str]
) -> None:
    if os.geteuid() == 0:  # root writes anywhere: what stands in the way must be of another kind
        (data / "publish.lock").unlink()
        (data / "publish.lock").mkdir()
    else:
        data.chmod(0o555)
    try:
        assert "three" in served_quotes(data)
        for command in (["rollback"], ["prune"]):
            assert main([*command, "--data-dir", str(data)]) == 4
            assert "can't be written into" in capsys.readouterr().err
        with pytest.raises(IndexUnavailable, match="can't be written into"):
            put_out("Camera four")
    finally:
        data.chmod(0o755)
    assert read_pointer(data) == (three[2], three[1], three[0])
