"""Which text of a meme goes where: the lexical fields and the texts that get a vector each.

The one place that decides it; builder, engine and explanations all ask here.
"""

from mambomeme_tui.records import Meme

LEXICAL_FIELDS = ("names", "people", "quote", "topics", "meaning", "picture")
DENSE_KINDS = ("names", "quote", "meaning", "picture")


def lexical_fields(meme: Meme) -> dict[str, str]:
    """The text of each lexical field, by the field's name."""
    family = meme.family
    return {
        "names": _join(meme.title, family.name, *family.aliases),
        "people": _join(*family.people, family.franchise),
        "quote": meme.quote,
        "topics": _join(*family.topics, *family.actions, *meme.tags, family.kind),
        "meaning": meme.meaning,
        "picture": meme.picture,
    }


def dense_texts(meme: Meme) -> dict[str, str]:
    """The text of each vector, by its kind; most families share three of them among their items."""
    family = meme.family
    names = (meme.title, family.name, *family.aliases, *family.people, family.franchise)
    return {
        "names": ", ".join(dict.fromkeys(filter(None, names))),
        "quote": meme.quote,
        "meaning": meme.meaning,
        "picture": meme.picture,
    }


def _join(*parts: str) -> str:
    return " . ".join(dict.fromkeys(part for part in parts if part))
