"""The pages that stand in the result area while there are no results: welcome, building, nothing found, error."""

from textual.strip import Strip

from mambomeme_tui.stages import in_words
from mambomeme_tui.telling import searched_for
from mambomeme_tui.ui.cells import centre, fit, safe, strip_of, style, wrap
from mambomeme_tui.ui.theming import Palette
from mambomeme_tui.ui.view import Phase, View

EXAMPLES = (
    ("a name", "john cena"),
    ("a quote", "one does not simply"),
    ("a topic", "wrestling"),
    ("a meaning", "torn between two choices"),
    ("a picture", "dog in a burning house"),
    ("or nearly", "suprised pikachoo"),
)

_Line = tuple[str, str]


def page(view: View, palette: Palette, width: int, height: int) -> list[Strip]:
    """Exactly `height` lines of `width` cells for a view without results."""
    lines = _PAGES[view.phase](view, palette, width)
    above = max(0, (height - len(lines)) // 3)
    padded = ([("", palette.text)] * above + lines + [("", palette.text)] * height)[:height]
    ground = palette.background
    return [
        strip_of(width, style(colour, ground), (fit(text, width), style(colour, ground))) for text, colour in padded
    ]


def _welcome(_view: View, palette: Palette, _width: int) -> list[_Line]:
    lines = [("Type what you remember of a meme:", palette.title), ("", palette.text)]
    lines += [(f"{kind:<11} {example}", palette.muted) for kind, example in EXAMPLES]
    return [(f"   {text}", colour) for text, colour in lines]


def _building(view: View, palette: Palette, width: int) -> list[_Line]:
    room = min(40, width - 6)
    full = round(room * view.progress)
    return [
        (centre("The index is being built, once.", width), palette.title),
        ("", palette.text),
        (centre("━" * full + "╌" * (room - full), width), palette.accent),
        (centre(in_words(view.message), width), palette.muted),
        ("", palette.text),
        (centre("You can type already.", width), palette.muted),
    ]


def _nothing(view: View, palette: Palette, width: int) -> list[_Line]:
    query = safe(searched_for(view.result)) if view.result else ""
    why = safe(view.reason) or f"Nothing fits “{query}”."
    told = [(line, palette.title) for line in wrap(why, width - 6, 6 if view.reason else 3)]
    hints = [""]
    if view.result and view.result.repaired and not view.reason:
        hints += [
            f"That was searched for in place of “{safe(view.result.query)}”.",
            "F6 searches for what was typed.",
            "",
        ]
    hints += [] if view.reason else ["Try fewer words, or other ones for the same thing."]
    if view.result and view.result.nearest:
        hints.append("F7 shows what comes nearest.")
    told += [(line, palette.muted) for hint in hints for line in wrap(hint, width - 6, 3) or [""]]
    return [(f"   {text}", colour) for text, colour in told]


def _error(view: View, palette: Palette, width: int) -> list[_Line]:
    told = [(line, palette.error) for line in wrap(safe(view.message), width - 6, 12)]
    hint = [(line, palette.text) for line in wrap(safe(view.hint), width - 6, 6)]
    return [(f"   {text}", colour) for text, colour in [*told, ("", palette.text), *hint]]


_PAGES = {Phase.WELCOME: _welcome, Phase.BUILDING: _building, Phase.NOTHING: _nothing, Phase.ERROR: _error}
