"""A faulty corpus is told fault by fault with file, line and field; a sound one gives the same records everywhere."""

from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from mambomeme_tui import corpus
from mambomeme_tui.digests import source_digest
from mambomeme_tui.errors import CorpusError
from tests.unit.small_corpus import SAMPLE, faults_of, write

# line, field, and what is said of it, of the one fault that each change makes
FAULTS = {
    "typo in an item's key": ('tags = ["wall", "e', 'tgas = ["wall", "e', 34, "items.2.tgas", "'tags'"),
    "unlike any key": ("year = 2019", "year = 2019\nxyzzy = 1", 10, "xyzzy", "known here are id, name"),
    "typo in a table's key": ('policy = "1"', 'policy = "1"\nreason = []', 25, "safety.reason", "'reasons'"),
    "typo of class": ('policy = "2"', 'policy = "2"\nclas = "safe"', 42, "items.2.safety.clas", "mean 'class'"),
    "no such table": ("[safety]", "[saftey]\n[safety]", 21, "saftey", "did you mean 'safety'"),
    "key with an escape": ("year = 2019", 'year = 2019\n"a\\u001bb" = 1', 1, "'a\\x1bb'", "no such field"),
    "family's field missing": ("year = 2019\n", "", 1, "year", "missing"),
    "table's field missing": ('licence = "CC0-1.0"\n', "", 14, "rights.licence", "missing"),
    "item's field missing": ('quote = "Still two cats"\n', "", 31, "items.2.quote", "missing"),
    "item's table's field missing": ('policy = "2"\n', "", 38, "items.2.safety.policy", "missing"),
    "text for a number": ("2019", '"2019"', 9, "year", "a valid integer"),
    "number for a truth": ("cleared = true", "cleared = 1", 19, "rights.cleared", "a valid boolean"),
    "text for a list": ('["cats", "pair of cats"]', '"cats"', 3, "aliases", "a valid list"),
    "number in a list": ('["wall"]', '["wall", 7]', 29, "items.1.tags.2", "a valid string"),
    "no such kind": ('"animal"', '"beast"', 4, "kind", "'person', 'character'"),
    "no such class": ('"sensitive"', '"rude"', 39, "items.2.safety.class", "'safe', 'sensitive' or 'blocked'"),
    "no such reason": ('["drugs"]', '["boredom"]', 40, "items.2.safety.reasons.1", "'violence'"),
    "escape character": ('"Two Cats"', '"Two \\u001b[2J Cats"', 2, "name", "without control"),
    "line break": ("One cat / ", "One cat \\n ", 28, "items.1.quote", "without control"),
    "direction override": ('"pair of', '"\\u202epair of', 3, "aliases.2", "direction-override"),
    "blank at the end": ('"here"', '"here "', 16, "rights.source", "without blanks"),
    "empty name": ('"Two Cats"', '""', 2, "name", "at least one value"),
    "no topics": ('topics = ["cats"]', "topics = []", 7, "topics", "at least one value"),
    "year out of range": ("2019", "20190", 9, "year", "less than or equal to 2100"),
    "language of three letters": ('"en"', '"eng"', 36, "items.2.language", "pattern"),
    "slug in capitals": ('"first"', '"First"', 27, "items.1.slug", "pattern"),
    "slug twice": ('"second"', '"first"', 32, "items.2.slug", "'first' is there twice"),
    "id unlike the file": ('"two-cats"', '"three-cats"', 1, "id", "'two-cats'"),
    "safe with reasons": ("reasons = []", 'reasons = ["shock"]', 23, "safety.reasons", "exactly where"),
    "sensitive without": ('reasons = ["drugs"]', "reasons = []", 38, "items.2.safety", "exactly where"),
    "media above": ('"media/second.png"', '"../second.png"', 35, "items.2.media", "below the corpus folder"),
    "media winding up": ('"media/second.png"', '"media/../../x.png"', 35, "items.2.media", "below the corpus"),
    "media at the root": ('"media/second.png"', '"/etc/passwd"', 35, "items.2.media", "below the corpus folder"),
    "media with backslashes": ('"media/second.png"', '"..\\\\x.png"', 35, "items.2.media", "below the corpus"),
    "not TOML": ("year = 2019", "year = 2019\nyear", 10, "(syntax)", "TOML"),
    "a key twice": ("year = 2019", "year = 2019\nyear = 2020", 10, "(syntax)", "overwrite"),
    "a number without end": ("year = 2019", f"year = {'1' * 5000}", 42, "(syntax)", "4300 digits"),
    "lists without end": ("year = 2019", f"year = {'[' * 5000}", 42, "(syntax)", "recursion"),
}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus folder whose one family is sound; a test that writes into it puts it back."""
    folder = tmp_path_factory.mktemp("corpus")
    (folder / "families").mkdir()
    return folder


@pytest.mark.parametrize("case", FAULTS.values(), ids=FAULTS.keys())
def test_a_fault_is_told_with_its_file_line_and_field(root: Path, case: tuple[str, str, int, str, str]) -> None:
    old, new, line, field, expected = case
    assert SAMPLE.count(old) >= 1
    write(root, two_cats=SAMPLE.replace(old, new, 1))
    (fault,) = faults_of(root)
    assert (fault.file, fault.line, fault.field) == (str(root / "families" / "two-cats.toml"), line, field)
    assert expected in fault.expected
    assert str(fault).isprintable()


def test_a_misspelt_required_field_is_told_as_unknown_and_as_missing(root: Path) -> None:
    write(root, two_cats=SAMPLE.replace("franchise", "franchize"))
    unknown, missing = sorted(faults_of(root), key=lambda fault: fault.field, reverse=True)
    assert (unknown.line, unknown.field, unknown.expected) == (
        6,
        "franchize",
        "no such field; did you mean 'franchise'?",
    )
    assert (missing.field, missing.expected) == ("franchise", "a value; the field is missing")


def test_a_fault_that_items_inherit_is_told_once(root: Path) -> None:
    third = '\n[[items]]\nslug = "third"\nquote = "A third line"\n'
    write(root, two_cats=SAMPLE.replace('class = "safe"', 'class = "blocked"') + third)
    (fault,) = faults_of(root)
    assert (fault.line, fault.field) == (23, "safety.reasons")


def test_bytes_that_are_no_utf8_are_told_with_their_place(root: Path) -> None:
    write(root)
    (root / "families" / "two-cats.toml").write_bytes(SAMPLE.encode().replace(b"Somebody", b"Some\xffody", 1))
    (fault,) = faults_of(root)
    assert (fault.field, fault.expected) == ("(file)", f"UTF-8 text; byte {SAMPLE.index('Somebody') + 4} is not")


@pytest.mark.parametrize("kind", ["folder", "dangling link"])
def test_what_can_not_be_read_is_a_fault_like_others(root: Path, kind: str) -> None:
    write(root, two_cats=SAMPLE)
    odd = root / "families" / "odd.toml"
    if kind == "folder":
        odd.mkdir()
    else:
        odd.symlink_to(root / "nowhere")
    try:
        (fault,) = faults_of(root)
        assert (fault.file, fault.line, fault.field) == (str(odd), 1, "(file)")
    finally:
        odd.rmdir() if kind == "folder" else odd.unlink()


def test_a_folder_without_families_is_a_fault(tmp_path: Path) -> None:
    (fault,) = faults_of(tmp_path)
    assert (fault.file, fault.field) == (str(tmp_path / "families"), "(folder)")


def test_all_faults_of_all_files_are_told_together_in_order(root: Path) -> None:
    no_toml, twice = "id = \n", SAMPLE.replace("2019", '"x"').replace('"animal"', '"beast"')
    write(root, zebra=no_toml, two_cats=twice, apes=SAMPLE.replace("two-cats", "apes", 1), bees=SAMPLE)
    told = [(Path(fault.file).stem, fault.line, fault.field) for fault in faults_of(root)]
    assert told == [("bees", 1, "id"), ("two-cats", 4, "kind"), ("two-cats", 9, "year"), ("zebra", 1, "(syntax)")]
    with pytest.raises(CorpusError, match="The corpus has 4 faults") as caught:
        corpus.load(root)
    assert caught.value.exit_code == 3


def test_the_order_of_the_file_system_does_not_matter(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sound = {name: SAMPLE.replace("two-cats", name, 1) for name in ("ants", "bees", "cats")}
    write(root, **sound)
    before = corpus.load(root), source_digest(root)
    scanned = Path.glob
    monkeypatch.setattr(Path, "glob", lambda self, pattern: sorted(scanned(self, pattern), reverse=True))
    assert [path.stem for path in (root / "families").glob("*")] == ["cats", "bees", "ants"]
    assert (corpus.load(root), source_digest(root)) == before
    write(root, **{name: written.replace("2019", "-1") for name, written in sound.items()})
    assert [Path(fault.file).stem for fault in corpus.read_all(root)[1]] == ["ants", "bees", "cats"]


def test_items_take_from_their_family_what_they_do_not_say(root: Path) -> None:
    write(root, two_cats=SAMPLE)
    first, second = corpus.load(root).memes
    assert [first.id, second.id] == ["two-cats.first", "two-cats.second"]
    assert (first.title, first.meaning, first.language, first.media) == (
        "Two Cats",
        "Two are better than one.",
        "en",
        "",
    )
    assert (first.safety.level, first.safety.reasons, first.safety.policy) == ("safe", (), "1")
    assert (second.safety.level, second.safety.reasons, second.safety.policy) == ("sensitive", ("drugs",), "2")
    assert first.rights == second.rights
    assert first.family == second.family


VALUES = [
    at
    for line, start in zip(
        SAMPLE.splitlines(), [0, *(at + 1 for at, c in enumerate(SAMPLE) if c == "\n")], strict=False
    )
    if line.split(" ")[0]
    in ("name", "origin", "meaning", "picture", "quote", "creator", "source", "licence", "aliases")
    for at in range(start + line.index('"') + 1, start + line.rindex('"'))
    if SAMPLE[at] not in '",[] '
]


@settings(deadline=None)
@given(at=st.sampled_from(VALUES), letter=st.characters(categories=["L", "N"]))
def test_any_one_character_changes_the_digest(root: Path, at: int, letter: str) -> None:
    assume(letter != SAMPLE[at])
    write(root, two_cats=SAMPLE)
    before = corpus.load(root).digest
    write(root, two_cats=SAMPLE[:at] + letter + SAMPLE[at + 1 :])
    assert corpus.load(root).digest != before


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("2019", "2020"),
        ("cleared = true", "cleared = false"),
        ('"sensitive"', '"blocked"'),
        ('["drugs"]', '["hate"]'),
        ('policy = "2"', 'policy = "3"'),
        ('"en"', '"fr"'),
        ("second.png", "2nd.png"),
        ('"second"', '"2nd"'),
        ('"animal"', '"comic"'),
        ('["wall", "evening"]', '["evening", "wall"]'),
        ('"cats", "pair', '"pair'),
        ('franchise = ""', 'franchise = "Cats"'),
        ("people = []", 'people = ["A cat"]'),
        ('["sitting"]', '["standing"]'),
        ('topics = ["cats"]', 'topics = ["dogs"]'),
    ],
)
def test_any_field_changes_the_digest(root: Path, old: str, new: str) -> None:
    assert SAMPLE.count(old) == 1
    write(root, two_cats=SAMPLE)
    before = corpus.load(root).digest
    write(root, two_cats=SAMPLE.replace(old, new))
    assert corpus.load(root).digest != before


def test_what_no_record_holds_does_not_change_the_digest(root: Path) -> None:
    write(root, two_cats=SAMPLE)
    before = corpus.load(root).digest
    head, first, second = SAMPLE.split("[[items]]")
    reordered = f"# a comment\n{head}[[items]]{second}\n[[items]]{first}".replace(" = ", "   =  ")
    write(root, two_cats=reordered.replace("\n", "\r\n"))
    assert corpus.load(root).digest == before
