"""The demo's files are what the SDK makes of them, DataHub's own ingestion takes them, and the demo comes out as it should."""

from __future__ import annotations

import json
import os
import re
import runpy
import signal
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest

from app.catalog import ServingCatalog
from app.standin.demo import run_demo
from app.standin.demo.pulls import count_edges, find_rows

ROOT = Path(__file__).parents[3]
DEMO = ROOT / "app" / "standin" / "data"


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


def test_the_demo(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_demo(keep=False) == 0

    told = capsys.readouterr().out
    found = re.findall(r"^  (Pull request .*|Catalog|Tether|Log): +(\S+) - .+", told, re.MULTILINE)
    names = ["Pull request 1 (red)", "Pull request 2 (red)", "Pull request 3 (red)", "Pull request 4 (green)"]
    assert [name for name, _ in found] == [*names, "Catalog", "Tether", "Log"]
    pages = [address.rpartition("/")[2] for _, address in found[:4] if address.startswith("http://127.0.0.1:")]
    assert pages == ["1", "2", "3", "4"]
    assert "The demo ends here, and these addresses with it." in told


@pytest.mark.parametrize(("number", "is_tidy"), [(signal.SIGTERM, True), (signal.SIGKILL, False)])
def test_nothing_stays_behind_a_demo_that_is_ended(tmp_path: Path, number: int, is_tidy: object) -> None:
    """In the middle of its work. SIGTERM leaves neither process nor folder; after SIGKILL the folder cannot be helped, the
    server ends."""
    process = subprocess.Popen(
        [sys.executable, "-m", "app.cli", "demo", "--keep"],
        env=os.environ | {"TMPDIR": str(tmp_path)},
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    with process:
        assert process.stdout is not None
        url = next(line.split()[4] for line in process.stdout if line.startswith("Tether is up at "))
        assert httpx.get(f"{url}/healthz").status_code == 200
        process.send_signal(number)
        process.wait(60)

    until = time.monotonic() + 120
    while answer_up(url) and time.monotonic() < until:
        time.sleep(0.1)
    assert not answer_up(url)
    assert list(tmp_path.glob("tether-demo-*")) == [] or not is_tidy


def answer_up(url: str) -> bool:
    try:
        return httpx.get(f"{url}/healthz").is_success
    except httpx.TransportError:
        return False


def test_rows_of_a_comment() -> None:
    body = "| What is lost | Who reads it | Owner | Last trained | Why |\n| --- | --- | --- | --- | --- |\n"
    body += "| `a.b` | `m` | `o` | `2026-01-01` | x \\| y |\n\n| not | ours |\n"

    assert find_rows(body) == (("a.b", "m", "o", "2026-01-01"),)


def test_edges_of_a_summary() -> None:
    text = "\n- Edge written: `a -> b`\n- Edge written: `c -> d`\n"
    text += "\nConnections that were not written:\n\n- `e`: no line\n\n### More\n- f"

    assert count_edges(text) == "2 / 1"
