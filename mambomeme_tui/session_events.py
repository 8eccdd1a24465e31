"""What a session tells whoever listens to it: values without behaviour, told from the session's threads."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mambomeme_tui.errors import MamboError

if TYPE_CHECKING:
    from mambomeme_tui.retrieval.results import SearchResult


@dataclass(frozen=True, slots=True)
class Building:
    """The index is being built: so much of a stage is done."""

    stage: str
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class LexicalReady:
    """Words can be searched in this version.

    `stale` where the corpus on disk or the program is a newer one; `damaged` where the served version is not whole and
    this is the last good one.
    """

    version: str
    memes: int
    stale: bool
    damaged: bool = False

    @property
    def warning(self) -> str:
        """What a person should know of the version; short, since it stands beside the figures."""
        if self.damaged:
            return "damaged: an older one serves"
        return "stale: mambomeme publish" if self.stale else ""


@dataclass(frozen=True, slots=True)
class DenseReady:
    """Meanings can be searched too."""


@dataclass(frozen=True, slots=True)
class DenseFailed:
    """Only words can be searched, for this reason."""

    error: MamboError


@dataclass(frozen=True, slots=True)
class OtherServed:
    """Another version is served by now than the one that is open here: a newer one, or an older one again."""

    version: str


@dataclass(frozen=True, slots=True)
class SwitchFailed:
    """The version that is open stays open, for this reason."""

    error: MamboError


@dataclass(frozen=True, slots=True)
class Unavailable:
    """Nothing can be searched, for this reason."""

    error: MamboError


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of the request with this number; `reason` is why it has no hits, where that is not for the words."""

    number: int
    result: "SearchResult"
    reason: str = ""


@dataclass(frozen=True, slots=True)
class SearchFailed:
    """The request with this number ended in an error."""

    number: int
    error: MamboError


SessionEvent = (
    Building
    | LexicalReady
    | DenseReady
    | DenseFailed
    | OtherServed
    | SwitchFailed
    | Unavailable
    | Answer
    | SearchFailed
)
