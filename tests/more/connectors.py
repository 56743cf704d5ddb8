"""Real connectors, each in the environment of its own that `make test-more` builds, writing into the embedded catalog."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest

from app.catalog import ServingCatalog
from app.edges.datahub import DataHubReads
from tests.more.prepare import ENVIRONMENTS

T = TypeVar("T")
TOKEN = "made-up-token"
ROOT = Path(__file__).parents[2]


def needs(connector: str) -> pytest.MarkDecorator:
    """Skips, by name, where the environment is not there or not whole."""
    there = (ENVIRONMENTS / connector / ".lock").exists()
    return pytest.mark.skipif(
        not there, reason=f"connector {connector}: no environment of its own (make test-more builds it)"
    )


def run(connector: str, program: str, *arguments: str, cwd: Path) -> None:
    """A program of that environment; what it said when it failed."""
    environment = {
        **{name: text for name, text in os.environ.items() if not name.startswith(("PYTHON", "TETHER_"))},
        "HOME": str(cwd),
        "DATAHUB_TELEMETRY_ENABLED": "false",
        "FEAST_USAGE": "False",
    }
    command = [str(ENVIRONMENTS / connector / "bin" / program), *arguments]
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, f"{program}: {(done.stdout + done.stderr)[-3000:]}"


def ingest(connector: str, serving: ServingCatalog, source: dict[str, Any], cwd: Path) -> None:
    """`datahub ingest` of one source into the catalog."""
    sink = {"type": "datahub-rest", "config": {"server": serving.url, "token": serving.token}}
    recipe = cwd / "recipe.yml"
    recipe.write_text(json.dumps({"pipeline_name": f"tether-{connector}", "source": source, "sink": sink}))
    run(connector, "datahub", "ingest", "-c", str(recipe), cwd=cwd)


def write_tree(folder: Path, files: dict[str, str]) -> Path:
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return folder


def check(serving: ServingCatalog, base: Path, head: Path, *options: str) -> tuple[int, dict[str, Any]]:
    """`tether check` of two trees with that catalog: exit code and answer."""
    command = [sys.executable, "-m", "app.cli", "check", "--base", str(base), "--head", str(head)]
    command += ["--catalog", serving.url, "--format", "json", *options]
    environment = {**os.environ, "TETHER_DATAHUB_TOKEN": TOKEN}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode < 3, done.stderr
    return done.returncode, json.loads(done.stdout)


def read(serving: ServingCatalog, work: Callable[[DataHubReads], Awaitable[T]]) -> T:
    """What Tether's own client sees."""

    async def go() -> T:
        client = DataHubReads(serving.url, TOKEN)
        try:
            return await work(client)
        finally:
            await client.aclose()

    return asyncio.run(go())
