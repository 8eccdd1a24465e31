"""The frozen policy file: its version, its classes, its reasons, and what each viewing mode shows.

A version of the index carries the policy that it was made under, and the engine applies that one.
"""

import tomllib
from dataclasses import dataclass
from pathlib import Path

from mambomeme_tui.digests import hash_file
from mambomeme_tui.errors import CorpusError, Fault
from mambomeme_tui.files import read_bytes
from mambomeme_tui.records import SafetyClass

POLICY_FILE = "policy.toml"


@dataclass(frozen=True, slots=True)
class Policy:
    """A policy: `modes` maps each viewing mode to the classes it shows, `digest` is the SHA-256 of its file."""

    version: str
    reasons: frozenset[str]
    modes: dict[str, frozenset[SafetyClass]]
    required_rights: tuple[str, ...]
    digest: str


def load_policy(path: Path) -> Policy:
    """Read a policy file.

    Raises:
        CorpusError: it is missing or breaks its format, or a mode would show blocked items.
    """
    try:
        data = tomllib.loads(read_bytes(path).decode("utf-8"))
        modes = {mode: frozenset(map(SafetyClass, classes)) for mode, classes in data["modes"].items()}
        policy = Policy(
            version=data["version"],
            reasons=frozenset(data["reasons"]),
            modes=modes,
            required_rights=tuple(data["rights"]["required"]),
            digest=hash_file(path),
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise CorpusError([Fault(str(path), 1, "(policy)", f"a policy file: {error}")]) from None
    if set(modes) != {"standard", "sensitive"} or any(SafetyClass.BLOCKED in shown for shown in modes.values()):
        raise CorpusError([Fault(str(path), 1, "modes", "standard and sensitive, neither of which shows blocked")])
    return policy
