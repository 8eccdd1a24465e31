"""A copy of a corpus in which a few items say something else, as after a day of a curator's work.

Each changed item is of another family and has no copies, so that as many records change as items were asked for.
"""

import json
import random
import shutil
import tomllib
from pathlib import Path
from typing import Any

from mambomeme_tui.corpus_format import line_of
from mambomeme_tui.digests import family_files

REMARK = " / and once more"


def change(source: Path, target: Path, count: int, seed: int) -> list[str]:
    """Copy a corpus folder and change the quotes of so many items in as many families; returns their ids.

    Fewer where the corpus has not so many families. The pictures stay what they were.
    """
    shutil.copytree(source, target)
    files = family_files(target)
    random.Random(seed).shuffle(files)  # noqa: S311  # an order, no secret
    changed: list[str] = []
    for path in files:
        if len(changed) < count and (identifier := _change_one(path)):
            changed.append(identifier)
    return changed


def _change_one(path: Path) -> str | None:
    """Change the quote of the first item that has no copies and stands on a line of its own; its id."""
    text = path.read_text(encoding="utf-8")
    table: dict[str, Any] = tomllib.loads(text)
    copied = {copy["of"] for copy in table.get("copies", [])}
    lines = text.split("\n")
    for number, item in enumerate(table["items"]):
        line = line_of(text, ("items", number, "quote")) - 1
        if item["slug"] in copied or not lines[line].startswith('quote = "') or lines[line].startswith('quote = """'):
            continue
        lines[line] = "quote = " + json.dumps(item["quote"] + REMARK, ensure_ascii=False)
        path.write_text("\n".join(lines), encoding="utf-8")
        return f"{table['id']}.{item['slug']}"
    return None
