"""What a person typed, understood once for all routes."""

import unicodedata
from dataclasses import dataclass

from mambomeme_tui import text

MAX_TERMS = 64


@dataclass(frozen=True, slots=True)
class Query:
    """A query as the routes see it.

    Attributes:
        typed: as it came in; never shown or stored without `text.printable`.
        sentence: cleaned and cut to a length that the encoder can read; what the dense route embeds.
        terms: distinct index terms in reading order, at most 64; what the lexical route looks up.
        shortened: whether something at the end was left out.
    """

    typed: str
    sentence: str
    terms: tuple[str, ...]
    shortened: bool

    @property
    def empty(self) -> bool:
        """Whether there is neither a letter, nor a digit, nor a pictograph to search for."""
        return not any(char.isalnum() or unicodedata.category(char) == "So" for char in self.sentence)


def understand(typed: str) -> Query:
    """Make a query of anything at all: empty, huge, full of control codes, or in any script."""
    cleaned = text.printable(typed[: 4 * text.MAX_CHARACTERS])
    sentence = cleaned[: text.MAX_CHARACTERS]
    terms = list(dict.fromkeys(text.terms(sentence)))
    shortened = len(cleaned) > len(sentence) or len(typed) > 4 * text.MAX_CHARACTERS or len(terms) > MAX_TERMS
    return Query(typed, sentence, tuple(terms[:MAX_TERMS]), shortened)
