"""Records survive JSON whole and never change; the bundled ones are enough, complete, and no two of them alike."""

import hashlib
import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import FrozenInstanceError, fields, replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mambomeme_tui import corpus, paths, rights
from mambomeme_tui.digests import family_files
from mambomeme_tui.records import Family, Meme, Rights, Safety, SafetyClass

memes = st.builds(Meme)


@pytest.fixture(scope="module")
def bundled() -> corpus.Corpus:
    return corpus.load(paths.bundled("corpus"))


@settings(deadline=None)
@given(memes)
def test_a_record_comes_back_from_json_as_it_was(meme: Meme) -> None:
    back = Meme.from_dict(json.loads(json.dumps(meme.to_dict())))
    assert back == meme
    assert hash(back) == hash(meme)  # equal lists would pass for tuples above, but have no hash
    assert isinstance(back.safety.level, SafetyClass)


def test_the_plain_form_of_a_record_names_every_field_of_every_table() -> None:
    plain = _sample().to_dict()
    for kind, table in ((Meme, plain), (Family, plain["family"]), (Rights, plain["rights"]), (Safety, plain["safety"])):
        assert list(table) == [field.name for field in fields(kind)]


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data["safety"].update(level="harmless"),
        lambda data: data["safety"].pop("policy", data["safety"].pop("reasons")),
        lambda data: data["rights"].pop("licence"),
        lambda data: data["family"].update(surprise=1),
        lambda data: data.pop("quote"),
        lambda data: data.update(surprise=1),
    ],
)
def test_a_plain_form_of_another_shape_becomes_no_record(change: Callable[[dict[str, Any]], Any]) -> None:
    data = _sample().to_dict()
    change(data)
    with pytest.raises((ValueError, KeyError, TypeError)):
        Meme.from_dict(data)


@pytest.mark.parametrize("part", [lambda m: m, lambda m: m.family, lambda m: m.rights, lambda m: m.safety])
def test_no_record_can_be_changed(part: Callable[[Meme], Any]) -> None:
    record = part(_sample())
    for field in fields(record):
        with pytest.raises(FrozenInstanceError):
            setattr(record, field.name, "changed")


def test_the_bundled_corpus_is_of_the_promised_size(bundled: corpus.Corpus) -> None:
    families = {meme.family.id for meme in bundled.memes}
    assert len(families) >= 320
    assert sum(not meme.change for meme in bundled.memes) >= 1600
    assert "john-cena" in families
    assert families == {path.stem for path in family_files(paths.bundled("corpus"))}


def test_bundled_items_are_in_the_order_of_their_ids_and_no_id_is_there_twice(bundled: corpus.Corpus) -> None:
    ids = [meme.id for meme in bundled.memes]
    assert ids == sorted(set(ids))
    assert all(meme.id.startswith(f"{meme.family.id}.") for meme in bundled.memes)


def test_bundled_items_are_complete(bundled: corpus.Corpus) -> None:
    for meme in bundled.memes:
        assert all((meme.title, meme.quote, meme.meaning, meme.picture, meme.language, meme.safety.policy)), meme.id


def test_enough_bundled_items_are_withheld_for_each_reason_to_prove_that_policy_works(bundled: corpus.Corpus) -> None:
    originals = [meme for meme in bundled.memes if not meme.change]
    levels = Counter(meme.safety.level for meme in originals)
    assert levels[SafetyClass.SENSITIVE] >= 80
    assert levels[SafetyClass.BLOCKED] >= 60
    assert sum(bool(rights.withheld_because(meme.rights)) for meme in originals) >= 30
    assert sum(meme.safety.level is SafetyClass.SAFE for meme in originals) >= 1200


def test_no_quote_is_there_twice(bundled: corpus.Corpus) -> None:
    seen: dict[str, list[str]] = defaultdict(list)
    for meme in (meme for meme in bundled.memes if not meme.change):
        seen[_bare(meme.quote)].append(meme.id)
    assert [ids for ids in seen.values() if len(ids) > 1] == []


def test_no_sentence_is_shared_by_two_families(bundled: corpus.Corpus) -> None:
    users: dict[str, set[str]] = defaultdict(set)
    for meme in bundled.memes:
        for written in (meme.meaning, meme.picture):
            for sentence in re.split(r"(?<=[.!?])\s+", written):
                users[_bare(sentence)].add(meme.family.id)
    assert len(users) >= 120
    assert {sentence: who for sentence, who in users.items() if len(who) > 1} == {}


def test_a_content_hash_is_the_sha256_of_the_record_without_it_and_the_situations(bundled: corpus.Corpus) -> None:
    for meme in bundled.memes:
        plain = replace(meme, content_hash="").to_dict()
        del plain["family"]["situations"]
        canonical = json.dumps(plain, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        assert meme.content_hash == hashlib.sha256(canonical.encode()).hexdigest()
    policy = hashlib.sha256(bundled.policy_file.read_bytes()).hexdigest()
    together = json.dumps([policy, *(meme.content_hash for meme in bundled.memes)], separators=(",", ":"))
    assert bundled.digest == hashlib.sha256(together.encode()).hexdigest()


@settings(deadline=None)
@given(memes, st.lists(st.text(), max_size=3).map(tuple))
def test_what_a_hash_is_taken_of_is_all_but_the_hash_and_the_situations(
    meme: Meme, situations: tuple[str, ...]
) -> None:
    other = replace(meme, family=replace(meme.family, situations=situations), content_hash="other")
    assert other.content() == meme.content()
    assert other.to_dict()["family"]["situations"] == situations, "the record itself keeps them"
    assert replace(meme, quote=meme.quote + "x").content() != meme.content()
    renamed = replace(meme, family=replace(meme.family, name=meme.family.name + "x"))
    assert renamed.content() != meme.content()


def _bare(sentence: str) -> str:
    return " ".join(re.findall(r"\w+", sentence.casefold()))


def _sample() -> Meme:
    family = Family(
        "cats", "Cats", ("cat",), "animal", (), "", ("cats",), ("sitting",), 2019, "Here.", "Cats.", "A cat."
    )
    standing = Rights("Somebody", "here", "CC0-1.0", "Somebody", True), Safety(SafetyClass.BLOCKED, ("hate",), "1")
    return Meme(
        "cats.one",
        family,
        "Cats",
        "One cat",
        "Cats.",
        "A cat.",
        ("wall",),
        "en",
        *("", "", ""),
        "cats.one",
        "",
        *standing,
        "0" * 64,
    )
