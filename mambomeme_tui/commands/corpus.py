"""`mambomeme corpus`: checks, counts and shows a corpus, and freezes it; for people who write one."""

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from pathlib import Path

from mambomeme_tui import corpus, frozen, rights
from mambomeme_tui.errors import CorpusError, Fault, UsageError
from mambomeme_tui.frozen import Picture
from mambomeme_tui.policy import load_policy
from mambomeme_tui.records import Meme, SafetyClass
from mambomeme_tui.repetition import repetitions
from mambomeme_tui.text import printable

MOST_PIXELS, MOST_BYTES, MOST_FRAME_BYTES = 480, 30_000, 90_000
MOST_REPETITION = 0.02
BAR = 32


def check(root: Path) -> int:
    """Apply every rule and print every fault and note.

    Raises:
        CorpusError: there are faults.
    """
    memes, faults = corpus.read_all(root)
    known = frozen.read_pictures(root)
    pictures, damaged = _fingerprints(root, memes) if known else ({}, [])
    faults += damaged + _policy_faults(root, memes)
    faults += _picture_faults(root, memes, pictures) if known else []
    faults += _manifest_faults(root, pictures) if known else []
    faults += _group_faults(root, memes, pictures)
    shared, share = repetitions(memes)
    for one in shared:
        print(printable(f"repeated: {one.phrase!r} in {'; '.join(one.places)}"))
    print(f"{share:.1%} of all meanings and descriptions share a phrase with another family.")
    if share >= MOST_REPETITION:
        faults.append(Fault(str(root), 1, "(sentences)", f"less than {MOST_REPETITION:.0%} of them repeated"))
    if not known:
        print("This corpus was never frozen: its pictures were not checked.")
    if faults:
        raise CorpusError(faults)
    print(f"{len(memes)} items in {len({meme.family.id for meme in memes})} families: no faults.")
    return 0


def _policy_faults(root: Path, memes: Iterable[Meme]) -> list[Fault]:
    version = load_policy(corpus.policy_path(root)).version
    others = dict.fromkeys(meme.family.id for meme in memes if meme.safety.policy != version)
    expected = f"the policy's version, {version!r}"
    return [Fault(str(root / "families" / f"{family}.toml"), 1, "safety.policy", expected) for family in others]


def freeze(root: Path) -> int:
    """Write the manifest of a corpus that has no faults but for its pictures' hashes; prints the version."""
    memes, faults = corpus.read_all(root)
    pictures, damaged = _fingerprints(root, memes)
    if faults or damaged:
        raise CorpusError(faults + damaged)
    counts = {"families": len({meme.family.id for meme in memes}), "items": len(memes), "pictures": len(pictures)}
    manifest = frozen.make_manifest(root, pictures, counts)
    frozen.write_manifest(root, manifest)
    print(f"{manifest['version']}: {', '.join(f'{count} {what}' for what, count in counts.items())}.")
    return 0


def _fingerprints(root: Path, memes: Iterable[Meme]) -> tuple[dict[str, Picture], list[Fault]]:
    """Every picture that an item has by convention or by name, read from its file."""
    from mambomeme_tui.fingerprints import fingerprint

    found: dict[str, Picture] = {}
    faults = []
    for meme in memes:
        name = meme.media or frozen.picture_path(*meme.id.split(".", 1))
        if (root / name).is_file():
            try:
                found[name] = fingerprint(root / name)
            except (OSError, ValueError, SyntaxError) as error:
                faults.append(Fault(str(root / name), 1, "(picture)", f"a picture: {error}"))
    return found, faults


def _picture_faults(root: Path, memes: Iterable[Meme], pictures: dict[str, Picture]) -> list[Fault]:
    faults = []
    for meme in memes:
        name = meme.media or frozen.picture_path(*meme.id.split(".", 1))
        picture = pictures.get(name)
        if picture is None:
            faults.append(Fault(str(root / name), 1, "(picture)", f"a picture for {meme.id}"))
            continue
        if max(picture.width, picture.height) > MOST_PIXELS:
            faults.append(Fault(str(root / name), 1, "(picture)", f"at most {MOST_PIXELS} pixels a side"))
        if picture.size > (MOST_BYTES if picture.frames == 1 else MOST_FRAME_BYTES):
            faults.append(Fault(str(root / name), 1, "(picture)", f"fewer bytes than {picture.size:,}"))
    return faults


def _manifest_faults(root: Path, pictures: dict[str, Picture]) -> list[Fault]:
    import json

    path = root / frozen.MANIFEST_FILE
    stored = json.loads(path.read_bytes())
    now = frozen.make_manifest(root, pictures, stored.get("counts", {}))
    if stored == now:
        return []
    changed = [
        name
        for part in ("files", "media")
        for name in sorted(set(stored.get(part, {})) | set(now[part]))
        if stored.get(part, {}).get(name) != now[part].get(name)
    ]
    told = f" {', '.join(changed[:3])}{' and more' if len(changed) > 3 else ''} changed" if changed else ""
    return [Fault(str(path), 1, "version", f"{now['version']};{told}: freeze the corpus again")]


def _group_faults(root: Path, memes: Sequence[Meme], pictures: dict[str, Picture]) -> list[Fault]:
    from mambomeme_tui.fingerprints import disagreements

    if not pictures:
        return []
    return [Fault(str(root), 1, "(groups)", f"agreement: {one}") for one in disagreements(memes, pictures)]


def stats(root: Path) -> int:
    """Count a corpus in several ways, with a bar for every number."""
    memes, faults = corpus.read_all(root)
    if faults:
        print(f"{len(faults)} faults; see `mambomeme corpus check`.", file=sys.stderr)
    families = {meme.family.id: meme.family for meme in memes}
    originals = [meme for meme in memes if not meme.change]
    print(f"{len(families)} families, {len(originals)} items, {len(memes) - len(originals)} copies of them\n")
    _chart("kind of family", Counter(family.kind for family in families.values()))
    _chart("topic (families)", Counter(topic for family in families.values() for topic in family.topics), 12)
    _chart("language", Counter(meme.language for meme in originals))
    _chart("safety class", Counter(str(meme.safety.level) for meme in originals))
    _chart("reason", Counter(reason for meme in originals for reason in meme.safety.reasons))
    _chart("rights", Counter(rights.withheld_because(meme.rights) or "in order" for meme in originals))
    _chart("words in the quote", Counter(_bucket(len(meme.quote.split())) for meme in originals))
    _chart("items in a family", Counter(str(count) for count in Counter(m.family.id for m in originals).values()))
    _chart("copies", Counter(meme.change for meme in memes if meme.change))
    _chart("missing", _missing(originals))
    return 0


def _bucket(count: int) -> str:
    for most in (5, 10, 15, 20, 30):
        if count <= most:
            return f"up to {most}"
    return "over 30"


def _missing(memes: Iterable[Meme]) -> Counter[str]:
    fields: dict[str, Callable[[Meme], object]] = {
        "picture file": lambda meme: meme.media,
        "tags": lambda meme: meme.tags,
        "aliases": lambda meme: meme.family.aliases,
        "franchise": lambda meme: meme.family.franchise,
        "people": lambda meme: meme.family.people,
    }
    return Counter(name for meme in memes for name, value in fields.items() if not value(meme))


def _chart(title: str, counts: Counter[str], most: int = 0) -> None:
    if not counts:
        return
    print(title)
    largest = max(counts.values())
    for name, count in counts.most_common(most or None):
        print(f"  {printable(name):<28.28} {count:>5}  {'▇' * max(1, round(count / largest * BAR))}")
    if most and len(counts) > most:
        print(f"  and {len(counts) - most} more")
    print()


def show(root: Path, identifier: str) -> int:
    """Print everything about one item, or about every item of a family."""
    memes, _ = corpus.read_all(root)
    chosen = [meme for meme in memes if identifier in (meme.id, meme.family.id)]
    if not chosen:
        raise UsageError(f"There is no item or family {printable(identifier)!r}.", "See `mambomeme corpus stats`.")
    for meme in chosen:
        print("\n".join(_lines(meme)), end="\n\n")
    return 0


def _lines(meme: Meme) -> list[str]:
    record = asdict(meme)
    family = record.pop("family")
    facts = {f"family {key}": value for key, value in family.items()} | record
    lines = [printable(meme.id)]
    for key, value in facts.items():
        if text := _plain(value):
            lines.append(f"  {key.replace('_', ' '):<18} {printable(text)}")
    return lines


def _plain(value: object) -> str:
    if isinstance(value, dict):
        return "; ".join(f"{name} {_plain(part)}" for name, part in value.items())
    if isinstance(value, tuple | list):
        return ", ".join(map(str, value))
    return value.value if isinstance(value, SafetyClass) else str(value)
