"""The audit finds whatever the corpus holds of a query in any field, lists what is nearest, and expires."""

import argparse
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mambomeme_eval import audit
from mambomeme_eval.audit import Auditor, AuditReport, Near, expired, find, lines
from mambomeme_eval.audit_fields import EVERYWHERE, FIELDS, Finding, How, values
from mambomeme_eval.benchmark import Audit, Inspection, Kind, PartitionError, Query
from mambomeme_eval.loading import load
from mambomeme_eval.loading_rows import read_table
from mambomeme_eval.serving import serving
from mambomeme_tui.encoder import QueryEncoder
from mambomeme_tui.errors import UsageError
from mambomeme_tui.index.store import model_folder
from mambomeme_tui.index.views import dense_texts
from mambomeme_tui.records import Meme, Rights, Safety, SafetyClass
from mambomeme_tui.retrieval.engine import Engine
from tests.eval.partitions import bundled_world, small

FOUND = bundled_world().memes["salt-bae.cat-fur"]
BARE = replace(
    FOUND,
    family=replace(FOUND.family, name="Salt", aliases=(), people=(), franchise="", topics=(), actions=(), origin="x"),
    title="Salt",
    quote="x",
    meaning="x",
    picture="x",
    tags=(),
)


def no_match(text: str) -> Query:
    return Query("q", text, Kind.NO_MATCH, "", "q", (), (), "")


def hows(text: str, meme: Meme) -> dict[str, How]:
    return {one.field: one.how for one in find(text, [meme])}


TUPLES = {"aliases", "people", "topics", "actions", "tags"}


@pytest.mark.parametrize("field", sorted(set(FIELDS) - {"kind", "year", "language"}))
def test_every_canonical_field_is_looked_into(field: str) -> None:
    value: object = ("other", "A purple Zeppelin, over Oslo") if field in TUPLES else "A purple Zeppelin, over Oslo"
    if hasattr(BARE, field):
        meme = replace(BARE, **{field: value})  # type: ignore[arg-type]
    else:
        meme = replace(BARE, family=replace(BARE.family, **{field: value}))  # type: ignore[arg-type]
    assert hows("purple zeppelin", meme) == {field: How.PHRASE}
    assert hows("zeppelins purple", meme) == {field: How.TERMS}
    assert hows("purpel zepelin", meme) == {field: How.FUZZY}
    assert hows("red zeppelin", meme) == {}


def test_the_canonical_fields_are_all_that_a_record_says_of_a_meme() -> None:
    of_item = {"family", "id", "media", "exact_hash", "perceptual_hash", "group", "change", "rights", "safety"}
    own = set(Meme.__slots__) - of_item - {"content_hash"}
    # situations help to find an item and say nothing of what it is
    assert set(FIELDS) == own | (set(type(FOUND.family).__slots__) - {"id", "situations"})
    assert {field for field, _ in values(bundled_world().memes["john-cena.shy-bug"])} == set(FIELDS)


@pytest.mark.parametrize(("text", "field"), [("2031", "year"), ("xx", "language"), ("klingon", "kind")])
def test_what_a_filter_would_ask_for_is_a_field_too(text: str, field: str) -> None:
    meme = replace(BARE, language="xx", family=replace(BARE.family, year=2031, kind="klingon"))
    assert hows(text, meme) == {field: How.PHRASE}


@pytest.mark.parametrize(
    ("text", "how"),
    [
        ("Café DES Flores", How.PHRASE),
        ("flores des café", How.TERMS),
        ("cafédesflores", How.FUZZY),
        ("caffe des florez", How.FUZZY),
        ("cafedesflorrez", How.FUZZY),
        ("edesf", None),
        ("cafe", How.PHRASE),
        ("caf", None),
        ("cafes of other cities", None),
    ],
)
def test_spelling_accents_and_order_do_not_hide_a_text(text: str, how: How | None) -> None:
    assert hows(text, replace(BARE, tags=("cafe des flores",))) == ({"tags": how} if how else {})


def test_words_that_are_spread_over_fields_are_found_misspelt_too() -> None:
    meme = replace(BARE, tags=("zeppelin",), quote="purple rain")
    assert find("purpel zeppelins", [meme]) == (Finding(meme.id, EVERYWHERE, How.SPREAD),)
    assert find("purple zeppelin oslo", [meme]) == ()


def test_pictographs_are_found_as_they_stand() -> None:
    assert hows("🙃", replace(BARE, quote="so 🙃 it goes")) == {"quote": How.PHRASE}
    assert hows("🙂", replace(BARE, quote="so 🙃 it goes")) == {}


def test_the_surest_findings_come_first_and_each_field_once() -> None:
    sure = replace(BARE, id="z.z", tags=("purple zeppelins", "purple zeppelin"))
    unsure = replace(BARE, id="a.a", tags=("purpel zepelin",))
    assert [(one.item, one.how) for one in find("purple zeppelin", [unsure, sure])] == [
        ("z.z", How.PHRASE),
        ("a.a", How.FUZZY),
    ]


KNOWN = [meme for meme in serving(bundled_world().corpus) if meme.family.id in bundled_world().development]


@given(st.sampled_from(KNOWN), st.data())
def test_any_words_in_a_row_of_any_field_are_found(meme: Meme, data: st.DataObject) -> None:
    field, value = data.draw(st.sampled_from(list(values(meme))))
    found = value.split()
    start = data.draw(st.integers(0, len(found) - 1))
    text = " ".join(found[start : data.draw(st.integers(start + 1, len(found)))])
    if any(char.isalnum() for char in text):
        assert field in hows(text.upper(), meme)


@given(st.text(max_size=30))
def test_any_text_at_all_can_be_looked_for(text: str) -> None:
    assert len(find(text, [FOUND, BARE])) >= 0


@pytest.fixture(scope="module")
def auditor(engine: Engine) -> Auditor:
    return Auditor(bundled_world().corpus, engine)


def test_only_what_policy_shows_is_looked_at_and_a_copy_is_its_original(engine: Engine, auditor: Auditor) -> None:
    world = bundled_world()
    for text in ("wrestling", "reading room", "shock", "tide pods"):
        looked = auditor.check(no_match(text), nearest=len(world.memes)).look_at
        assert set(looked) <= world.serving
        assert all(world.memes[item].group == item for item in looked)
    assert "john-cena.reading-room" in auditor.check(no_match("silent reading room")).look_at


def test_the_serving_corpus_is_what_the_engine_can_show(engine: Engine) -> None:
    assert len(serving(bundled_world().corpus)) == engine.shown


def test_an_item_without_cleared_rights_or_with_a_blocked_class_does_not_serve() -> None:
    corpus = bundled_world().corpus
    uncleared = replace(FOUND, rights=Rights("a", "b", "c", "d", cleared=False))
    incomplete = replace(FOUND, rights=Rights("a", "b", "c", "", cleared=True))
    sensitive = replace(FOUND, safety=Safety(SafetyClass.SENSITIVE, ("drugs",), "1"))
    assert serving(replace(corpus, memes=(uncleared, incomplete, sensitive, FOUND))) == [FOUND]


def test_the_nearest_are_those_of_an_encoding_made_anew(engine: Engine, auditor: Auditor) -> None:
    version, corpus = engine.version, bundled_world().corpus
    encoder = QueryEncoder(model_folder(version.folder.parents[1], version.manifest))
    text = "a machine that folds socks"
    nearest = auditor.check(no_match(text)).nearest
    vector = encoder.encode([text])[0]
    for one in [nearest[0], nearest[7], nearest[-1]]:
        texts = [text for texts in dense_texts(bundled_world().memes[one.item]).values() for text in texts]
        assert one.cosine == pytest.approx(max(float(encoder.encode([each])[0] @ vector) for each in texts), abs=2e-5)
    cosines = [one.cosine for one in nearest]
    assert cosines == sorted(cosines, reverse=True)
    assert len(nearest) == audit.NEAREST
    assert max(Counter(one.item.partition(".")[0] for one in nearest).values()) <= 2
    best = next(meme for meme in serving(corpus) if meme.id == nearest[0].item)
    route = engine.search(text, "dense", 10)
    assert best.family.id in {hit.meme.family.id for hit in route.hits or route.nearest}


def test_nothing_is_too_far_away_to_be_listed(auditor: Auditor) -> None:
    report = auditor.check(no_match("qwertzuiop asdfghjkl"))
    assert report.findings == ()
    assert len(report.nearest) == audit.NEAREST
    assert np.isfinite([one.cosine for one in report.nearest]).all()


def test_an_index_of_another_corpus_is_refused(engine: Engine) -> None:
    with pytest.raises(UsageError, match="another corpus"):
        Auditor(replace(bundled_world().corpus, digest="0" * 64), engine)


NEAR = (Near("a.a", 0.5), Near("b.b", 0.4))
REPORT = AuditReport("dev-007", "red \x1b[31mteapot", "a" * 64, (Finding("b.b", "tags", How.TERMS),), NEAR)


def test_a_record_carries_corpus_fields_and_what_was_to_be_looked_at() -> None:
    time = datetime(2024, 5, 1, 14, 0, tzinfo=timezone(timedelta(hours=2)))
    record = REPORT.record(time, [Inspection("ann", absent=True)])
    assert record == Audit(
        "dev-007", "a" * 64, FIELDS, ("b.b", "a.a"), (Inspection("ann", True),), "2024-05-01T12:00:00+00:00"
    )


def test_a_record_expires_with_any_change_of_the_corpus() -> None:
    corpus = bundled_world().corpus
    record = replace(REPORT, corpus=corpus.digest).record(datetime.now(UTC))
    assert not expired(record, corpus)
    assert expired(record, replace(corpus, digest="b" * 64))


def test_a_report_is_printable() -> None:
    rows = ["  look at b.b: terms in tags", "  nearest a.a: 0.500", "  nearest b.b: 0.400"]
    assert lines(REPORT) == ["dev-007  red [31mteapot", *rows]


def command(*arguments: str) -> int:
    parser = argparse.ArgumentParser()
    audit.add_options(parser)
    return audit.run(parser.parse_args(arguments))


def test_the_command_writes_rows_that_load_once_annotators_stand_on_them(
    data_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, out = small().write(tmp_path / "p"), tmp_path / "rows.jsonl"
    assert command(str(folder), "--data-dir", str(data_dir), "--out", str(out)) == 0
    assert capsys.readouterr().out.startswith("dev-007  medieval tax form\n")
    (row,) = read_table(out, Audit).values
    assert (row.query, row.annotators) == ("dev-007", ())
    (folder / "audits.jsonl").write_text(out.read_text())
    with pytest.raises(PartitionError, match="1 fault"):
        load(folder, bundled_world())
    (folder / "audits.jsonl").write_text(out.read_text().replace("[], ", '[{"name": "ann", "absent": true}], '))
    assert load(folder, bundled_world()).audits["dev-007"].nearest == row.nearest
    with pytest.raises(UsageError, match="can't be written"):
        command(str(folder), "--data-dir", str(data_dir), "--out", str(out))
