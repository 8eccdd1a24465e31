"""True copies of one picture never stand beside one another in a list, and hiding them costs no other hit its place."""

from collections import Counter

import pytest

from mambomeme_tui import corpus, paths
from mambomeme_tui.retrieval.engine import Engine


@pytest.mark.parametrize("route", ["hybrid", "lexical", "dense"])
def test_no_two_hits_are_copies_of_one_another(engine: Engine, route: str) -> None:
    copied = [meme for meme in corpus.load(paths.bundled("corpus")).memes if meme.change]
    seen = 0
    for meme in copied[:20]:
        hits = engine.search(meme.quote, route).hits
        groups = Counter(hit.meme.group for hit in hits)
        assert not groups or max(groups.values()) == 1
        assert len(hits) == len({hit.meme.id for hit in hits})
        seen += meme.group in groups
    assert seen >= 10, "the queries find what was copied"


def test_the_bundled_corpus_has_sixty_groups_of_copies_of_every_kind() -> None:
    memes = corpus.load(paths.bundled("corpus")).memes
    originals = {meme.id for meme in memes if not meme.change}
    copies = [meme for meme in memes if meme.change]
    assert len({meme.group for meme in copies}) >= 60
    assert {meme.group for meme in copies} <= originals
    assert min(Counter(meme.change for meme in copies).values()) >= 15
    assert len({meme.change for meme in copies}) == 3
