"""The package as it is installed: what the wheel holds, and the bench from it, in a folder that holds nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DATA = "app/standin/data"
#: run with the wheel alone for `app`: of this process's places those of the packages are left
RUN_BENCH = """
import sys
sys.path[:] = [sys.argv[1], *(place for place in sys.path if "site-packages" in place or not place.startswith(sys.argv[2]))]
sys.meta_path[:] = [finder for finder in sys.meta_path if "editable" not in repr(finder).lower()]
import app
from app.cli import run
assert app.__file__.startswith(sys.argv[1]), app.__file__
sys.exit(run(["bench", "--no-repair", "--format", "json"]))
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built as `pip wheel` builds it."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=120)
    (built,) = folder.glob("*.whl")
    return built


def test_the_wheel_holds_the_package_and_its_data(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as held:
        names = set(held.namelist())
    listing = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "app"]
    listed = subprocess.run(listing, cwd=ROOT, check=True, capture_output=True, text=True)
    own = {path for path in listed.stdout.split("\0") if path}

    assert own - names == set()
    added = {name for name in names - own if not name.startswith("tether-")}
    scenarios = {path.name for path in (ROOT / "tests" / "scenarios").glob("*.md")}
    assert {Path(name).name for name in added if name.endswith(".md")} == scenarios
    assert {name for name in added if not name.startswith(f"{DATA}/scenarios/")} == {f"{DATA}/github-app.json"}
    assert {f"{DATA}/catalog.json", f"{DATA}/bench/cases.json", f"{DATA}/warehouse/.tether.yml"} <= names
    assert [name for name in names if "__pycache__" in name or name.split("/")[0] == "tests"] == []


def test_the_bench_runs_from_the_wheel_in_an_empty_folder(wheel: Path, tmp_path: Path) -> None:
    package, empty = tmp_path / "package", tmp_path / "empty"
    empty.mkdir()
    with zipfile.ZipFile(wheel) as held:
        held.extractall(package)
    kept = {name: value for name, value in os.environ.items() if not name.startswith("TETHER_")}
    done = subprocess.run(
        [sys.executable, "-c", RUN_BENCH, str(package), str(ROOT)],
        cwd=empty,
        env={**kept, "PYTHONPATH": str(package)},  # for the children that SQL is read in
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )

    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert [(found[one]["caught"], found[one]["total"]) for one in ("cold", "warm")] == [(3, 6), (3, 6)]
    assert list(empty.iterdir()) == []
