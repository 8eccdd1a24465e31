# `make run` and `make test` are all a newcomer needs; both work from a fresh clone.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin

.PHONY: run test check bench clean

run: $(VENV)/.run-installed
	@$(BIN)/mambomeme publish
	@$(BIN)/mambomeme

test: $(VENV)/.test-installed check
	$(BIN)/pytest -n 2 --dist worksteal

check: $(VENV)/.test-installed
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(VENV)/.test-installed
	$(BIN)/python -m mambomeme_eval.quick

$(VENV)/.run-installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e .
	@touch $@

$(VENV)/.test-installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[dev]"
	@touch $@ $(VENV)/.run-installed

clean:
	rm -rf $(VENV) build dist
