"""Which memes belong together: for every position the number of its family and of its group of true copies.

Families and groups are numbered in the order of their first meme, so that a number is an index into nothing else. The
file is mapped, never written again.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mambomeme_tui.index.arrays import save_array
from mambomeme_tui.records import Meme

STRUCTURE_FILE = "structure.npy"


@dataclass(frozen=True, slots=True)
class Structure:
    """What belongs together.

    Attributes:
        families: (memes,), the number of each meme's family.
        groups: (memes,), the number of each meme's group of true copies.
        members: (memes,), positions sorted by family.
        starts: (families + 1,), where each family's members start.
    """

    families: NDArray[np.int32]
    groups: NDArray[np.int32]
    members: NDArray[np.int64]
    starts: NDArray[np.int64]

    def members_of(self, family: int, most: int) -> NDArray[np.int64]:
        """Positions of a family's memes, ascending, the first `most` of them."""
        start = int(self.starts[family])
        return self.members[start : min(start + most, int(self.starts[family + 1]))]


def family_numbers(memes: Sequence[Meme]) -> dict[str, int]:
    """The number of each family, by its id."""
    numbers: dict[str, int] = {}
    for meme in memes:
        numbers.setdefault(meme.family.id, len(numbers))
    return numbers


def create(path: Path, memes: Sequence[Meme]) -> None:
    """Write the structure of these memes into a new file of shape (2, memes)."""
    families, groups = family_numbers(memes), dict[str, int]()
    rows = [
        [families[meme.family.id] for meme in memes],
        [groups.setdefault(meme.group, len(groups)) for meme in memes],
    ]
    save_array(path, np.array(rows, np.int32).reshape(2, -1))


def load(path: Path) -> Structure:
    """Open a checked structure."""
    families, groups = np.load(path, mmap_mode="r")
    members = np.argsort(families, kind="stable")
    starts = np.searchsorted(families[members], np.arange(int(families.max(initial=-1)) + 2))
    return Structure(families, groups, members, starts)
