"""Suggests in the query box how the filter at the end of the query could go on; the right arrow or End accepts it.

A suggestion only ever adds to what was typed, so that nothing moves under the cursor, and it can always be drawn.
A name of a filter is offered where it is likelier than a word: at the beginning, or where no known word begins so.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from textual.suggester import Suggester

if TYPE_CHECKING:  # the first paint waits for no library that only searching needs
    from mambomeme_tui.index.facets import Facets


LEAST_LATER_NAME = 3
"""Letters of a filter's name from which on it is offered behind other words."""


class FilterSuggester(Suggester):
    """Completes the names and values of filters.

    Args:
        facets: gives those of the version that is searched now, or None while there is none.
    """

    def __init__(self, facets: "Callable[[], Facets | None]") -> None:
        super().__init__(use_cache=False, case_sensitive=True)  # another version may come between two equal queries
        self._facets = facets

    async def get_suggestion(self, value: str) -> str | None:
        """The query with its last token completed, or None where nothing is known that could follow."""
        facets = self._facets()
        if facets is None:
            return None
        from mambomeme_tui.retrieval.completion import continuation

        added = "" if _is_rather_a_word(value, facets) else continuation(value, facets)
        return value + added if added and added.isprintable() else None


def _is_rather_a_word(typed: str, facets: "Facets") -> bool:
    """Whether what the query ends with goes on with the words before it, or begins a known word."""
    from mambomeme_tui.index.facets import FACETS
    from mambomeme_tui.retrieval.completion import token_start
    from mambomeme_tui.retrieval.syntax import QUOTES

    start = token_start(typed, len(typed))
    before, begun = typed[:start].rstrip(), typed[start:].removeprefix("-")
    if not before or before[-1] in QUOTES or ":" in begun:
        return False
    return len(begun) < LEAST_LATER_NAME or any(facets.complete(name, begun, 1) for name in FACETS)
