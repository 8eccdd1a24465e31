"""The rules that the pool, the judgements and the audits must meet before anything is scored (decisions 3 and 8).

A set of judgements belongs to one corpus, one guideline and the pool as it stands: when one of them changes, the rows
that still hold are carried into a new judgement set. Grades that are still missing are no fault here (scoring lists
them), but an answerable query whose grades are complete has something to find, and a no-match query never has.
"""

from collections import defaultdict
from collections.abc import Iterator

from mambomeme_eval.audit_fields import FIELDS
from mambomeme_eval.benchmark import (
    USEFUL,
    Audit,
    Candidate,
    Header,
    Judgement,
    Labels,
    PoolHeader,
    Query,
    Role,
    pool_version,
)
from mambomeme_eval.journal import Pooling
from mambomeme_eval.loading_rows import Row, Table, twice
from mambomeme_eval.loading_structure import World
from mambomeme_eval.qrels import ANNOTATORS, Qrels, needs_adjudicator
from mambomeme_tui.errors import Fault
from mambomeme_tui.safety import ViewingMode

Rows = list[Row[Judgement]]


def header_faults(table: Table[Header], world: World) -> Iterator[Fault]:
    """Whether the corpus and the policy are those that were judged."""
    for row in table.rows:
        for field, judged, now in (
            ("corpus", row.value.corpus, world.corpus.digest),
            ("policy", row.value.policy, world.corpus.policy.version),
        ):
            if judged != now:
                yield table.fault(1, field, f"{now!r}, which is served; what was judged is another one")


def subset_faults(table: Table[Query]) -> Iterator[Fault]:
    """Subsets that a score is a mean over must not be empty."""
    subsets = {
        "no-match": any(not query.answerable for query in table.values),
        "ordinary": any(not query.safety for query in table.values),
        "answerable safety": any(query.answerable and query.safety for query in table.values),
    }
    if table.whole:
        empty = [name for name, there in subsets.items() if not there]
        yield from (table.fault(1, "(count)", f"at least one {name} query") for name in empty)


def pool_faults(
    table: Table[Candidate], pool: Table[PoolHeader], queries: Table[Query], world: World
) -> Iterator[Fault]:
    """Whether candidates are items as they are now, and the pool is the one that its header names."""
    yield from twice(table, "item", lambda one: (one.query, one.item))
    known = {query.id for query in queries.values}
    for row in table.rows:
        if queries.whole and row.value.query not in known:
            yield table.fault(row.line, "query", f"a query of the partition; there is no {row.value.query!r}")
        meme = world.memes.get(row.value.item)
        if meme is None:
            yield table.fault(row.line, "item", f"an item of the corpus; there is no {row.value.item!r}")
        elif meme.content_hash != row.value.content_hash:
            yield table.fault(row.line, "content_hash", f"that of {row.value.item!r} as it is now")
    for header in pool.rows if table.whole else ():
        if header.value.version != pool_version(table.values):
            yield pool.fault(1, "version", f"that of the candidates, {pool_version(table.values)}")


def judgement_faults(table: Table[Judgement], pool: Table[Candidate], header: Header | None) -> Iterator[Fault]:
    """Whether each row is about a candidate of this judgement set, and the rows of a candidate fit the rule."""
    hashes = {(one.query, one.item): one.content_hash for one in pool.values}
    pairs: dict[tuple[str, str], Rows] = defaultdict(list)
    for row in table.rows:
        pair = row.value.query, row.value.item
        pairs[pair].append(row)
        if pair in hashes and hashes[pair] != row.value.content_hash:
            yield table.fault(row.line, "content_hash", "that of the candidate: another content was judged")
        if pool.whole and pair not in hashes:
            yield table.fault(row.line, "item", "a candidate of the pool for this query")
        if header and row.value.guideline != header.guideline:
            yield table.fault(row.line, "guideline", f"{header.guideline!r}, by which this set is judged")
    for rows in pairs.values():
        yield from _people_faults(table, rows)
        yield from _third_faults(table, rows)


def journal_faults(table: Table[Judgement], pooling: Pooling) -> Iterator[Fault]:
    """Whether each row was given on this pool, or on one that it grew from."""
    known = {batch.version for batch in pooling.batches}
    for row in table.rows:
        if row.value.pool not in known:
            yield table.fault(row.line, "pool", "a version of the pool that its journal names")


def _people_faults(table: Table[Judgement], rows: Rows) -> Iterator[Fault]:
    """Each person judges a candidate once, and once more at most to be measured against himself."""
    first: dict[str, Row[Judgement]] = {}
    again: set[str] = set()
    for row in rows:
        name, judged = row.value.annotator, first.get(row.value.annotator)
        if row.value.repeat:
            if judged is None or judged.value.role is not row.value.role or name in again:
                yield table.fault(row.line, "repeat", "one repetition at most, after the first judgement")
            again.add(name)
        elif judged is not None:
            yield table.fault(row.line, "annotator", f"one judgement of each person; line {judged.line} has his")
        else:
            first[name] = row
    annotators = [row for row in first.values() if row.value.role is Role.ANNOTATOR]
    for row in annotators[ANNOTATORS:]:
        yield table.fault(row.line, "annotator", "two annotators for each candidate; this is one more")


def _third_faults(table: Table[Judgement], rows: Rows) -> Iterator[Fault]:
    thirds = [row for row in rows if row.value.role is Role.ADJUDICATOR and not row.value.repeat]
    annotators = [row.value for row in rows if row.value.role is Role.ANNOTATOR and not row.value.repeat]
    if thirds and not needs_adjudicator(annotators[:ANNOTATORS]):
        yield table.fault(thirds[0].line, "role", "an adjudicator only where two annotators disagree")
    yield from (table.fault(row.line, "role", "one adjudicator for each candidate") for row in thirds[1:])


def grade_faults(queries: Table[Query], qrels: Qrels, world: World) -> Iterator[Fault]:
    """Whether final grades say what the kinds of the queries say."""
    waiting = {missing.query for missing in qrels.missing}
    for row in queries.rows:
        query = row.value
        grades = qrels.grades.get(query.id, {})
        useful = [item for item, grade in grades.items() if grade >= USEFUL and _shown(query.id, item, qrels, world)]
        if query.answerable and not useful and query.id not in waiting:
            yield queries.fault(row.line, "id", "an item with a final grade of 2.0 or more that policy shows")
        if not query.answerable and useful:
            yield queries.fault(row.line, "kind", f"no item of grade 2.0 or more; {useful[0]!r} was judged to be one")


def _shown(query: str, item: str, qrels: Qrels, world: World) -> bool:
    """Neither the corpus nor the judges class it as something that policy withholds."""
    return item in world.serving and qrels.safety[query][item] in world.corpus.policy.modes[ViewingMode.STANDARD]


def audit_faults(table: Table[Audit], queries: Table[Query], header: Header | None, world: World) -> Iterator[Fault]:
    """Whether each no-match query was checked against the corpus as it is, in every field, and by people."""
    yield from twice(table, "query", lambda audit: audit.query)
    known = {query.id: query for query in queries.values}
    for row in table.rows:
        query = known.get(row.value.query)
        if (query is None and queries.whole) or (query and query.answerable):
            yield table.fault(row.line, "query", f"a no-match query; {row.value.query!r} is none")
        yield from _one_audit_faults(table, row, header, world)
    done = {audit.query for audit in table.values}
    for query_row in queries.rows if table.whole else ():
        if not query_row.value.answerable and query_row.value.id not in done:
            yield queries.fault(query_row.line, "id", "an audit: a no-match query has one")


def _one_audit_faults(table: Table[Audit], row: Row[Audit], header: Header | None, world: World) -> Iterator[Fault]:
    audit, people = row.value, ANNOTATORS if header and header.labels is Labels.FINAL else 1
    if audit.corpus != world.corpus.digest:
        yield table.fault(row.line, "corpus", "the corpus that is served; the audit has expired")
    if unchecked := [field for field in FIELDS if field not in audit.checked]:
        yield table.fault(row.line, "checked", f"every canonical field; {', '.join(unchecked)} was not checked")
    if unknown := [item for item in audit.nearest if item not in world.memes]:
        yield table.fault(row.line, "nearest", f"items of the corpus; there is no {unknown[0]!r}")
    names = {one.name for one in audit.annotators}
    if len(names) < max(people, len(audit.annotators)):
        yield table.fault(row.line, "annotators", f"the word of {people} or more, each named once")
    if finders := [one.name for one in audit.annotators if not one.absent]:
        yield table.fault(row.line, "annotators", f"that everyone found nothing; {finders[0]!r} found something")
