"""A power cut at any instant: only what was brought to the disk counts as being there."""

import json
from collections.abc import Callable

import pytest

from mambomeme_tui.index.layout import CURRENT_FILE, MODELS_FOLDER, VERSIONS_FOLDER
from tests.faults.attackers import Attackers
from tests.faults.crashes import Ending, Folder, Tree, apply, disk_of, left_by, unsafe
from tests.faults.mutations import MUTATIONS
from tests.faults.scenarios import DATA
from tests.faults.shim import Operation

CURRENT = str(DATA / CURRENT_FILE)
MATTERS = (CURRENT, str(DATA / VERSIONS_FOLDER), str(DATA / MODELS_FOLDER))
SCENARIOS = ["publish", "first", "mend", "roll_back", "prune"]
REACHED: list[Callable[[str], bool]] = [
    lambda _folder: False,
    lambda _folder: True,
    lambda folder: folder == str(DATA),
    lambda folder: folder == str(DATA / VERSIONS_FOLDER),
]
"""Of which folders the last names had reached the disk: of none, of all, or of one of those where names change."""


def dangers(disk: Folder, operations: list[Operation]) -> list[str]:
    """What a power cut could still take, of all that matters, when `current` is replaced and when the action ends."""
    found: list[str] = []
    for operation in operations:
        if operation.other == CURRENT:
            found += [danger for path in MATTERS[1:] for danger in unsafe(disk, path)]
            found += [name for name in unsafe(disk, operation.path) if name == operation.path]
        apply(disk, operation)
    return found + [danger for path in MATTERS for danger in unsafe(disk, path)]


def prefixes(attackers: Attackers, scenario: str) -> list[Tree]:
    """What a power cut may leave, at every instant of a run, each different folder once."""
    survey = attackers.survey(scenario)
    over, disk = disk_of(survey.template), disk_of(survey.template)
    for operation in survey.operations:
        apply(over, operation)
    ending = Ending.of(over)
    trees = []
    for operation in survey.operations:
        apply(disk, operation)
        trees += [left_by(disk, ending, reached) for reached in REACHED]
    return [json.loads(one) for one in dict.fromkeys(json.dumps(tree, sort_keys=True) for tree in trees)]


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_the_log_tells_of_every_name(attackers: Attackers, scenario: str) -> None:
    """Done on paper, the logged operations lead to the very names that the run led to: none was missed."""
    survey = attackers.survey(scenario)
    disk = disk_of(survey.template)
    for operation in survey.operations:
        apply(disk, operation)
    names = {path.relative_to(survey.final).as_posix() for path in survey.final.rglob("*")}
    assert {path for path, _ in disk.below()} == names


@pytest.mark.parametrize("scenario", ["publish", "first", "mend", "roll_back"])
def test_all_is_on_the_disk_before_it_is_named(attackers: Attackers, scenario: str) -> None:
    """Every file, every folder and the pointer's own text; and the pointer's name before the action says it is done."""
    survey = attackers.survey(scenario)
    assert sum(operation.other == CURRENT for operation in survey.operations) == (scenario != "mend")
    assert dangers(disk_of(survey.template), survey.operations) == []


@pytest.mark.parametrize("mutation", [one for one in MUTATIONS if "not synchronised" in one])
def test_what_is_not_brought_to_the_disk_is_noticed(attackers: Attackers, mutation: str) -> None:
    operations = attackers.mutated("publish", mutation)
    assert dangers(disk_of(attackers.survey("publish").template), operations) != []


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_a_power_cut_leaves_a_whole_version(attackers: Attackers, scenario: str) -> None:
    trees = prefixes(attackers, scenario)
    answers = attackers.crash(scenario, trees)
    assert [answer["problems"] for answer in answers if answer["problems"]] == []


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_what_was_done_is_there_after_a_power_cut(attackers: Attackers, scenario: str) -> None:
    """Whatever names had not been brought to the disk when the action ended, the new version is served."""
    survey = attackers.survey(scenario)
    disk = disk_of(survey.template)
    for operation in survey.operations:
        apply(disk, operation)
    answers = attackers.crash(scenario, [left_by(disk, Ending.of(disk), reached) for reached in REACHED])
    served = {answer["served"] for answer in answers}
    assert len(served) == 1
    assert served == {(survey.final / CURRENT).read_text().split()[0]}
