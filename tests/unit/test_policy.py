"""Policy shows what it may, and says of everything else why not: checked against tables written by hand."""

from dataclasses import replace
from itertools import product

import pytest

from mambomeme_tui import rights, safety
from mambomeme_tui.paths import bundled
from mambomeme_tui.policy import load_policy
from mambomeme_tui.records import Rights, Safety, SafetyClass
from mambomeme_tui.safety import ViewingMode

MODES = load_policy(bundled("corpus") / "policy.toml").modes
CLEARED = Rights("Somebody", "here", "CC0-1.0", "Somebody, here", cleared=True)
SHOWN = {("standard", "safe"), ("sensitive", "safe"), ("sensitive", "sensitive")}


@pytest.mark.parametrize(("mode", "level"), product(ViewingMode, SafetyClass))
def test_each_mode_shows_exactly_its_classes(mode: ViewingMode, level: SafetyClass) -> None:
    reasons = () if level is SafetyClass.SAFE else ("violence", "shock")
    told = safety.withheld_because(Safety(level, reasons, "1"), MODES[mode])
    assert told == ("" if (mode, level) in SHOWN else f"{level}: violence, shock")


def test_a_class_without_a_reason_is_withheld_all_the_same() -> None:
    assert safety.withheld_because(Safety(SafetyClass.BLOCKED, (), "1"), MODES["sensitive"])


def test_what_is_blocked_is_withheld_even_if_it_is_said_to_be_shown() -> None:
    assert safety.withheld_because(Safety(SafetyClass.BLOCKED, ("hate",), "1"), frozenset(SafetyClass))


def test_the_viewing_modes_and_classes_are_those_of_the_table_above() -> None:
    assert {str(mode) for mode in ViewingMode} == {"standard", "sensitive"}
    assert {str(level) for level in SafetyClass} == {"safe", "sensitive", "blocked"}


def test_cleared_and_complete_rights_withhold_nothing() -> None:
    assert rights.withheld_because(CLEARED) == ""


def test_rights_that_are_not_cleared_withhold_whatever_else_they_say() -> None:
    assert rights.withheld_because(replace(CLEARED, cleared=False)) == "rights not cleared"
    assert rights.withheld_because(Rights("", "", "", "", cleared=False)) == "rights not cleared"


@pytest.mark.parametrize("empty", [kept for kept in product((True, False), repeat=4) if any(kept)])
def test_every_part_of_the_rights_that_is_missing_is_named(empty: tuple[bool, ...]) -> None:
    names = ("creator", "source", "licence", "attribution")
    missing = [name for name, is_empty in zip(names, empty, strict=True) if is_empty]
    texts = {name: "" if name in missing else getattr(CLEARED, name) for name in names}
    told = rights.withheld_because(Rights(**texts, cleared=True))
    assert told == f"rights incomplete: {', '.join(missing)}"
