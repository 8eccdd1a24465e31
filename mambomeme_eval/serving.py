"""The serving corpus: the items that may be shown to anybody, which are all that a benchmark can ask for."""

from mambomeme_tui import rights, safety
from mambomeme_tui.corpus import Corpus
from mambomeme_tui.records import Meme
from mambomeme_tui.safety import ViewingMode


def serving(corpus: Corpus) -> list[Meme]:
    """The items that policy shows in the standard mode and whose rights are in order, by id."""
    shown = corpus.policy.modes[ViewingMode.STANDARD]
    return [
        meme
        for meme in corpus.memes
        if not rights.withheld_because(meme.rights) and not safety.withheld_because(meme.safety, shown)
    ]
