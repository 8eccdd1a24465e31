"""The scorecard: one row for each compared system, made from the same truth, draws and release tests.

`assess` computes everything, `to_dict` and `scorecard_text.render` only show it. Where labels are provisional, the word
stands beside every figure of both.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, is_dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Any, Final

from mambomeme_eval import bootstrap, diagnostics, gates
from mambomeme_eval.acceptance import Acceptance, Claim, Contender, accept
from mambomeme_eval.metrics import Figures, Values, aggregate, measure, unjudged
from mambomeme_eval.score import SCORE_VERSION, Components, components, mmts, p95, p95_interval
from mambomeme_eval.settling import Latencies, Run, Settled, settle
from mambomeme_eval.truth import Truth, Unjudged, Unscorable, answer_keys

BM25: Final = "bm25"
HYBRID: Final = "hybrid"
LABELS: Final = ("provisional", "final")


@dataclass(frozen=True, slots=True)
class System:
    """What one system did: ranked ids by query and repeat, milliseconds in the same shape, and the routes of hits."""

    run: Run
    latencies: Latencies
    routes: diagnostics.Routes = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Row:
    """Everything that is published about one system."""

    system: str
    verdict: gates.Verdict
    inputs: Components
    figures: Figures
    p95: float
    p95_interval: tuple[float | None, float | None]
    interval: bootstrap.Summary
    errors: dict[str, int]
    unsteady: tuple[str, ...]
    slices: dict[str, diagnostics.SliceFigures]
    lists: diagnostics.ListFigures
    routes: dict[str, dict[str, diagnostics.Contribution]]


@dataclass(frozen=True, slots=True)
class Card:
    """The rows, and what must be equal for another card to be comparable.

    Attributes:
        labels: `provisional` or `final`.
        identity: versions of benchmark, corpus, policy, hardware, interface and whatever else was frozen.
        seed, resamples: of the bootstrap.
        acceptance: of the dense route, where a claim was made.
    """

    labels: str
    identity: dict[str, str]
    seed: int
    resamples: int
    rows: tuple[Row, ...]
    acceptance: Acceptance | None


@dataclass(frozen=True, slots=True)
class Terms:
    """What holds for all systems of a card.

    Attributes:
        release: whether the tests named by `gates.RELEASE_GATES` passed.
        labels: `provisional` or `final`.
        seed: of the bootstrap and the sign flips.
        identity: see `Card`.
        critical: violations that no list shows, such as a query stored without consent.
        claim: the improvement by which the dense route is to stay, named before anything was measured.
    """

    release: Mapping[str, bool]
    labels: str
    seed: int
    identity: Mapping[str, str] = field(default_factory=dict)
    critical: Mapping[str, Sequence[str]] = field(default_factory=dict)
    claim: Claim | None = None
    resamples: int = bootstrap.RESAMPLES


@dataclass(frozen=True, slots=True)
class _Measured:
    settled: Settled
    values: dict[str, Values]


def assess(systems: Mapping[str, System], truth: Truth, terms: Terms) -> Card:
    """Measure, score and compare systems; rows are in the order given.

    Raises:
        Unjudged: with everything that any of the systems returned and that has no final grade.
        Unscorable: the truth or a run contradicts itself or is not complete.
    """
    if terms.labels not in LABELS:
        raise Unscorable("Labels are provisional or final.")
    if terms.claim and not {BM25, HYBRID} <= systems.keys():
        raise Unscorable(f"Deciding about the dense route needs the systems {BM25} and {HYBRID}.")
    measured = _measure(systems, truth)
    draws = bootstrap.draw(truth.topics, terms.seed, terms.resamples)
    assessed = {name: _assess(name, systems[name], one, draws, truth, terms) for name, one in measured.items()}
    decided = terms.claim and accept(truth.topics, assessed[BM25][1], assessed[HYBRID][1], terms.claim)
    rows = tuple(row for row, _ in assessed.values())
    return Card(terms.labels, dict(terms.identity), terms.seed, terms.resamples, rows, decided or None)


def _measure(systems: Mapping[str, System], truth: Truth) -> dict[str, _Measured]:
    keys = answer_keys(truth)
    settled = {name: settle(one.run, keys, truth.manifest, one.latencies) for name, one in systems.items()}
    if missing := [pair for one in settled.values() for pair in unjudged(one.lists, keys)]:
        raise Unjudged(missing)
    return {name: _Measured(one, measure(one.lists, keys)) for name, one in settled.items()}


def _assess(
    name: str, system: System, measured: _Measured, draws: bootstrap.Draws, truth: Truth, terms: Terms
) -> tuple[Row, Contender]:
    settled, values = measured.settled, measured.values
    times = settled.charged()
    figures = aggregate((topic, values[topic.id]) for topic in truth.topics)
    inputs = components(figures, p95(times))
    critical = _together(terms.critical, gates.critical_shown(system.run, truth))
    verdict = gates.decide(mmts(inputs), gates.check(figures, p95(times), terms.release), critical)
    resampled = bootstrap.resample(draws, truth.topics, values, settled.milliseconds or {})
    released = all(gate.passed for gate in verdict.gates if gate.name in gates.RELEASE_GATES)
    row = Row(
        system=name,
        verdict=verdict,
        inputs=inputs,
        figures=figures,
        p95=p95(times),
        p95_interval=p95_interval(times),
        interval=bootstrap.summarise(resampled, released=released, critical=bool(verdict.critical)),
        errors=settled.errors,
        unsteady=tuple(query for query, one in values.items() if not one.steady),
        slices=diagnostics.slice_figures(truth.topics, values),
        lists=diagnostics.list_figures(settled.lists, truth.manifest),
        routes=diagnostics.contributions(settled.lists, answer_keys(truth), system.routes),
    )
    return row, Contender(values, resampled, verdict)


def _together(known: Mapping[str, Sequence[str]], shown: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    return {name: (*known.get(name, ()), *shown.get(name, ())) for name in sorted({*known, *shown})}


def to_dict(card: Card) -> dict[str, Any]:
    """The card for JSON: each figure is `{"value", "labels"}`, unrounded, a proportion with its `"ratio"` too."""
    rows = [_figures(asdict(row), card.labels) for row in card.rows]
    return {
        "score": SCORE_VERSION,
        "labels": card.labels,
        "identity": card.identity,
        "seed": str(card.seed),
        "resamples": str(card.resamples),
        "rows": rows,
        "acceptance": _figures(card.acceptance, card.labels),
    }


def _figures(value: Any, labels: str) -> Any:
    """Every number with the state of the labels beside it; whatever holds numbers keeps its shape."""
    if is_dataclass(value) and not isinstance(value, type):
        value = asdict(value)
    if isinstance(value, dict):
        return {str(key): _figures(one, labels) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_figures(one, labels) for one in value]
    return _figure(value, labels)


def _figure(value: Any, labels: str) -> Any:
    if isinstance(value, Fraction):
        return {"value": float(value), "ratio": f"{value.numerator}/{value.denominator}", "labels": labels}
    if isinstance(value, int | float) and not isinstance(value, bool):
        return {"value": value, "labels": labels}
    return str(value) if isinstance(value, StrEnum) else value
