"""Misspelt queries: what was meant, by the words and names that the index knows.

A word that is known is never touched, and a query of known words is left exactly as it was typed. The last word may be
only begun, since people look while they type. Words are mended one by one; but where one of them is in no common use
and the query as a whole resembles a name, it stands for that: one that was cut, run together or heard wrong is nearer
to its name than any of its words.
"""

import re
import unicodedata
from collections.abc import Callable

from rapidfuzz import fuzz, process
from rapidfuzz.distance import OSA

from mambomeme_tui.index.vocabulary import Vocabulary, consonants
from mambomeme_tui.text import stem, words

LEAST_WORD = 4
"""Letters from which on a word is compared with others; of a shorter one too much would be near."""
LEAST_BEGUN = 3
"""Letters of the last word from which on it is completed."""
LEAST_NAME_BEGUN = 4
"""Letters of a query from which on the whole of it is taken for the beginning of a name."""
LEAST_DRAWN_OUT = 3
LEAST_UNVOWELLED = 3
"""Letters of a word without vowels from which on they are put back."""
ALIKE = 0.66
"""Least similarity of two words: 1 less edits (transpositions count as one) over the longer one's letters."""
ALIKE_NAME = 72.0
"""Least similarity of the whole query and a name, both without blanks, in percent."""
HIDDEN_NAME = 88.0
"""The same for a name somewhere inside a query that has no blanks to tell where."""
LONG_QUERY, LONG_NAME = 10, 6
FIRST_EMOJI, LAST_EMOJI = 0x1F300, 0x1FAFF
_CHAT = {
    **{"u": "you", "ur": "your", "r": "are", "pls": "please", "plz": "please", "bc": "because", "ppl": "people"},
    **{"teh": "the", "tbh": "", "lol": "", "lmao": "", "smh": ""},
}
_DIGITS = str.maketrans("013457$@", "oleastsa")
_DIGITS_TOO = str.maketrans("1", "i")
_RUN = re.compile(r"(.)\1{2,}")


def spell_out(text: str) -> str:
    """Pictographs as their names: a search for a monkey's face is one for a monkey."""
    if text.isascii():
        return text
    return "".join(f" {unicodedata.name(c, '').lower()} " if FIRST_EMOJI <= ord(c) <= LAST_EMOJI else c for c in text)


def repair(sentence: str, known: Vocabulary) -> str:
    """What was meant by a query, as folded words; empty where it is best taken as it was typed."""
    typed = words(spell_out(sentence))
    if not typed or all(known.knows(word) for word in typed):
        return " ".join(typed) if typed != words(sentence) else ""
    mended = [better for word in typed[:-1] if (better := _mend(word, known))]
    short = len(typed[-1]) < LEAST_BEGUN
    if not known.knows(typed[-1]) and (short or typed[-1] not in known.common):
        if name := len("".join(typed)) >= LEAST_NAME_BEGUN and known.name_begun("".join(typed)):
            return name
        if len(typed) > 1 and short and typed[-1] not in _CHAT:
            return repair(" ".join(typed[:-1]), known) or " ".join(typed[:-1])  # too little of a word to tell anything
    last = _begun(typed[-1], known) or _mend(typed[-1], known)
    mended += [last] if last else []
    name = "" if all(_is_right(word, known) for word in typed) else _name_in(typed, mended, known)
    return name if name and not _only_adds(name, mended) else (" ".join(mended) if mended != typed else "")


def _is_right(word: str, known: Vocabulary) -> bool:
    return known.knows(word) or word in known.common or word in _CHAT


def _only_adds(name: str, mended: list[str]) -> bool:
    """Whether a name says all that the mended words say already, and more."""
    said, says = (set(map(stem, one)) for one in (mended, name.split()))
    return said < says


def _mend(word: str, known: Vocabulary) -> str:
    """A known word that this one stands for, or the word itself; empty for what only fills."""
    if known.knows(word):
        return word
    if word in _CHAT:
        return _CHAT[word]
    if word in known.common:
        return word  # it is right, and nothing is about it
    for change in (_shortened, _without_digits):
        if found := change(word, known.knows):
            return found
    if len(word) >= LEAST_UNVOWELLED and consonants(word) == word and word in known.by_consonants:
        return known.by_consonants[word]
    return _nearest(_RUN.sub(r"\1", word), known) or word


def _begun(word: str, known: Vocabulary) -> str:
    """A word that the last one may become, unless it is one already."""
    if len(word) < LEAST_BEGUN or known.knows(word) or word in known.common or word in _CHAT:
        return ""
    return known.begun(word)


def _shortened(word: str, knows: Callable[[str], bool]) -> str:
    """The word without letters drawn out, or without doubled ones."""
    tries = (_RUN.sub(r"\1\1", word), _RUN.sub(r"\1", word), re.sub(r"(.)\1+", r"\1", word))
    return next((one for one in tries if one != word and len(one) >= LEAST_DRAWN_OUT and knows(one)), "")


def _without_digits(word: str, knows: Callable[[str], bool]) -> str:
    """The word with letters in the place of the digits that resemble them."""
    if word.isalpha() or word.isdigit():
        return ""
    for table in (_DIGITS, _DIGITS | _DIGITS_TOO):
        plain = word.translate(table)
        if knows(plain):
            return plain
        if found := _shortened(plain, knows):
            return found
    return ""


def _nearest(word: str, known: Vocabulary) -> str:
    plain = word if word.isalpha() else word.translate(_DIGITS)
    if len(plain) < LEAST_WORD or word.isdigit():
        return ""
    near = process.extract(plain, known.counts.keys(), scorer=OSA.normalized_similarity, limit=5, score_cutoff=ALIKE)
    ranked = [(-round(score, 3), found[0] != plain[0], -known.counts[found], found) for found, score, _ in near]
    return min(ranked)[3] if ranked else ""


def _name_in(typed: list[str], mended: list[str], known: Vocabulary) -> str:
    """The name that the whole query resembles, or that is hidden in it."""
    queries = {_RUN.sub(r"\1", "".join(typed)), "".join(mended)} - {""}
    found = [process.extractOne(one, known.names.keys(), scorer=fuzz.ratio, score_cutoff=ALIKE_NAME) for one in queries]
    best = max((one for one in found if one), key=lambda one: (one[1], one[0]), default=None)
    if best:
        return known.names[best[0]]
    run_together = max(queries, key=len)
    if len(typed) > 1 or len(run_together) < LONG_QUERY:
        return ""
    names = [name for name in known.names if len(name) >= LONG_NAME]
    hidden = process.extractOne(run_together, names, scorer=fuzz.partial_ratio, score_cutoff=HIDDEN_NAME)
    return known.names[hidden[0]] if hidden else ""
