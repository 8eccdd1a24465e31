"""Rights policy: an item may be shown only where its rights are cleared and complete. Pure; no input or output."""

from mambomeme_tui.records import Rights

REQUIRED = ("creator", "source", "licence", "attribution")


def withheld_because(rights: Rights) -> str:
    """Why policy withholds an item with these rights, or an empty text where it may be shown."""
    if not rights.cleared:
        return "rights not cleared"
    missing = [name for name in REQUIRED if not getattr(rights, name)]
    return f"rights incomplete: {', '.join(missing)}" if missing else ""
