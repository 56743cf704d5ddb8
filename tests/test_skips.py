"""The closing lines of a run, and when a skip fails it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests import skips
from tests.skips import can_install, count_reasons, find_forbidden

SUITE = """
import pytest

def test_runs(): pass

@pytest.mark.skip(reason="npm: a package is not here")
def test_first(): pass

@pytest.mark.skip(reason="npm: a package is not here")
def test_second(): pass

def test_third(): pytest.skip("shared: no file")
"""


def run(folder: Path, *options: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """A run of its own, behind the same hooks."""
    (folder / "test_suite.py").write_text(SUITE)
    (folder / "conftest.py").write_text(
        "from tests.skips import pytest_sessionfinish, pytest_terminal_summary\n"
        "from tests import skips\nskips.can_install = lambda what: what == 'npm'\n"
    )
    root = Path(__file__).parents[1]
    kept = {name: text for name, text in os.environ.items() if name not in ("CI", "TETHER_CI", "TETHER_MORE")}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", os.devnull, "-p", "xdist"]
    command += [*options, str(folder)]
    variables = {**kept, "PYTHONPATH": str(root), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", **environment}
    return subprocess.run(command, cwd=folder, env=variables, capture_output=True, text=True, timeout=100, check=False)


@pytest.mark.parametrize("options", [(), ("-n", "1")])
def test_the_closing_lines_name_what_was_skipped(tmp_path: Path, options: tuple[str, ...]) -> None:
    done = run(tmp_path, *options, CI="true")

    assert done.returncode == 0, done.stdout
    lines = done.stdout.splitlines()
    said = lines.index("Skipped 3 tests:")
    assert lines[said + 1 : said + 3] == ["     2 npm: a package is not here", "     1 shared: no file"]
    assert lines[-1].startswith("1 passed, 3 skipped")
    assert len(lines) <= said + 4


def test_in_ci_what_can_be_installed_must_run(tmp_path: Path) -> None:
    done = run(tmp_path, CI="true", TETHER_MORE="1")

    assert done.returncode == 1, done.stdout
    assert "Could have been installed here: npm: a package is not here" in done.stdout
    assert "here: shared" not in done.stdout


@pytest.mark.parametrize(
    ("environment", "forbidden"),
    [
        ({}, False),
        ({"CI": "true"}, False),
        ({"TETHER_MORE": "1"}, False),
        ({"TETHER_MORE": "1", "CI": ""}, False),
        ({"TETHER_MORE": "1", "CI": "1"}, True),
        ({"TETHER_MORE": "1", "TETHER_CI": "1"}, True),
    ],
)
def test_only_the_larger_run_in_ci_forbids(
    monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], *, forbidden: bool
) -> None:
    monkeypatch.setattr(skips, "can_install", lambda what: what == "connector")

    reasons = ["connector feast: no environment of its own", "shared: no file"]
    assert find_forbidden(reasons, environment) == (reasons[:1] if forbidden else [])


def test_what_can_be_installed_depends_on_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 12, 1))
    monkeypatch.setattr(shutil, "which", lambda name: None)
    assert [can_install(what) for what in ("postgres", "chromium", "npm", "connector", "shared")] == [
        *[False] * 3,
        True,
        False,
    ]
    monkeypatch.setattr(shutil, "which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert [can_install(what) for what in ("postgres", "chromium", "npm")] == [True] * 3
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert [can_install(what) for what in ("postgres", "chromium", "npm")] == [False, False, True]


def test_nothing_skipped_is_said_as_well() -> None:
    assert count_reasons([]).total() == 0


def test_connectors_end_where_their_dependencies_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 13, 0))
    assert not can_install("connector")
