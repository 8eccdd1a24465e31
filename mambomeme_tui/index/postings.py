"""The Whoosh index of a version: one segment, one document a meme, in the order of the catalogue's positions.

The analyser is `mambomeme_tui.text.terms` and nothing else. A document's number is its meme's position, which
`create` proves before it returns.
"""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from whoosh import fields, index
from whoosh.analysis import Token, Tokenizer

from mambomeme_tui.index.views import LEXICAL_FIELDS, lexical_fields
from mambomeme_tui.records import Meme
from mambomeme_tui.text import terms

POSTINGS_FOLDER = "whoosh"


class TermTokenizer(Tokenizer):  # type: ignore[misc]  # Whoosh has no types
    """Cuts text into the project's own index terms; positions count terms."""

    def __call__(
        self,
        value: str,
        positions: bool = False,
        chars: bool = False,
        keeporiginal: bool = False,
        removestops: bool = True,
        start_pos: int = 0,
        start_char: int = 0,
        mode: str = "",
        **_options: Any,
    ) -> Iterator[Token]:
        """Yield tokens as Whoosh's protocol asks: one object, changed between yields."""
        token = Token(positions, chars, removestops=removestops, mode=mode)
        for number, term in enumerate(terms(value), start_pos):
            token.text = term
            token.boost = 1.0
            token.pos = number
            yield token


def create(folder: Path, memes: Sequence[Meme], progress: Callable[[int], None]) -> None:
    """Write a new index into an existing, empty folder.

    Raises:
        RuntimeError: Whoosh numbered the documents otherwise than they were added.
    """
    text = {name: fields.TEXT(analyzer=TermTokenizer(), phrase=name == "quote") for name in LEXICAL_FIELDS}
    whoosh_index = index.create_in(str(folder), fields.Schema(id=fields.STORED, **text))
    writer = whoosh_index.writer(limitmb=256)
    for number, meme in enumerate(memes, 1):
        writer.add_document(id=meme.id, **lexical_fields(meme))
        progress(number)
    writer.commit(optimize=False)
    with whoosh_index.searcher() as searcher:
        numbered = [searcher.stored_fields(number)["id"] for number in range(len(memes))]
    whoosh_index.close()
    if numbered != [meme.id for meme in memes]:
        raise RuntimeError("Whoosh numbered the documents otherwise than they were added")
    for lock in folder.glob("*_WRITELOCK"):
        lock.unlink()


def open_index(folder: Path) -> Any:
    """Open a checked index for reading."""
    return index.open_dir(str(folder), readonly=True)
