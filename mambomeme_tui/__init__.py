"""MamboMeme finds memes from a terminal, by whatever a person remembers of them, without a network."""

__version__ = "0.1.0"
