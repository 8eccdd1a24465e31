"""The third person: asked only where two annotators are more than one grade apart or of two minds about safety.

He is neither of the two, sees neither of their answers, and answers grade and safety anew; his answer is final.
"""

from collections.abc import Sequence

from mambomeme_eval.benchmark import Judgement, Role
from mambomeme_eval.desk import Desk, Task, set_up
from mambomeme_eval.judging import Judging
from mambomeme_eval.qrels import needs_adjudicator


def adjudicator_desk(judging: Judging, annotator: str) -> Desk:
    """The desk of a third person: all candidates in his order, of which only the cases for him are open."""
    return set_up(judging, annotator, Role.ADJUDICATOR, may_adjudicate)


def may_adjudicate(task: Task, annotator: str, about: Sequence[Judgement]) -> bool:
    """A case that waits for a third, who has not judged its candidate before."""
    waits = needs_adjudicator(about) and not any(row.role is Role.ADJUDICATOR for row in about)
    return waits and not task.repeat and all(row.annotator != annotator for row in about)
