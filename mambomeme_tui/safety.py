"""Safety policy: which classes a viewing mode shows. Pure; no input or output.

What a mode shows stands in the policy file (`mambomeme_tui.policy`); `blocked` is shown by none.
"""

from collections.abc import Collection
from enum import StrEnum

from mambomeme_tui.records import Safety, SafetyClass


class ViewingMode(StrEnum):
    """What the person asked to see: `standard` shows safe items, `sensitive` the sensitive ones too."""

    STANDARD = "standard"
    SENSITIVE = "sensitive"


def withheld_because(safety: Safety, shown: Collection[SafetyClass]) -> str:
    """Why policy withholds an item of this class where these are shown, or an empty text where it may be shown."""
    if safety.level in shown and safety.level is not SafetyClass.BLOCKED:
        return ""
    return f"{safety.level}: {', '.join(safety.reasons)}"
