"""A corpus of two families with three memes each, an encoder that costs nothing, and common words that are read once.

The stand-in encoder makes a text's vector from the text's hash, and its export is two small files. They go through
the product's own code for exports, caches and versions, which is what is attacked here; only torch and ONNX Runtime
are left out, because a point would take seconds with them. The common words are the product's own, but they are made
once and not in every child: that took most of a point's time.
"""

import hashlib
from pathlib import Path

import numpy as np

from mambomeme_tui import paths
from mambomeme_tui.encoder import DIMENSION, MODEL_FILE, TOKENIZER_FILE, Vectors
from mambomeme_tui.index import build, embedding, export, vocabulary
from mambomeme_tui.parameters import Parameters

FAMILIES = ("john-cena", "distracted-boyfriend")
PARAMETERS = Parameters(annoy_trees=2)
_NETWORK = b"a network that is none " * 40


class StandInEncoder:
    """In place of `QueryEncoder`."""

    def __init__(self, folder: Path) -> None:
        assert (folder / MODEL_FILE).read_bytes() == _NETWORK

    def encode(self, texts: list[str]) -> Vectors:
        """Unit vectors, each from its text's hash."""
        return np.stack([_vector(text) for text in texts])


class StandInReference:
    """In place of `ReferenceEncoder`."""

    def __init__(self, folder: Path) -> None:
        del folder

    def export(self, target: Path) -> None:
        """Write the two files of an export."""
        (target / TOKENIZER_FILE).write_text("{}\n", encoding="utf-8")
        (target / MODEL_FILE).write_bytes(_NETWORK)

    def parity(self, query_encoder: object) -> float:
        """No difference."""
        return 0.0


def _vector(text: str) -> Vectors:
    seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
    vector = np.random.default_rng(seed).normal(size=DIMENSION)
    return (vector / np.linalg.norm(vector)).astype(np.float32)


def install(common_words: dict[str, float]) -> None:
    """Let the product use the stand-ins and these common words, in this process and in those that it forks."""
    for module, name, standin in (
        (build, "QueryEncoder", StandInEncoder),
        (export, "QueryEncoder", StandInEncoder),
        (embedding, "ReferenceEncoder", StandInReference),
        (export, "weights_folder", lambda: Path("nowhere")),
        (vocabulary, "common_words", lambda: common_words),
    ):
        assert hasattr(module, name)
        setattr(module, name, standin)


def write_corpus(folder: Path, families: tuple[str, ...] = FAMILIES, changed: bool = False) -> Path:
    """Write the first memes of some families; with one word of one of them changed, if it is asked for."""
    (folder / "families").mkdir(parents=True)
    for name in families:
        text = (paths.bundled("corpus") / "families" / f"{name}.toml").read_text(encoding="utf-8")
        few = "[[items]]".join(text.split("[[items]]")[:4])
        few = few.replace("Camera off", "Camera on") if changed else few
        (folder / "families" / f"{name}.toml").write_text(few, encoding="utf-8")
    return folder
