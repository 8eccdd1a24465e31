"""Proves, on a version that the real command published, that policy withholds what it must and places fill up after."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from mambomeme_tui.retrieval.engine import Engine
from mambomeme_tui.retrieval.results import Hit
from mambomeme_tui.safety import ViewingMode
from tests.folders import without_version

ROOT = Path(__file__).parents[2]
ROUTES = ("hybrid", "lexical", "dense")
QUERY = "quokka quokka selfie"

FAMILY = """
id = "{id}"
name = "{name}"
aliases = []
kind = "animal"
people = []
franchise = ""
topics = ["island"]
actions = []
year = 2013
origin = "A marsupial of an island off the coast."
meaning = "For {name} moments."
picture = "A small marsupial smiles into a camera held at arm's length."
[rights]
creator = "{creator}"
source = "{source}"
licence = "{licence}"
attribution = "{attribution}"
cleared = {cleared}
[safety]
class = "{level}"
reasons = {reasons}
policy = "1"
"""
ITEM = """
[[items]]
slug = "item-{number}"
quote = "{quote}"
"""
ONE_BLOCKED = """
[items.safety]
class = "blocked"
reasons = ["hate"]
policy = "1"
"""
ONE_UNCLEARED = """
[items.rights]
creator = "a"
source = "b"
licence = "c"
attribution = "d"
cleared = false
"""
CLEARED = {"creator": "a", "source": "b", "licence": "CC0-1.0", "attribution": "d", "cleared": "true"}
SAFE = {"level": "safe", "reasons": "[]"}
WITHHELD = {
    "blocked": CLEARED | {"level": "blocked", "reasons": '["hate"]'},
    "uncleared": CLEARED | SAFE | {"cleared": "false"},
    "no-creator": CLEARED | SAFE | {"creator": ""},
    "no-source": CLEARED | SAFE | {"source": ""},
    "no-licence": CLEARED | SAFE | {"licence": ""},
    "no-attribution": CLEARED | SAFE | {"attribution": ""},
}
SENSITIVE = {"sensitive": CLEARED | {"level": "sensitive", "reasons": '["violence"]'}}
CROWD = 25
"""How many items each withheld family has: together more than a route hands to fusion."""
SHOWN_FROM, SHOWN = 2, 14
"""The first items of the family that is shown have faults of their own."""


def write_family(folder: Path, identifier: str, name: str, values: dict[str, str], items: list[str]) -> None:
    text = FAMILY.format(id=identifier, name=name, **values) + "".join(items)
    (folder / f"{identifier}.toml").write_text(text, encoding="utf-8")


@pytest.fixture(scope="module")
def guarded(data_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with a corpus in which everything withheld matches better than everything shown."""
    corpus, data = tmp_path_factory.mktemp("corpus"), tmp_path_factory.mktemp("guarded")
    families = corpus / "families"
    families.mkdir()
    for identifier, values in (WITHHELD | SENSITIVE).items():
        items = [ITEM.format(number=number, quote=f"quokka selfie {number}") for number in range(CROWD)]
        write_family(families, identifier, "Quokka selfie", values, items)
    faults = [ONE_BLOCKED, ONE_UNCLEARED] + [""] * SHOWN
    items = [
        ITEM.format(number=number, quote=f"number {number} of a queue waits for its own quokka picture") + fault
        for number, fault in enumerate(faults)
    ]
    write_family(families, "shown", "Holiday queue", CLEARED | SAFE, items)
    without_version(data_dir, data)
    environment = os.environ | {"MAMBOMEME_DATA_DIR": str(data)}
    command = [sys.executable, "-m", "mambomeme_tui", "publish", "--corpus", str(corpus)]
    subprocess.run(command, check=True, env=environment, cwd=ROOT, stdout=subprocess.DEVNULL)
    return data


def opened(data: Path, mode: ViewingMode) -> Iterator[Engine]:
    engine = Engine(data, mode)
    engine.load_dense()
    assert engine.dense_error is None
    yield engine
    engine.close()


@pytest.fixture(scope="module")
def standard(guarded: Path) -> Iterator[Engine]:
    yield from opened(guarded, ViewingMode.STANDARD)


@pytest.fixture(scope="module")
def sensitive(guarded: Path) -> Iterator[Engine]:
    yield from opened(guarded, ViewingMode.SENSITIVE)


def expected(*families: str) -> set[str]:
    own = {f"shown.item-{number}" for number in range(SHOWN_FROM, SHOWN_FROM + SHOWN)}
    return own | {f"{family}.item-{number}" for family in families for number in range(CROWD)}


def listed(engine: Engine, typed: str, route: str = "hybrid", limit: int = 10) -> tuple[Hit, ...]:
    """What is ranked, whether it is taken for an answer or for what comes nearest: policy is the same for both."""
    result = engine.search(typed, route, limit)
    assert not (result.hits and result.nearest)
    return result.hits or result.nearest


def ids(engine: Engine, route: str, limit: int) -> list[str]:
    return [hit.meme.id for hit in listed(engine, QUERY, route, limit)]


def test_everything_is_in_the_version_so_that_only_policy_can_withhold_it(standard: Engine) -> None:
    assert standard.size == CROWD * len(WITHHELD | SENSITIVE) + SHOWN_FROM + SHOWN
    assert standard.version.catalogue.by_id("blocked.item-0") is not None
    assert standard.version.catalogue.by_id("shown.item-0") is not None


@pytest.mark.parametrize("route", ROUTES)
def test_the_standard_mode_shows_all_that_is_safe_and_cleared_and_nothing_else(standard: Engine, route: str) -> None:
    assert set(ids(standard, route, 100)) == expected()


@pytest.mark.parametrize("route", ROUTES)
def test_the_sensitive_mode_adds_the_sensitive_and_nothing_else(sensitive: Engine, route: str) -> None:
    assert set(ids(sensitive, route, 100)) == expected("sensitive")
    assert ids(sensitive, route, 1)[0].startswith("sensitive."), "they match best, or the other mode proves little"


@pytest.mark.parametrize("route", ROUTES)
def test_ten_places_are_filled_after_policy_and_ranked_without_gaps(standard: Engine, route: str) -> None:
    """What is withheld matches better and would hold more places than a route hands over, but has no say at all."""
    hits = listed(standard, QUERY, route)
    assert [hit.rank for hit in hits] == list(range(1, 11))
    assert {hit.meme.id for hit in hits} <= expected()
    assert all(evidence.rank <= SHOWN for hit in hits for evidence in hit.routes.values())


@pytest.mark.parametrize("limit", [1, 9, 10, 11, SHOWN, SHOWN + 1])
def test_every_limit_gives_the_beginning_of_the_same_list(standard: Engine, limit: int) -> None:
    assert ids(standard, "hybrid", limit) == ids(standard, "hybrid", 100)[:limit]


def test_a_query_that_only_withheld_memes_match_finds_nothing(standard: Engine) -> None:
    assert listed(standard, "selfie", "lexical") == ()


def test_what_is_withheld_is_found_by_no_filter_phrase_or_exclusion(standard: Engine, sensitive: Engine) -> None:
    for typed in ("template:quokka", 'template:"quokka selfie" quokka', '"quokka selfie"', "quokka -holiday"):
        result = standard.search(typed)
        assert not {hit.meme.id for hit in result.hits + result.nearest} - expected()
        assert listed(sensitive, typed), "in the other mode there is something"
    assert standard.search("template:quokka").nearest == ()


def test_nothing_that_is_offered_or_mended_tells_of_what_is_withheld(standard: Engine, sensitive: Engine) -> None:
    for engine in (standard, sensitive):
        assert engine.facets.complete("template", "") == ["Holiday queue"]
        for typed in ("quokkaselfie", "selfi", "selfies quokk", "quokk selfiee"):
            assert "selfie" not in engine.search(typed, "lexical").repaired.split()
        assert engine.search("hollidayy").repaired
