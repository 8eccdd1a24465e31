"""The stages of a publication, in their order, and what a person is told while each goes on."""

STAGES = {
    "validate": "reading the corpus",
    "fingerprint": "comparing pictures",
    "embed": "encoding meanings",
    "index": "indexing words",
    "verify": "proving the version",
    "publish": "moving it into place",
}

WAITING = "waiting"
"""Told in a stage's place while another process writes."""


def in_words(stage: str) -> str:
    """What a person is told of a stage."""
    return "waiting for another process" if stage == WAITING else STAGES.get(stage, "starting")
