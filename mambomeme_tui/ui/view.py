"""What the screen shows, as values: widgets draw a `View` and know nothing else.

A view is immutable; the application makes a new one when something happened and hands it to every widget.
"""

from dataclasses import dataclass
from enum import Enum, auto

from mambomeme_tui.retrieval.results import Hit, SearchResult


class Phase(Enum):
    """What the result area is about."""

    WELCOME = auto()
    BUILDING = auto()
    RESULTS = auto()
    NOTHING = auto()
    ERROR = auto()


@dataclass(frozen=True, slots=True)
class View:
    """Everything that is on the screen but the query box.

    Attributes:
        phase: which of the pictures below the result area shows.
        result: the newest answer, in the phases RESULTS and NOTHING.
        reason: why nothing was found, in the phase NOTHING; empty where that is for the words.
        message: a sentence, in the phases BUILDING and ERROR.
        hint: what to do next, in the phase ERROR.
        progress: how much of the building is done, 0 to 1.
        memes: how many memes can be searched; 0 while nothing can.
        route: the route that is asked.
        parts: what is still loading or has failed; empty when all is well.
        offer: another version that can be used with one key; empty where there is none.
        searching: a search has been running for long enough to say so.
        notice: the outcome of the last key, such as "copied".
        trouble: the notice tells of a failure.
        nearest: the hits are those that come nearest where nothing fits.
        as_typed: the answer is to exactly what was typed, where something would have been mended.
    """

    phase: Phase = Phase.WELCOME
    result: SearchResult | None = None
    reason: str = ""
    message: str = ""
    hint: str = ""
    progress: float = 0.0
    memes: int = 0
    route: str = "hybrid"
    parts: str = ""
    offer: str = ""
    searching: bool = False
    notice: str = ""
    trouble: bool = False
    nearest: bool = False
    as_typed: bool = False

    @property
    def shown(self) -> object:
        """What the list and the status are about: the answer, or where there is none the view itself."""
        return self.result if self.result is not None else self

    @property
    def hits(self) -> tuple[Hit, ...]:
        """The hits that are shown."""
        if self.result is None or self.phase is not Phase.RESULTS:
            return ()
        return self.result.nearest if self.nearest else self.result.hits

    def keeps_nearest(self, result: SearchResult, as_typed: bool) -> bool:
        """Whether this shows what comes nearest, and the result answers the same query in the same manner again."""
        same = self.result is not None and self.result.query == result.query and self.as_typed == as_typed
        return same and self.nearest and bool(result.nearest)
