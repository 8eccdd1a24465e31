"""What a person is told of an answer, in the same words by the interface and by `find`.

Nothing here is made safe for a terminal: whoever draws or prints it does that.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mambomeme_tui.index.facets import Facets
    from mambomeme_tui.retrieval.results import SearchResult
    from mambomeme_tui.retrieval.syntax import Filter, Syntax

ONLY_EXCLUDED = "That only says what to leave out; say what to find, too."
ALIKE = 0.66
"""Least similarity of a value and one that is offered in its place: 1 less edits over the longer one's letters."""
MOST_COMPARED = 20_000
MOST_LISTED = 12
"""Values of a filter that are all listed where none resembles what was typed."""
MOST_NAMED = 2
"""Filters that are named where no meme has what they ask for."""


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


def why_nothing(result: "SearchResult", facets: "Facets") -> str:
    """Why there is no hit, in sentences; empty where there are hits, or where it is for the words alone.

    It tells nothing of withheld memes: an entry that only they have is one that no meme has.

    Args:
        result: of any query.
        facets: of the version that gave it.
    """
    if result.hits or result.evidence is not None:
        return ""
    from mambomeme_tui.retrieval.query import understand

    query = understand(result.query)
    syntax = query.syntax
    if not query.asks:
        return ONLY_EXCLUDED if syntax.excluded else ""
    unknown = [one for one in syntax.filters if not one.negated and not facets.has(one.name, one.value)]
    if unknown:
        return " ".join(_unknown(one, facets) for one in unknown[:MOST_NAMED])
    return _leave_nothing(_conditions(syntax, with_phrases=bool(result.nearest)))


def _conditions(syntax: "Syntax", with_phrases: bool) -> list[str]:
    """What has to hold of a hit; a phrase is to blame only where the same without phrases leaves something."""
    phrases = [f'"{text}"' for text in syntax.phrases] if with_phrases else []
    return [*map(spelt, syntax.filters), *phrases, *(f"-{_quoted(text)}" for text in syntax.excluded)]


def _leave_nothing(conditions: list[str]) -> str:
    if len(conditions) < 2:
        return f"{conditions[0]} leaves no meme." if conditions and not conditions[0].startswith('"') else ""
    return f"Together {', '.join(conditions[:-1])} and {conditions[-1]} leave no meme."


def _unknown(one: "Filter", facets: "Facets") -> str:
    told = f"No meme has {spelt(one)}."
    values = facets.complete(one.name, "", MOST_COMPARED)
    if one.name == "year":
        return f"{told} There are {min(values)} to {max(values)}." if values else told
    if near := _nearest(one, values, facets):
        return f"{told} Did you mean {near}?"
    return f"{told} There are {', '.join(values)}." if 0 < len(values) <= MOST_LISTED else told


def _nearest(one: "Filter", values: list[str], facets: "Facets") -> str:
    """The filter with the value that begins like the typed one or resembles it, or a word of which does."""
    from rapidfuzz import process
    from rapidfuzz.distance import OSA

    from mambomeme_tui.retrieval.syntax import QUOTES, Filter
    from mambomeme_tui.text import words

    found = facets.complete(one.name, one.value, 1)
    if not found:
        meant = {" ".join(words(value)): value for value in values}
        for value in values:
            for word in words(value):
                meant.setdefault(word, value)  # a whole value comes before one that it is a word of
        best = process.extractOne(
            " ".join(words(one.value)), meant.keys(), scorer=OSA.normalized_similarity, score_cutoff=ALIKE
        )
        found = [meant[best[0]]] if best else []
    bare = "".join(" " if char in QUOTES else char for char in "".join(found))
    return spelt(Filter(one.name, " ".join(bare.split()))) if found else ""
