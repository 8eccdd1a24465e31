"""Every file operation of an action is attacked in turn; a whole version is found each time, and no orphan stays.

Each point starts from a fresh folder, and the action is done by the product itself in a process of its own, with the
stand-in encoder of `standins`. After the fault a fresh reader opens and proves what is served; then the action is done
once more without faults, and the folder holds exactly what it holds when nothing ever went wrong.
"""

import pytest

from mambomeme_tui.index.layout import SCRATCH
from tests.faults.attackers import Attackers
from tests.faults.scenarios import DATA
from tests.faults.shim import Kind, Operation

KILLS = (Kind.KILL_BEFORE, Kind.KILL_HALF)
ERRORS = (Kind.FULL, Kind.BROKEN)
MORE_ERRORS = (Kind.FULL_DATA, Kind.FULL_ONCE, Kind.DEAD)
LEAST = {"publish": 150, "first": 180, "roll_back": 10, "prune": 50}
"""So many operations there are at the least."""
POINTS = [
    *((scenario, kind) for scenario in LEAST for kind in KILLS + ERRORS),
    *((scenario, kind) for scenario in ("publish", "roll_back") for kind in MORE_ERRORS),
]


def assert_whole(attackers: Attackers, scenario: str, kind: Kind, points: list[Operation]) -> set[str]:
    """Attack all points of one kind; returns how the actions ended.

    Every folder that is attacked holds the files of one template as hard links: nothing may write into one in place.
    """
    attacks = attackers.attack(scenario, kind, [point for point in points if point.can(kind)])
    assert not attackers.spoiled(scenario)
    wrong = [str(attack) for attack in attacks if attack.problems]
    assert not wrong, f"{len(wrong)} of {len(attacks)} points:\n" + "\n\n".join(wrong[:10])
    return {attack.ended for attack in attacks}


@pytest.mark.parametrize(("scenario", "kind"), POINTS, ids=lambda one: getattr(one, "name", one).lower())
def test_a_whole_version_is_served_whatever_operation_fails(attackers: Attackers, scenario: str, kind: Kind) -> None:
    operations = attackers.survey(scenario).operations
    assert len(operations) > LEAST[scenario]
    ended = assert_whole(attackers, scenario, kind, operations)
    assert ended == {"killed"} if kind in KILLS else ended <= {"done", "error"}


@pytest.mark.parametrize("scenario", list(LEAST))
def test_a_kill_after_the_last_operation_leaves_the_new_version(attackers: Attackers, scenario: str) -> None:
    """After any other operation is before the next one."""
    last = attackers.survey(scenario).operations[-1:]
    assert assert_whole(attackers, scenario, Kind.KILL_AFTER, last) == {"killed"}


@pytest.mark.parametrize("kind", [*KILLS, Kind.FULL, Kind.BROKEN], ids=lambda kind: kind.name.lower())
def test_a_damaged_version_that_is_replaced_never_takes_the_good_one_with_it(attackers: Attackers, kind: Kind) -> None:
    """Only where names change hands: the building itself is attacked elsewhere."""
    operations = attackers.survey("mend").operations
    names = [one for one in operations if SCRATCH not in one.path.removeprefix(f"{DATA}/versions/") or one.other]
    outside = [one for one in operations if one in names or one.path.count("/") <= 3]
    assert len(outside) > 20
    assert_whole(attackers, "mend", kind, outside)
