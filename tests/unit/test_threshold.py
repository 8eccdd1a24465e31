"""The probability that something fits is that of a logistic model, for any evidence and any weights."""

import math
from dataclasses import asdict, fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mambomeme_tui.parameters import Parameters
from mambomeme_tui.retrieval.threshold import Evidence, probability

NAMES = tuple(field.name for field in fields(Evidence))
shares = st.floats(0, 1)
evidences = st.builds(Evidence, shares, shares, shares, shares)
weights = st.floats(-20, 20)
models = st.fixed_dictionaries({"bias": weights, "least": shares}, optional=dict.fromkeys(NAMES, weights))
NOTHING = Evidence(0.0, 0.0, 0.0, 0.0)


@given(evidences, models)
def test_it_is_the_logistic_function_of_the_weighted_sum(evidence: Evidence, model: dict[str, float]) -> None:
    found = (evidence.coverage, evidence.cosine, evidence.named, evidence.agreement)
    told = [model.get(name, 0.0) for name in ("coverage", "cosine", "named", "agreement")]
    total = math.fsum([model["bias"], *(weight * share for weight, share in zip(told, found, strict=True))])
    # another form of the same function: 1 / (1 + e^-x) = (1 + tanh(x / 2)) / 2
    assert probability(evidence, model) == pytest.approx((1 + math.tanh(total / 2)) / 2, abs=1e-12)


@given(evidences, models, st.sampled_from(NAMES), shares)
def test_evidence_moves_it_as_its_weight_says(
    evidence: Evidence, model: dict[str, float], name: str, share: float
) -> None:
    less, more = sorted((getattr(evidence, name), share))
    before = probability(replace(evidence, **{name: less}), model)
    after = probability(replace(evidence, **{name: more}), model)
    weight = model.get(name, 0.0)
    assert (after - before) * math.copysign(1, weight) >= -1e-12
    if not weight:
        assert before == after


@given(evidences, models, st.floats(0, 1))
def test_what_is_least_has_no_say_in_it(evidence: Evidence, model: dict[str, float], least: float) -> None:
    assert probability(evidence, model | {"least": least}) == probability(evidence, model)


@pytest.mark.parametrize(("bias", "expected"), [(0.0, 0.5), (math.log(3), 0.75), (-math.log(3), 0.25)])
def test_without_evidence_the_bias_decides(bias: float, expected: float) -> None:
    model = {"bias": bias} | dict.fromkeys(NAMES, 7.0)
    assert probability(NOTHING, model) == pytest.approx(expected)
    assert probability(replace(NOTHING, cosine=1.0), model) > expected


@given(st.floats(allow_nan=False), st.floats(0, 1e300), evidences)
def test_no_weight_is_too_large(bias: float, weight: float, evidence: Evidence) -> None:
    found = probability(evidence, {"bias": bias, "coverage": weight})
    assert 0.0 <= found <= 1.0
    assert probability(NOTHING, {"bias": math.inf}) == pytest.approx(1.0)
    assert probability(NOTHING, {"bias": -math.inf}) == pytest.approx(0.0, abs=1e-100)


def test_every_route_has_a_model_of_evidence_that_there_is() -> None:
    thresholds = Parameters().thresholds
    assert set(thresholds) == {"lexical", "dense", "hybrid"}
    for model in thresholds.values():
        assert {"bias", "least"} <= set(model) <= {"bias", "least", *asdict(NOTHING)}
    # what the other route alone would know
    assert "cosine" not in thresholds["lexical"]
    assert not {"coverage", "named"} & set(thresholds["dense"])
