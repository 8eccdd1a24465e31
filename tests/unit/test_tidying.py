"""Garbage is collected in pauses: what is there at start stays for good, and later cycles go when it is worth it."""

import gc
import weakref
from collections.abc import Iterator

import pytest

from mambomeme_tui.ui.tidying import DUE, WORTH, settle_down, tidy

YOUNG, MIDDLE = 613, 17


class Knot:
    """Refers to itself, so that only the collector can free it."""

    def __init__(self) -> None:
        self.itself = self


@pytest.fixture(autouse=True)
def _collector() -> Iterator[None]:
    """Nothing is collected but by the tests, and the collector is as before afterwards."""
    thresholds, enabled, frozen = gc.get_threshold(), gc.isenabled(), gc.get_freeze_count()
    gc.disable()
    gc.unfreeze()
    gc.collect()
    yield
    gc.unfreeze()
    if frozen:
        gc.freeze()
    gc.set_threshold(*thresholds)
    if enabled:
        gc.enable()


def dropped_in_the_oldest_generation() -> weakref.ref[Knot]:
    """A cycle that nobody holds any more and that survived the collections of both younger generations."""
    knot = Knot()
    gc.collect(1)
    assert any(found is knot for found in gc.get_objects(2))
    return weakref.ref(knot)


def collect_younger(times: int) -> None:
    """So many collections of the second generation, each of which counts towards a full one."""
    for _ in range(times):
        gc.collect(1)


@pytest.mark.parametrize("oldest", [1, 10, 10_000])
def test_only_the_threshold_of_full_collections_is_raised(oldest: int) -> None:
    gc.set_threshold(YOUNG, MIDDLE, oldest)
    settle_down()
    assert gc.get_threshold() == (YOUNG, MIDDLE, 200)
    settle_down()
    assert gc.get_threshold() == (YOUNG, MIDDLE, 200)


def test_the_collector_stays_switched_on_or_off_as_it_was() -> None:
    settle_down()
    assert not gc.isenabled()
    gc.enable()
    settle_down()
    tidy()
    assert gc.isenabled()


def test_what_is_alive_is_never_looked_at_again() -> None:
    knot = Knot()
    assert any(found is knot for found in gc.get_objects())
    settle_down()
    assert not any(found is knot for found in gc.get_objects())
    there = weakref.ref(knot)
    del knot
    collect_younger(WORTH)
    tidy()
    gc.collect()
    assert there() is not None
    gc.unfreeze()
    gc.collect()
    assert there() is None


def test_what_is_garbage_already_is_not_kept_for_good() -> None:
    young, old = weakref.ref(Knot()), dropped_in_the_oldest_generation()
    assert old() is not None
    settle_down()
    assert young() is None
    assert old() is None


def test_cycles_made_later_go_once_a_collection_is_worth_it_and_not_before() -> None:
    settle_down()
    there = dropped_in_the_oldest_generation()
    collect_younger(WORTH - 1 - gc.get_count()[2])
    assert gc.get_count()[2] == WORTH - 1
    tidy()
    assert there() is not None
    assert gc.get_count()[2] == WORTH - 1
    collect_younger(1)
    assert there() is not None  # what is about to free it is the full collection
    tidy()
    assert there() is None


def test_a_pause_right_after_a_full_collection_costs_nothing() -> None:
    settle_down()
    collect_younger(WORTH + 3)
    collections: list[int] = []

    def note(phase: str, told: dict[str, int]) -> None:
        if phase == "start":
            collections.append(told["generation"])

    gc.callbacks.append(note)
    try:
        tidy()
        tidy()
        tidy()
    finally:
        gc.callbacks.remove(note)
    assert collections == [2]


def test_a_pause_comes_into_its_own_before_a_collection_is_forced() -> None:
    assert 10 <= WORTH < DUE
