"""Names that stand in a query as they are: evidence for the families that are called so.

A name counts by its share of the query's letters, so that "doge" is all of the query "doge" and little of a sentence in
which a doge occurs.
"""

from collections.abc import Mapping

from mambomeme_tui.text import words

LONGEST = 12
"""Words of a name, at most."""
MOST_WORDS = 64


def families_named(sentence: str, named: Mapping[tuple[str, ...], tuple[int, ...]]) -> dict[int, float]:
    """Numbers of the families that a query names, each with the largest share of its letters that is such a name."""
    typed = words(sentence)[:MOST_WORDS]
    letters = sum(map(len, typed))
    shares: dict[int, float] = {}
    for start in range(len(typed)):
        for end in range(start + 1, min(len(typed), start + LONGEST) + 1):
            name = tuple(typed[start:end])
            for family in named.get(name, ()):
                shares[family] = max(shares.get(family, 0.0), sum(map(len, name)) / letters)
    return shares
