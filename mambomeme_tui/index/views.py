"""Which text of a meme goes where: the lexical fields and the texts that get a vector each.

The one place that decides it; builder, engine and explanations all ask here.
"""

from mambomeme_tui.records import Meme

LEXICAL_FIELDS = ("names", "people", "quote", "topics", "meaning", "situations", "picture")
DENSE_KINDS = ("names", "quote", "meaning", "picture", "whole", "tags", "topics", "situations")

_LANGUAGES = {
    "de": "german deutsch deutsche deutscher deutsches",
    "es": "spanish español española",
    "fr": "french français française",
    "it": "italian italiano italiana",
    "ja": "japanese nihongo 日本語",
    "nl": "dutch nederlands nederlandse",
    "pl": "polish polski polska",
    "pt": "portuguese português portuguesa brazilian",
    "ru": "russian русский",
}
"""Names of languages as people type them, in English and in the language; English itself would say nothing."""


def lexical_fields(meme: Meme) -> dict[str, str]:
    """The text of each lexical field, by the field's name."""
    return {name: " . ".join(parts) for name, parts in lexical_parts(meme).items()}


def lexical_parts(meme: Meme) -> dict[str, tuple[str, ...]]:
    """The distinct texts, none of them empty, of each lexical field; no phrase runs from one into the next."""
    family = meme.family
    fields = {
        "names": (meme.title, family.name, *family.aliases),
        "people": (*family.people, family.franchise),
        "quote": (meme.quote,),
        "topics": (*family.topics, *family.actions, *meme.tags, family.kind, *_facts(meme)),
        "meaning": (meme.meaning,),
        "situations": family.situations,
        "picture": (meme.picture,),
    }
    return {name: tuple(dict.fromkeys(filter(None, parts))) for name, parts in fields.items()}


def dense_texts(meme: Meme) -> dict[str, tuple[str, ...]]:
    """The texts of the vectors of each kind; most families share all but the quote and the tags among their items."""
    family = meme.family
    names = (meme.title, family.name, *family.aliases, *family.people, family.franchise)
    topics = ", ".join(dict.fromkeys((*family.topics, *family.actions)))
    texts = {
        "names": ", ".join(dict.fromkeys(filter(None, names))),
        "quote": meme.quote,
        "meaning": meme.meaning,
        "picture": meme.picture,
        "whole": ". ".join(filter(None, (meme.title, meme.meaning, topics))),
        "tags": ", ".join(dict.fromkeys((*meme.tags, *family.topics))),
        "topics": topics,
    }
    return {kind: (text,) for kind, text in texts.items() if text} | {"situations": family.situations}


def _facts(meme: Meme) -> tuple[str, ...]:
    """What people type of an item in plain words although it stands in no text: its year, and another language."""
    return str(meme.family.year), _LANGUAGES.get(meme.language, "")
