"""A corpus of one family, which tests change and write again."""

from pathlib import Path

import pytest

from mambomeme_tui import corpus
from mambomeme_tui.errors import CorpusError, Fault

SAMPLE = """\
id = "two-cats"
name = "Two Cats"
aliases = ["cats", "pair of cats"]
kind = "animal"
people = []
franchise = ""
topics = ["cats"]
actions = ["sitting"]
year = 2019
origin = "Written for these tests."
meaning = "Two are better than one."
picture = "Two cats sit on a wall."

[rights]
creator = "Somebody"
source = "here"
licence = "CC0-1.0"
attribution = "Somebody, here"
cleared = true

[safety]
class = "safe"
reasons = []
policy = "1"

[[items]]
slug = "first"
quote = "One cat / and another"
tags = ["wall"]

[[items]]
slug = "second"
quote = "Still two cats"
tags = ["wall", "evening"]
media = "media/second.png"
language = "en"

[items.safety]
class = "sensitive"
reasons = ["drugs"]
policy = "2"
"""


def write(root: Path, **texts: str) -> None:
    for path in (root / "families").iterdir():
        path.unlink()
    for name, written in texts.items():
        (root / "families" / f"{name.replace('_', '-')}.toml").write_text(written, encoding="utf-8", newline="\n")


def faults_of(root: Path) -> list[Fault]:
    with pytest.raises(CorpusError) as caught:
        corpus.load(root)
    return caught.value.faults
