# Needs python3 >= 3.11 with venv, make and git; nothing else. Every target uses .venv.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: install demo picture test lint format lock clean

install: .venv/.installed

.venv/.installed: requirements-dev.lock pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "Tether needs Python 3.11 or newer; set PYTHON=...")'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $@

demo: install
	$(BIN)/tether demo

# The picture of the README, made by the demo. Needs Chromium (Debian: the package chromium).
picture: install
	$(BIN)/python -m tests.browser.make_picture docs/blocked.png

test: install
	$(BIN)/python -m pytest

lint: install
	$(BIN)/ruff check app tests
	$(BIN)/ruff format --check app tests
	$(BIN)/mypy app tests

format: install
	$(BIN)/ruff check --fix app tests
	$(BIN)/ruff format app tests

# Maintainers only: uv is not needed for anything else.
UV_COMPILE := uv pip compile --universal --python-version 3.11 --generate-hashes --no-strip-extras --no-annotate --no-header --quiet
lock:
	$(UV_COMPILE) pyproject.toml --output-file requirements.lock
	$(UV_COMPILE) pyproject.toml --group dev --output-file requirements-dev.lock

clean:
	rm -rf .venv .pytest_cache .mypy_cache .ruff_cache .hypothesis
