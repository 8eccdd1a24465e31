"""The table of sizes is that of the decisions, and a pool's version changes with any of its rows and no order."""

import dataclasses
from dataclasses import replace
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mambomeme_eval.benchmark import (
    SIZES,
    Candidate,
    Kind,
    Mark,
    PartitionError,
    PartitionName,
    Query,
    Slice,
    pool_version,
    shortfalls,
)
from mambomeme_tui.errors import Fault


@pytest.mark.parametrize(
    ("name", "answerable", "per_slice", "no_match", "safety"),
    [("development", 90, 15, 30, (15, 5)), ("hidden", 180, 30, 60, (30, 10))],
)
def test_sizes_are_those_of_the_table(
    name: str, answerable: int, per_slice: int, no_match: int, safety: tuple[int, int]
) -> None:
    size = SIZES[PartitionName(name)]
    assert (size.answerable, size.per_slice, size.no_match) == (answerable, per_slice, no_match)
    assert (size.safety_answerable, size.safety_no_match) == safety


def test_slices_have_the_order_of_the_specification() -> None:
    assert [str(one) for one in Slice] == ["name", "quote", "topic", "semantic", "visual", "noisy"]


def queries(name: str) -> list[Query]:
    """A partition's worth of queries, whose safety marks lie in one slice."""
    size = SIZES[PartitionName(name)]
    made = []
    wanted: list[tuple[Slice | Literal[""], int]] = [*((one, size.per_slice) for one in Slice), ("", size.no_match)]
    for primary, count in wanted:
        marked = {Slice.TOPIC: size.safety_answerable, "": size.safety_no_match}.get(primary, 0)
        for number in range(count):
            marks = (Mark.SAFETY,) if number < marked else ()
            kind = Kind.ANSWERABLE if primary else Kind.NO_MATCH
            made.append(Query("q", "q", kind, primary, "q", marks, (), ""))
    return made


@pytest.mark.parametrize("name", ["development", "hidden"])
def test_only_the_exact_size_has_no_shortfall(name: str) -> None:
    size = SIZES[PartitionName(name)]
    exact = queries(name)
    assert shortfalls(exact, size) == ()
    assert shortfalls(exact[1:], size) == (f"slice name: {size.per_slice - 1} of {size.per_slice} queries",)
    assert shortfalls(exact[:-1], size) == (f"no-match: {size.no_match - 1} of {size.no_match} queries",)
    more = [*exact, exact[0]]
    assert shortfalls(more, size) == (f"slice name: {size.per_slice + 1} of {size.per_slice} queries",)
    swapped = [replace(exact[0], marks=(Mark.SAFETY,)), *exact[1:]]
    wanted = size.safety_answerable
    assert shortfalls(swapped, size) == (f"safety answerable: {wanted + 1} of {wanted} queries",)


CANDIDATES = st.builds(Candidate, st.sampled_from("pq"), st.sampled_from(["a.b", "c.d"]), st.sampled_from("xyz"))


@given(st.lists(CANDIDATES, max_size=6, unique=True), st.lists(CANDIDATES, max_size=6, unique=True))
def test_pools_have_one_version_exactly_where_they_have_the_same_rows(
    one: list[Candidate], other: list[Candidate]
) -> None:
    assert (pool_version(one) == pool_version(other)) is (set(one) == set(other))
    assert pool_version(one) == pool_version(reversed(one))


def test_records_can_not_be_changed() -> None:
    one = Candidate("q", "a.b", "x")
    with pytest.raises(dataclasses.FrozenInstanceError):
        one.item = "c.d"  # type: ignore[misc]


def test_faults_are_told_once_in_file_order_and_counted() -> None:
    late, early = Fault("a", 2, "x", "y"), Fault("a", 1, "x", "y")
    error = PartitionError([late, early, late])
    assert error.faults == [early, late]
    assert str(error).startswith("The partition has 2 faults.")
    assert str(PartitionError([late], "run")).startswith("The run has 1 fault.")
