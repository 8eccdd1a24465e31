"""The harness finds what it is there to find: faults put into the product on purpose."""

import pytest

from tests.faults.attackers import Attackers
from tests.faults.shim import Kind


@pytest.mark.parametrize(
    ("mutation", "kind", "told"),
    [
        ("the pointer is written in place", Kind.KILL_BEFORE, "a fallback is served"),
        ("a version is named before it is built", Kind.KILL_BEFORE, "a fallback is served"),
        ("scratch folders stay", Kind.KILL_BEFORE, "after the next run, home/data/versions/.scratch-"),
        ("errors are not told in words", Kind.BROKEN, "Traceback"),
    ],
)
def test_a_fault_put_into_the_product_is_found(attackers: Attackers, mutation: str, kind: Kind, told: str) -> None:
    operations = attackers.mutated("publish", mutation)
    points = [one for one in operations[::12] + operations[-5:] if one.can(kind)]
    attacks = attackers.attack("publish", kind, points, mutation)
    assert any(told in problem for attack in attacks for problem in attack.problems)


def test_a_child_that_is_to_be_killed_was_killed(attackers: Attackers) -> None:
    first = attackers.survey("publish").operations[:3]
    assert {attack.ended for attack in attackers.attack("publish", Kind.KILL_BEFORE, first)} == {"killed"}
