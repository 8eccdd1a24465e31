"""Numbers of things in words."""


def counted(count: int, thing: str, things: str = "") -> str:
    """A number and what it counts, which stands in the singular after 1 alone."""
    return f"{count} {thing if count == 1 else things or f'{thing}s'}"
