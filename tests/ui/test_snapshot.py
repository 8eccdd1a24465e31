"""The whole screen after a search as plain text, compared with the one a person agreed to.

To renew it, delete `golden/john-cena-80x24.txt` and run this test: it writes the file and fails once, so that nobody
renews it unseen.
"""

import re
from pathlib import Path

from tests.ui.waiting import application, ask, running, screen_lines

GOLDEN = Path(__file__).parent / "golden" / "john-cena-80x24.txt"


def stable(lines: list[str]) -> str:
    """The screen without what differs from run to run and from version to version."""
    text = "\n".join(line.rstrip() for line in lines) + "\n"
    return re.sub(r"v-[0-9a-f]{12}", "v-VERSION", re.sub(r"\d+ ms", "N ms", text))


async def test_the_screen_after_a_search_is_the_agreed_one(data_dir: Path) -> None:
    app = application(data_dir)
    async with running(app, (80, 24)) as pilot:
        await ask(pilot, "john cena")
        await pilot.press("enter")
        await pilot.pause()
        screen = stable(screen_lines(app))
    if not GOLDEN.exists():
        GOLDEN.parent.mkdir(exist_ok=True)
        GOLDEN.write_text(screen, encoding="utf-8")
        raise AssertionError(f"{GOLDEN} was written: look at it, then run the test again")
    assert screen == GOLDEN.read_text(encoding="utf-8")
