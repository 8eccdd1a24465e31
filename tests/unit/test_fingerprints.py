"""Perceptual hashes agree with an independent count of differing bits, on pictures that were really changed."""

import io
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import imagehash
import pytest
from PIL import Image, ImageEnhance

from mambomeme_tui import corpus as corpora
from mambomeme_tui.fingerprints import COPY_DISTANCE, disagreements, fingerprint
from mambomeme_tui.frozen import read_pictures
from mambomeme_tui.paths import bundled
from mambomeme_tui.records import Meme

ROOT = bundled("corpus")


@pytest.fixture(scope="module")
def memes() -> list[Meme]:
    """Three families of the bundled corpus."""
    return [meme for meme in corpora.load(ROOT).memes if meme.family.id in ("john-cena", "two-buttons", "this-is-fine")]


def test_every_disagreement_and_no_other_is_found(memes: list[Meme]) -> None:
    pictures = read_pictures(ROOT)
    told = {(one.first, one.second) for one in disagreements([replace(meme, group="all") for meme in memes], pictures)}
    expected = set()
    for first, second in combinations(memes, 2):
        distance = imagehash.hex_to_hash(first.perceptual_hash) - imagehash.hex_to_hash(second.perceptual_hash)
        if distance > COPY_DISTANCE:
            expected.add((first.id, second.id))
    assert told == expected
    assert expected


@pytest.mark.parametrize("change", ["encoded", "resized", "recoloured"])
def test_a_changed_picture_stays_within_the_distance_and_another_does_not(
    memes: list[Meme], change: str, tmp_path: Path
) -> None:
    originals = [meme for meme in memes if not meme.change]
    for meme in originals[:6]:
        with Image.open(ROOT / meme.media) as image:
            picture = image.convert("RGB")
        if change == "resized":
            picture = picture.resize((picture.width // 2, picture.height // 2))
        if change == "recoloured":
            picture = ImageEnhance.Color(picture).enhance(0.3)
        buffer = io.BytesIO()
        picture.save(buffer, "WEBP", quality=25)
        path = tmp_path / "changed.webp"
        path.write_bytes(buffer.getvalue())
        seen = imagehash.hex_to_hash(fingerprint(path).perceptual_hash)
        for other in originals:
            distance = seen - imagehash.hex_to_hash(other.perceptual_hash)
            assert (distance <= COPY_DISTANCE) == (other.id == meme.id), (meme.id, other.id, distance)
