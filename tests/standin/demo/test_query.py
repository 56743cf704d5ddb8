"""What docs/repair.md tells people to paste into GraphQL is answered by a catalog that holds the demo."""

from __future__ import annotations

import re
from pathlib import Path

import httpx

from app.catalog import Proposal, ServingCatalog

ROOT = Path(__file__).parents[3]
ORDERS = "urn:li:dataset:(urn:li:dataPlatform:snowflake,shop.raw.orders,PROD)"
STAMP = {"time": 1, "actor": "urn:li:corpuser:tether"}


def test_the_query_of_the_documentation_is_answered() -> None:
    (query,) = re.findall(r"```graphql\n(.*?)```", (ROOT / "docs" / "repair.md").read_text(), re.S)
    incident = {
        "type": "DATA_SCHEMA",
        "title": "Schema change blocks churn",
        "entities": [ORDERS],
        "priority": 0,
        "status": {"state": "ACTIVE", "lastUpdated": STAMP},
        "created": STAMP,
    }
    with ServingCatalog() as catalog:
        catalog.store.load_file(ROOT / "app" / "standin" / "data" / "catalog.json")
        catalog.store.write(
            [
                Proposal("urn:li:incident:tether-1", "incidentInfo", value=incident),
                Proposal(ORDERS, "globalTags", value={"tags": [{"tag": "urn:li:tag:tether:inferred"}]}),
            ]
        )
        answer = httpx.post(f"{catalog.url}/api/graphql", json={"query": query}).json()

    assert "errors" not in answer
    shown = answer["data"]["orders"]["incidents"]
    assert [(one["priority"], one["title"]) for one in shown["incidents"]] == [
        ("CRITICAL", "Schema change blocks churn")
    ]
    assert [row["entity"]["urn"] for row in answer["data"]["inferred"]["searchResults"]] == [ORDERS]
    assert [answer["data"][name]["incidents"]["total"] for name in ("stg_orders", "customers")] == [0, 0]
