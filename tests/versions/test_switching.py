"""A session keeps the version it opened, hears that another one is served, and switches only when it is told to."""

from pathlib import Path

import pytest

from mambomeme_tui.index import versions
from mambomeme_tui.session import Answer, DenseReady, LexicalReady, OtherServed, SwitchFailed, Unavailable
from tests.unit.test_session import Heard
from tests.versions.conftest import Publish
from tests.versions.test_versions import flip


def quotes(made: Heard) -> str:
    number = made.session.submit("camera", "hybrid", 10)
    return " ".join(hit.meme.quote for hit in made.until(Answer, number).result.hits)


@pytest.fixture
def open_session(data: Path, three: list[str]) -> Heard:
    made = Heard(data)
    made.start()
    assert made.until(LexicalReady).version == three[2]
    made.until(DenseReady)
    return made


def test_a_rollback_is_heard_and_nothing_changes_until_the_switch(
    data: Path, three: list[str], open_session: Heard
) -> None:
    made = open_session
    assert "three" in quotes(made)
    versions.roll_back(data, three[0])
    assert made.until(OtherServed).version == three[0]
    assert "three" in quotes(made)
    made.session.switch()
    assert made.until(LexicalReady).version == three[0]
    made.until(DenseReady)
    assert "one" in quotes(made)
    made.session.submit("camera", "hybrid", 10)
    made.until(Answer)
    assert versions.prune(data, keep=0, dry_run=False).held == ()  # the old one was let go
    made.close()


def test_going_back_to_the_open_version_takes_the_offer_back(data: Path, three: list[str], open_session: Heard) -> None:
    made = open_session
    versions.roll_back(data, three[1])
    assert made.until(OtherServed).version == three[1]
    versions.roll_back(data, three[2])
    assert made.until(OtherServed).version == ""
    made.close()


def test_a_damaged_version_is_replaced_by_the_last_good_one_which_says_so(data: Path, three: list[str]) -> None:
    flip(data / "versions" / three[2] / "vectors.npy")
    made = Heard(data)
    made.start()
    ready = made.until(LexicalReady)
    assert (ready.version, ready.damaged) == (three[1], True)
    made.until(DenseReady)
    assert "two" in quotes(made)
    made.close()


def test_a_version_that_was_mended_meanwhile_is_offered(data: Path, three: list[str], put_out: Publish) -> None:
    flip(data / "versions" / three[2] / "vectors.npy")
    made = Heard(data)
    made.start()
    made.until(DenseReady)
    assert put_out("Camera three").built
    assert made.until(OtherServed).version == three[2]
    made.session.switch()
    ready = made.until(LexicalReady)
    assert (ready.version, ready.damaged) == (three[2], False)
    made.close()


def test_a_switch_that_fails_leaves_the_open_version_open(data: Path, three: list[str], open_session: Heard) -> None:
    made = open_session
    (data / "versions").rename(data / "elsewhere")
    made.session.switch()
    made.until(SwitchFailed)
    assert "three" in quotes(made)
    assert len(three) == 3
    made.close()


def test_a_data_folder_that_vanishes_takes_nothing_from_who_has_it_open(
    data: Path, three: list[str], open_session: Heard
) -> None:
    import shutil

    made = open_session
    shutil.rmtree(data)
    assert "three" in quotes(made)
    assert len(three) == 3
    made.close()


def test_many_switches_are_one_and_a_needless_one_says_so(data: Path, three: list[str], open_session: Heard) -> None:
    made = open_session
    made.session.switch()
    assert "open already" in made.until(SwitchFailed).error.message
    versions.roll_back(data, three[1])
    for _ in range(20):
        made.session.switch()
    assert made.until(LexicalReady).version == three[1]
    made.until(DenseReady)
    assert "two" in quotes(made)
    made.drain()
    assert sum(isinstance(event, LexicalReady) for event in made.all) == 2
    made.close()


def test_what_is_published_after_a_failed_start_is_noticed(data: Path, put_out: Publish) -> None:
    name = put_out().name
    flip(data / "versions" / name / "links.npy")
    made = Heard(data)
    made.start()
    made.until(Unavailable)
    assert put_out("Camera two").built
    assert made.until(OtherServed).version != name
    made.session.switch()
    made.until(DenseReady)
    assert "two" in quotes(made)
    made.close()
