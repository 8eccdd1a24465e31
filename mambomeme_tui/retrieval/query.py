"""What a person typed, understood once for all routes."""

from collections.abc import Callable
from dataclasses import dataclass

from mambomeme_tui import text
from mambomeme_tui.retrieval.syntax import Syntax, parse

MAX_TERMS = 64
MOST_REPAIRED = 200
"""Characters; whoever pastes more than that did not misspell it."""


@dataclass(frozen=True, slots=True)
class Query:
    """A query as the routes see it.

    Attributes:
        typed: as it came in; never shown or stored without `text.printable`.
        shown: cleaned and cut; what a person is told that was searched for.
        sentence: the same without filters, exclusions and the marks of phrases; what the encoder can read of it.
        repaired: what was meant by it, where words of it are misspelt; empty otherwise.
        terms: distinct index terms in reading order, at most 64; what the lexical route looks up.
        shortened: whether something at the end was left out.
        syntax: filters, exact phrases and exclusions.
    """

    typed: str
    shown: str
    sentence: str
    terms: tuple[str, ...]
    shortened: bool
    repaired: str
    syntax: Syntax

    @property
    def meant(self) -> str:
        """What is searched for; what the dense route embeds."""
        return self.repaired or self.sentence

    @property
    def empty(self) -> bool:
        """Whether there is neither a letter, nor a digit, nor a pictograph to search for beside filters."""
        return not _says_something(self.sentence)

    @property
    def asks(self) -> bool:
        """Whether there is anything to answer: words, or a filter that needs none."""
        return not self.empty or bool(self.syntax.filters)


def understand(typed: str, mend: Callable[[str], str] = lambda _: "") -> Query:
    """Make a query of anything at all: empty, huge, full of control codes, or in any script.

    Args:
        typed: anything.
        mend: gives what was meant by a sentence, or nothing where it is best taken as it is.
    """
    cleaned = text.printable(typed[: 4 * text.MAX_CHARACTERS])
    shown = cleaned[: text.MAX_CHARACTERS]
    syntax = parse(shown)
    sentence = syntax.plain
    # whoever puts words into quotes means just these
    repaired = mend(sentence) if len(sentence) <= MOST_REPAIRED and not syntax.phrases else ""
    terms = list(dict.fromkeys(text.terms(repaired or sentence)))
    shortened = len(cleaned) > len(shown) or len(typed) > 4 * text.MAX_CHARACTERS or len(terms) > MAX_TERMS
    return Query(typed, shown, sentence, tuple(terms[:MAX_TERMS]), shortened, repaired, syntax)


def _says_something(sentence: str) -> bool:
    return any(map(str.isalnum, sentence)) or bool(text.pictographs(sentence))
