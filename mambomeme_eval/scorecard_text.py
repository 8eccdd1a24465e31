"""The scorecard as plain text of at most 80 columns, each line with the state of the labels where that is provisional.

Numbers are rounded here and nowhere else. A `!` marks a figure that fails its gate.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from textwrap import wrap
from typing import Final

from mambomeme_eval.acceptance import Acceptance
from mambomeme_eval.diagnostics import SHARES
from mambomeme_eval.gates import RELEASE_GATES, RULES, Gate
from mambomeme_eval.metrics import Number
from mambomeme_eval.score import SCORE_VERSION, WEIGHTS
from mambomeme_eval.scorecard import Card, Row
from mambomeme_eval.truth import ANSWERABLE_SLICES
from mambomeme_tui.text import printable

WIDTH: Final = 80
_NAME: Final = 9  # of a system
_FOUND: Final = {
    "exact-mrr": "exact",
    "hit10": "Hit@10",
    "correct-empty": "empty",
    "safety-hit10": "safety",
    "safe-ordinary": "ordinary",
    "safe-adversarial": "adverse",
}
_NEEDS: Final = {rule.name: f"{'<' if rule.below else '>='}{float(rule.bound):g}" for rule in RULES}

Cells = Sequence[str]


def render(card: Card) -> str:
    """The whole card; whatever came from outside is made printable."""
    lines = _head(card)
    lines += [
        f"{printable(row.system)[:_NAME]:<{_NAME}} reads: {row.verdict.reading}{_beside(card.labels)}"
        for row in card.rows
    ]
    for title, headers, cells in _TABLES:
        table = _table(headers, [(row.system, cells(row)) for row in card.rows], card.labels)
        lines += ["", *wrap(title, WIDTH), *table]
    lines += ["", "By slice; of the useful results displayed, the share of each route"]
    for row in card.rows:
        lines += _by_slice(row, card.labels)
    if card.acceptance:
        lines += _acceptance(card.acceptance, card.labels)
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _head(card: Card) -> list[str]:
    lines = [f"{SCORE_VERSION}, labels {card.labels}"]
    for name, value in card.identity.items():
        lines += wrap(printable(f"{name}: {value}"), WIDTH, subsequent_indent="  ")
    lines.append(f"bootstrap: {card.resamples} resamples, PCG64, seed {card.seed}")
    return lines


def _table(headers: Cells, rows: Sequence[tuple[str, Cells]], labels: str) -> list[str]:
    """A line of headers and one a row, in right-aligned columns as wide as their widest cell."""
    named = [(printable(name)[:_NAME], cells) for name, cells in rows]
    widths = [max(map(len, column)) for column in zip(headers, *(cells for _, cells in named), strict=True)]

    def line(name: str, cells: Cells, after: str = "") -> str:
        padded = " ".join(f"{cell:>{width}}" for cell, width in zip(cells, widths, strict=True))
        return f"{name:<{_NAME}} {padded}{after}"

    return [line("", headers), *(line(name, cells, _beside(labels)) for name, cells in named)]


def _beside(labels: str) -> str:
    return f" {labels}" if labels == "provisional" else ""


def _number(value: Number | bool, digits: int = 3) -> str:
    return f"{float(value):.{digits}f}"


def _gate(row: Row, name: str, digits: int = 3) -> str:
    """What a gate measured, marked where it fails."""
    gate: Gate = next(gate for gate in row.verdict.gates if gate.name == name)
    if isinstance(gate.measured, bool):
        return "passed" if gate.passed else "FAILED!"
    return _number(gate.measured, digits) + (" " if gate.passed else "!")


def _score_cells(row: Row) -> Cells:
    verdict = row.verdict
    totals = [_number(verdict.score, 2), _number(verdict.raw, 2), "PASS" if verdict.passed else "FAIL"]
    return [*totals, *(_number(getattr(row.inputs, name)) for name in WEIGHTS)]


def _ran_cells(row: Row) -> Cells:
    low, high = ("-" if bound is None else _number(bound, 1) for bound in row.p95_interval)
    return [_gate(row, "p95-ms", 1), low, high, _gate(row, "error-rate", 4)]


def _release_cells(row: Row) -> Cells:
    critical = f"{len(row.verdict.critical)}!" if row.verdict.critical else "0"
    return [*(_gate(row, name) for name in RELEASE_GATES), critical]


def _interval_cells(row: Row) -> Cells:
    raw, capped = row.interval.raw, row.interval.capped
    figures = [raw.p2_5, raw.p97_5, capped.p2_5, capped.p25, capped.p50, capped.p75, capped.p97_5]
    return [*(_number(figure, 2) for figure in figures), _number(row.interval.passing)]


def _list_cells(row: Row) -> Cells:
    lists = row.lists
    shares = [lists.duplicates, lists.templates, lists.no_preview, lists.no_attribution]
    return [*map(_number, shares), str(len(row.unsteady)), str(sum(row.errors.values()))]


_Table = tuple[str, Cells, Callable[[Row], Cells]]
_TABLES: Final[tuple[_Table, ...]] = (
    ("Score, 0 to 100; a FAIL is capped", ["score", "raw", "gates", *WEIGHTS], _score_cells),
    (
        f"nDCG@10 by slice (each {_NEEDS['ndcg-name']})",
        ANSWERABLE_SLICES,
        lambda row: [_gate(row, f"ndcg-{name}") for name in ANSWERABLE_SLICES],
    ),
    (
        "Found and withheld (" + ", ".join(f"{title} {_NEEDS[name]}" for name, title in _FOUND.items()) + ")",
        list(_FOUND.values()),
        lambda row: [_gate(row, name) for name in _FOUND],
    ),
    (
        f"As it ran (p95 ms {_NEEDS['p95-ms']}, error rate {_NEEDS['error-rate']})",
        ["p95", "from", "to", "errors"],
        _ran_cells,
    ),
    ("Release tests; critical violations", ["protocol", "rollback", "terminal", "critical"], _release_cells),
    (
        "Bootstrap: 95 % interval of the raw score; capped score; share passing all gates",
        ["from", "to", "2.5%", "25%", "50%", "75%", "97.5%", "pass"],
        _interval_cells,
    ),
    (
        "Displayed results: shares, and queries and requests",
        ["copies", "templates", "no pic", "no credit", "unsteady", "errors"],
        _list_cells,
    ),
)


def _by_slice(row: Row, labels: str) -> list[str]:
    rows = []
    for name, found in row.slices.items():
        useful = [row.routes[name][share].useful for share in SHARES]
        shares = [Fraction(one, max(1, sum(useful))) for one in useful]
        rows.append((name, [*map(_number, (found.hit1, found.hit5, found.hit10, found.recall, found.mrr, *shares))]))
    head, *body = _table(["Hit@1", "Hit@5", "Hit@10", "Recall", "MRR", "lexical", "dense", "both"], rows, labels)
    return [printable(row.system)[:_NAME].ljust(_NAME) + head[_NAME:], *body]


def _acceptance(decided: Acceptance, labels: str) -> list[str]:
    rows = [
        (str(claim), [_signed(each.difference), _signed(each.low), _signed(each.high), f"{each.p:.4f}"])
        for claim, each in decided.improvements.items()
    ]
    lines = ["", f"Dense route, claimed in advance: {decided.claim}; hybrid less BM25 in nDCG@10"]
    lines += _table(["change", "from", "to", "p"], rows, labels)
    changes = [_signed(decided.slices[name]) for name in ANSWERABLE_SLICES]
    lines += _table(ANSWERABLE_SLICES, [("by slice", changes)], labels)
    lines += [f"verdict: {decided.verdict}{_beside(labels)}"]
    width = WIDTH - len(_beside(labels))
    for reason in decided.reasons:
        lines += [line + _beside(labels) for line in wrap(f"- {reason}", width, subsequent_indent="  ")]
    return lines


def _signed(value: float) -> str:
    return f"{value:+.4f}"
