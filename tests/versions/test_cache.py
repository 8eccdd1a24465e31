"""The cache of vectors gives back what it was given or nothing at all, whatever happened to its file."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mambomeme_tui.encoder import DIMENSION, Vectors
from mambomeme_tui.index.cache import VectorCache, shrink


def vector_of(seed: int) -> Vectors:
    return np.random.default_rng(seed).normal(size=DIMENSION).astype(np.float32)


def filled(path: Path, count: int) -> dict[str, Vectors]:
    known = {f"text {number} é 👀": vector_of(number) for number in range(count)}
    cache = VectorCache(path)
    for text, vector in known.items():
        cache.put(text, vector)
    cache.close()
    return known


def test_what_was_put_comes_back_to_the_bit_and_nothing_else_does(tmp_path: Path) -> None:
    known = filled(tmp_path / "cache" / "c.sqlite", 20)
    cache = VectorCache(tmp_path / "cache" / "c.sqlite")
    for text, vector in known.items():
        found = cache.get(text)
        assert found is not None
        assert found.dtype == np.float32
        assert found.tobytes() == vector.tobytes()
    assert cache.get("text 20 é 👀") is None
    assert cache.get("") is None
    cache.close()


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(drawn=st.data())
def test_a_damaged_file_never_gives_a_wrong_vector(drawn: st.DataObject, tmp_path: Path) -> None:
    path = tmp_path / "c.sqlite"
    path.unlink(missing_ok=True)
    known = filled(path, 8)
    content = bytearray(path.read_bytes())
    if drawn.draw(st.booleans(), label="cut"):
        content = content[: drawn.draw(st.integers(0, len(content) - 1))]
    for _ in range(drawn.draw(st.integers(0, 20))):
        if content:
            content[drawn.draw(st.integers(0, len(content) - 1))] ^= 1 << drawn.draw(st.integers(0, 7))
    path.write_bytes(content)
    cache = VectorCache(path)
    for text, vector in known.items():
        found = cache.get(text)
        assert found is None or found.tobytes() == vector.tobytes()
        cache.put(text, vector)
    cache.close()


@pytest.mark.parametrize("obstacle", ["file for a folder", "folder for a file"])
def test_a_cache_that_can_not_be_is_done_without(obstacle: str, tmp_path: Path) -> None:
    path = tmp_path / "cache" / "c.sqlite"
    if obstacle == "file for a folder":
        (tmp_path / "cache").write_bytes(b"mine")
    else:
        path.mkdir(parents=True)
    cache = VectorCache(path)
    cache.put("cat", vector_of(1))
    assert cache.get("cat") is None
    cache.keep()
    cache.close()
    assert (tmp_path / "cache").exists()


def test_only_what_is_wanted_stays(tmp_path: Path) -> None:
    path = tmp_path / "c.sqlite"
    known = filled(path, 50)
    kept = [text for number, text in enumerate(known) if number % 7 == 0]
    assert shrink(path, kept) == len(known) - len(kept)
    cache = VectorCache(path)
    assert [text for text in known if cache.get(text) is not None] == kept
    cache.close()
    path.write_bytes(b"rubbish")
    assert shrink(path, kept) == 0
    assert not path.exists()
