"""Pictures become half blocks in their own colours and proportions; what is no picture becomes nothing, and quietly."""

import random
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image
from rich.segment import Segment
from textual.strip import Strip

from mambomeme_tui.ui.picture import half_blocks

BLACK, RED, BLUE, GREEN = (0, 0, 0), (255, 0, 0), (0, 0, 255), (0, 128, 0)
Colour = tuple[int, int, int]
Grid = list[list[Colour]]


def pixels_of(strips: tuple[Strip, ...]) -> Grid:
    """What a terminal would show, two rows of pixels a strip: the foreground above, the background below."""
    rows: Grid = []
    for strip in strips:
        assert {segment.text for segment in strip} == {"▀"}
        rows.append([_rgb(segment, "color") for segment in strip])
        rows.append([_rgb(segment, "bgcolor") for segment in strip])
    return rows


def _rgb(segment: Segment, which: str) -> Colour:
    triplet = getattr(segment.style, which).triplet
    return triplet.red, triplet.green, triplet.blue


def shown(path: Path, width: int, height: int, background: str = "#000000") -> Grid:
    strips = half_blocks(path, width, height, background)
    assert strips is not None
    assert [strip.cell_length for strip in strips] == [width] * height
    return pixels_of(strips)


def painted(size: tuple[int, int], paint: Callable[[int, int], Colour]) -> Image.Image:
    image = Image.new("RGB", size)
    image.putdata([paint(x, y) for y in range(size[1]) for x in range(size[0])])
    return image


def test_a_cell_shows_two_pixels_the_upper_one_above(tmp_path: Path) -> None:
    path = tmp_path / "split.png"
    painted((8, 8), lambda _, y: RED if y < 3 else BLUE).save(path)
    assert shown(path, 8, 4) == [[RED] * 8] * 3 + [[BLUE] * 8] * 5


def test_left_is_left(tmp_path: Path) -> None:
    path = tmp_path / "split.png"
    painted((8, 8), lambda x, _: RED if x < 3 else BLUE).save(path)
    assert shown(path, 8, 4) == [[RED] * 3 + [BLUE] * 5] * 8


def test_every_pixel_of_a_picture_of_the_very_size_is_shown_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "noise.png"
    dice = random.Random(7)
    grid: Grid = [
        [(dice.randrange(256), dice.randrange(256), dice.randrange(256)) for _ in range(13)] for _ in range(10)
    ]
    painted((13, 10), lambda x, y: grid[y][x]).save(path)
    assert shown(path, 13, 5) == grid


def test_a_file_that_was_changed_is_shown_anew(tmp_path: Path) -> None:
    path = tmp_path / "plain.png"
    for colour in (RED, BLUE, RED):
        Image.new("RGB", (8, 8), colour).save(path)
        assert shown(path, 8, 4) == [[colour] * 8] * 8
    path.unlink()
    assert half_blocks(path, 8, 4, "#000000") is None


@pytest.mark.parametrize(("size", "width", "height"), [((300, 100), 30, 15), ((100, 300), 30, 15), ((7, 7), 21, 20)])
def test_proportions_are_kept_and_the_picture_stands_in_the_middle(
    size: tuple[int, int], width: int, height: int, tmp_path: Path
) -> None:
    path = tmp_path / "plain.png"
    Image.new("RGB", size, RED).save(path)
    grid = shown(path, width, height, "#008000")
    red = [(x, y) for y, row in enumerate(grid) for x, colour in enumerate(row) if colour == RED]
    assert {colour for row in grid for colour in row} <= {RED, GREEN}
    xs, ys = {x for x, _ in red}, {y for _, y in red}
    assert len(red) == len(xs) * len(ys)
    scale = min(width / size[0], height * 2 / size[1])
    assert (len(xs), len(ys)) == (round(size[0] * scale), round(size[1] * scale))
    assert abs(min(xs) - (width - 1 - max(xs))) <= 1
    assert abs(min(ys) - (height * 2 - 1 - max(ys))) <= 1


def test_shrinking_takes_the_mean_of_what_falls_on_a_pixel(tmp_path: Path) -> None:
    path = tmp_path / "board.png"
    painted((1200, 1200), lambda x, y: (200, 100, 0) if (x + y) % 2 else (0, 50, 100)).save(path)
    assert {colour for row in shown(path, 12, 6) for colour in row} == {(100, 75, 50)}


def test_what_can_be_seen_through_shows_the_ground(tmp_path: Path) -> None:
    path = tmp_path / "clear.png"
    image = Image.new("RGBA", (4, 4), (255, 0, 0, 0))
    image.paste((255, 0, 0, 255), (0, 0, 2, 4))
    image.save(path)
    assert shown(path, 4, 2, "#0000ff") == [[RED, RED, BLUE, BLUE]] * 4


def test_of_a_moving_picture_the_first_frame_is_shown(tmp_path: Path) -> None:
    path = tmp_path / "moving.gif"
    frames = [Image.new("RGB", (6, 6), colour) for colour in (RED, BLUE)]
    frames[0].save(path, save_all=True, append_images=frames[1:])
    assert shown(path, 6, 3) == [[RED] * 6] * 6


@pytest.mark.parametrize("mode", ["1", "L", "P", "LA", "CMYK", "I;16"])
@pytest.mark.parametrize("form", ["png", "tiff"])
def test_black_is_black_in_every_kind_of_file(mode: str, form: str, tmp_path: Path) -> None:
    if (mode, form) == ("CMYK", "png"):
        form = "jpeg"  # PNG has no such kind
    path = tmp_path / f"black.{form}"
    black = (0, 0, 0, 255) if mode == "CMYK" else (0, 255) if mode == "LA" else 0
    Image.new(mode, (16, 16), black).save(path)
    assert shown(path, 8, 4, "#ffffff") == [[BLACK] * 8] * 8


def test_a_photograph_of_many_pixels_keeps_its_halves(tmp_path: Path) -> None:
    path = tmp_path / "photo.jpeg"
    image = Image.new("RGB", (2000, 2000), RED)
    image.paste(BLUE, (0, 1000, 2000, 2000))
    image.save(path, quality=95)
    grid = shown(path, 20, 10)
    assert all(red > 230 and blue < 30 for row in grid[:10] for red, _, blue in row)
    assert all(red < 30 and blue > 230 for row in grid[10:] for red, _, blue in row)


def _truncated(path: Path) -> None:
    painted((64, 64), lambda x, y: (x * 4, y * 4, x * y % 256)).save(path, "PNG")
    path.write_bytes(path.read_bytes()[:600])


CORRUPT: dict[str, Callable[[Path], object]] = {
    "empty": lambda path: path.write_bytes(b""),
    "text": lambda path: path.write_bytes(b"no picture at all\n" * 10),
    "only a signature": lambda path: path.write_bytes(b"\x89PNG\r\n\x1a\n"),
    "noise": lambda path: path.write_bytes(random.Random(1).randbytes(5000)),
    "jpeg of noise": lambda path: path.write_bytes(b"\xff\xd8\xff\xe0" + random.Random(2).randbytes(5000)),
    "truncated": _truncated,
    "folder": lambda path: path.mkdir(),
    "missing": lambda _: None,
}


@pytest.mark.parametrize("make", CORRUPT.values(), ids=CORRUPT.keys())
def test_what_is_no_picture_becomes_nothing(make: Callable[[Path], object], tmp_path: Path) -> None:
    path = tmp_path / "odd.png"
    make(path)
    assert half_blocks(path, 20, 10, "#000000") is None


@pytest.mark.parametrize("size", [(9000, 8000), (9500, 9500), (20000, 20000)])
def test_a_small_file_that_would_unpack_to_too_many_pixels_becomes_nothing(
    size: tuple[int, int], tmp_path: Path
) -> None:
    """Sizes below Pillow's own limit, above the one at which it warns, and above the one at which it refuses."""
    path = tmp_path / "bomb.png"
    Image.new("1", size).save(path)
    assert path.stat().st_size < 1_000_000
    with warnings.catch_warnings(record=True):
        warnings.simplefilter("always")  # a warning made an error would stop the picture in our stead
        assert half_blocks(path, 20, 10, "#000000") is None
