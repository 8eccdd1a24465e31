"""Screens that cover the main one for a while."""
