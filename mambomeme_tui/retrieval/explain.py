"""Why a hit matched, in words that a person can check against the hit."""

from functools import lru_cache

from mambomeme_tui.index.views import lexical_fields
from mambomeme_tui.records import Meme
from mambomeme_tui.retrieval.query import Query
from mambomeme_tui.retrieval.results import Candidate
from mambomeme_tui.text import stem, words

_READABLE = {"names": "name", "people": "people", "quote": "quote", "topics": "topic", "situations": "use"}


@lru_cache(maxsize=8192)
def _stemmed(text: str) -> tuple[tuple[str, str], ...]:
    """Words of a record's text beside their stems; most of these texts are shared by a family."""
    return tuple((word, stem(word)) for word in words(text))


def explain(query: Query, meme: Meme, dense: Candidate | None) -> tuple[str, ...]:
    """Reasons, the strongest first: fields with the query's words in them, then the nearest vector and its cosine.

    A word stands there once, in the first form that the field has, and words stand in the query's order.
    """
    wanted = set(query.terms)
    reasons = []
    for name, text in lexical_fields(meme).items():
        found: dict[str, str] = {}
        for word, stemmed in _stemmed(text):
            if stemmed in wanted:
                found.setdefault(stemmed, word)
        if found:
            shown = " ".join([found[term] for term in query.terms if term in found][:6])
            reasons.append((len(found), f"{_READABLE.get(name, name)}: {shown}"))
    reasons.sort(key=lambda reason: -reason[0])
    lines = [line for _, line in reasons]
    if dense:
        lines.append(f"near in {_READABLE.get(dense.basis, dense.basis)} ({dense.cosine:.2f})")
    return tuple(lines)
