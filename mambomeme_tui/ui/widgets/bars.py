"""The one-line widgets: brand, counter, rule, status and keys."""

from rich.cells import cell_len
from textual.strip import Strip

from mambomeme_tui.retrieval.results import SearchResult, State
from mambomeme_tui.telling import searched_for
from mambomeme_tui.ui.cells import fit, safe, strip_of
from mambomeme_tui.ui.view import Phase, View
from mambomeme_tui.ui.widgets.drawn import Drawn

_STATES = {  # short enough to stand whole beside the figures in 80 columns
    State.COMPLETE: "",
    State.DENSE_LOADING: "meanings were loading",
    State.DENSE_FAILED: "meanings failed to load",
    State.QUERY_SHORTENED: "query was shortened",
}

KeyHelp = tuple[tuple[str, str, int], ...]
"""Keys from left to right: the key, what it does, and how soon it gives way on a narrow screen, the highest first."""
BOX_KEYS: KeyHelp = (("↵", "search", 1), ("↓", "results", 3), ("^u", "clear", 4), ("F1", "help", 2), ("^q", "quit", 2))
LIST_KEYS: KeyHelp = (
    ("↑↓", "move", 6),
    ("o", "open", 3),
    ("y", "copy", 5),
    ("c", "choose", 4),
    ("/", "query", 1),
    ("?", "help", 2),
)


class Brand(Drawn):
    """The program's name before the query box."""

    DEFAULT_CSS = "Brand { width: 13; height: 1; }"

    def line(self, y: int, width: int) -> Strip:
        """The name and a prompt."""
        colours = self.palette
        name = (" MamboMeme", self.paint(colours.brand, bold=True))
        return strip_of(width, self.paint(colours.text), name, (" ›", self.paint(colours.accent, bold=True)))


class Counter(Drawn):
    """How much can be searched, after the query box."""

    DEFAULT_CSS = "Counter { width: 15; height: 1; }"

    def line(self, y: int, width: int) -> Strip:
        """A light and a number."""
        view, colours = self.view, self.palette
        light = colours.warning if view.parts or not view.memes else colours.good
        waiting = " no index" if view.phase is Phase.ERROR else " loading"
        text = f" {view.memes:,} memes" if view.memes else waiting
        return strip_of(width, self.paint(colours.text), (" ●", self.paint(light)), (text, self.paint(colours.muted)))


class Rule(Drawn):
    """The line between the query box and what it found: says what was searched for to get the list."""

    DEFAULT_CSS = "Rule { height: 1; }"
    split = 0

    def line(self, y: int, width: int) -> Strip:
        """A heading in a rule; `split` is where the preview begins, 0 without one."""
        look, told = self.paint(self.palette.border), self.paint(self.palette.muted)
        end = self.split or width
        heading = self._heading()
        heading = f" {fit(heading, min(cell_len(heading), end - 4))} " if heading else ""
        parts = [("─", look), (heading, told), ("─" * (end - 1 - cell_len(heading)), look)]
        if self.split:
            parts += [("┬─", look), (" preview ", told), ("─" * (width - end - 11), look)]
        return strip_of(width, look, *parts)

    def _heading(self) -> str:
        result = self.view.result
        if result is None or self.view.phase not in (Phase.RESULTS, Phase.NOTHING):
            return ""
        count = f"{len(result.hits)} for" if result.hits else "nearest to" if self.view.nearest else "nothing for"
        return f"{count} “{safe(searched_for(result))}”"


class StatusLine(Drawn):
    """Count, milliseconds, route, version; what is loading or failed; the outcome of the last key."""

    DEFAULT_CSS = "StatusLine { height: 1; }"

    def line(self, y: int, width: int) -> Strip:
        """A mark, the figures, and a note at the right."""
        view, colours = self.view, self.palette
        mark, colour = _mark(view)
        ground = colours.surface
        parts = [text for text in (view.notice, _figures(view), _note(view)) if text]
        text = fit(" " + "  ·  ".join(parts), max(0, width - 3))
        return strip_of(
            width,
            self.paint(colours.text, ground),
            (f" {mark} ", self.paint(getattr(colours, colour), ground, bold=True)),
            (text, self.paint(colours.text, ground)),
        )


def _mark(view: View) -> tuple[str, str]:
    if view.phase is Phase.ERROR:
        return "✗", "error"
    if view.searching or view.phase is Phase.BUILDING:
        return "…", "warning"
    return ("!", "warning") if view.parts or view.offer or view.trouble else ("✓", "good")


def _figures(view: View) -> str:
    if view.searching:
        return "searching"
    match view.phase:
        case Phase.WELCOME:
            return "ready" if view.memes else "loading"
        case Phase.BUILDING:
            return "building the index, once"
        case Phase.ERROR:
            return "no search"
        case _:
            return _counts(view.result, _manner(view)) if view.result else ""


def _counts(result: SearchResult, manner: str) -> str:
    found = f"{len(result.hits)} found" if result.hits else "nothing found"
    return " · ".join(filter(None, [found, manner, f"{result.timing.total:.0f} ms", result.route, result.version]))


def _manner(view: View) -> str:
    """Which way the query was taken, and the other; short, and early in the line, which a narrow screen cuts."""
    if view.as_typed:
        return "as typed; F6: mended"
    return "F6: as typed" if view.result and view.result.repaired else ""


def _note(view: View) -> str:
    answered = _STATES[view.result.state] if view.result and view.phase is not Phase.WELCOME else ""
    return view.offer or answered or view.parts


class Keys(Drawn):
    """What can be pressed now: never more than six keys."""

    DEFAULT_CSS = "Keys { height: 1; }"
    keys = BOX_KEYS

    def line(self, y: int, width: int) -> Strip:
        """Keys and what they do; those that do not fit are left out whole."""
        colours, ground = self.palette, self.palette.footer
        parts = []
        for key, action in _fitting(self.keys, width):
            parts += [
                (f" {key}", self.paint(colours.accent, ground, bold=True)),
                (f" {action}  ", self.paint(colours.muted, ground)),
            ]
        return strip_of(width, self.paint(colours.muted, ground), *parts)


def _fitting(keys: KeyHelp, width: int) -> list[tuple[str, str]]:
    kept = set(keys)
    for given in sorted(keys, key=lambda entry: -entry[2]):
        if sum(cell_len(key) + cell_len(action) + 4 for key, action, _ in kept) <= width:
            break
        kept.discard(given)
    return [(key, action) for key, action, yields in keys if (key, action, yields) in kept]
