"""Tests that run the program in a terminal of its own."""
