"""Proves, in processes of their own, that nothing heavy is imported before it is needed and no search knows Textual."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HEAVY = {"numpy", "whoosh", "annoy", "onnxruntime", "tokenizers", "torch", "transformers", "sentence_transformers"}
SLOW = {"PIL", "pydantic", "rapidfuzz"}
DUMP = "\nimport json, sys; print(json.dumps(sorted(sys.modules)), file=sys.stderr)"
EVERY_MODULE_BUT_THE_INTERFACE = """
import importlib, pkgutil, mambomeme_tui
names = [module.name for module in pkgutil.walk_packages(mambomeme_tui.__path__, "mambomeme_tui.")]
names = [name for name in names if not name.startswith(("mambomeme_tui.ui", "mambomeme_tui.__main__"))]
assert "mambomeme_tui.index.embedding" in names and "mambomeme_tui.retrieval.dense" in names
for name in names:
    importlib.import_module(name)
"""


def modules_after(code: str, data: Path | None = None) -> set[str]:
    """Names of all modules that a fresh interpreter has loaded once it has run this."""
    environment = os.environ | ({"MAMBOMEME_DATA_DIR": str(data)} if data else {})
    command = [sys.executable, "-c", code + DUMP]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stderr.splitlines()[-1]))


def roots(modules: set[str]) -> set[str]:
    return {name.partition(".")[0] for name in modules}


def running(*arguments: str) -> str:
    """Code that runs the program and goes on after its end."""
    return f"""
from mambomeme_tui.cli import main
try:
    code = main({list(arguments)!r})
except SystemExit as end:
    code = end.code
assert code == 0, code
"""


def test_nothing_under_the_interface_imports_textual() -> None:
    assert not {"textual", "rich"} & roots(modules_after(EVERY_MODULE_BUT_THE_INTERFACE))


def test_the_session_alone_imports_neither_textual_nor_anything_heavy() -> None:
    loaded = modules_after("import mambomeme_tui.session")
    assert "mambomeme_tui.session" in loaded
    assert not ({"textual", "rich"} | HEAVY | SLOW) & roots(loaded)


@pytest.mark.parametrize("option", ["--version", "--help"])
def test_saying_the_version_loads_nothing_heavy(option: str) -> None:
    loaded = modules_after(running(option))
    assert "mambomeme_tui.cli" in loaded
    assert not ({"textual", "rich"} | HEAVY | SLOW) & roots(loaded)


def test_the_interface_paints_before_anything_heavy_is_loaded() -> None:
    loaded = modules_after("import mambomeme_tui.ui.app")
    assert "textual.app" in loaded
    assert not (HEAVY | SLOW) & roots(loaded)


def test_the_interface_never_imports_how_an_index_is_made() -> None:
    loaded = modules_after("import mambomeme_tui.ui.app, mambomeme_tui.ui.runner")
    assert not {name for name in loaded if name.startswith(("mambomeme_tui.index.", "mambomeme_eval"))}


@pytest.mark.parametrize("route", ["hybrid", "dense"])
def test_a_whole_search_loads_the_query_encoder_and_never_torch_or_the_interface(data_dir: Path, route: str) -> None:
    loaded = modules_after(running("find", "--json", "--route", route, "john cena"), data_dir)
    assert {"numpy", "whoosh", "annoy", "onnxruntime"} <= roots(loaded)
    assert not {"torch", "transformers", "sentence_transformers", "textual"} & roots(loaded)


def test_a_search_by_words_alone_loads_no_network(data_dir: Path) -> None:
    loaded = modules_after(running("find", "--route", "lexical", "john cena"), data_dir)
    assert "mambomeme_tui.retrieval.dense" not in loaded
    assert not {"torch", "transformers", "sentence_transformers", "textual"} & roots(loaded)


def test_the_product_never_imports_its_evaluation() -> None:
    loaded = modules_after(EVERY_MODULE_BUT_THE_INTERFACE + "\nimport mambomeme_tui.ui.app, mambomeme_tui.ui.runner")
    assert not {name for name in loaded if name.startswith("mambomeme_eval")}
