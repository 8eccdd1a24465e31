"""Proves that the newest search wins, that words are answered while meanings load, and that a close is silence."""

import queue
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest

from mambomeme_tui.errors import MamboError, ModelUnavailable, UsageError
from mambomeme_tui.retrieval.results import State
from mambomeme_tui.session import (
    Answer,
    DenseReady,
    LexicalReady,
    SearchFailed,
    Session,
    SessionEvent,
)

DEADLINE = 120.0
Event = TypeVar("Event")


class Heard:
    """A session and all it told, in order."""

    def __init__(self, data: Path, listener: Callable[[SessionEvent], None] | None = None) -> None:
        self._events: queue.Queue[SessionEvent] = queue.Queue()
        self._extra = listener
        self.all: list[SessionEvent] = []
        self.threads: list[threading.Thread] = []
        self.session = Session(data, self._listen)

    def _listen(self, event: SessionEvent) -> None:
        self._events.put(event)
        if self._extra:
            self._extra(event)

    def start(self) -> None:
        before = set(threading.enumerate())
        self.session.start()
        self.threads = [thread for thread in threading.enumerate() if thread not in before]

    def until(self, wanted: type[Event], number: int | None = None) -> Event:
        """The next event of this type (and number); whatever is heard on the way is kept in `all`."""
        end = time.monotonic() + DEADLINE
        while True:
            event = self._events.get(timeout=max(0.01, end - time.monotonic()))
            self.all.append(event)
            if isinstance(event, wanted) and (number is None or getattr(event, "number", None) == number):
                return event

    def answers(self) -> list[Answer]:
        return [event for event in self.all if isinstance(event, Answer)]

    def drain(self) -> None:
        while not self._events.empty():
            self.all.append(self._events.get())

    def wait_until_idle(self) -> None:
        """Until the worker waits for the next request and is in no search."""
        (worker,) = (thread for thread in self.threads if thread.name == "worker")
        end = time.monotonic() + DEADLINE
        while "_answer" in (functions := running_in(worker)) or "wait_for" not in functions:
            assert time.monotonic() < end
            time.sleep(0.001)

    def close(self) -> None:
        self.session.close()
        for thread in self.threads:
            thread.join(DEADLINE)
        assert not any(thread.is_alive() for thread in self.threads)


def running_in(thread: threading.Thread) -> set[str]:
    """Names of the functions that a thread is in."""
    frame = sys._current_frames().get(thread.ident or 0)
    return {entry.f_code.co_name for entry, _ in traceback.walk_stack(frame)} if frame else set()


class Paused(str):
    """A query whose search waits, once begun, until it is let go on."""

    begun: threading.Event
    go_on: threading.Event

    def __new__(cls, text: str) -> "Paused":
        made = super().__new__(cls, text)
        made.begun, made.go_on = threading.Event(), threading.Event()
        return made

    def __getitem__(self, key: Any) -> str:
        self.begun.set()
        assert self.go_on.wait(DEADLINE)
        return str(self)[key]


class PausedLimit(int):
    """A limit whose first comparison waits until it is let go on."""

    begun: threading.Event
    go_on: threading.Event
    __hash__ = int.__hash__

    def __new__(cls, value: int) -> "PausedLimit":
        made = super().__new__(cls, value)
        made.begun, made.go_on = threading.Event(), threading.Event()
        return made

    def __eq__(self, other: object) -> bool:
        self.begun.set()
        assert self.go_on.wait(DEADLINE)
        return int(self) == other


@pytest.fixture
def heard(data_dir: Path) -> Iterator[Heard]:
    made = Heard(data_dir)
    made.start()
    made.until(DenseReady)
    yield made
    made.close()


def spoil(path: Path) -> None:
    content = path.read_bytes()
    path.unlink()
    path.write_bytes(content[:-1] + bytes([content[-1] ^ 0xFF]))


def test_of_two_hundred_quick_searches_the_last_is_answered_and_numbers_ascend(heard: Heard) -> None:
    numbers = [heard.session.submit(f"john cena {n}", "hybrid", 10) for n in range(1, 201)]
    assert numbers == list(range(1, 201))
    last = heard.until(Answer, 200)
    assert last.result.query == "john cena 200"
    answered = [answer.number for answer in heard.answers()]
    assert answered == sorted(set(answered))
    assert all(answer.result.query == f"john cena {answer.number}" for answer in heard.answers())
    assert heard.session.submit("marker", "lexical", 10) == 201
    heard.until(Answer, 201)
    assert [answer.number for answer in heard.answers()][-2:] == [200, 201]


def test_of_searches_asked_before_the_index_is_open_only_the_last_is_answered(data_dir: Path) -> None:
    made = Heard(data_dir)
    for n in range(1, 51):
        made.session.submit(f"john cena {n}", "lexical", 10)
    made.start()
    made.until(Answer)
    made.session.submit("marker", "lexical", 10)
    made.until(Answer, 51)
    made.close()
    assert [(answer.number, answer.result.query) for answer in made.answers()] == [(50, "john cena 50"), (51, "marker")]


def test_a_search_under_way_gets_no_answer_once_a_newer_one_is_asked(heard: Heard) -> None:
    slow = Paused("john cena")
    heard.session.submit(slow, "hybrid", 10)
    assert slow.begun.wait(DEADLINE)
    heard.session.submit("overtaken before it began", "hybrid", 10)
    heard.session.submit("grumpy cat", "hybrid", 3)
    slow.go_on.set()
    answer = heard.until(Answer)
    assert (answer.number, answer.result.query, len(answer.result.hits)) == (3, "grumpy cat", 3)


def test_an_answer_that_is_overtaken_at_the_last_moment_is_not_told(heard: Heard) -> None:
    """The limit is compared while places are filled, when no stage asks any more whether the search is wanted."""
    late = PausedLimit(10)
    heard.session.submit("john cena", "hybrid", late)
    assert late.begun.wait(DEADLINE)
    heard.session.submit("grumpy cat", "hybrid", 10)
    late.go_on.set()
    assert heard.until(Answer).number == 2
    heard.drain()
    assert [answer.number for answer in heard.answers()] == [2]


def test_withdrawing_takes_back_a_search_under_way(heard: Heard) -> None:
    slow = Paused("john cena")
    heard.session.submit(slow, "hybrid", 10)
    assert slow.begun.wait(DEADLINE)
    heard.session.withdraw()
    slow.go_on.set()
    heard.wait_until_idle()
    heard.drain()
    assert heard.answers() == []
    wanted = heard.session.submit("grumpy cat", "hybrid", 10)
    assert heard.until(Answer).number == wanted == 3


def test_withdrawing_takes_back_a_search_that_waits(heard: Heard) -> None:
    slow = Paused("john cena")
    heard.session.submit(slow, "hybrid", 10)
    assert slow.begun.wait(DEADLINE)
    heard.session.submit("waiting", "hybrid", 10)
    heard.session.withdraw()
    slow.go_on.set()
    heard.wait_until_idle()
    heard.drain()
    assert heard.answers() == []


def test_nothing_is_told_once_the_session_is_closed(data_dir: Path) -> None:
    made = Heard(data_dir)
    made.start()
    made.until(DenseReady)
    slow = Paused("john cena")
    made.session.submit(slow, "hybrid", 10)
    assert slow.begun.wait(DEADLINE)
    made.session.close()
    slow.go_on.set()
    made.close()
    made.drain()
    assert made.answers() == []


def test_words_are_answered_while_meanings_load_and_the_state_says_so(data_dir: Path) -> None:
    """The listener holds the loader back between the two, so that the first search meets a loading dense route."""
    answered = threading.Event()

    def hold_the_loader(event: SessionEvent) -> None:
        if isinstance(event, LexicalReady):
            assert answered.wait(DEADLINE)

    made = Heard(data_dir, hold_the_loader)
    made.session.submit("john cena", "hybrid", 10)
    made.start()
    early = made.until(Answer, 1)
    made.session.submit("john cena", "dense", 10)
    failed = made.until(SearchFailed, 2)
    answered.set()
    made.until(DenseReady)
    made.session.submit("john cena", "hybrid", 10)
    late = made.until(Answer, 3)
    made.close()
    assert early.result.state is State.DENSE_LOADING
    assert early.result.hits[0].meme.family.id == "john-cena"
    assert isinstance(failed.error, ModelUnavailable)
    assert late.result.state is State.COMPLETE
    assert any("dense" in hit.routes for hit in late.result.hits)


def test_an_error_fails_the_search_and_the_next_one_is_answered(heard: Heard) -> None:
    heard.session.submit("john cena", "sideways", 10)
    foreseen = heard.until(SearchFailed, 1)
    assert isinstance(foreseen.error, UsageError)
    heard.session.submit("john cena", "hybrid", 0)  # no caller asks for no hits, so nobody foresaw it
    unforeseen = heard.until(SearchFailed, 2)
    assert type(unforeseen.error) is MamboError
    assert "john cena" not in str(unforeseen.error)
    heard.session.submit("john cena", "hybrid", 10)
    assert heard.until(Answer, 3).result.hits
