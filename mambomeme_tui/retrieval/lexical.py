"""The lexical route: BM25F over Whoosh's postings, any term in any field."""

from pathlib import Path
from typing import Any

from whoosh import query as whoosh_query
from whoosh import scoring

from mambomeme_tui.index.postings import POSTINGS_FOLDER, open_index
from mambomeme_tui.parameters import Parameters
from mambomeme_tui.retrieval.query import Query
from mambomeme_tui.retrieval.results import Candidate


class LexicalRoute:
    """A checked Whoosh index, opened. One caller at a time.

    Args:
        folder: the version's folder.
        parameters: of the version.
    """

    def __init__(self, folder: Path, parameters: Parameters) -> None:
        self._weights = parameters.field_weights
        model = scoring.BM25F(B=parameters.bm25_b, K1=parameters.bm25_k1)
        self._depth = parameters.depth
        self._searcher: Any = open_index(folder / POSTINGS_FOLDER).searcher(weighting=model)

    def search(self, query: Query, extra: int = 0) -> list[Candidate]:
        """Candidates by descending BM25F, ties by position: as many as the depth, and `extra` more."""
        wanted = [
            whoosh_query.Term(name, term, boost=weight)
            for term in query.terms
            for name, weight in self._weights.items()
            if (name, term.encode()) in self._searcher.reader()
        ]
        if not wanted:
            return []
        # Whoosh's block skipping can loop for ever, so it stays off
        found = self._searcher.search(whoosh_query.Or(wanted), limit=self._depth + extra, optimize=False)
        ranked = sorted(found.items(), key=lambda pair: (-pair[1], pair[0]))
        return [Candidate(position, score) for position, score in ranked]

    def close(self) -> None:
        """Let go of the index's files."""
        self._searcher.close()
