"""The impacts of a version: what each term adds to the score of each meme, computed once from Whoosh's postings.

A score is pooled BM25F: the frequencies of a term in all fields are weighted and added before they saturate, so that
the same word in two fields is no better evidence than twice in one. A query's score is then a sum of a few rows of a
sparse matrix, terms by memes, of which a row lists its memes in ascending order and every value is above 0. Files are
mapped, never written again; the same postings and numbers give the same bytes.

Robertson, Zaragoza and Taylor, "Simple BM25 Extension to Multiple Weighted Fields", CIKM 2004.
"""

import json
import math
from array import array
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mambomeme_tui.files import read_json
from mambomeme_tui.index.arrays import save_array
from mambomeme_tui.index.postings import open_index

IMPACTS_FOLDER = "impacts"
_TERMS_FILE = "terms.json"
_DOCS_FILE = "docs.npy"
_VALUES_FILE = "values.npy"
_STARTS_FILE = "starts.npy"

Docs = NDArray[np.int32]
Values = NDArray[np.float32]


def inverse_frequency(documents: int, holders: int) -> float:
    """ln(1 + (N - df + 0.5) / (df + 0.5)), Lucene's form, above 0 for every df from 0 to N."""
    return math.log1p((documents - holders + 0.5) / (holders + 0.5))


@dataclass(frozen=True, slots=True)
class Impacts:
    """The matrix, opened.

    Attributes:
        size: how many memes there are; positions are below it.
        terms: the number of each term.
        docs: (cells,), the memes' positions, ascending within a term.
        values: (cells,), what the term adds to the meme's score.
        starts: (terms + 1,), where each term's cells start; the last is the number of cells.
    """

    size: int
    terms: dict[str, int]
    docs: Docs
    values: Values
    starts: NDArray[np.int64]

    def __contains__(self, term: object) -> bool:
        """Whether any meme has a term."""
        return term in self.terms

    def row(self, term: str) -> tuple[Docs, Values]:
        """Positions of the memes that have a term, ascending, and its impact on each; both empty where none has it."""
        cells = self._cells(term)
        return self.docs[cells], self.values[cells]

    def idf(self, term: str) -> float:
        """The inverse document frequency of a term over all fields together; the largest for one that is unknown."""
        cells = self._cells(term)
        return inverse_frequency(self.size, cells.stop - cells.start)

    def _cells(self, term: str) -> slice:
        number = self.terms.get(term)
        return slice(0, 0) if number is None else slice(int(self.starts[number]), int(self.starts[number + 1]))


@dataclass(frozen=True, slots=True)
class _Field:
    """One field's postings: (postings,) numbers of terms, positions, and how often the term stands there."""

    weight: float
    numbers: NDArray[np.int64]
    docs: Docs
    counts: Values


def create(folder: Path, whoosh_folder: Path, weights: Mapping[str, float], k1: float, b: float) -> None:
    """Compute the impacts of a finished Whoosh index into a new folder.

    Args:
        folder: is made.
        whoosh_folder: the index.
        weights: of the fields; what has none, or one of 0, is as if it were not indexed.
        k1: saturation of the weighted term frequency, from 0.
        b: length normalisation, 0 (none) to 1 (full), over the weighted length of all fields together.
    """
    known: dict[str, int] = {}
    opened = open_index(whoosh_folder)
    with opened.reader() as reader:
        documents = reader.doc_count_all()
        named = [(name, weight) for name, weight in sorted(weights.items()) if weight > 0 and name in reader.schema]
        fields = [_read(reader, name, weight, known) for name, weight in named]
    opened.close()
    terms = sorted(known)
    ranks = np.argsort(np.array([known[term] for term in terms], np.int64))
    rows, docs, frequencies = _pool(fields, ranks, documents)
    holders = np.bincount(rows, minlength=len(terms))
    idf = np.array([inverse_frequency(documents, int(df)) for df in holders])
    shares = k1 * (1 - b + b * _relative_lengths(fields, documents))
    values = idf[rows] * frequencies * (k1 + 1) / (frequencies + shares[docs])
    starts = np.concatenate(([0], np.cumsum(holders))).astype(np.int64)
    numbered = {term: number for number, term in enumerate(terms)}
    _save(folder, Impacts(documents, numbered, docs.astype(np.int32), values.astype(np.float32), starts))


def _save(folder: Path, matrix: Impacts) -> None:
    """Write a matrix, whose terms are in the order of their rows, into a new folder."""
    folder.mkdir()
    save_array(folder / _DOCS_FILE, matrix.docs)
    save_array(folder / _VALUES_FILE, matrix.values)
    save_array(folder / _STARTS_FILE, matrix.starts)
    data = {"memes": matrix.size, "terms": list(matrix.terms)}
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    (folder / _TERMS_FILE).write_text(text + "\n", encoding="utf-8")


def _read(reader: Any, name: str, weight: float, known: dict[str, int]) -> _Field:
    """All postings of one field; terms that are new get the next number."""
    docs, counts = array("i"), array("f")
    numbers, lengths = array("q"), array("q")
    for text in reader.lexicon(name):
        matcher, before = reader.postings(name, text), len(docs)
        while matcher.is_active():
            docs.append(matcher.id())
            counts.append(matcher.weight())
            matcher.next()
        numbers.append(known.setdefault(text.decode("utf-8"), len(known)))
        lengths.append(len(docs) - before)
    rows = np.repeat(np.array(numbers, np.int64), np.array(lengths, np.int64))
    return _Field(weight, rows, np.array(docs, np.int32), np.array(counts, np.float32))


def _pool(
    fields: list[_Field], ranks: NDArray[np.int64], documents: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Every pair of a term and a meme that has it, in order: the term's rank, the position, the weighted frequency."""
    keys = _joined([ranks[field.numbers] * documents + field.docs for field in fields], np.int64)
    weighted = _joined([field.weight * field.counts.astype(np.float64) for field in fields], np.float64)
    cells, owner = np.unique(keys, return_inverse=True)
    # adds in the order of the fields, so that memes with the same words have the same sum to the last bit
    frequencies = np.bincount(owner, weighted, len(cells)).astype(np.float64)
    return cells // max(documents, 1), cells % max(documents, 1), frequencies


def _relative_lengths(fields: list[_Field], documents: int) -> NDArray[np.float64]:
    """Each meme's weighted length over the mean of all, (documents,). Whoosh's own lengths are one byte each."""
    lengths = np.zeros(documents)
    for field in fields:
        lengths += field.weight * np.bincount(field.docs, field.counts, documents)
    mean = lengths.mean() if documents else 0.0
    return lengths / mean if mean else lengths


def _joined(parts: list[NDArray[Any]], kind: type) -> NDArray[Any]:
    return np.concatenate([np.empty(0, kind), *parts])


def load(folder: Path) -> Impacts:
    """Open the checked files of a version."""
    data = read_json(folder / _TERMS_FILE)
    terms = {str(term): number for number, term in enumerate(data["terms"])}
    # plain arrays on the mapped files: slices of `memmap` itself are slow to make
    docs, values = (np.asarray(np.load(folder / name, mmap_mode="r")) for name in (_DOCS_FILE, _VALUES_FILE))
    return Impacts(int(data["memes"]), terms, docs, values, np.load(folder / _STARTS_FILE))
