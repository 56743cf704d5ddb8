"""Every request of a recorded SDK session, replayed: the routes take what the SDK sends.

The committed session was recorded from the installed SDK (`tests/contracts/record_sdk.py`); another lies beside some checkouts.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import httpx
import pytest

from app.catalog import ServingCatalog
from tests.catalog.conftest import TOKEN
from tests.catalog.urns import upsert

_RECORDED = Path(__file__).parents[1] / "contracts" / "datahub_sdk_wire.jsonl"
_SHARED = Path(__file__).parents[3] / "shared" / "contracts" / "datahub_sdk_wire.jsonl"
_FEATURE = "urn:li:mlFeature:(users,age)"


def recorded(path: Path = _RECORDED) -> list[Any]:
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


@pytest.fixture(scope="module")
def client() -> Iterator[tuple[httpx.Client, ServingCatalog]]:
    with ServingCatalog(token=TOKEN) as serving, httpx.Client(base_url=serving.url) as client:
        yield client, serving


def cases() -> list[Any]:
    sessions = {"": _RECORDED, "shared-": _SHARED}
    return [
        pytest.param(one, id=f"{name}{n}-{one['label']}")
        for name, path in sessions.items()
        for n, one in enumerate(recorded(path))
    ]


@pytest.mark.parametrize("request_", cases())
def test_recorded_request_is_taken(client: tuple[httpx.Client, ServingCatalog], request_: Any) -> None:
    http, serving = client
    conditional = '"If-Version-Match": "3"' in json.dumps(request_["body"])
    for urn in (_FEATURE, "urn:li:tag:x"):  # made by each session
        serving.store.delete(urn)
    # The recorder answered anything; here the version that the session expects must really stand.
    for number in range(3 if conditional or request_["method"] == "GET" or "delete" in request_["label"] else 0):
        serving.store.write([upsert(_FEATURE, "mlFeatureProperties", {"description": str(number)})])
    twice = json.dumps(request_["body"]).count('"If-Version-Match": "3"') > 1
    headers = {**request_["headers"], "Authorization": f"Bearer {TOKEN}"}
    answer = http.request(request_["method"], request_["path"], headers=headers, json=request_["body"])
    if twice:  # the second proposal of that batch expects the version before the first
        assert answer.status_code in (412, 422)
        assert "Expected version 3, actual version 4" in answer.json()["message"]
        return
    assert answer.is_success, answer.text
    if request_["path"] == "/api/graphql":
        assert "errors" not in answer.json()


def test_the_session_is_whole() -> None:
    """Every way to write, each call of the graph that has a route, and a whole ingestion."""
    labels = {one["label"] for one in recorded()}
    ways = ("emit_mcp", "emit_mcp-async", "emit_mcp-syncwait", "emit_mcps", "patch", "patches", "delete")
    assert {f"{mode}-{way}" for mode in ("restli", "auto", "openapi", "sdkmode") for way in ways} < labels
    assert len({label for label in labels if label.startswith("graph-")}) == 13
    assert {"config", "create-incident-mcp", "datahub-ingest-file-source"} < labels
    assert len(recorded()) == 56


def test_the_session_is_of_the_installed_sdk() -> None:
    """Else it is recorded anew."""
    agents = {one["headers"]["User-Agent"] for one in recorded()}
    assert all(f"; {version('acryl-datahub')})" in agent for agent in agents), agents


@pytest.mark.skipif(not _SHARED.exists(), reason="shared: another recorded SDK session is not beside this checkout")
def test_the_other_session_sends_nothing_new() -> None:
    ours, theirs = (
        {(one["label"], one["method"], one["path"].partition("?")[0]) for one in recorded(path)}
        for path in (_RECORDED, _SHARED)
    )
    assert {one[0] for one in theirs} <= {one[0] for one in ours}
    assert {one[1:] for one in theirs} <= {one[1:] for one in ours}
    assert len(recorded(_SHARED)) == 55
