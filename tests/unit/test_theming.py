"""Themes: the shipped ones can be read by everybody, a person's own win, and a faulty one is told by itself."""

from dataclasses import asdict, fields
from pathlib import Path

import pytest

from mambomeme_tui import paths
from mambomeme_tui.errors import UsageError
from mambomeme_tui.ui.theming import DEFAULT, Palette, load_palette, textual_theme

SHIPPED = sorted(path.stem for path in paths.bundled("themes").glob("*.toml"))
NIGHT = (paths.bundled("themes") / "night.toml").read_text(encoding="utf-8")
FOREGROUNDS = ("text", "muted", "title", "accent", "brand", "rank", "good", "warning", "error")


@pytest.fixture
def own(tmp_path: Path) -> Path:
    folder = tmp_path / "config" / "themes"
    folder.mkdir(parents=True)
    return folder


def luminance(colour: str) -> float:
    """Relative luminance after WCAG 2.1."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def test_the_yardstick_of_contrast_gives_the_known_values() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


def test_the_default_and_a_light_theme_are_shipped() -> None:
    assert {DEFAULT, "day"} <= set(SHIPPED)


@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_theme_can_be_read_on_its_own_ground(name: str) -> None:
    palette, dark = load_palette(name)
    colours = asdict(palette)
    assert dark == (luminance(palette.background) < 0.5)
    faint = {key: round(contrast(colours[key], palette.background), 2) for key in FOREGROUNDS}
    assert {key: ratio for key, ratio in faint.items() if ratio < 4.5} == {}


@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_theme_gives_textual_the_same_colours(name: str) -> None:
    palette, dark = load_palette(name)
    theme = textual_theme(palette, dark)
    generated = theme.to_color_system().generate()
    assert theme.dark is dark
    for variable, colour in (
        ("background", palette.background),
        ("foreground", palette.text),
        ("surface", palette.surface),
        ("panel", palette.footer),
        ("primary", palette.accent),
        ("accent", palette.accent),
        ("secondary", palette.brand),
        ("warning", palette.warning),
        ("error", palette.error),
        ("success", palette.good),
    ):
        pairs = zip(bytes.fromhex(generated[variable][1:]), bytes.fromhex(colour[1:]), strict=True)
        assert all(abs(one - other) <= 1 for one, other in pairs), variable  # Textual rounds on its way through HSL


def test_a_person_s_own_theme_wins_over_a_shipped_one_of_its_name(own: Path) -> None:
    (own / "night.toml").write_text(NIGHT.replace("#c0caf5", "#ABCDEF").replace("dark = true", "dark = false"))
    palette, dark = load_palette("night")
    assert (palette.text, dark) == ("#ABCDEF", False)


def test_a_copy_under_another_name_is_a_theme(own: Path) -> None:
    (own / "mine.toml").write_text(NIGHT)
    assert load_palette("mine") == load_palette("night")


FAULTS = {
    "no TOML": (NIGHT + "\n[", "can't be read"),
    "no colours": ("dark = true\n", "lacks 'colours'"),
    "colours of another kind": ("dark = true\ncolours = 3\n", "can't be read"),
    "no word of light": (NIGHT.replace("dark = true", ""), "lacks 'dark'"),
    "light as a text": (NIGHT.replace("dark = true", 'dark = "false"'), "dark is true or false, not 'false'"),
    "light as a number": (NIGHT.replace("dark = true", "dark = 1"), "dark is true or false, not 1"),
    "a colour less": (NIGHT.replace('title = "#e6e9ff"\n', ""), "one too many: title"),
    "a colour more": (NIGHT + 'sparkle = "#ffffff"\n', "one too many: sparkle"),
    "a colour misspelt": (NIGHT.replace("muted", "mutted"), "one too many: muted, mutted"),
    "a short colour": (NIGHT.replace("#e6e9ff", "#eef"), "title is written as '#rrggbb', not '#eef'"),
    "a named colour": (NIGHT.replace("#e6e9ff", "white"), "title is written as '#rrggbb', not 'white'"),
    "a colour with more": (NIGHT.replace("#e6e9ff", "#e6e9ff "), "title is written as '#rrggbb'"),
    "a number": (NIGHT.replace('"#e6e9ff"', "123456"), "title is written as '#rrggbb', not 123456"),
}


@pytest.mark.parametrize(("written", "told"), FAULTS.values(), ids=FAULTS.keys())
def test_a_faulty_theme_is_told_with_its_file_and_touches_no_other(written: str, told: str, own: Path) -> None:
    (own / "mine.toml").write_text(written)
    with pytest.raises(UsageError) as caught:
        load_palette("mine")
    assert f"The theme {own / 'mine.toml'}" in str(caught.value)
    assert told in str(caught.value)
    assert isinstance(load_palette("night")[0], Palette)


def test_a_theme_that_is_no_text_is_told(own: Path) -> None:
    (own / "mine.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(UsageError, match="can't be read"):
        load_palette("mine")


def test_an_unknown_theme_is_told_with_those_there_are(own: Path) -> None:
    (own / "mine.toml").write_text(NIGHT)
    with pytest.raises(UsageError) as caught:
        load_palette("noon")
    assert caught.value.message == "There is no theme called 'noon'."
    assert caught.value.hint == f"There are {', '.join(sorted(['mine', *SHIPPED]))}."


@pytest.mark.parametrize("name", ["../secret", "themes/../../secret", "ROOT/secret", "", ".", "nul\0", "sub/inner"])
def test_a_name_never_leads_out_of_the_themes_folders(name: str, own: Path, tmp_path: Path) -> None:
    for place in (own.parent, tmp_path, own / "sub"):
        place.mkdir(exist_ok=True)
        for file in ("secret.toml", "inner.toml"):
            (place / file).write_text(NIGHT)
    with pytest.raises(UsageError, match="There is no theme called"):
        load_palette(name.replace("ROOT", str(tmp_path)))


def test_a_palette_has_a_place_for_every_colour_that_contrast_is_asked_of() -> None:
    assert set(FOREGROUNDS) < {field.name for field in fields(Palette)}
