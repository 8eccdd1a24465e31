"""The whole screen after a search as plain text, compared with the one a person agreed to.

To renew it, delete `golden/john-cena-80x24.txt` and run this test: it writes the file and fails once, so that nobody
renews it unseen.
"""

import re
from collections.abc import Sequence
from pathlib import Path

from mambomeme_tui.retrieval.results import Hit
from tests.ui.waiting import application, ask, running, screen_lines

GOLDEN = Path(__file__).parent / "golden" / "john-cena-80x24.txt"


FIRST_HIT, LINES = 2, 2
"""Where the list begins, and how many lines a hit takes."""


def stable(lines: list[str], hits: Sequence[Hit]) -> str:
    """The screen without what differs from run to run and from version to version, and without other families."""
    lines = list(lines)
    for hit in hits:
        if hit.meme.family.id != "john-cena":
            first = FIRST_HIT + LINES * (hit.rank - 1)
            other = [f"{hit.rank:>3} (another family)", ""]
            lines[first : first + LINES] = [
                f"{text:<50}{line[50:]}" for text, line in zip(other, lines[first : first + LINES], strict=True)
            ]
    text = "\n".join(line.rstrip() for line in lines) + "\n"
    text = re.sub(r"[\d,]+ memes", "N memes", text)
    return re.sub(r"v-[0-9a-f]{12}", "v-VERSION", re.sub(r"\d+ ms", "N ms", text))


async def test_the_screen_after_a_search_is_the_agreed_one(data_dir: Path) -> None:
    app = application(data_dir)
    async with running(app, (80, 24)) as pilot:
        await ask(pilot, "john cena")
        await pilot.press("enter")
        await pilot.pause()
        screen = stable(screen_lines(app), app.view.hits)
    if not GOLDEN.exists():
        GOLDEN.parent.mkdir(exist_ok=True)
        GOLDEN.write_text(screen, encoding="utf-8")
        raise AssertionError(f"{GOLDEN} was written: look at it, then run the test again")
    assert screen == GOLDEN.read_text(encoding="utf-8")
