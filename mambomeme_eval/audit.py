"""The audit of no-match queries: looks in a whole corpus for anything that could satisfy a query after all.

A machine can only show where to look. Every canonical field of every item that policy shows is compared with the
query, and the items nearest in meaning are listed beside whatever was found, however far away they are; people then say
whether one of them satisfies it. The record carries the digest of the corpus and expires with it.
"""

import argparse
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import numpy as np

from mambomeme_eval.audit_fields import EVERYWHERE, FIELDS, Finding, How, Seen, compare, seen, spellings, values
from mambomeme_eval.benchmark import Audit, Inspection, Query
from mambomeme_eval.loading import Mode, load, world_of
from mambomeme_eval.loading_rows import to_lines
from mambomeme_eval.serving import serving
from mambomeme_eval.writing import write_new
from mambomeme_tui import paths
from mambomeme_tui.corpus import Corpus
from mambomeme_tui.encoder import QueryEncoder
from mambomeme_tui.errors import UsageError
from mambomeme_tui.index import vectors
from mambomeme_tui.index.store import model_folder
from mambomeme_tui.records import Meme
from mambomeme_tui.retrieval.engine import Engine
from mambomeme_tui.text import printable

NEAREST: Final = 20
"""How many items nearest in meaning an annotator looks at: twice as many as a list shows."""
MOST_OF_A_FAMILY: Final = 2
"""Items of a family share most of their texts and tie: more of one would hide other families."""


@dataclass(frozen=True, slots=True)
class Near:
    """An item and the cosine of its nearest text with a query, -1 to 1."""

    item: str
    cosine: float


@dataclass(frozen=True, slots=True)
class AuditReport:
    """What an annotator should look at before saying that nothing in a corpus satisfies a query.

    Attributes:
        query: its id.
        text: what was typed.
        corpus: digest of the corpus that was searched.
        findings: the surest first; of true copies only the original is named.
        nearest: by descending cosine, at most two of a family, of true copies only the original.
    """

    query: str
    text: str
    corpus: str
    findings: tuple[Finding, ...]
    nearest: tuple[Near, ...]

    @property
    def look_at(self) -> tuple[str, ...]:
        """The ids of all items to look at, each once: first those with the query's words, then the nearest."""
        return tuple(dict.fromkeys([*(one.item for one in self.findings), *(one.item for one in self.nearest)]))

    def record(self, time: datetime, annotators: Iterable[Inspection] = ()) -> Audit:
        """The row of `audits.jsonl`; loading refuses it until annotators stand on it."""
        stamp = time.astimezone(UTC).isoformat(timespec="seconds")
        return Audit(self.query, self.corpus, FIELDS, self.look_at, tuple(annotators), stamp)


class Auditor:
    """Checks queries against one corpus.

    Args:
        corpus: all of it; what policy withholds is left out here.
        engine: serves an index of the same corpus; its vectors are compared one by one, without a floor.

    Raises:
        UsageError: the engine serves another corpus.
        ModelUnavailable: the encoder is not there.
    """

    def __init__(self, corpus: Corpus, engine: Engine) -> None:
        if engine.version.manifest.corpus["digest"] != corpus.digest:
            raise UsageError(f"Version {engine.version.name} was made of another corpus.", "Run `mambomeme publish`.")
        self._digest = corpus.digest
        self._originals = [meme for meme in serving(corpus) if meme.id == meme.group]
        places = {meme.id: at for at, meme in enumerate(corpus.memes)}  # the index has the order of the ids too
        self._places = np.array([places[meme.id] for meme in self._originals], np.int64)
        version = engine.version
        self._store = vectors.load(version.folder, engine.size)
        self._encoder = QueryEncoder(model_folder(version.folder.parents[1], version.manifest))

    def check(self, query: Query, nearest: int = NEAREST) -> AuditReport:
        """Look for anything that could satisfy a query; `nearest` is how many items to list whatever they hold."""
        found = find(query.text, self._originals)
        return AuditReport(query.id, query.text, self._digest, found, self._near(query.text, nearest))

    def _near(self, text: str, count: int) -> tuple[Near, ...]:
        vector = self._encoder.encode([printable(text)])[0]
        cosines = (np.asarray(self._store.vectors) @ vector)[self._store.rows]
        best = np.maximum.reduceat(cosines, self._store.starts[:-1])[self._places]
        chosen: list[Near] = []
        families: Counter[str] = Counter()
        for at in np.argsort(-best, kind="stable"):
            meme = self._originals[at]
            families[meme.family.id] += 1
            if families[meme.family.id] <= MOST_OF_A_FAMILY and len(chosen) < count:
                chosen.append(Near(meme.id, float(best[at])))
        return tuple(chosen)


def find(text: str, memes: Sequence[Meme]) -> tuple[Finding, ...]:
    """Where the words of a text stand in these items, the surest findings first, then by id and field."""
    query = seen(text)
    found: dict[tuple[str, str], How] = {}
    for meme in memes:
        for field, value in values(meme):
            how = compare(query, seen(value))
            key = meme.id, field
            if how and (key not in found or _surer(how, found[key])):
                found[key] = how
    ids = {item for item, _ in found}
    found |= {(item, EVERYWHERE): How.SPREAD for item in _spread(query, memes) if item not in ids}
    order = sorted(found.items(), key=lambda one: (list(How).index(one[1]), one[0]))
    return tuple(Finding(item, field, how) for (item, field), how in order)


def _surer(one: How, other: How) -> bool:
    return list(How).index(one) < list(How).index(other)


def _spread(query: Seen, memes: Sequence[Meme]) -> list[str]:
    """Items that hold every stem of a query, or a spelling like it, in whichever fields."""
    stems = {meme.id: frozenset().union(*(seen(value).stems for _, value in values(meme))) for meme in memes}
    wanted = spellings(query.stems, sorted(frozenset().union(*stems.values())))
    return [item for item, has in stems.items() if wanted and all(has & one for one in wanted)]


def expired(audit: Audit, corpus: Corpus) -> bool:
    """Whether an audit says nothing any more, because the corpus is no longer the one that was audited."""
    return audit.corpus != corpus.digest


def lines(report: AuditReport) -> list[str]:
    """A report for a person, plain printable text."""
    told = [f"{report.query}  {printable(report.text)}"]
    told += [f"  look at {one.item}: {one.how} in {one.field}" for one in report.findings]
    told += [f"  nearest {one.item}: {one.cosine:.3f}" for one in report.nearest]
    return told


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of `mambomeme-eval audit`."""
    parser.add_argument("partition", metavar="PARTITION", help="the folder of a partition")
    parser.add_argument("--corpus", metavar="DIR", help="the corpus to look in (the bundled one)")
    parser.add_argument("--data-dir", metavar="DIR", help="a folder with its published index (MAMBOMEME_DATA_DIR)")
    parser.add_argument("--out", metavar="FILE", help="write the rows there, to be completed by annotators")


def run(options: argparse.Namespace) -> int:
    """Check every no-match query of a partition and print what annotators should look at.

    Raises:
        PartitionError: the partition has faults.
        UsageError: the index is of another corpus, or the rows can't be written.
    """
    world = world_of(paths.expand(options.corpus) if options.corpus else paths.bundled("corpus"))
    queries = load(paths.expand(options.partition), world, Mode.STRUCTURE).queries
    data = paths.expand(options.data_dir) if options.data_dir else paths.data_dir()
    with closing(Engine(data)) as engine:
        auditor = Auditor(world.corpus, engine)
        reports = [auditor.check(query) for query in queries if not query.answerable]
    for line in (line for report in reports for line in lines(report)):
        print(line)
    if options.out:
        now = datetime.now(UTC)
        _write(Path(options.out), to_lines(report.record(now) for report in reports))
    return 0


def _write(path: Path, text: str) -> None:
    try:
        write_new(path, text)  # never over what annotators have written
    except OSError as error:
        raise UsageError(f"{printable(str(path))} can't be written: {error.strerror}.") from None
