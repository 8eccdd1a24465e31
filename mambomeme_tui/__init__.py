"""MamboMeme finds memes from a terminal, by whatever a person remembers of them, without a network."""

import os

__version__ = "0.1.0"

# Read when numpy is first imported. Products of a vector with a few thousand others gain nothing from more threads,
# and lose much when those have to wait for a processor that somebody else uses.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
