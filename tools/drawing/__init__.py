"""Draws the corpus's pictures from its scenes. A tool for authors: the program needs none of it to run."""
