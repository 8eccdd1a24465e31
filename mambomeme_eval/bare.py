"""The comparison: the least that a Textual application with a box to type in can be.

python -m mambomeme_eval.bare PLACEHOLDER
"""

import sys

from textual.app import App, ComposeResult
from textual.widgets import Input


class BareApp(App[None]):
    """One box."""

    def compose(self) -> ComposeResult:
        """The box, saying what the caller wants to see."""
        yield Input(placeholder=sys.argv[1])


if __name__ == "__main__":
    BareApp().run()
