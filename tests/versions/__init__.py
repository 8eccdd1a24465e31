"""Versions: built alike, proved, rolled back, pruned, and read while somebody writes."""
