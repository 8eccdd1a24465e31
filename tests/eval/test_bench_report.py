"""Figures of samples, bounds, and the protocol: what each counts, and what each refuses."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from mambomeme_eval.bench import protocol, report, report_text
from mambomeme_eval.bench.protocol import Measured
from mambomeme_eval.bench.references import Reference, References
from mambomeme_eval.bench.samples import Process, Sample
from mambomeme_eval.runs import Request, RunHeader
from tests.eval.benching import settings

FIRST, AGAIN = Process(0, "", 900.0, 100, {}, 300_000_000), Process(1, "ended", 800.0, 10, {"early": 1})


def requests(*milliseconds: float | None) -> list[Request]:
    """One request each; None is an error."""
    return [
        Request(f"q-{at:03}", 0, None if one is None else (), one, "ended" if one is None else "")
        for at, one in enumerate(milliseconds)
    ]


def samples(*pairs: tuple[float, float] | None) -> list[Sample]:
    """Inside and outside milliseconds, or nothing."""
    return [
        Sample(f"q-{at:03}", 0, pair and pair[0], pair and pair[1], 1000 + at if pair else None, (), 0)
        for at, pair in enumerate(pairs)
    ]


def figures(*milliseconds: float | None) -> report.Figures:
    pairs = [None if one is None else (one, one + 0.5) for one in milliseconds]
    return report.of_system(requests(*milliseconds), samples(*pairs), [FIRST, AGAIN])


def test_an_error_is_charged_the_limit_and_counted_by_its_name() -> None:
    found = figures(*[10.0] * 99, None)
    assert found["searches"] == 100
    assert found["submit_to_render_ms"]["p99"] == 10
    assert found["submit_to_render_ms"]["max"] == 5000
    assert (found["errors"], found["error_rate"]) == ({"ended": 1}, 0.01)
    assert found["warm_up_errors"] == {"early": 1}
    assert found["outside_less_inside_ms"]["count"] == found["bytes"]["count"] == 99
    assert found["outside_less_inside_ms"]["p50"] == 0.5
    assert (found["restarts"], found["peak_bytes"], found["start_to_ready_ms"]) == (1, 300_000_000, [900.0, 800.0])


def test_the_p95_of_few_samples_is_bounded_on_one_side_only() -> None:
    low, high = figures(*map(float, range(1, 31)))["submit_to_render_ms"]["p95_interval"]
    assert low == 26
    assert high is None


def test_bounds_hold_up_to_their_very_value() -> None:
    bounds = settings().gates
    systems = {"floor": figures(*[5.0] * 20), "hybrid": figures(*[20.0] * 20)}
    gates = {gate.name: gate for gate in report.gates(bounds, systems)}
    assert {name: gate.measured for name, gate in gates.items()} == {
        "hybrid-p95-ms": 20,
        "floor-ratio": 4,
        "outside-inside-median-ms": 0.5,
    }
    assert all(gate.passed for gate in gates.values())
    slow = report.gates(bounds, systems | {"hybrid": figures(*[31.0] * 20)})
    assert [gate.passed for gate in slow] == [False, False, True]


def test_without_hybrid_only_what_was_measured_is_bound() -> None:
    (gate,) = report.gates(settings().gates, {"floor": figures(1.0), "bm25": figures(None)})
    assert (gate.name, gate.measured, gate.passed) == ("outside-inside-median-ms", None, False)


def told(labels: str) -> str:
    """The summary of a measurement."""
    systems = {"floor": figures(*[5.0] * 20), "hybrid": figures(*[20.0] * 20, None)}
    spread = report.spread([1.0])
    found: dict[str, Any] = {
        "protocol": "bench-1",
        "partition": "development",
        "labels": labels,
        "version": "v-1",
        "seed": 1,
        "identity": {"hardware": "a machine " * 20},
        "load_before": [0.1, 0.2, 0.3],
        "load_after": [1.1, 1.2, 1.3],
        "timeout_ms": 5000,
        "systems": systems,
        "key_to_echo": report.echo_figures([1.0, None]),
        "start_to_ready_ms": report.start_figures([900.0]),
        "engine": {
            "hybrid": dict.fromkeys(report.SPLIT, spread),
            "cold_start": {"first_answer": 500.0},
            "index_bytes": 2_000_000,
            "peak_bytes": 3_000_000,
        },
        "protocol_faults": ["bm25 was not measured"],
    }
    return report_text.render(found, report.gates(settings().gates, systems))


def test_the_summary_is_narrow_and_names_what_misses_its_bound() -> None:
    text = told("final")
    assert max(map(len, text.splitlines())) <= report_text.WIDTH
    assert "provisional" not in text
    assert "hybrid, errors: ended 1" in text
    assert "1 keys were never seen!" in text
    assert "! bm25 was not measured" in text
    assert [line.rstrip() for line in text.splitlines() if "5000.00!" in line] == [
        "   hybrid, p95 in ms                   5000.00!  (at most 30)",
    ] * ("5000.00!" in text)


def test_provisional_stands_beside_the_figures() -> None:
    lines = [line for line in told("provisional").splitlines() if " p50 " in line or "at most" in line]
    assert len(lines) > 8
    assert all("provisional" in line for line in lines[1:])


ORDER = [["q-000", "q-001"]]


def measured(name: str = "bm25", made: Sequence[Request] | None = None, *processes: Process) -> Measured:
    header = RunHeader(name, "tui", "v-1", "c", "development", 1, 1)
    return Measured(header, requests(1.0, 2.0) if made is None else made, processes or (FIRST,))


def faults(systems: dict[str, Measured], steady: bool = True) -> list[str]:
    lists = {("lexical", "q-001"): Reference("text", "lexical", "v-1", "complete", (), {}, steady)}
    plan = settings()
    counts = replace(plan.full, warm_ups=100)
    limits = replace(plan.limits, rewarm_ups=10)
    return protocol.faults(replace(plan, limits=limits), counts, ORDER, References("v-1", "c", lists, ()), systems)


ALL = {name: measured(name) for name in ("bm25", "dense", "hybrid")}


def test_a_measurement_by_the_protocol_has_no_faults() -> None:
    assert faults(ALL) == []
    assert faults(ALL | {"bm25": measured("bm25", None, FIRST, replace(AGAIN, warm_up_errors={"ended": 1}))}) == []


@pytest.mark.parametrize(
    ("one", "fault"),
    [
        (measured(made=requests(1.0)), "1 requests were made, not the 2"),
        (measured(made=requests(1.0, 2.0)[::-1]), "in their order"),
        (measured(made=requests(1.0, 2.0, 3.0)), "3 requests were made"),
        (measured("bm25", None, replace(FIRST, warm_ups=99)), "by 99 searches, not 100"),
        (measured("bm25", None, FIRST, replace(AGAIN, warm_ups=9, warm_up_errors={})), "by 9 searches, not 10"),
        (measured("bm25", None, FIRST, AGAIN), "1 markers came before their frames"),
        (Measured(measured().header, requests(1.0, 2.0), ()), "nothing is known of its processes"),
        (replace(measured(), header=replace(measured().header, version="v-2")), "version v-2 was measured, not v-1"),
        *(
            (measured(made=[requests(1.0)[0], Request("q-001", 0, None, 3.0, error)]), told)
            for error, told in (
                ("early", "markers came before"),
                ("marker", "not the awaited ones"),
                ("version", "of another version"),
                ("wrong-list", "not the engine's"),
            )
        ),
    ],
)
def test_whatever_breaks_the_protocol_is_told(one: Measured, fault: str) -> None:
    (found,) = faults(ALL | {"bm25": one})
    assert fault in found


def test_a_missing_system_and_unsteady_lists_break_the_protocol() -> None:
    assert faults({name: ALL[name] for name in ("bm25", "hybrid")}) == ["dense was not measured"]
    assert faults(ALL, steady=False) == ["the engine's lists differ between repeats, first for q-001"]


def test_errors_of_single_requests_are_for_the_error_rate_and_not_for_the_protocol() -> None:
    lost = [requests(1.0)[0], Request("q-001", 0, None, None, "timeout")]
    assert faults(ALL | {"bm25": measured(made=lost)}) == []
