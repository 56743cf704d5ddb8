"""Every request of the recorded SDK session, replayed: the routes take what the SDK sends."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from app.catalog import ServingCatalog
from tests.catalog.conftest import TOKEN
from tests.catalog.urns import upsert

_RECORDED = Path(__file__).parents[3] / "shared" / "contracts" / "datahub_sdk_wire.jsonl"
_FEATURE = "urn:li:mlFeature:(users,age)"


def recorded() -> list[Any]:
    if not _RECORDED.exists():
        return []
    return [json.loads(line) for line in _RECORDED.read_text().splitlines()]


@pytest.fixture(scope="module")
def client() -> Iterator[tuple[httpx.Client, ServingCatalog]]:
    with ServingCatalog(token=TOKEN) as serving, httpx.Client(base_url=serving.url) as client:
        yield client, serving


@pytest.mark.skipif(not _RECORDED.exists(), reason=f"the recorded SDK session is not here: {_RECORDED}")
@pytest.mark.parametrize("request_", [pytest.param(one, id=f"{n}-{one['label']}") for n, one in enumerate(recorded())])
def test_recorded_request_is_taken(client: tuple[httpx.Client, ServingCatalog], request_: Any) -> None:
    http, serving = client
    conditional = '"If-Version-Match": "3"' in json.dumps(request_["body"])
    serving.store.delete(_FEATURE)
    # The recorder answered anything; here the version that the session expects must really stand.
    for number in range(3 if conditional or request_["method"] == "GET" or "delete" in request_["label"] else 0):
        serving.store.write([upsert(_FEATURE, "mlFeatureProperties", {"description": str(number)})])
    twice = "mcps" in request_["label"] and conditional
    headers = {**request_["headers"], "Authorization": f"Bearer {TOKEN}"}
    answer = http.request(request_["method"], request_["path"], headers=headers, json=request_["body"])
    if twice:  # the second proposal of that batch expects the version before the first
        assert answer.status_code in (412, 422)
        assert "Expected version 3, actual version 4" in answer.json()["message"]
        return
    assert answer.is_success, answer.text
    if request_["path"] == "/api/graphql":
        assert "errors" not in answer.json()


@pytest.mark.skipif(not _RECORDED.exists(), reason=f"the recorded SDK session is not here: {_RECORDED}")
def test_the_session_is_whole() -> None:
    assert len(recorded()) == 55
