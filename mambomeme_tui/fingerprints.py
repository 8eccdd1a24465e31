"""Fingerprints of pictures, and what they say about copies.

The exact hash tells the same bytes; the perceptual hash (256 bits of a DCT, ImageHash's `phash`) tells the same
picture after it was encoded again, resized or recoloured.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import imagehash
import numpy as np
from PIL import Image

from mambomeme_tui.digests import hash_file
from mambomeme_tui.frozen import Picture
from mambomeme_tui.records import Meme

HASH_SIZE = 16
COPY_DISTANCE = 11
"""Up to so many of 256 bits may differ between true copies. In the bundled corpus copies differ by 8 at most, and other
pictures, captions on one template among them, by 14 at least."""


def fingerprint(path: Path) -> Picture:
    """Read a picture's facts; of an animation, the first frame is hashed.

    Raises:
        OSError: the file is missing or no picture.
    """
    with Image.open(path) as image:
        frames = getattr(image, "n_frames", 1)
        perceptual = str(imagehash.phash(image.convert("RGB"), hash_size=HASH_SIZE))
        return Picture(hash_file(path), path.stat().st_size, image.width, image.height, frames, perceptual)


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Two memes whose pictures and declared groups say different things; `distance` counts differing bits of 256."""

    first: str
    second: str
    distance: int
    declared_copies: bool

    def __str__(self) -> str:
        said = "are declared copies but differ" if self.declared_copies else "look like copies but are not declared so"
        return f"{self.first} and {self.second} {said} ({self.distance} of 256 bits)"


def disagreements(memes: Sequence[Meme], pictures: Mapping[str, Picture]) -> list[Disagreement]:
    """Every pair of memes for which computed hashes and declared groups disagree; memes without a picture are left out.

    Declared copies must lie within `COPY_DISTANCE`, all other pairs beyond it.
    """
    known = [meme for meme in memes if meme.media in pictures]
    bits = np.unpackbits(
        np.array([list(bytes.fromhex(pictures[meme.media].perceptual_hash)) for meme in known], np.uint8), axis=1
    )
    found = []
    for at, meme in enumerate(known):
        distances = (bits[at + 1 :] != bits[at]).sum(axis=1)
        for other, distance in zip(known[at + 1 :], distances, strict=True):
            declared = meme.group == other.group
            if declared != (distance <= COPY_DISTANCE):
                found.append(Disagreement(meme.id, other.id, int(distance), declared))
    return found
