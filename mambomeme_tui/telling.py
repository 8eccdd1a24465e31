"""What a person is told of an answer, in the same words by the interface and by `find`.

Nothing here is made safe for a terminal: whoever draws or prints it does that.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mambomeme_tui.retrieval.results import SearchResult
    from mambomeme_tui.retrieval.syntax import Filter


def searched_for(result: "SearchResult") -> str:
    """What was really searched for: the query, or what was meant by it, with its filters and exclusions behind."""
    if not result.repaired:
        return result.query
    from mambomeme_tui.retrieval.syntax import parse  # its libraries take longer than the first paint may

    syntax = parse(result.query)
    filters = [spelt(one) for one in syntax.filters]
    return " ".join([result.repaired, *filters, *(f"-{_quoted(text)}" for text in syntax.excluded)])


def spelt(one: "Filter") -> str:
    """A filter as it can be typed."""
    return f"{'-' if one.negated else ''}{one.name}:{_quoted(one.value)}"


def _quoted(text: str) -> str:
    return f'"{text}"' if " " in text else text
