"""Each way in which two partitions can know of one another is found alone, with the chain that joins them."""

import argparse
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mambomeme_eval import leaks
from mambomeme_eval.benchmark import Header, Kind, Labels, Partition, PartitionName, Query, Slice, Targets
from mambomeme_eval.leaks import Leak, find_leaks
from mambomeme_tui.digests import hash_json
from mambomeme_tui.fingerprints import COPY_DISTANCE
from mambomeme_tui.records import Meme
from tests.eval.partitions import bundled_world, query, small


def meme(family: str) -> Meme:
    """The first item of a family, of which nothing but its own family is known."""
    return next(one for one in bundled_world().corpus.memes if one.family.id == family)


def asked(name: str, text: str, family: str, template: str = "") -> Query:
    kind, primary = (Kind.ANSWERABLE, Slice.TOPIC) if template else (Kind.NO_MATCH, "")
    return Query(name, text, kind, primary, family, (), (template,) if template else (), "")  # type: ignore[arg-type]


def partition(*queries: Query, targets: Sequence[Targets] = ()) -> Partition:
    header = Header("v1", PartitionName.DEVELOPMENT, Labels.PROVISIONAL, "0" * 64, "1", "1", 1)
    return Partition(header, queries, {one.query: one for one in targets}, None, (), (), {}, ())


def told(found: Sequence[Leak]) -> list[list[str]]:
    return [[str(link) for link in leak.chain] for leak in found]


CENA, DOGE, STONKS = meme("john-cena"), meme("doge"), meme("stonks")
ONE = asked("a", "wrestler waving", "f-a", "john-cena")
TWO = asked("b", "shiba inu", "f-b", "doge")


def test_partitions_that_share_nothing_have_no_leak() -> None:
    assert find_leaks(partition(ONE), partition(TWO), [CENA, DOGE, STONKS]) == []


def test_a_shared_query_family_is_a_leak() -> None:
    found = find_leaks(partition(ONE), partition(replace(TWO, family="f-a")), [CENA, DOGE])
    assert told(found) == [["'a' (first) is of the query family 'f-a'", "'b' (second) is of the query family 'f-a'"]]
    assert (found[0].first, found[0].second) == (("a",), ("b",))


def test_a_shared_template_is_a_leak() -> None:
    found = find_leaks(partition(ONE), partition(replace(TWO, templates=("john-cena",))), [CENA, DOGE])
    about = "is about the template 'john-cena'"
    assert told(found) == [[f"'a' (first) {about}", f"'b' (second) {about}"]]


@pytest.mark.parametrize("name", ["You can't see me!", "YOU CANT SEE ME"])
def test_a_name_that_two_templates_share_is_a_leak_however_it_is_written(name: str) -> None:
    other = replace(DOGE, family=replace(DOGE.family, aliases=(name,)))
    found = find_leaks(partition(ONE), partition(TWO), [CENA, other])
    assert told(found) == [
        [
            "'a' (first) is about the template 'john-cena'",
            "the template 'john-cena' is called the name 'you cant see me'",
            "the template 'doge' is called the name 'you cant see me'",
            "'b' (second) is about the template 'doge'",
        ]
    ]


def test_a_prompt_that_is_a_name_of_the_other_side_is_a_leak_even_without_a_match() -> None:
    found = find_leaks(partition(ONE), partition(asked("b", "you cant see me", "f-b")), [CENA])
    assert [leak.second for leak in found] == [("b",)]


def test_a_template_that_no_query_is_about_joins_two_others() -> None:
    between = replace(STONKS, family=replace(STONKS.family, aliases=("John Cena", "doge")))
    assert find_leaks(partition(ONE), partition(TWO), [CENA, DOGE]) == []
    (leak,) = find_leaks(partition(ONE), partition(TWO), [CENA, DOGE, between])
    assert len(leak.chain) == 6


def test_a_shared_target_is_a_leak_and_a_copy_is_the_target_of_its_original() -> None:
    copy = bundled_world().memes["john-cena.reading-room-again"]
    first = partition(ONE, targets=[Targets("a", (copy.id,), ())])
    second = partition(TWO, targets=[Targets("b", (), (copy.group,))])
    (chain,) = told(find_leaks(first, second, [CENA, DOGE, copy]))
    assert chain == [
        "'a' (first) looks for the target 'john-cena.reading-room'",
        "'b' (second) looks for the target 'john-cena.reading-room'",
    ]


def test_a_target_belongs_to_its_template() -> None:
    second = partition(TWO, targets=[Targets("b", (CENA.id,), ())])
    assert [leak.first for leak in find_leaks(partition(ONE), second, [CENA, DOGE])] == [("a",)]


@pytest.mark.parametrize("distance", [0, COPY_DISTANCE, COPY_DISTANCE + 1])
def test_pictures_join_exactly_up_to_the_distance_of_copies(distance: int) -> None:
    flipped = int(CENA.perceptual_hash, 16) ^ ((1 << distance) - 1) << 100
    other = replace(DOGE, perceptual_hash=f"{flipped:064x}")
    found = find_leaks(partition(ONE), partition(TWO), [CENA, other])
    assert bool(found) is (distance <= COPY_DISTANCE)
    if found:
        assert f"{distance} bits" in str(found[0].chain[1])


def test_items_without_a_picture_are_alike_in_nothing() -> None:
    bare = [replace(one, perceptual_hash="") for one in (CENA, DOGE)]
    assert find_leaks(partition(ONE), partition(TWO), bare) == []


@pytest.mark.parametrize(
    ("first", "second", "alike"),
    [
        ("dog in a burning room", "Dog in a burning room!!", True),
        ("dog in a burning room", "dog in a burnin room", True),
        ("burning room with dog", "dog with burning rooms", True),
        ("surprised yellow face", "yellow face surprised", True),
        ("cat crying", "dog crying", False),
        ("when monday starts", "when friday starts", False),
        ("two buttons sweating", "two people arguing", False),
        ("🙃", "🙃", True),
        ("🙃", "🙂", False),
    ],
)
def test_nearly_identical_prompts_are_a_leak_and_different_ones_are_not(first: str, second: str, alike: bool) -> None:
    found = find_leaks(partition(asked("a", first, "f-a")), partition(asked("b", second, "f-b")), [])
    assert bool(found) is alike


def test_paraphrases_inside_one_partition_are_no_leak_but_carry_one() -> None:
    pair = partition(asked("a", "burning room dog", "f-a"), asked("c", "calm while all is lost", "f-a"))
    assert find_leaks(pair, partition(asked("b", "gold coins", "f-b")), []) == []
    (leak,) = find_leaks(pair, partition(asked("b", "calm while all is lost!", "f-b")), [])
    assert (leak.first, leak.second) == (("a", "c"), ("b",))
    assert leak.chain[0].start == ("first", "c")


def test_the_same_id_on_both_sides_is_no_link() -> None:
    assert find_leaks(partition(ONE), partition(replace(TWO, id="a")), [CENA, DOGE]) == []


SIDE = st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=6)


@given(SIDE, SIDE)
def test_leaks_are_the_components_that_span_both_sides(one: list[tuple[int, int]], two: list[tuple[int, int]]) -> None:
    def made(pairs: list[tuple[int, int]], side: str) -> Partition:
        named = [(f"{side}{at}", f"f{family}", f"t{template}") for at, (family, template) in enumerate(pairs)]
        return partition(*(asked(name, hash_json(name), family, template) for name, family, template in named))

    found = find_leaks(made(one, "x"), made(two, "y"), [])
    spans = {(frozenset(leak.first), frozenset(leak.second)) for leak in found}
    assert spans == naive_components(one, two)
    for leak in found:
        assert leak.chain[0].start[0] == "first"
        assert leak.chain[-1].end[0] == "second"
        assert all(link.end == after.start for link, after in zip(leak.chain, leak.chain[1:], strict=False))


def naive_components(
    one: list[tuple[int, int]], two: list[tuple[int, int]]
) -> set[tuple[frozenset[str], frozenset[str]]]:
    """Groups merged until nothing changes any more."""
    sides = [(f"x{at}", pair) for at, pair in enumerate(one)] + [(f"y{at}", pair) for at, pair in enumerate(two)]
    label = {name: number for number, (name, _) in enumerate(sides)}
    for _ in sides:
        for (name, pair), (other, other_pair) in product(sides, repeat=2):
            if pair[0] == other_pair[0] or pair[1] == other_pair[1]:
                label[name] = label[other] = min(label[name], label[other])
    groups = [{name for name in label if label[name] == number} for number in set(label.values())]
    spans = [(_of_side(group, "x"), _of_side(group, "y")) for group in groups]
    return {(first, second) for first, second in spans if first and second}


def _of_side(group: set[str], side: str) -> frozenset[str]:
    return frozenset(name for name in group if name[0] == side)


def test_no_family_kept_for_judging_is_joined_to_a_development_family() -> None:
    world = bundled_world()
    sides = [sorted(world.development), sorted(world.families - world.development)]
    first, second = (partition(*(asked(one, hash_json(one), f"about-{one}", one) for one in side)) for side in sides)
    assert len(find_leaks(first, second, world.corpus.memes)) == 0


def options(first: Path, second: Path) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    leaks.add_options(parser)
    return parser.parse_args([str(first), str(second)])


def test_the_command_lists_the_chain_and_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = small().write(tmp_path / "a")
    draft = small()
    for at, row in enumerate(draft.queries):
        row |= {"id": f"dev-{at + 101}", "family": f"other-{at}", "text": "xyzuvwq"[at] * 9}
    draft.targets = [{"query": "dev-101", "items": ["john-cena.shy-bug"], "groups": []}]
    draft.targets += [{"query": "dev-102", "items": ["john-cena.fan-selfie"], "groups": []}]
    second = draft.write(tmp_path / "b")
    assert leaks.run(options(first, second)) == 1
    out = capsys.readouterr().out.splitlines()
    assert "  'dev-003' (first) is about the template 'salt-bae'" in out
    assert "  'dev-103' (second) is about the template 'salt-bae'" in out
    assert out[-1] == "7 and 7 queries: 5 leaks."


def test_the_command_is_content_with_partitions_apart(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    draft = small()
    families = ("doge", "doge", "stonks", "trollface", "wojak", "vibing-cat")
    for at, family in enumerate(families):
        draft.queries[at] |= {
            "id": f"o-{at}",
            "family": f"o-{at}",
            "text": "xyzuvwq"[at] * 9,
            "templates": [family],
        }
    draft.queries[6] |= query("o-6", "qqqqqqqqq", "")
    item = meme("doge").id
    draft.targets = [{"query": f"o-{at}", "items": [item], "groups": []} for at in (0, 1)]
    assert leaks.run(options(small().write(tmp_path / "a"), draft.write(tmp_path / "b"))) == 0
    assert capsys.readouterr().out == "7 and 7 queries: no leaks.\n"
