"""What a person typed, understood once for all routes."""

import unicodedata
from collections.abc import Callable
from dataclasses import dataclass

from mambomeme_tui import text

MAX_TERMS = 64
MOST_REPAIRED = 200
"""Characters; whoever pastes more than that did not misspell it."""


@dataclass(frozen=True, slots=True)
class Query:
    """A query as the routes see it.

    Attributes:
        typed: as it came in; never shown or stored without `text.printable`.
        sentence: cleaned and cut to a length that the encoder can read.
        repaired: what was meant by it, where words of it are misspelt; empty otherwise.
        terms: distinct index terms in reading order, at most 64; what the lexical route looks up.
        shortened: whether something at the end was left out.
    """

    typed: str
    sentence: str
    terms: tuple[str, ...]
    shortened: bool
    repaired: str = ""

    @property
    def meant(self) -> str:
        """What is searched for; what the dense route embeds."""
        return self.repaired or self.sentence

    @property
    def empty(self) -> bool:
        """Whether there is neither a letter, nor a digit, nor a pictograph to search for."""
        return not any(char.isalnum() or unicodedata.category(char) == "So" for char in self.sentence)


def understand(typed: str, mend: Callable[[str], str] = lambda _: "") -> Query:
    """Make a query of anything at all: empty, huge, full of control codes, or in any script.

    Args:
        typed: anything.
        mend: gives what was meant by a sentence, or nothing where it is best taken as it is.
    """
    cleaned = text.printable(typed[: 4 * text.MAX_CHARACTERS])
    sentence = cleaned[: text.MAX_CHARACTERS]
    repaired = mend(sentence[:MOST_REPAIRED]) if len(sentence) <= MOST_REPAIRED else ""
    terms = list(dict.fromkeys(text.terms(repaired or sentence)))
    shortened = len(cleaned) > len(sentence) or len(typed) > 4 * text.MAX_CHARACTERS or len(terms) > MAX_TERMS
    return Query(typed, sentence, tuple(terms[:MAX_TERMS]), shortened, repaired)
