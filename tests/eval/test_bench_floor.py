"""The floor answers at once, and only with what the real engine found."""

from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from mambomeme_eval.bench import floor
from mambomeme_tui.retrieval.engine import Engine
from mambomeme_tui.retrieval.results import State


def test_only_the_first_search_is_real_and_every_answer_is_a_new_one(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, asked = Engine.search, []

    def search(self: Engine, typed: str, *arguments: Any) -> Any:
        asked.append(typed)
        result = real(self, typed, *arguments)
        return replace(result, state=State.DENSE_LOADING) if len(asked) == 1 else result

    monkeypatch.setattr(floor, "_real", search)
    monkeypatch.setattr(floor, "_known", {})
    answers = [floor._at_once(engine, "john cena") for _ in range(4)]
    assert asked == ["john cena"] * 2  # the first answer was not complete, so that it was not kept
    assert answers[1].hits == answers[2].hits == answers[3].hits
    assert answers[1].state is answers[3].state is State.COMPLETE
    assert all(one != other for one, other in pairwise(answers))
    assert floor._at_once(engine, "john cena", "lexical").route == "lexical"
