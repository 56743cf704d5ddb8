"""The demo's files are what the SDK makes of them, DataHub's own ingestion takes them, and the demo comes out as it should."""

from __future__ import annotations

import json
import os
import runpy
import subprocess
import sys
from pathlib import Path

from app.sandbox.catalog import ServingCatalog
from app.sandbox.demo import run_demo
from app.sandbox.demo.pulls import count_edges, find_rows

DEMO = Path(__file__).parents[3] / "deploy" / "demo"


def test_the_catalog_file_is_what_the_sdk_writes() -> None:
    render = runpy.run_path(str(DEMO / "make_catalog.py"))["render"]

    assert (DEMO / "catalog.json").read_text() == render()


def test_datahub_ingest_loads_it(tmp_path: Path) -> None:
    """DataHub's own command line: file source -> datahub-rest sink."""
    with ServingCatalog(path=tmp_path / "c.db", token="t") as catalog:
        recipe = {
            "source": {"type": "file", "config": {"path": str(DEMO / "catalog.json")}},
            "sink": {"type": "datahub-rest", "config": {"server": catalog.url, "token": "t"}},
        }
        (tmp_path / "recipe.yml").write_text(json.dumps(recipe))
        environment = os.environ | {"DATAHUB_TELEMETRY_ENABLED": "false", "HOME": str(tmp_path)}
        command = [str(Path(sys.executable).with_name("datahub")), "ingest", "-c", str(tmp_path / "recipe.yml")]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=120)
        urns = {proposal["entityUrn"] for proposal in json.loads((DEMO / "catalog.json").read_text())}
        missing = {urn for urn in urns if catalog.store.fetch_presence(urn) != (True, False)}

    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    assert missing == set()


def test_the_demo() -> None:
    assert run_demo(keep=False) == 0


def test_rows_of_a_comment() -> None:
    body = "| What is lost | Who reads it | Owner | Last trained | Why |\n| --- | --- | --- | --- | --- |\n"
    body += "| `a.b` | `m` | `o` | `2026-01-01` | x \\| y |\n\n| not | ours |\n"

    assert find_rows(body) == (("a.b", "m", "o", "2026-01-01"),)


def test_edges_of_a_summary() -> None:
    text = "\n- Edge written: `a -> b`\n- Edge written: `c -> d`\n"
    text += "\nConnections that were not written:\n\n- `e`: no line\n\n### More\n- f"

    assert count_edges(text) == "2 / 1"
