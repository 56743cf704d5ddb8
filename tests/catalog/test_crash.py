"""kill -9 in the middle of writing: everything that was answered is there afterwards, whole."""

from __future__ import annotations

import contextlib
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import httpx

from app.catalog import CatalogStore
from app.catalog.scrolling import EdgeQuery
from tests.catalog.urns import ORDERS

_SERVE = "import sys; from app.catalog import run; run(sys.argv[1], '127.0.0.1', int(sys.argv[2]), 't')"
_HEADERS = {"Authorization": "Bearer t"}


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _wait(client: httpx.Client) -> None:
    deadline = time.monotonic() + 30
    while True:
        try:
            if client.get("/health").status_code == 200:
                return
        except httpx.TransportError:
            if time.monotonic() > deadline:
                raise
        time.sleep(0.05)


def test_killed_while_writing(tmp_path: Path) -> None:
    path, port = tmp_path / "catalog.db", _free_port()
    acknowledged: list[str] = []
    command = [sys.executable, "-c", _SERVE, str(path), str(port)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:
            with httpx.Client(base_url=f"http://127.0.0.1:{port}", headers=_HEADERS, timeout=10) as client:
                _wait(client)
                end = time.monotonic() + 1.0
                while time.monotonic() < end or len(acknowledged) < 20:
                    urn = f"urn:li:mlFeature:(t,f{len(acknowledged)})"
                    entity = [{"urn": urn, "mlFeatureProperties": {"value": {"sources": [ORDERS]}}}]
                    if client.post("/openapi/v3/entity/mlFeature?async=false", json=entity).status_code == 200:
                        acknowledged.append(urn)
                # One more is under way when the process dies.
                with contextlib.suppress(httpx.TransportError):
                    client.post("/openapi/v3/entity/mlFeature?async=false", json=entity, timeout=0.0001)
        finally:
            server.send_signal(signal.SIGKILL)
    with CatalogStore(path) as store:
        found = store.fetch_aspects(acknowledged)
        edges = store.scroll_edges(EdgeQuery(names=["DerivedFrom"]), count=10_000).rows
    assert acknowledged == [urn for urn in acknowledged if "mlFeatureProperties" in found.get(urn, {})]
    assert set(acknowledged) <= {row.source for row in edges}
