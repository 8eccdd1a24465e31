"""Text as the index and the query both see it: cleaned, folded, cut into words, stemmed.

Documents and queries go through the same functions, or they could not meet. Nothing here keeps a control character,
a lone surrogate or a direction override, whatever it is given; every function is total.
"""

import re
import unicodedata
from functools import cache, lru_cache
from typing import Any

MAX_CHARACTERS = 2000
_APOSTROPHES = str.maketrans({"\u2019": "'", "\u2018": "'", "\u02bc": "'", "\u00b4": "'", "`": "'"})
_ASCII_CONTROLS = dict.fromkeys([*range(0x20), 0x7F], " ")
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
_IDEOGRAPHS = re.compile(r"([\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]+)")
STOP_WORDS = frozenset(
    "a an and are as at be been but by did do does for from had has have he her him his i if in into is it its "
    "me my of on or our she so than that the their them then there these they this to was we were what when where "
    "which who will with you your".split()
)


def clean(text: str) -> str:
    """One line of printable text: NFC, controls and unpaired surrogates gone, runs of blanks made one."""
    if text.isascii():  # the same, without looking at each character
        return " ".join(text.translate(_ASCII_CONTROLS).split())
    paired = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").replace("\ufffd", " ")
    kept = "".join(" " if unicodedata.category(char) in _UNPRINTABLE else char for char in paired)
    return " ".join(unicodedata.normalize("NFC", kept).split())


_UNPRINTABLE = frozenset({"Cc", "Cs", "Co", "Cn", "Zl", "Zp"})
_OVERRIDES = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def printable(text: str) -> str:
    """Text that may go to a terminal: `clean`, and without direction overrides that could reorder what stands near."""
    return clean(_OVERRIDES.sub("", text))


def fold(text: str) -> str:
    """Case, accents and typographic variants folded: `Café` and `CAFE\u0301` both give `cafe`."""
    if text.isascii():  # the same: nothing comes apart
        return clean(text).translate(_APOSTROPHES).lower()
    # compatibility forms come apart before case is folded (a styled capital is no capital yet), apostrophes before
    # both (the acute accent would come apart into a blank and a mark)
    plain = unicodedata.normalize("NFKD", clean(text).translate(_APOSTROPHES))
    decomposed = unicodedata.normalize("NFKD", plain.casefold())
    bare = "".join(char for char in decomposed if not "\u0300" <= char <= "\u036f")
    return clean(unicodedata.normalize("NFKC", bare).translate(_APOSTROPHES))


def words(text: str) -> list[str]:
    """Folded words in reading order, stop words included; CJK runs become overlapping pairs of characters."""
    found: list[str] = []
    for word in _split(fold(text)):
        for piece in filter(None, _IDEOGRAPHS.split(word.replace("'", ""))):
            if _IDEOGRAPHS.fullmatch(piece):
                found.extend([piece[at : at + 2] for at in range(len(piece) - 1)] or [piece])
            else:
                found.append(piece)
    return found


def pictographs(text: str) -> list[str]:
    """The distinct pictographs and other symbols of a text, in order; they are no words."""
    return [] if text.isascii() else [char for char in dict.fromkeys(text) if unicodedata.category(char) == "So"]


def _split(folded: str) -> list[str]:
    if folded.isascii():
        return _WORD.findall(folded)
    # `\w` leaves out the vowel signs of Indic and other scripts, which would cut their words into pieces
    marks = {ord(char): "\u00aa" for char in set(folded) if unicodedata.category(char).startswith("M")}
    return [folded[found.start() : found.end()] for found in _WORD.finditer(folded.translate(marks))]


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """The Snowball English stem of a folded word; words with digits or other scripts come back as they are."""
    return _stemmer().stemWord(word) if word.isascii() and word.isalpha() else word


@cache
def _stemmer() -> Any:
    import snowballstemmer  # brings the rules of thirty languages, which the first paint need not wait for

    return snowballstemmer.stemmer("english")


def terms(text: str) -> list[str]:
    """Index terms in reading order: stemmed words without stop words; all words where nothing else would be left."""
    found = words(text)
    content = [word for word in found if word not in STOP_WORDS]
    return [stem(word) for word in content or found]
