"""The tests of MamboMeme."""
