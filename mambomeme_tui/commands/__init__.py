"""The commands that print and end: one module each, none of them imports the interface."""
