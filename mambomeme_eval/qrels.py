"""Final grades, derived from raw judgements by the rule of the benchmark and never edited.

Two annotators judge independently. Their mean is final unless they differ by more than one grade or disagree on
safety; then the third's grade and safety are final (evaluation.md, "Relevance labels"). Whatever that rule can't decide
is listed as missing, with the reason: nothing is guessed. The order of the rows has no influence, and what an annotator
says when he sees a candidate again has none either.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from mambomeme_eval.benchmark import WHOLE_GRADE, Candidate, Judgement, Role
from mambomeme_tui.records import SafetyClass

ANNOTATORS = 2
MOST_DIFFERENCE = 1
Pair = tuple[str, str]


@dataclass(frozen=True, slots=True, order=True)
class Missing:
    """A candidate without a final grade, and what it waits for."""

    query: str
    item: str
    wanted: str

    def __str__(self) -> str:
        return f"{self.query} {self.item}: {self.wanted}"


@dataclass(frozen=True, slots=True)
class Qrels:
    """Final grades.

    Attributes:
        grades: query -> item -> doubled integer grade, 0 to 6; queries and items in the order of the pool.
        safety: query -> item -> final safety class, for the same candidates.
        missing: every candidate of the pool that is not in `grades`.
    """

    grades: dict[str, dict[str, int]]
    safety: dict[str, dict[str, SafetyClass]]
    missing: tuple[Missing, ...]

    @property
    def complete(self) -> bool:
        """Whether every candidate has its final grade."""
        return not self.missing


def agree(first: Judgement, second: Judgement) -> bool:
    """Whether the mean of two judgements is final: at most one grade apart, and of one mind about safety."""
    return abs(first.grade - second.grade) <= MOST_DIFFERENCE and first.safety is second.safety


def needs_adjudicator(rows: Sequence[Judgement]) -> bool:
    """Whether two annotators judged one candidate and the rule hands it to a third."""
    annotators = [row for row in rows if row.role is Role.ANNOTATOR and not row.repeat]
    return len(annotators) == ANNOTATORS and not agree(*annotators)


def decide(rows: Sequence[Judgement]) -> tuple[int, SafetyClass] | str:
    """The final doubled grade and safety of one candidate, or what is missing for them.

    Args:
        rows: all rows about the candidate, in any order.
    """
    counted = [row for row in rows if not row.repeat]
    annotators = [row for row in counted if row.role is Role.ANNOTATOR]
    thirds = [row for row in counted if row.role is Role.ADJUDICATOR]
    if len({row.annotator for row in counted}) < len(counted):
        return "one judgement of each person, and no second one"
    if len(annotators) != ANNOTATORS:
        return f"two annotators; {len(annotators)} judged it"
    first, second = annotators
    if agree(first, second):
        return (first.grade + second.grade) * WHOLE_GRADE // ANNOTATORS, first.safety
    if len(thirds) != 1:
        return f"one adjudicator; {len(thirds)} judged it"
    return thirds[0].grade * WHOLE_GRADE, thirds[0].safety


def derive(candidates: Iterable[Candidate], judgements: Iterable[Judgement]) -> Qrels:
    """Final grades of a pool; a judgement counts only for the content that the pool names."""
    rows: dict[tuple[str, str, str], list[Judgement]] = defaultdict(list)
    for row in judgements:
        rows[row.query, row.item, row.content_hash].append(row)
    grades: dict[str, dict[str, int]] = {}
    safety: dict[str, dict[str, SafetyClass]] = {}
    missing: dict[Missing, None] = {}
    for one in candidates:
        decided = decide(rows.get((one.query, one.item, one.content_hash), []))
        if isinstance(decided, str):
            missing[Missing(one.query, one.item, decided)] = None
        else:
            grades.setdefault(one.query, {})[one.item], safety.setdefault(one.query, {})[one.item] = decided
    return Qrels(grades, safety, tuple(missing))
