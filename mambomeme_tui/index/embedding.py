"""The reference encoder, sentence-transformers, and the export of its network that documents and queries go through.

The only module that loads torch. It runs when the export is made, once for a machine, and never while one searches.
"""

import os
import shutil
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from mambomeme_tui.encoder import MAX_TOKENS, MODEL_FILE, TOKENIZER_FILE, QueryEncoder, Vectors

os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["TOKENIZERS_PARALLELISM"] = "false"

BATCH = 64
OPSET = 17
PARITY_TOLERANCE = 1e-5
PROBES = (
    "cat",
    "you can't see me",
    "a man turns his head to look at somebody else while his partner stares at him in disbelief",
    "日本語 and émoji 👀",
    "wall of text " * 120,
)


class ReferenceEncoder:
    """The reference encoder; construction takes seconds, since it loads torch."""

    def __init__(self, folder: Path) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the libraries' own deprecations are nothing a person can act on
            from sentence_transformers import SentenceTransformer
            from transformers.utils import logging

            logging.disable_progress_bar()
            logging.set_verbosity_error()
            self._folder = folder
            self._model = SentenceTransformer(str(folder), device="cpu", local_files_only=True)
        self._model.max_seq_length = MAX_TOKENS

    def encode(self, texts: list[str]) -> Vectors:
        """Unit vectors of shape (len(texts), 384), float32, in the texts' order."""
        vectors = self._model.encode(texts, batch_size=BATCH, normalize_embeddings=True, show_progress_bar=False)
        return np.asarray(vectors, np.float32)

    def export(self, target: Path) -> None:
        """Write the fp32 network with pooling and normalisation, and its tokenizer, into an existing folder."""
        import torch

        shutil.copyfile(self._folder / TOKENIZER_FILE, target / TOKENIZER_FILE)
        ids = torch.randint(5, 2000, (2, 9), generator=torch.Generator().manual_seed(0))
        names = ["input_ids", "attention_mask", "token_type_ids"]
        axes = {name: {0: "batch", 1: "token"} for name in names} | {"embedding": {0: "batch"}}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            torch.onnx.export(
                _pooled_network(self._folder),
                (ids, torch.ones_like(ids), torch.zeros_like(ids)),
                str(target / MODEL_FILE),
                input_names=names,
                output_names=["embedding"],
                dynamic_axes=axes,
                opset_version=OPSET,
                dynamo=False,
            )

    def parity(self, query_encoder: QueryEncoder) -> float:
        """The largest absolute difference between the two encoders over short, long and odd probe texts."""
        return max(float(np.abs(self.encode([probe]) - query_encoder.encode([probe])).max()) for probe in PROBES)


def _pooled_network(folder: Path) -> Any:
    import torch
    from transformers import AutoModel

    class Pooled(torch.nn.Module):  # type: ignore[misc]  # torch is not analysed
        def __init__(self) -> None:
            super().__init__()
            self.network = AutoModel.from_pretrained(str(folder), attn_implementation="eager", local_files_only=True)

        def forward(self, input_ids: Any, attention_mask: Any, token_type_ids: Any) -> Any:
            states = self.network(
                input_ids=input_ids, attention_mask=attention_mask, token_type_ids=token_type_ids
            ).last_hidden_state
            kept = attention_mask.unsqueeze(-1).to(states.dtype)
            mean = (states * kept).sum(1) / kept.sum(1).clamp(min=1e-9)
            return torch.nn.functional.normalize(mean, dim=1)

    return Pooled().eval()
