"""Versions: how records become files that never change, and how those are checked and opened."""
