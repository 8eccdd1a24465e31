"""The three routes on known-item queries: at which rank the engine shows the one meme that a query was written about.

Whether a list is an answer at all is not asked here, since every query has one: where the engine says that nothing
fits, what comes nearest is taken. An equally good meme counts as wrong, so the figures are lower bounds, and nothing is
tuned on them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from statistics import mean
from typing import Final

from mambomeme_eval.engine_run import SYSTEMS
from mambomeme_eval.metrics import reciprocal_rank
from mambomeme_eval.pipeline_captions import LONGEST, YEAR
from mambomeme_eval.pipeline_measures import tell
from mambomeme_eval.pipeline_process import Report
from mambomeme_eval.retrieval.indexes import corpus_of, published
from mambomeme_eval.retrieval.memecap import Described, KnownItem, MemeCap
from mambomeme_tui.corpus import Corpus
from mambomeme_tui.digests import hash_json
from mambomeme_tui.paths import bundled
from mambomeme_tui.policy import POLICY_FILE, load_policy
from mambomeme_tui.records import Family, Meme, Rights, Safety, SafetyClass
from mambomeme_tui.retrieval.engine import LIMIT, Engine
from mambomeme_tui.text import printable

_CLEARED: Final = Rights("various", "MemeCap", "for measuring only", "none", cleared=True)


def measure(data: Path, known: MemeCap) -> Report:
    """Index the memes in a scratch folder, and ask every query of each route.

    Returns:
        How many memes and queries there are, and by system and kind `queries`, `mrr10` and `hit10`.
    """
    corpus, records = corpus_for(known.memes)
    with published(data, corpus) as (engine, stages):
        systems = {}
        for system, route in SYSTEMS.items():
            tell(f"  {len(known.queries):,} queries, {system}")
            ranks = [reciprocal_rank(_found(engine, query, route, records)) for query in known.queries]
            systems[system] = figures(known.queries, ranks)
    return {"memes": len(known.memes), "queries": len(known.queries), "stages": stages, "systems": systems}


def _found(engine: Engine, query: KnownItem, route: str, records: Mapping[str, str]) -> list[bool]:
    """For each place of the list whether the right meme stands there."""
    result = engine.search(query.text, route, LIMIT)
    return [hit.meme.id == records[query.answer] for hit in result.hits or result.nearest]


def figures(queries: Sequence[KnownItem], ranks: Sequence[Fraction]) -> Report:
    """The mean reciprocal rank at ten, and the share that was found among ten, of each kind of queries.

    Args:
        queries: what was asked.
        ranks: for each of them 1 over the rank of its answer, or 0.
    """
    kinds = sorted({query.kind for query in queries})
    return {
        kind: _means([rank for query, rank in zip(queries, ranks, strict=True) if query.kind == kind]) for kind in kinds
    }


def _means(ranks: Sequence[Fraction]) -> Report:
    found = [Fraction(rank > 0) for rank in ranks]
    return {"queries": len(ranks), "mrr10": float(mean(ranks)), "hit10": float(mean(found))}


def corpus_for(memes: Sequence[Described]) -> tuple[Corpus, dict[str, str]]:
    """A corpus in which each meme is a family of its own, and the id of its record by its own id.

    The title is the name, the description what is seen; nothing is known of what it means. A meme without a title is
    called by its description, since every family has a name.
    """
    policy_file = bundled("corpus") / POLICY_FILE
    policy = load_policy(policy_file)
    names = {meme.id: f"m{number:06d}.meme" for number, meme in enumerate(memes)}
    safety = Safety(SafetyClass.SAFE, (), policy.version)
    records = [_record(names[meme.id], meme, safety) for meme in memes]
    return corpus_of(records, Corpus((), policy, policy_file, "")), names


def _record(identifier: str, described: Described, safety: Safety) -> Meme:
    picture = _cleaned(described.text)
    name = _cleaned(described.title) or picture
    family = Family(identifier.partition(".")[0], name, (), "", (), "", (), (), YEAR, "", "", picture)
    meme = Meme(
        id=identifier,
        family=family,
        title=name,
        quote="",
        meaning="",
        picture=picture,
        tags=(),
        language="en",
        media="",
        exact_hash="",
        perceptual_hash="",
        group=identifier,
        change="",
        rights=_CLEARED,
        safety=safety,
        content_hash="",
    )
    return replace(meme, content_hash=hash_json(meme.content()))


def _cleaned(text: str) -> str:
    return printable(text)[:LONGEST].strip()
