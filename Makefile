# Needs python3 >= 3.11 with venv, make and git; nothing else. Every target uses .venv.
PYTHON ?= python3
BIN := .venv/bin
# Compiled modules are kept: without them every process of the tests, and there are many, compiles all of app/ anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: install demo picture test test-more test-deep lint format lock openapi clean

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

# What `make test` leaves out where it is not here: connectors in hashed environments of their own (.venv/more), example data from
# npm, a Postgres server, a browser. What cannot be had is named and skipped; with CI set that fails.
MORE := tests/more tests/browser tests/jobs/test_postgres.py tests/webhook/test_examples.py tests/contracts/test_reduced.py
test-more: install
	$(BIN)/python tests/more/prepare.py
	TETHER_MORE=1 $(BIN)/python -m pytest $(MORE)

# The laws alone, with twenty times as many examples, drawn anew: for a night, not for a push.
test-deep: install
	HYPOTHESIS_PROFILE=deep $(BIN)/python -m pytest -m hypothesis

lint: install
	$(BIN)/ruff check app tests
	$(BIN)/ruff format --check app tests
	$(BIN)/mypy -n 2 app tests

format: install
	$(BIN)/ruff check --fix app tests
	$(BIN)/ruff format app tests

# Maintainers only: uv is not needed for anything else.
UV_COMPILE := uv pip compile --universal --python-version 3.11 --generate-hashes --no-strip-extras --no-annotate --no-header --quiet
lock:
	$(UV_COMPILE) pyproject.toml --output-file requirements.lock
	$(UV_COMPILE) pyproject.toml --group dev --output-file requirements-dev.lock
	$(UV_COMPILE) tests/more/feast.in --output-file tests/more/feast.lock
	$(UV_COMPILE) tests/more/dbt.in --output-file tests/more/dbt.lock
	cd tests/more && npm install --package-lock-only

# Maintainers only: GitHub's description of its API, reduced, after another version of it was locked in tests/more.
openapi: install
	cd tests/more && npm ci
	$(BIN)/python -m tests.contracts.reduce_openapi tests/more/node_modules/@octokit/openapi tests/contracts/github_openapi.json

clean:
	rm -rf .venv .pytest_cache .mypy_cache .ruff_cache .hypothesis
