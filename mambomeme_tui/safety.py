"""Safety policy: which classes a viewing mode shows. Pure; no input or output.

`blocked` is shown by no mode.
"""

from enum import StrEnum

from mambomeme_tui.records import Safety, SafetyClass


class ViewingMode(StrEnum):
    """What the person asked to see: `standard` shows safe items, `sensitive` the sensitive ones too."""

    STANDARD = "standard"
    SENSITIVE = "sensitive"


SHOWN = {
    ViewingMode.STANDARD: frozenset({SafetyClass.SAFE}),
    ViewingMode.SENSITIVE: frozenset({SafetyClass.SAFE, SafetyClass.SENSITIVE}),
}
"""The classes that each mode shows."""


def withheld_because(safety: Safety, mode: ViewingMode) -> str:
    """Why policy withholds an item of this class in this mode, or an empty text where it may be shown."""
    if safety.level in SHOWN[mode]:
        return ""
    return f"{safety.level}: {', '.join(safety.reasons)}"
