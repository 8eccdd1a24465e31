"""Writes the arrays of a version: `.npy` files, whose bytes depend on nothing but the array."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray


def save_array(path: Path, array: NDArray[Any]) -> None:
    """As `numpy.save`, which does not notice when the last of the data never reaches the file."""
    with path.open("wb") as stream:
        np.lib.format.write_array_header_1_0(stream, np.lib.format.header_data_from_array_1_0(array))
        stream.write(np.ascontiguousarray(array).data)
