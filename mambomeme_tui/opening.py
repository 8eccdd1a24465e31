"""Opens a meme with the person's own viewer; makes a card of its text where there is no picture.

The viewer runs apart from the terminal: it can neither write to it nor read from it.
"""
