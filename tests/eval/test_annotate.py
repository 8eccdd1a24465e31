"""The judging screen: what it shows, what its keys do, and that an answer is on the disk with the second key."""

import argparse
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from PIL import Image
from rich.cells import cell_len
from textual.pilot import Pilot

from mambomeme_eval import commands_judging
from mambomeme_eval.annotate import screen, sheet
from mambomeme_eval.annotate.picture import half_blocks, moves, picture_path
from mambomeme_eval.annotate.screen import JudgingApp, PictureBox
from mambomeme_eval.annotate.sitting import Sitting
from mambomeme_eval.benchmark import PartitionError, Role
from mambomeme_eval.desk import annotator_desk, ledger_of
from mambomeme_eval.judging import Judging
from mambomeme_eval.ledger import RECOVERED, Ledger
from mambomeme_eval.pooling import GOLD_FILE
from mambomeme_tui.errors import MamboError, OutputError, TerminalUnsuitable
from mambomeme_tui.paths import bundled
from mambomeme_tui.records import Meme, SafetyClass
from tests.eval.files_of_answers import filled
from tests.eval.judging_sets import FOUND, NOW, answer, judged, opened, partition, pooled, rows

HOSTILE = "a\x1b[2Jb\u202ec\x9bd [bold red]e[/] [@click=app.quit]f[/]"
HARMLESS = "a [2Jbc d [bold red]e[/] [@click=app.quit]f[/]"


@pytest.fixture
def judging(tmp_path: Path) -> Judging:
    """Fifty-one candidates that nobody has judged."""
    return pooled(tmp_path / "p")


def sitting(judging: Judging, name: str = "ann") -> Sitting:
    return Sitting(annotator_desk(judging, name), ledger_of(judging), lambda: NOW)


@asynccontextmanager
async def running(one: Sitting, size: tuple[int, int] = (80, 24)) -> AsyncIterator[Pilot[None]]:
    app = JudgingApp(one)
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        yield pilot


def screen_lines(pilot: Pilot[None]) -> list[str]:
    return [strip.text for strip in pilot.app.screen._compositor.render_strips()]


def text_of(pilot: Pilot[None]) -> str:
    """The words on the screen, without the picture, in one row."""
    return " ".join(" ".join(screen_lines(pilot)).replace("▀", " ").split())


def current(one: Sitting) -> Meme:
    assert one.task
    return one.desk.meme(one.task)


@pytest.mark.parametrize("size", [(80, 24), (100, 30), (200, 60)])
async def test_the_screen_shows_query_picture_texts_and_keys_and_fits(judging: Judging, size: tuple[int, int]) -> None:
    one = sitting(judging)
    async with running(one, size) as pilot:
        lines = screen_lines(pilot)
        assert [cell_len(line) for line in lines] == [size[0]] * size[1]
        assert one.task
        assert lines[0].split() == ["new", "query", *judging.queries[one.task.candidate.query].text.split()]
        for text in (current(one).title, current(one).quote, current(one).picture):
            assert " ".join(text.split()) in text_of(pilot)
        assert lines[-1].strip() == sheet.KEYS
        assert "grade ? safety ? 0 of 53 judged guideline 1" in text_of(pilot)
        box = pilot.app.query_one(PictureBox)
        assert box.path == bundled("corpus").resolve() / current(one).media
        assert sum(line.count("▀") for line in lines) == box.size.width * box.size.height > 0


async def test_nothing_of_systems_or_other_people_is_shown(judging: Judging) -> None:
    judged(judging, bob=3)
    one = sitting(judging)
    async with running(one, (200, 60)) as pilot:
        assert not any(word in text_of(pilot) for word in ("bm25", "hybrid", "bob", current(one).id, "v-0123"))


@pytest.mark.parametrize("size", [(60, 24), (80, 16)])
async def test_without_room_for_the_picture_its_path_is_told(judging: Judging, size: tuple[int, int]) -> None:
    one = sitting(judging)
    async with running(one, size) as pilot:
        assert "▀" not in text_of(pilot)
        await pilot.press("end")
        await pilot.pause()
        told = "".join(screen_lines(pilot)[2:]).replace(" ", "")
        assert current(one).media in told


async def test_without_colours_the_path_stands_for_the_picture(
    judging: Judging, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with running(sitting(judging)) as pilot:
        assert "▀" not in text_of(pilot)


async def test_the_picture_comes_back_with_the_room(judging: Judging) -> None:
    async with running(sitting(judging), (60, 20)) as pilot:
        await pilot.resize_terminal(80, 24)
        await pilot.pause()
        assert "▀" in "".join(screen_lines(pilot))


@pytest.mark.parametrize("grade", range(4))
@pytest.mark.parametrize(("key", "level"), [("s", "safe"), ("e", "sensitive"), ("b", "blocked")])
async def test_a_grade_and_a_class_are_an_answer_on_the_disk(
    judging: Judging, grade: int, key: str, level: str
) -> None:
    one = sitting(judging)
    async with running(one) as pilot:
        first = one.task
        await pilot.press(str(grade))
        assert f"grade {grade} safety ?" in text_of(pilot)
        assert rows(judging) == ()
        await pilot.press(key)
        assert first
        assert rows(judging) == (one.desk.row(first, grade, SafetyClass(level), NOW),)
        assert one.task is one.desk.tasks[1]
        assert "grade ? safety ? 1 of 53 judged" in text_of(pilot)


async def test_nothing_is_preset_and_the_grade_comes_first(judging: Judging) -> None:
    one = sitting(judging)
    async with running(one) as pilot:
        await pilot.press("s", "e", "b", "enter", "space", "4", "x")
        assert "First the grade: 0, 1, 2 or 3." in text_of(pilot)
        assert rows(judging) == ()
        await pilot.press("1", "3", "s", "s", "s")  # another grade instead, and a key that bounces
        assert [row.grade for row in rows(judging)] == [3]
        assert one.grade is None


async def test_undo_takes_back_the_grade_and_then_the_last_answer(judging: Judging) -> None:
    one = sitting(judging)
    async with running(one) as pilot:
        await pilot.press("2", "s", "1", "e", "3", "u")
        assert (one.grade, one.done) == (None, 2)
        await pilot.press("u")
        assert [row.grade for row in rows(judging)] == [2]
        assert one.task is one.desk.tasks[1]
        assert "The last answer was taken back." in text_of(pilot)
        await pilot.press("0", "b", "u", "u", "u")
        assert rows(judging) == ()
        assert "no answer of this sitting" in text_of(pilot)
    assert len((judging.folder / "withdrawn.jsonl").read_text().splitlines()) == 3


async def test_what_was_judged_before_this_sitting_is_not_undone(judging: Judging) -> None:
    answer(annotator_desk(judging, "ann"), most=3)
    async with running(sitting(judging)) as pilot:
        await pilot.press("u")
        assert len(rows(judging)) == 3


async def test_quitting_in_the_middle_goes_on_there_the_next_time(judging: Judging) -> None:
    async with running(sitting(judging)) as pilot:
        await pilot.press(*("2s" * 5), "3", "q")
    one = sitting(opened(judging.folder))
    assert (one.task, one.grade) == (one.desk.tasks[5], None)
    async with running(one) as pilot:
        assert "5 of 53 judged" in text_of(pilot)


async def test_the_end_is_told_and_keys_do_nothing_then(judging: Judging) -> None:
    answer(annotator_desk(judging, "ann"), most=52)
    one = sitting(judging)
    async with running(one) as pilot:
        await pilot.press("2", "s", "2", "s", "0", "b")
        assert "Nothing is left to be judged" in text_of(pilot)
        assert "53 of 53 judged" in text_of(pilot)
        assert len(rows(judging)) == 53
        await pilot.press("u")
        assert one.task is one.desk.tasks[52]


async def test_a_change_of_the_query_is_told(judging: Judging) -> None:
    one = sitting(judging)
    fresh = []
    async with running(one) as pilot:
        for _ in range(25):
            fresh.append("new query" in screen_lines(pilot)[0])
            await pilot.press("0", "s")
    queries = [task.candidate.query for task in one.desk.tasks[:25]]
    assert fresh == [True, *(before != after for before, after in pairwise(queries))]


async def test_no_control_code_and_no_markup_of_a_text_is_obeyed(judging: Judging) -> None:
    one = sitting(judging)
    assert one.task
    query = judging.queries[one.task.candidate.query]
    with spoilt(judging, current(one)):
        judging.queries[query.id] = replace(query, text=HOSTILE)  # type: ignore[index]
        async with running(one, (80, 50)) as pilot:
            lines = screen_lines(pilot)
            assert text_of(pilot).count(HARMLESS) >= 3
            assert HARMLESS in " ".join(lines[0].split())
            assert all(char.isprintable() for line in lines for char in line)
            await pilot.click(offset=(40, 0))
            assert pilot.app.is_running


@contextmanager
def spoilt(judging: Judging, meme: Meme) -> Iterator[None]:
    """The item with hostile texts, in the corpus that all tests share."""
    memes = judging.world.memes
    memes[meme.id] = replace(
        meme, title=HOSTILE, quote=HOSTILE, picture=HOSTILE, meaning=HOSTILE, tags=(HOSTILE,), language=HOSTILE
    )
    try:
        yield
    finally:
        memes[meme.id] = meme


def test_a_long_query_is_repeated_whole(judging: Judging) -> None:
    query = replace(judging.queries["dev-001"], text="word " * 100 + "end")
    meme = judging.world.memes["salt-bae.cat-fur"]
    assert "end" not in sheet.head(query, new=False).plain
    assert query.text in sheet.body(query, meme, moving=True, with_path=False).plain
    assert "moving picture" in sheet.body(query, meme, moving=True, with_path=False).plain


async def test_a_long_text_is_scrolled_and_the_next_one_starts_at_its_beginning(judging: Judging) -> None:
    one = sitting(judging)
    judging.world.memes[current(one).id] = (meme := current(one)) and replace(meme, meaning="long " * 199 + "end")
    try:
        async with running(one) as pilot:
            assert "end" not in text_of(pilot).split()
            for _ in range(40):
                await pilot.press("down")
            await pilot.press("end")
            await pilot.pause(0.5)
            assert meme.title not in screen_lines(pilot)[2]
            await pilot.press("2", "s")
            await pilot.pause()
            assert current(one).title in screen_lines(pilot)[2]
    finally:
        judging.world.memes[meme.id] = meme


async def test_what_others_complete_meanwhile_is_passed_by(judging: Judging) -> None:
    one = sitting(judging)
    async with running(one) as pilot:
        await pilot.press("2")
        judged(judging, bob=1, dee=1)
        before = len(rows(judging))
        await pilot.press("s")
        assert "got all its judgements meanwhile" in text_of(pilot)
        assert "Nothing is left" in text_of(pilot)
        assert len(rows(judging)) == before


async def test_an_answer_that_can_not_be_written_ends_the_sitting_with_its_reason(
    judging: Judging, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = sitting(judging)

    def full(*_: object) -> None:
        raise OutputError("judgements.jsonl can't be written: No space left on device.")

    monkeypatch.setattr(Ledger, "add", full)
    app = JudgingApp(one)
    async with app.run_test() as pilot:
        await pilot.press("2", "s")
    assert isinstance(app.failure, OutputError)
    assert not app.is_running


def test_a_half_written_line_is_told_when_a_sitting_begins(judging: Judging) -> None:
    answer(annotator_desk(judging, "ann"), most=4)
    path = judging.folder / "judgements.jsonl"
    path.write_bytes(path.read_bytes()[:-30])
    one = sitting(judging)
    assert one.notice == RECOVERED
    assert (one.task, one.done) == (one.desk.tasks[3], 3)


def test_without_a_terminal_the_file_mode_is_named(judging: Judging) -> None:
    with pytest.raises(TerminalUnsuitable, match="--export"):
        screen.judge(lambda: sitting(judging))


def test_half_blocks_hold_two_pixels_a_cell(tmp_path: Path) -> None:
    path = tmp_path / "four.png"
    picture = Image.new("RGB", (2, 4))
    picture.putdata([(255, 0, 0), (0, 255, 0), (0, 0, 255), (9, 9, 9), (1, 2, 3), (4, 5, 6), (7, 8, 9), (0, 1, 2)])
    picture.save(path)
    lines = half_blocks(path, 4, 2, "#102030")
    assert lines
    colours = [[(cell.style.color.name, cell.style.bgcolor.name) for cell in line] for line in lines]  # type: ignore[union-attr]
    ground = ("#102030", "#102030")
    assert colours == [
        [ground, ("#ff0000", "#0000ff"), ("#00ff00", "#090909"), ground],
        [ground, ("#010203", "#070809"), ("#040506", "#000102"), ground],
    ]


def test_a_damaged_or_huge_picture_is_not_drawn(tmp_path: Path) -> None:
    path = tmp_path / "bad.png"
    path.write_bytes(b"\x89PNG\r\n\x1a\nnothing")
    assert half_blocks(path, 4, 4, "#000000") is None
    assert not moves(path)
    Image.new("1", (8001, 8000)).save(tmp_path / "huge.png")
    assert half_blocks(tmp_path / "huge.png", 4, 4, "#000000") is None


@pytest.mark.parametrize("media", ["", "../outside.png", "media/none.webp", "a\0b", "x" * 300, "."])
def test_a_path_outside_the_corpus_or_to_nothing_is_no_picture(tmp_path: Path, media: str) -> None:
    (tmp_path / "outside.png").write_bytes(b"")
    root = tmp_path / "corpus"
    root.mkdir()
    assert picture_path(root, media) is None


def command(*arguments: str) -> int:
    parser = argparse.ArgumentParser()
    commands_judging.add_commands(parser.add_subparsers(required=True))
    options = parser.parse_args(arguments)
    return int(options.run(options))


def test_the_commands_go_from_files_to_agreement(judging: Judging, capsys: pytest.CaptureFixture[str]) -> None:
    folder, path = str(judging.folder), judging.folder.parent
    for name, grade in (("ann", 3), ("bob", 1)):
        file = path / name
        assert command("annotate", folder, "--annotator", name, "--export", str(file)) == 0
        filled(file, grade)
        assert command("annotate", folder, "--annotator", name, "--import", str(file)) == 0
    assert command("adjudicate", folder, "--annotator", "cyd", "--export", str(path / "cyd")) == 0
    filled(path / "cyd", 2)
    assert command("adjudicate", folder, "--annotator", "cyd", "--import", str(path / "cyd")) == 0
    assert command("adjudicate", folder, "--annotator", "cyd", "--export", str(path / "none")) == 0
    assert command("agreement", folder, "--json", str(path / "agreement.json")) == 0
    assert command("judgements", "status", folder) == 0
    told = capsys.readouterr().out
    assert told.count("53 judgements appended") == 2
    assert "51 judgements appended" in told
    assert "nothing is left to be judged" in told
    assert "51 of 51 candidates of 3 queries have their final grade" in told
    assert '"within_one"' in (path / "agreement.json").read_text()
    assert sum(row.role is Role.ADJUDICATOR for row in rows(judging)) == 51


def test_a_half_written_line_is_told_by_the_file_mode_too(judging: Judging, capsys: pytest.CaptureFixture[str]) -> None:
    answer(annotator_desk(judging, "ann"), most=4)
    path = judging.folder / "judgements.jsonl"
    name, file = ("annotate", str(judging.folder), "--annotator", "ann"), judging.folder.parent / "a"
    command(*name, "--export", str(file))
    path.write_bytes(path.read_bytes()[:-2])
    before = path.read_bytes()
    with pytest.raises(PartitionError):
        command(*name, "--export", str(judging.folder.parent / "b"))
    assert path.read_bytes() == before  # an export only reads
    filled(file)
    capsys.readouterr()
    with pytest.raises(PartitionError):  # of the answer that was cut off there is no row in the file
        command(*name, "--import", str(file))
    assert capsys.readouterr().out == f"{RECOVERED}\n"
    assert (judging.folder / "judgements.jsonl.rest").read_bytes() == before.splitlines()[-1] + b"\n"


def test_the_pool_command_takes_gold_from_the_partition(
    tmp_path: Path, data_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = partition(tmp_path / "p")
    (folder / GOLD_FILE).write_text('{"query": "dev-007", "items": ["salt-bae.cat-fur"]}\n')
    command("pool", str(folder), "--data-dir", str(data_dir), "--seed", "5")
    command("pool", str(folder), "--data-dir", str(data_dir))
    first, second = capsys.readouterr().out.splitlines()
    judging = opened(folder)
    count = len(judging.candidates)
    assert first == f"{count} candidates added, {count} in the pool, judgement set 1"
    assert second == f"0 candidates added, {count} in the pool, judgement set 1"
    assert judging.pooling.seed == 5
    assert ("dev-007", "salt-bae.cat-fur") in {(one.query, one.item) for one in judging.candidates}
    assert set(FOUND) < {one.query for one in judging.candidates}


@pytest.mark.parametrize(
    "arguments",
    [
        ("annotate", "p"),
        ("annotate", "p", "--annotator", "a", "--export", "x", "--import", "y"),
        ("pool", "p", "--depth", "9"),
        ("pool", "p", "--seed", "-1"),
        ("judgements", "p"),
    ],
)
def test_a_wrong_command_line_is_refused(arguments: tuple[str, ...]) -> None:
    with pytest.raises(SystemExit) as raised:
        command(*arguments)
    assert raised.value.code == 2


def test_a_folder_that_is_no_partition_is_told(tmp_path: Path) -> None:
    for arguments in (("annotate", "--annotator", "a"), ("agreement",)):
        with pytest.raises(MamboError):
            command(arguments[0], str(tmp_path), *arguments[1:])
