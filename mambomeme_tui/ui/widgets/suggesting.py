"""Suggests in the query box how the filter at the end of the query could go on; the right arrow accepts it.

A suggestion only ever adds to what was typed, so that nothing moves under the cursor, and it can always be drawn.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from textual.suggester import Suggester

if TYPE_CHECKING:  # the first paint waits for no library that only searching needs
    from mambomeme_tui.index.facets import Facets


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

        added = continuation(value, facets)
        return value + added if added and added.isprintable() else None
