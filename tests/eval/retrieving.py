"""Small folders for the retrieval benchmark: five described memes with four queries, and a file of captions."""

import gzip
import json
from collections.abc import Iterable
from pathlib import Path

MEMES = [
    ("fox1", "Red fox", "An animal runs over the road"),
    ("ban1", "Banana", "A yellow fruit on a table"),
    ("ban2", "Lunch break", "Somebody eats a banana in an office"),
    ("cat1", "", "Kitten sleeps on a keyboard"),
    ("sea1", "Holiday", "Waves and a lighthouse at night"),
]
QUERIES = [
    ("q-fox", "the fox", "meaning", "fox1"),
    ("q-ban", "banana", "meaning", "ban2"),
    ("q-none", "trumpet", "meaning", "sea1"),
    ("q-cat", "a kitten on the keyboard", "visual", "cat1"),
]
SECRET = "xyzzyplugh"
CAPTIONS = [(f"Template {number % 3}", f"much {SECRET} very word{number} again{number}") for number in range(12)]


def pack(path: Path, lines: Iterable[str]) -> Path:
    """A gzipped text file."""
    with gzip.open(path, "wt", encoding="utf-8") as stream:
        stream.writelines(line + "\n" for line in lines)
    return path


def memecap_folder(folder: Path) -> Path:
    """The five memes and the four queries, with a field that nobody reads."""
    folder.mkdir(parents=True, exist_ok=True)
    pack(folder / "corpus.jsonl.gz", (json.dumps({"id": one, "title": a, "text": b}) for one, a, b in MEMES))
    asked = ({"id": one, "text": text, "kind": kind, "split": "trainval"} for one, text, kind, _ in QUERIES)
    pack(folder / "queries-dev.jsonl.gz", map(json.dumps, asked))
    answers = [f"{one}\t{answer}\t1" for one, _, _, answer in QUERIES]
    pack(folder / "qrels-dev.tsv.gz", ["query-id\tcorpus-id\tscore", *answers])
    return folder


def captions_folder(folder: Path) -> Path:
    """Twelve captions of three templates."""
    folder.mkdir(parents=True, exist_ok=True)
    pack(folder / "captions.jsonl.gz", (json.dumps({"template": name, "text": text}) for name, text in CAPTIONS))
    return folder
