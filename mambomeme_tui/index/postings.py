"""The Whoosh index of a version: one segment, one document a meme, in the order of the catalogue's positions.

The analyser is `mambomeme_tui.text.terms` and nothing else. A document's number is its meme's position, which
`create` proves before it returns. The same records give the same bytes.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from whoosh import fields, index
from whoosh.analysis import Token, Tokenizer
from whoosh.codec.whoosh3 import W3Codec, W3Segment
from whoosh.filedb.filestore import FileStorage

from mambomeme_tui.index.views import LEXICAL_FIELDS, lexical_fields
from mambomeme_tui.records import Meme
from mambomeme_tui.text import terms

POSTINGS_FOLDER = "whoosh"


_terms = lru_cache(maxsize=64)(terms)  # the items of a family share most of their texts, and follow one another


class OneSegment(W3Codec):  # type: ignore[misc]  # Whoosh has no types
    """Whoosh's own format, but for the segment's name, which is random otherwise, so that every build would differ.

    Blocks are not compressed: that costs a third more space, and saves as much of the time that indexing takes.
    """

    def __init__(self) -> None:
        super().__init__(compression=0)

    def new_segment(self, storage: Any, indexname: str) -> Any:
        """A segment with a fixed name; the index never has another."""
        return W3Segment(self, indexname, segid="segment")


class TimelessStorage(FileStorage):  # type: ignore[misc]  # Whoosh has no types
    """A folder whose files have no time of change and a fixed order: both would be written into the segment."""

    def list(self) -> list[str]:
        """The names, sorted."""
        return sorted(super().list())

    def file_modified(self, name: str) -> float:
        """Always 0."""
        return 0.0


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
        for number, term in enumerate(_terms(value), start_pos):
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
    whoosh_index = TimelessStorage(str(folder)).create_index(fields.Schema(id=fields.STORED, **text))
    writer = whoosh_index.writer(limitmb=256, codec=OneSegment())
    for number, meme in enumerate(memes, 1):
        writer.add_document(id=meme.id, **lexical_fields(meme))
        progress(number)
    writer.commit(optimize=False)
    with whoosh_index.searcher() as searcher:
        numbered = [stored["id"] for _, stored in searcher.reader().iter_docs()]
    whoosh_index.close()
    if numbered != [meme.id for meme in memes]:
        raise RuntimeError("Whoosh numbered the documents otherwise than they were added")
    for left_over in (*folder.glob("*_WRITELOCK"), *folder.glob("_MAIN_0.toc")):  # Whoosh ignores it if it can't
        left_over.unlink()


def open_index(folder: Path) -> Any:
    """Open a checked index for reading."""
    return index.open_dir(str(folder), readonly=True)
