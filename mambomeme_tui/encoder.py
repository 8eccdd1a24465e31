"""Query vectors through ONNX Runtime: the same network as the documents', without torch.

The export beside it was made and compared with sentence-transformers when the index was built. One thread: a query is
too short to gain from two. Calls are independent of one another; nothing is cached.
"""

from pathlib import Path

import numpy as np
import onnxruntime
from numpy.typing import NDArray
from tokenizers import Tokenizer

MODEL_FILE = "model.onnx"
TOKENIZER_FILE = "tokenizer.json"
DIMENSION = 384
MAX_TOKENS = 256

Vectors = NDArray[np.float32]


class QueryEncoder:
    """Turns texts into unit vectors.

    Args:
        folder: holds the export and its tokenizer; the caller has checked both files' hashes.
    """

    def __init__(self, folder: Path) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        options.log_severity_level = 4
        self._session = onnxruntime.InferenceSession(
            str(folder / MODEL_FILE), options, providers=["CPUExecutionProvider"]
        )
        self._tokenizer = Tokenizer.from_file(str(folder / TOKENIZER_FILE))
        self._tokenizer.enable_truncation(MAX_TOKENS)
        self._tokenizer.enable_padding()

    def encode(self, texts: list[str]) -> Vectors:
        """Unit vectors of shape (len(texts), 384), float32: the mean of the token vectors, normalised."""
        batch = self._tokenizer.encode_batch(texts)
        inputs = {
            "input_ids": np.array([item.ids for item in batch], np.int64),
            "attention_mask": np.array([item.attention_mask for item in batch], np.int64),
            "token_type_ids": np.array([item.type_ids for item in batch], np.int64),
        }
        (vectors,) = self._session.run(["embedding"], inputs)
        return np.asarray(vectors, np.float32)
