"""When the garbage collector looks at everything: while nobody waits for an answer.

A full collection takes 20 to 60 ms once caches of colours and styles have grown, and Python begins it in the middle of
whatever allocates. Here it is put off, `DUE` young collections of the second generation at most, to a pause in typing.
What is loaded at start stays for good and is never looked at again.
"""

import gc
from typing import Final

PAUSE: Final = 1.0
"""Seconds without an answer after which there is time to collect."""
DUE: Final = 200
"""Collections of the second generation after which a full one is made at once, pause or not; Python's own is 10."""
WORTH: Final = 10
"""Fewer of them than this leave nothing worth collecting."""


def settle_down() -> None:
    """Keep everything that is alive by now for good, and put full collections off from here on."""
    gc.collect()
    gc.freeze()
    young, middle, _ = gc.get_threshold()
    gc.set_threshold(young, middle, DUE)


def tidy() -> None:
    """Make a full collection if one is worth its time; to be called in a pause."""
    if gc.get_count()[2] >= WORTH:
        gc.collect()
