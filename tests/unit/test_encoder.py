"""Proves that queries are encoded as the documents were, whatever their length and whoever they are encoded with."""

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from mambomeme_tui.encoder import DIMENSION, QueryEncoder
from mambomeme_tui.index.embedding import PARITY_TOLERANCE
from mambomeme_tui.index.store import model_folder
from mambomeme_tui.index.vectors import LINKS_FILE, VECTORS_FILE
from mambomeme_tui.index.views import DENSE_KINDS, dense_texts
from mambomeme_tui.retrieval.engine import Engine

TEXTS = [
    "cat",
    "a man looks back at somebody else while his partner stares",
    "日本語 👀",
    "so much text " * 60,
    "",
    "John Cena",
]


@pytest.fixture(scope="module")
def encoder(data_dir: Path, engine: Engine) -> QueryEncoder:
    return QueryEncoder(model_folder(data_dir, engine.version.manifest))


@pytest.fixture(scope="module")
def stored(engine: Engine) -> dict[str, NDArray[np.float32]]:
    """Every document text with the vector that sentence-transformers gave it when the index was built."""
    vectors = np.load(engine.version.folder / VECTORS_FILE)
    links = np.load(engine.version.folder / LINKS_FILE)
    memes = engine.version.catalogue.at(range(engine.size))
    found: dict[str, NDArray[np.float32]] = {}
    for meme, own in enumerate(memes):
        rows = iter(links[links[:, 0] == meme].tolist())
        for kind, texts in dense_texts(own).items():
            for text in texts:
                _, number, row = next(rows)
                assert DENSE_KINDS[number] == kind
                assert np.array_equal(found.setdefault(text, vectors[row]), vectors[row])
        assert next(rows, None) is None
    return found


def test_a_query_has_the_vector_of_the_document_that_says_the_same(
    encoder: QueryEncoder, stored: dict[str, NDArray[np.float32]]
) -> None:
    by_length = sorted(stored, key=lambda text: (len(text), text))
    for text in [*by_length[::25], by_length[-1]]:
        (vector,) = encoder.encode([text])
        assert float(vector @ stored[text]) > 0.99999, text
        assert np.abs(vector - stored[text]).max() <= PARITY_TOLERANCE


def test_different_texts_are_told_apart(encoder: QueryEncoder, stored: dict[str, NDArray[np.float32]]) -> None:
    """Or the test above would pass for an encoder that says the same to everything."""
    texts = sorted(stored)[:40]
    vectors = np.stack([stored[text] for text in texts])
    assert (vectors @ encoder.encode(texts).T).argmax(axis=0).tolist() == list(range(len(texts)))


def test_the_manifest_records_a_parity_within_the_tolerance(engine: Engine) -> None:
    embedding, model = engine.version.manifest.embedding, engine.version.manifest.model
    assert 0 <= model["parity_max_abs"] <= PARITY_TOLERANCE
    assert embedding["dimension"] == DIMENSION
    assert embedding["dtype"] == "float32"


def test_a_batch_gives_each_text_the_vector_it_has_alone(encoder: QueryEncoder) -> None:
    """Padding to the longest text of a batch must not be seen by the network."""
    together = encoder.encode(TEXTS)
    alone = np.concatenate([encoder.encode([text]) for text in TEXTS])
    assert np.abs(together - alone).max() < 1e-5
    backwards = encoder.encode(TEXTS[::-1])[::-1]
    assert np.abs(together - backwards).max() < 1e-5


def test_vectors_are_single_precision_and_of_unit_length(encoder: QueryEncoder) -> None:
    vectors = encoder.encode(TEXTS)
    assert vectors.shape == (len(TEXTS), DIMENSION)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(len(TEXTS)), abs=1e-5)


def test_only_the_first_256_tokens_count(encoder: QueryEncoder) -> None:
    """`cat` is one token; two more frame the text, so that 254 of it fit."""
    full, longer, shorter = (encoder.encode(["cat " * count])[0] for count in (254, 900, 253))
    assert np.array_equal(full, longer)
    assert not np.array_equal(full, shorter)


def test_case_is_no_part_of_the_meaning_but_words_are(encoder: QueryEncoder) -> None:
    lower, upper, other = encoder.encode(["john cena", "JOHN CENA", "grumpy cat"])
    assert float(lower @ upper) == pytest.approx(1.0, abs=1e-6)
    assert float(lower @ other) < 0.8
