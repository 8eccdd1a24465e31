"""The judging screen: draws one sitting, and turns keys into answers.

40x12 and up; where there is no room or no colour for the picture, its path stands beside its description. Everything is
said in words, so that nothing depends on colours.
"""

import asyncio
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar, Final

from rich.segment import Segment
from rich.text import Text
from textual import events
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Static

from mambomeme_eval.annotate import sheet
from mambomeme_eval.annotate.picture import half_blocks, moves, picture_path
from mambomeme_eval.annotate.sitting import Sitting
from mambomeme_tui.errors import MamboError, TerminalUnsuitable
from mambomeme_tui.records import SafetyClass
from mambomeme_tui.terminal import require_terminal

LEAST_WIDE, LEAST_TALL = 40, 12
"""Below this size one can't see what is judged, so that no answer is taken."""
WIDE, TALL = 72, 20
"""From this size on there is room for a picture."""
SHARE = 0.4
GROUND = "#101010"
TOO_SMALL: Final = f"Judging needs {LEAST_WIDE}x{LEAST_TALL} cells; q ends."
FATAL: Final = (signal.SIGTERM, signal.SIGHUP)
SAFETY_KEYS: Final = {"s": SafetyClass.SAFE, "e": SafetyClass.SENSITIVE, "b": SafetyClass.BLOCKED}


class PictureBox(Widget):
    """Draws a picture file in as many cells as there are; nothing where there is none."""

    path: Path | None = None

    def show(self, path: Path | None) -> None:
        """Draw this file from the next frame on."""
        self.path = path
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """One line, exactly as wide as the widget."""
        width, height = self.size
        lines = half_blocks(self.path, width, height, GROUND) if self.path and width and height else None
        return Strip(lines[y], width) if lines and y < len(lines) else Strip([Segment(" " * width)], width)


class JudgingApp(App[None]):
    """Asks the questions of a sitting.

    `leaving` is the signal that ended it, if one did.
    `failure` is what ended it, if anything did: the terminal is given back first, and a traceback with the values of
    local variables, a query among them, is never drawn.
    """

    ENABLE_COMMAND_PALETTE = False
    CSS = """
    #query { height: auto; max-height: 5; padding: 0 1; }
    #sheet { height: 1fr; border-top: solid $surface-lighten-2; border-bottom: solid $surface-lighten-2; }
    #picture { height: 1fr; }
    #body { width: 1fr; padding: 0 1; }
    #status, #notice, #keys { height: 1; padding: 0 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        *(Binding(str(grade), f"grade({grade})", show=False, priority=True) for grade in range(4)),
        *(Binding(key, f"safety('{one}')", show=False, priority=True) for key, one in SAFETY_KEYS.items()),
        Binding("u", "undo", show=False, priority=True),
        Binding("q,ctrl+c,ctrl+q", "quit", show=False, priority=True, system=True),
    ]

    def __init__(self, sitting: Sitting) -> None:
        super().__init__()
        self.sitting = sitting
        self.failure: Exception | None = None
        self.leaving: signal.Signals | None = None
        self._room = self._small = False

    def compose(self) -> ComposeResult:
        """Query, picture and text, state, keys."""
        yield Static(id="query", markup=False)
        with Horizontal(id="sheet"):
            yield PictureBox(id="picture")
            with VerticalScroll(id="scroll"):
                yield Static(id="body", markup=False)
        yield Static(id="status", markup=False)
        yield Static(id="notice", markup=False)
        yield Static(sheet.KEYS, id="keys", markup=False)

    def on_mount(self) -> None:
        """The text takes the arrow keys; signals end the screen in order, so that the terminal is given back."""
        self.query_one("#scroll").focus()
        for number in FATAL:
            asyncio.get_running_loop().add_signal_handler(number, self._leave, number)

    def _leave(self, number: signal.Signals) -> None:
        self.leaving = number
        self.exit()

    def on_resize(self, event: events.Resize) -> None:
        """Divide the screen anew."""
        width, height = event.size
        self._small = width < LEAST_WIDE or height < LEAST_TALL
        self._say("keys", Text(sheet.keys(width - 2)))
        self._room = width >= WIDE and height >= TALL and not self.no_color  # half blocks are nothing but colours
        box = self.query_one(PictureBox)
        box.styles.width, box.display = round(width * SHARE), self._room
        self._draw()

    def action_grade(self, grade: int) -> None:
        """Give a grade."""
        self._do(lambda: self.sitting.choose_grade(grade))

    def action_safety(self, safety: str) -> None:
        """Complete the answer with a safety class."""
        self._do(lambda: self.sitting.choose_safety(SafetyClass(safety)))

    def action_undo(self) -> None:
        """Take back the grade, or the last answer."""
        self._do(self.sitting.undo)

    def _do(self, step: Callable[[], None]) -> None:
        if self._small:
            return
        before = self.sitting.task
        try:
            step()
        except MamboError as error:
            self.failure = error
            self.exit()
            return
        self._draw()
        if self.sitting.task is not before:  # read from its beginning
            self.query_one(VerticalScroll).scroll_home(animate=False)

    def _draw(self) -> None:
        """Show the sitting as it is."""
        sitting, task, judging = self.sitting, self.sitting.task, self.sitting.desk.judging
        self._say("status", sheet.status(sitting.grade, sitting.done, sitting.total, judging.header.guideline))
        self._say("notice", Text(sheet.safe(sitting.notice)))
        if task is None or self._small:
            self.query_one(PictureBox).show(None)
            self._say("query", Text(TOO_SMALL if self._small else "Nothing is left to be judged; q ends."))
            self._say("body", Text())
            return
        query, meme = judging.queries[task.candidate.query], sitting.desk.meme(task)
        path = picture_path(judging.root, meme.media)
        self.query_one(PictureBox).show(path)
        self._say("query", sheet.head(query, sitting.fresh))
        self._say("body", sheet.body(query, meme, path is not None and moves(path), with_path=not self._room))

    def _say(self, where: str, text: Text) -> None:
        self.query_one(f"#{where}", Static).update(text)

    def _handle_exception(self, error: Exception) -> None:
        self.failure = self.failure or error
        super()._handle_exception(error)

    def _fatal_error(self) -> None:
        """Close without drawing a traceback."""
        self._close_messages_no_wait()

    def _print_error_renderables(self) -> None:
        if self.failure is not None:
            self._exit_renderables.clear()
        super()._print_error_renderables()


def judge(begin: Callable[[], Sitting]) -> int:
    """Run the screen to its end; how many answers were given.

    Args:
        begin: begins the sitting, once there is a terminal for it.

    Raises:
        TerminalUnsuitable: there is no terminal that can show the screen.
        MamboError: an answer could not be written; those before it are on the disk.
    """
    try:
        require_terminal()
    except TerminalUnsuitable as error:
        raise TerminalUnsuitable(error.message, "Use --export and --import to judge in a file.") from None
    sitting = begin()
    before = sitting.done
    app = JudgingApp(sitting)
    app.run()
    if app.leaving is not None:  # the terminal is as it was; whoever waits for this program hears of the signal
        signal.signal(app.leaving, signal.SIG_DFL)
        os.kill(os.getpid(), app.leaving)
    if app.failure is not None:
        raise app.failure
    return sitting.done - before
