"""The families that are kept for judging are named nowhere but in the corpus: nothing is tested or tuned by them."""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

from mambomeme_tui.digests import family_files

ROOT = Path(__file__).parents[2]
CORPUS = ROOT / "corpus"
DEVELOPMENT = tomllib.loads((CORPUS / "development.toml").read_text(encoding="utf-8"))["families"]
LOOKED_AT = ("README.md", "corpus/README.md", "docs", "tests", "mambomeme_tui", "mambomeme_eval", "tools", "Makefile")


SUFFIXES = frozenset({".py", ".md", ".toml", ".txt", ".json", ".jsonl", ""})
RAW = ("pool.jsonl", "judgements.jsonl", "audits.jsonl")
"""Whatever a search may return has to be judged: candidates come from every family, queries and targets do not."""


def _texts() -> Iterator[tuple[str, str]]:
    for name in LOOKED_AT:
        place = ROOT / name
        for path in [place] if place.is_file() else sorted(place.rglob("*")):
            if (
                path.suffix in {".py", ".md", ".toml", ".txt", ".json", ".jsonl", ""}
                and path.name not in RAW
                and path.is_file()
            ):
                yield path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8").casefold()


def test_there_are_a_hundred_and_ten_of_them_and_each_is_a_family() -> None:
    families = {path.stem for path in family_files(CORPUS)}
    assert len(DEVELOPMENT) == len(set(DEVELOPMENT)) == 110
    assert set(DEVELOPMENT) < families


def test_no_other_family_is_named_outside_the_corpus() -> None:
    kept = {path.stem for path in family_files(CORPUS)} - set(DEVELOPMENT)
    assert len(kept) >= 210
    ids = [name for name in sorted(kept) if "-" in name]
    names = [tomllib.loads((CORPUS / "families" / f"{name}.toml").read_text(encoding="utf-8"))["name"] for name in ids]
    spoken = [name.casefold() for name in names if len(name.split()) > 2]
    pattern = re.compile("|".join(rf"\b{re.escape(name)}\b" for name in [*ids, *spoken]))
    assert pattern.search(f"x {ids[0]} x"), "the pattern finds what it is for"
    found = [(place, name) for place, text in _texts() for name in pattern.findall(text)]
    assert found == []
