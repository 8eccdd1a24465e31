"""A version whose every byte is vouched for and whose parts still contradict one another is caught before it serves."""

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from mambomeme_tui.errors import DamagedVersion
from mambomeme_tui.index import verification
from mambomeme_tui.index.manifest import MANIFEST_FILE, Manifest, list_files
from mambomeme_tui.index.pointer import current_name
from tests.versions.conftest import Publish


def change_quote(folder: Path) -> None:
    connection = sqlite3.connect(folder / "catalogue.sqlite")
    with connection:
        connection.execute("""UPDATE memes SET record = replace(record, '"language": "en"', '"language": "de"')""")
    connection.close()


def drop_record(folder: Path) -> None:
    connection = sqlite3.connect(folder / "catalogue.sqlite")
    with connection:
        connection.execute("DELETE FROM memes WHERE position = 3")
    connection.close()


def swap_names(folder: Path) -> None:
    connection = sqlite3.connect(folder / "catalogue.sqlite")
    with connection:
        connection.execute("UPDATE memes SET position = 900 WHERE position = 1")
        connection.execute("UPDATE memes SET position = 1 WHERE position = 2")
        connection.execute("UPDATE memes SET position = 2 WHERE position = 900")
    connection.close()


def stretch_vector(folder: Path) -> None:
    stored = np.load(folder / "vectors.npy")
    stored[2] *= 1.01
    np.save(folder / "vectors.npy", stored)


def drop_vector(folder: Path) -> None:
    np.save(folder / "vectors.npy", np.load(folder / "vectors.npy")[:-1])


def swap_vectors(folder: Path) -> None:
    np.save(folder / "vectors.npy", np.load(folder / "vectors.npy")[::-1])


def link_nowhere(folder: Path) -> None:
    links = np.load(folder / "links.npy")
    links[0, 2] = 10_000
    np.save(folder / "links.npy", links)


def change_situation(folder: Path) -> None:
    """No item's own hash is of it."""
    connection = sqlite3.connect(folder / "catalogue.sqlite")
    with connection:
        (record,) = connection.execute("SELECT record FROM families WHERE id = 'john-cena'").fetchone()
        family = json.loads(record)
        family["situations"] = [*family["situations"], "for something else altogether"]
        connection.execute("UPDATE families SET record = ? WHERE id = 'john-cena'", (json.dumps(family),))
    connection.close()


def change_policy(folder: Path) -> None:
    path = folder / "policy.toml"
    path.write_text(path.read_text(encoding="utf-8") + "\n# looser\n", encoding="utf-8")


CHANGES: dict[Callable[[Path], None], str] = {
    change_quote: "is not what its hash says",
    drop_record: "are not those that the manifest names",
    swap_names: "are not those that the manifest names",
    stretch_vector: "is not of unit length",
    drop_vector: "another shape",
    swap_vectors: "other vectors than the stored ones",
    link_nowhere: "linked to a record that is not there",
    change_situation: "are not those that the manifest names",
    change_policy: "are not those that the manifest names",
}


@pytest.mark.parametrize(("change", "told"), CHANGES.items(), ids=[change.__name__ for change in CHANGES])
def test_parts_that_contradict_one_another_are_caught(
    change: Callable[[Path], None], told: str, data: Path, put_out: Publish
) -> None:
    put_out()
    folder = data / "versions" / current_name(data)
    verification.verify_version(folder)
    change(folder)
    vouch_for(folder)
    with pytest.raises(DamagedVersion, match=told):
        verification.verify_version(folder)


def vouch_for(folder: Path) -> None:
    """Write the manifest anew, so that every byte is as it says: only the parts can tell."""
    data = json.loads((folder / MANIFEST_FILE).read_bytes())
    data.pop("digest")
    Manifest(**{**data, "files": list_files(folder)}).write(folder)


def test_the_manifest_freezes_what_a_report_needs(data: Path, put_out: Publish) -> None:
    put_out()
    manifest = Manifest.read(data / "versions" / current_name(data))
    assert len(manifest.code["sources"]) == 64
    assert set(manifest.code) == {"version", "commit", "sources"}
    assert manifest.corpus["policy"]["version"] == "1"
    assert set(manifest.model["files"]) == {"model.onnx", "tokenizer.json"}
    assert manifest.model["files"]["model.onnx"]["size"] > 80_000_000
    assert manifest.model["parity_max_abs"] < 1e-5
    assert {"torch", "sentence-transformers"} <= set(manifest.model["exported_by"])
    embedding = manifest.embedding
    assert (embedding["dimension"], embedding["dtype"], embedding["annoy"]["jobs"]) == (384, "float32", 1)
    assert 0.99 < embedding["annoy_recall_at_100"] <= 1
    (vectors,) = [entry for entry in manifest.files if entry.path == "vectors.npy"]
    assert embedding["sha256"] == vectors.sha256
    assert {"field_weights", "depth", "thresholds", "family_share", "route_weights"} <= set(manifest.parameters)
    assert {"python", "annoy", "whoosh-reloaded", "onnxruntime"} <= set(manifest.libraries)


def test_the_build_record_holds_every_stage_with_its_throughput(data: Path, put_out: Publish) -> None:
    done = put_out()
    record = json.loads((data / "versions" / done.name / "build.json").read_bytes())
    stages = [stage["stage"] for stage in record["stages"]]
    assert stages == ["validate", "fingerprint", "embed", "index", "verify"]
    assert [one.stage for one in done.stages] == [*stages, "publish"]
    for stage in record["stages"]:
        expected = stage["items"] / stage["seconds"]
        assert stage["items_per_second"] == pytest.approx(expected)
        assert stage["megabytes_per_second"] == pytest.approx(stage["bytes"] / stage["seconds"] / 1e6)
