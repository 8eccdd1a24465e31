"""A small partition that keeps every rule, as plain rows that a test may spoil before they are written."""

import json
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from mambomeme_eval.audit_fields import FIELDS
from mambomeme_eval.benchmark import Candidate, pool_version
from mambomeme_eval.loading import world_of
from mambomeme_eval.loading_structure import World
from mambomeme_tui.paths import bundled

TIME = "2024-05-01T12:00:00+00:00"
Row = dict[str, Any]


@cache
def bundled_world() -> World:
    """The bundled corpus with its development families."""
    return world_of(bundled("corpus"))


def query(identifier: str, text: str, primary: str, template: str = "", *marks: str) -> Row:
    """A query row; without a slice, a no-match one."""
    return {
        "id": identifier,
        "text": text,
        "kind": "answerable" if primary else "no-match",
        "slice": primary,
        "family": f"{identifier}-family",
        "marks": list(marks),
        "templates": [template] if template else [],
        "note": "",
    }


def candidate(query_id: str, item: str) -> Row:
    """A pool row with the item's hash as it is now."""
    return {"query": query_id, "item": item, "content_hash": bundled_world().memes[item].content_hash}


def judgement(one: Row, annotator: str, grade: int, **other: Any) -> Row:
    """A raw grade of a candidate."""
    given = {"role": "annotator", "grade": grade, "safety": "safe", "position": 1, "repeat": False}
    return one | {"annotator": annotator} | given | {"guideline": "1", "pool": "0" * 64, "time": TIME} | other


def audit(query_id: str, *names: str) -> Row:
    """An audit in which these people found nothing."""
    return {
        "query": query_id,
        "corpus": bundled_world().corpus.digest,
        "checked": list(FIELDS),
        "nearest": ["salt-bae.cat-fur"],
        "annotators": [{"name": name, "absent": True} for name in names],
        "time": TIME,
    }


@dataclass
class Draft:
    """The rows of a partition by file; `pool.json` gets the right version unless it has one."""

    header: Row
    queries: list[Row]
    targets: list[Row]
    pool: list[Row]
    judgements: list[Row]
    audits: list[Row]
    pool_header: Row = field(default_factory=lambda: {"systems": ["bm25"], "depth": 10})

    def write(self, folder: Path) -> Path:
        """Write every file."""
        folder.mkdir(exist_ok=True)
        version = pool_version(Candidate(**row) for row in self.pool if set(row) == {"query", "item", "content_hash"})
        (folder / "partition.json").write_text(json.dumps(self.header, indent=2))
        (folder / "pool.json").write_text(json.dumps({"version": version} | self.pool_header))
        for name in ("queries", "targets", "pool", "judgements", "audits"):
            lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in getattr(self, name)]
            (folder / f"{name}.jsonl").write_text("".join(lines), encoding="utf-8")
        return folder


def small() -> Draft:
    """One query a slice and one no-match query; two candidates each, graded by two people; one went to a third."""
    about = {
        "name": ("john cena", "john-cena", "john-cena.camera-off"),
        "quote": ("and his name is john cenaaaa", "john-cena", "john-cena.wedding-objection"),
        "topic": ("cooking", "salt-bae", "salt-bae.cat-fur"),
        "semantic": ("nothing wrong here while it burns", "this-is-fine", ""),
        "visual": ("yellow bird face", "surprised-pikachu", ""),
        "noisy": ("grmpy cta", "grumpy-cat", ""),
    }
    memes = sorted(bundled_world().serving)
    queries, pool = [], []
    for number, (primary, (text, template, item)) in enumerate(about.items(), 1):
        identifier = f"dev-{number:03}"
        queries.append(query(identifier, text, primary, template, *(["safety"] if primary == "noisy" else [])))
        found = item or next(one for one in memes if one.startswith(template))
        pool += [candidate(identifier, found), candidate(identifier, "doge." + _first("doge"))]
    queries.append(query("dev-007", "medieval tax form", ""))
    judgements = [
        judgement(one, name, 3 if at % 2 == 0 else 0) for at, one in enumerate(pool) for name in ("ann", "bob")
    ]
    judgements[3] |= {"grade": 2}  # the second candidate: 0 and 2, two grades apart
    judgements.append(judgement(pool[1], "cyd", 1, role="adjudicator"))
    judgements.append(judgement(pool[0], "ann", 1, repeat=True, position=9))
    return Draft(
        header={
            "benchmark": "v1",
            "partition": "development",
            "labels": "provisional",
            "corpus": bundled_world().corpus.digest,
            "policy": "1",
            "guideline": "1",
            "judgement_set": 1,
        },
        queries=queries,
        targets=[
            {"query": "dev-001", "items": ["john-cena.camera-off"], "groups": ["john-cena.reading-room"]},
            {"query": "dev-002", "items": ["john-cena.wedding-objection"], "groups": []},
        ],
        pool=pool,
        judgements=judgements,
        audits=[audit("dev-007", "ann")],
    )


def _first(family: str) -> str:
    return next(one for one in sorted(bundled_world().serving) if one.startswith(f"{family}.")).partition(".")[2]


def full() -> Draft:
    """A development partition of the full size with final labels; its queries have no wit."""
    draft = small()
    draft.header["labels"] = "final"
    draft.queries, draft.targets, draft.audits, draft.pool, draft.judgements = [], [], [], [], []
    for number in range(120):
        primary = ("name", "quote", "topic", "semantic", "visual", "noisy", "", "")[number // 15]
        marks = ["safety"] if number < 15 or number >= 115 else []
        one = query(f"dev-{number:03}", f"query number {number}", primary, "john-cena" if primary else "", *marks)
        draft.queries.append(one)
        if primary in ("name", "quote"):
            draft.targets.append({"query": one["id"], "items": ["john-cena.shy-bug"], "groups": []})
        if primary:
            draft.pool.append(candidate(one["id"], "john-cena.shy-bug"))
            draft.judgements += [judgement(draft.pool[-1], name, 2) for name in ("ann", "bob")]
        else:
            draft.audits.append(audit(one["id"], "ann", "bob"))
    return draft
