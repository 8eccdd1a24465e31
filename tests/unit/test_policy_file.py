"""The policy file is frozen: its version and its bytes belong together, and no mode can show what is blocked."""

from pathlib import Path

import pytest

from mambomeme_tui import rights
from mambomeme_tui.errors import CorpusError
from mambomeme_tui.paths import bundled
from mambomeme_tui.policy import load_policy
from mambomeme_tui.records import SafetyClass
from mambomeme_tui.retrieval.engine import Engine
from mambomeme_tui.safety import ViewingMode

FROZEN = {"1": "79ca6ae0d1920682f515a14eb3396ea318df11a68b227b2da730de713b741ca8"}
BUNDLED = bundled("corpus") / "policy.toml"


def test_a_changed_policy_has_a_new_version() -> None:
    policy = load_policy(BUNDLED)
    assert policy.digest == FROZEN[policy.version], "raise the version, and judge the items again"


def test_the_modes_show_what_the_words_of_the_policy_say() -> None:
    modes = load_policy(BUNDLED).modes
    assert modes == {"standard": {SafetyClass.SAFE}, "sensitive": {SafetyClass.SAFE, SafetyClass.SENSITIVE}}
    assert set(modes) == {str(mode) for mode in ViewingMode}


def test_the_required_rights_are_those_that_the_code_asks_for() -> None:
    assert load_policy(BUNDLED).required_rights == rights.REQUIRED


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('sensitive = ["safe", "sensitive"]', 'sensitive = ["safe", "sensitive", "blocked"]'),
        ('standard = ["safe"]', 'standard = ["blocked"]'),
        ('standard = ["safe"]', 'standard = ["harmless"]'),
        ('standard = ["safe"]', ""),
        ('version = "1"', ""),
        ("[modes]", "[modes"),
    ],
)
def test_a_policy_that_would_show_too_much_or_says_too_little_is_refused(old: str, new: str, tmp_path: Path) -> None:
    path = tmp_path / "policy.toml"
    text = BUNDLED.read_text(encoding="utf-8")
    assert text.count(old) >= 1
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(CorpusError):
        load_policy(path)


def test_a_version_carries_the_policy_that_it_was_made_under(engine: Engine) -> None:
    version = engine.version
    assert (version.folder / "policy.toml").read_bytes() == BUNDLED.read_bytes()
    assert version.policy == load_policy(BUNDLED)
    assert version.manifest.corpus["policy"] == {"version": version.policy.version, "sha256": version.policy.digest}
