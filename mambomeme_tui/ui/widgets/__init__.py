"""Widgets drawn line by line, without children and markup: what they show can never become a control code."""
