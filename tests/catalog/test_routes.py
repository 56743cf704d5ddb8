"""The routes themselves: tokens, errors, paging, and use in-process without a socket."""

from __future__ import annotations

import json
import sqlite3
from typing import Any

import httpx
import pytest
from starlette.testclient import TestClient

from app.catalog import CatalogStore, create_app
from tests.catalog.urns import AGE, CHURN, ENDPOINT, FEATURES, ORDERS, feature, model, upsert


@pytest.fixture
def client(store: CatalogStore) -> TestClient:
    store.write([upsert(ORDERS, "datasetProperties", {"name": "orders"}), feature(ORDERS), model()])
    return TestClient(create_app(store))


def proposal(aspect: str, value: Any, urn: str = AGE, **more: Any) -> dict[str, Any]:
    generic = {"value": json.dumps(value), "contentType": "application/json"}
    return {
        "proposal": {
            "entityType": urn.split(":")[2],
            "entityUrn": urn,
            "changeType": "UPSERT",
            "aspectName": aspect,
            "aspect": generic,
            **more,
        }
    }


@pytest.mark.parametrize("path", ["/config", "/health"])
def test_open_routes_need_no_token(store: CatalogStore, path: str) -> None:
    assert TestClient(create_app(store, token="t")).get(path).status_code == 200


@pytest.mark.parametrize("header", [None, "Bearer wrong", "t", "bearer t", "Bearer t "])
@pytest.mark.parametrize(
    ("method", "path"), [("GET", f"/aspects/{AGE}"), ("POST", "/api/graphql"), ("GET", "/nonsense")]
)
def test_other_routes_need_the_token(store: CatalogStore, method: str, path: str, header: str | None) -> None:
    client = TestClient(create_app(store, token="t"))
    answer = client.request(method, path, headers={} if header is None else {"Authorization": header})
    assert (answer.status_code, answer.json()["message"]) == (401, "Unauthorized to perform this action.")


def test_right_token(store: CatalogStore) -> None:
    answer = TestClient(create_app(store, token="t")).post(
        "/api/graphql", json={"query": "{ me { corpUser { urn } } }"}, headers={"Authorization": "Bearer t"}
    )
    assert answer.json() == {"data": {"me": {"corpUser": {"urn": "urn:li:corpuser:datahub"}}}}


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("POST", "/aspects?action=ingestProposal", b"{", 400),
        ("POST", "/aspects?action=ingestProposal", b"[]", 400),
        ("POST", "/aspects?action=ingestProposal", b"{}", 400),
        ("POST", "/aspects?action=ingestProposal", b'{"proposal": NaN}', 400),
        ("POST", "/aspects?action=nonsense", b"{}", 400),
        ("POST", "/aspects?action=ingestProposalBatch", b'{"proposals": {}}', 400),
        ("POST", "/entities?action=delete", b"{}", 400),
        ("POST", "/runs?action=rollback", b"{}", 400),
        ("GET", f"/aspects/{AGE}?aspect=status&version=0", b"", 404),
        ("GET", f"/aspects/{AGE}?aspect=nonsense", b"", 400),
        ("GET", f"/aspects/{AGE}?aspect=status&version=x", b"", 400),
        ("POST", "/openapi/v3/entity/nonsense", b"[]", 400),
        ("POST", "/openapi/v3/entity/mlFeature", b"{}", 400),
        ("POST", "/openapi/v3/entity/mlFeature", json.dumps([{"urn": ORDERS}]).encode(), 400),
        ("POST", "/openapi/v3/entity/mlFeature", json.dumps([{"urn": AGE, "status": {}}]).encode(), 400),
        ("POST", "/openapi/v3/entity/mlFeature", json.dumps([{"urn": AGE, "status": {"value": 3}}]).encode(), 400),
        ("POST", "/openapi/v3/entity/mlFeature/batchGet", b"{}", 400),
        ("POST", "/openapi/v3/entity/mlFeature/batchGet", json.dumps([{"urn": AGE, "nonsense": {}}]).encode(), 400),
        ("GET", "/openapi/v3/entity/mlFeature/urn:li:mlFeature:(users,none)", b"", 404),
        ("HEAD", "/openapi/v3/entity/mlFeature/urn:li:mlFeature:(users,none)", b"", 404),
        ("DELETE", f"/openapi/v3/entity/dataset/{AGE}", b"", 400),
        ("POST", "/openapi/v3/relationship/scroll?direction=UP", b"{}", 400),
        ("POST", "/openapi/v3/relationship/scroll?scrollId=nonsense", b"{}", 400),
        ("POST", "/openapi/v3/relationship/scroll?count=-1", b"{}", 400),
        ("POST", "/openapi/v3/relationship/scroll", b'{"sourceFilter": {"and": "x"}}', 400),
        ("POST", "/openapi/v3/relationship/scroll", b'{"edgeFilter": {"and": [{"criteria": []}]}}', 400),
        ("POST", "/openapi/v3/entity/scroll", b'{"entities": ["nonsense"]}', 400),
        ("POST", "/openapi/v3/lineage/scroll", b'{"urns": "x"}', 400),
        ("GET", "/openapi/relationships/v1/?urn=nonsense", b"", 400),
        ("POST", "/openapi/v3/entity/tag", b'[{"urn": "urn:li:tag:a\\u0000b", "status": {"value": {}}}]', 400),
        ("POST", "/openapi/v3/entity/tag", b'[{"urn": "urn:li:tag:\\ud800", "status": {"value": {}}}]', 400),
        ("POST", "/openapi/v3/entity/tag", b"[" * 100_000, 400),
        ("GET", "/nonsense", b"", 404),
        ("PUT", "/config", b"", 405),
    ],
)
def test_refusals_are_json_with_a_message(client: TestClient, method: str, path: str, body: bytes, status: int) -> None:
    answer = client.request(method, path, content=body)
    assert status == answer.status_code, answer.text
    if method != "HEAD":
        assert (status, True) == (answer.json()["status"], bool(answer.json()["message"]))


def test_conflicts_are_422_on_restli_and_412_on_openapi(client: TestClient) -> None:
    stale = {"If-Version-Match": "9"}
    restli = client.post("/aspects?action=ingestProposal", json=proposal("status", {"removed": False}, headers=stale))
    entity = [{"urn": AGE, "status": {"value": {"removed": False}, "headers": stale}}]
    openapi = client.post("/openapi/v3/entity/mlFeature?async=false", json=entity)
    assert (restli.status_code, openapi.status_code, openapi.json()["error"]) == (422, 412, "Precondition Error")


def test_http_headers_are_not_aspect_headers(client: TestClient) -> None:
    """GMS never looks at them; a client that relies on them must fail its tests here."""
    entity = [{"urn": AGE, "status": {"value": {"removed": False}}}]
    assert client.post("/openapi/v3/entity/mlFeature", json=entity, headers={"If-Version-Match": "9"}).is_success


def test_openapi_entity_round_trip(client: TestClient) -> None:
    urn = "urn:li:mlFeature:(a b,c/d)"
    entity = [{"urn": urn, "mlFeatureProperties": {"value": {"sources": [ORDERS]}, "systemMetadata": {"runId": "r"}}}]
    written = client.post("/openapi/v3/entity/mlFeature?async=false&systemMetadata=true", json=entity)
    assert tuple(written.json()[0]["mlFeatureProperties"]["systemMetadata"][name] for name in ("version", "runId")) == (
        "1",
        "r",
    )
    path = f"/openapi/v3/entity/mlFeature/{httpx.QueryParams({'u': urn})}".replace("u=", "").replace("+", "%20")
    assert client.head(path).status_code == 204
    assert client.get(f"{path}?aspects=mlFeatureProperties").json()["mlFeatureProperties"]["value"] == {
        "sources": [ORDERS]
    }
    assert client.request("DELETE", path, content=b"[]").status_code == 200
    assert client.head(path).status_code == 404
    assert client.post("/openapi/v3/entity/mlFeature", json=entity).status_code == 202


def test_openapi_soft_delete_and_deleting_one_aspect(client: TestClient) -> None:
    path = f"/openapi/v3/entity/mlFeature/{AGE}"
    entity = [{"urn": AGE, "status": {"value": {"removed": True}}}]
    assert client.post("/openapi/v3/entity/mlFeature?async=false", json=entity).is_success
    assert (client.head(path).status_code, client.head(f"{path}?includeSoftDelete=true").status_code) == (404, 204)
    assert client.request("DELETE", f"{path}?aspects=status").status_code == 200
    assert {"urn", "mlFeatureKey", "mlFeatureProperties"} == set(client.get(path).json())


def test_openapi_create_if_not_exists(client: TestClient) -> None:
    entity = [{"urn": AGE, "mlFeatureProperties": {"value": {"description": "mine"}}}]
    answer = client.post("/openapi/v3/entity/mlFeature?async=false&createIfNotExists=true", json=entity)
    assert (answer.status_code, "already exists" in answer.json()["message"]) == (422, True)


def test_a_file_that_stays_locked_is_503_and_retryable(store: CatalogStore, monkeypatch: pytest.MonkeyPatch) -> None:
    def locked(*_: object) -> None:
        error = sqlite3.OperationalError("database is locked")
        error.sqlite_errorcode = sqlite3.SQLITE_BUSY
        raise error

    monkeypatch.setattr(store, "write", locked)
    entity = [{"urn": AGE, "status": {"value": {"removed": True}}}]
    answer = TestClient(create_app(store)).post("/openapi/v3/entity/mlFeature", json=entity)
    assert (answer.status_code, answer.json()["retryable"], answer.headers["Retry-After"]) == (503, True, "1")


def test_a_failure_is_json_too(store: CatalogStore) -> None:
    store.close()
    answer = TestClient(create_app(store), raise_server_exceptions=False).get(f"/entitiesV2/{AGE}")
    assert (answer.status_code, answer.json()["status"]) == (500, 500)


def test_openapi_patch_takes_both_forms(client: TestClient) -> None:
    tag = {"op": "add", "path": "/tags/urn:li:tag:a", "value": {"tag": "urn:li:tag:a"}}
    add = {"op": "add", "path": f"/sources/{FEATURES}", "value": FEATURES}
    generic = {"arrayPrimaryKeys": {"sources": []}, "patch": [add]}
    entity = [{"urn": AGE, "globalTags": {"value": {"patch": [tag]}}, "mlFeatureProperties": {"value": generic}}]
    assert client.patch("/openapi/v3/entity/mlFeature?async=false", json=entity).is_success
    found = client.get(f"/openapi/v3/entity/mlFeature/{AGE}").json()
    assert found["mlFeatureProperties"]["value"]["sources"] == [ORDERS, FEATURES]
    assert found["globalTags"]["value"]["tags"] == [{"tag": "urn:li:tag:a"}]


def test_relationship_filters(client: TestClient) -> None:
    def scroll(body: Any, **params: Any) -> list[tuple[str, str]]:
        answer = client.post("/openapi/v3/relationship/scroll", params={"count": 100, **params}, json=body)
        assert answer.is_success, answer.text
        return [(one["source"]["urn"], one["destination"]["urn"]) for one in answer.json()["results"]]

    def where(field: str, *values: str, **more: Any) -> Any:
        return {"criteria": [{"field": field, "condition": "EQUAL", "values": list(values), **more}]}

    features = {"and": [where("urn", AGE)]}
    assert scroll({"sourceFilter": features}) == [(AGE, ORDERS)]
    assert scroll({"destinationFilter": features}) == [(CHURN, AGE)]
    assert scroll({"sourceFilter": features}, direction="INCOMING") == [(CHURN, AGE)]
    assert scroll({"sourceFilter": features}, direction="UNDIRECTED") == [(AGE, ORDERS), (CHURN, AGE)]
    assert scroll({}, relationshipTypes="DeployedTo,Nothing") == [(CHURN, ENDPOINT)]
    assert scroll({}, sourceTypes="mlModel") == [(CHURN, AGE), (CHURN, ENDPOINT)]
    assert scroll({}, destinationTypes=["dataset", "tag"]) == [(AGE, ORDERS)]
    assert scroll({"destinationFilter": {"and": [where("urn", AGE, negated=True)]}}) == [
        (AGE, ORDERS),
        (CHURN, ENDPOINT),
    ]
    assert scroll({"destinationFilter": {"and": [where("urn", ORDERS), where("urn", ENDPOINT)]}}) == [
        (AGE, ORDERS),
        (CHURN, ENDPOINT),
    ]
    assert (
        scroll(
            {
                "destinationFilter": {
                    "and": [{"criteria": [*where("urn", ORDERS)["criteria"], *where("urn", ENDPOINT)["criteria"]]}]
                }
            }
        )
        == []
    )
    assert scroll({"destinationFilter": {"and": [where("platform", "urn:li:dataPlatform:snowflake")]}}) == [
        (AGE, ORDERS)
    ]
    slices = [scroll({}, sliceId=number, sliceMax=2) for number in (0, 1)]
    assert len(slices[0] + slices[1]) == 3


def test_hostile_values_are_values(client: TestClient) -> None:
    """Quotes, SQL and JSON in names come back as they went in, and filter nothing else."""
    hostile = "urn:li:tag:'; DROP TABLE node; --\"]}\U0001f600"
    body = {"sourceFilter": {"and": [{"criteria": [{"field": "urn", "values": [hostile]}]}]}}
    assert client.post("/openapi/v3/relationship/scroll", json=body).json()["results"] == []
    value = {"name": hostile}
    assert client.post(
        "/openapi/v3/entity/tag?async=false", json=[{"urn": hostile, "tagProperties": {"value": value}}]
    ).is_success
    (found,) = client.post("/openapi/v3/entity/tag/batchGet", json=[{"urn": hostile, "tagProperties": {}}]).json()
    assert value == found["tagProperties"]["value"]


def test_counts_are_capped_as_in_gms(store: CatalogStore) -> None:
    tables = [f"urn:li:dataset:(urn:li:dataPlatform:x,t{number},PROD)" for number in range(5200)]
    store.write([upsert(AGE, "mlFeatureProperties", {"sources": tables})])
    client = TestClient(create_app(store))
    sizes = {}
    for count in (None, 3, 10_000, 10_001):
        params = {} if count is None else {"count": count}
        sizes[count] = len(client.post("/openapi/v3/relationship/scroll", params=params, json={}).json()["results"])
    assert sizes == {None: 10, 3: 3, 10_000: 5200, 10_001: 5000}


def test_a_scroll_misses_nothing_that_stays(store: CatalogStore) -> None:
    """Between two pages one aspect is rewritten and one is added: what was there throughout is seen exactly once."""
    tables = [f"urn:li:dataset:(urn:li:dataPlatform:x,t{number},PROD)" for number in range(6)]
    store.write([upsert(AGE, "mlFeatureProperties", {"sources": tables})])
    client = TestClient(create_app(store))
    first = client.post("/openapi/v3/relationship/scroll?count=3", json={}).json()
    new = "urn:li:dataset:(urn:li:dataPlatform:x,new,PROD)"
    store.write([upsert(AGE, "mlFeatureProperties", {"sources": [new, *reversed(tables[1:])]})])
    rest = client.post(f"/openapi/v3/relationship/scroll?count=30&scrollId={first['scrollId']}", json={}).json()
    seen = [one["destination"]["urn"] for one in first["results"] + rest["results"]]
    assert sorted([*tables, new]) == sorted(seen)


def test_old_versions_by_restli(client: TestClient) -> None:
    for text in ("a", "b"):
        assert client.post(
            "/aspects?action=ingestProposal", json=proposal("mlFeatureProperties", {"description": text})
        ).is_success
    answer = client.get(f"/aspects/{AGE}", params={"aspect": "mlFeatureProperties", "version": 2}).json()
    assert answer["aspect"] == {"com.linkedin.ml.metadata.MLFeatureProperties": {"description": "a"}}


def test_mce_ingest(client: TestClient) -> None:
    snapshot = {"urn": ORDERS, "aspects": [{"com.linkedin.common.Status": {"removed": True}}]}
    body = {"entity": {"value": {"com.linkedin.metadata.snapshot.DatasetSnapshot": snapshot}}}
    assert client.post("/entities?action=ingest", json=body).json() == {"value": "success"}
    assert client.get(f"/openapi/v3/entity/dataset/{ORDERS}").json()["status"]["value"] == {"removed": True}


def test_time_series_route(client: TestClient) -> None:
    run = "urn:li:dataProcessInstance:r"
    event = {"timestampMillis": 5, "status": "COMPLETE"}
    assert client.post(
        "/aspects?action=ingestProposal", json=proposal("dataProcessInstanceRunEvent", event, run)
    ).is_success
    asked = {"urn": run, "entity": "dataProcessInstance", "aspect": "dataProcessInstanceRunEvent", "limit": 1}
    (found,) = client.post("/aspects?action=getTimeseriesAspectValues", json=asked).json()["value"]["values"]
    assert event.items() <= json.loads(found["aspect"]["value"]).items()


def test_trace_says_what_was_written(client: TestClient) -> None:
    answer = client.post("/openapi/v1/trace/write/abc", json={AGE: ["mlFeatureProperties", "status"]}).json()
    assert (answer[AGE]["mlFeatureProperties"]["success"], answer[AGE]["status"]["success"]) == (True, False)


class TestRuns:
    """Rollback by run."""

    def write(self, client: TestClient, run: str, description: str, urn: str = AGE) -> None:
        body = proposal("mlFeatureProperties", {"description": description}, urn, systemMetadata={"runId": run})
        assert client.post("/aspects?action=ingestProposal", json=body).is_success

    def act(self, client: TestClient, action: str, **body: Any) -> Any:
        answer = client.post(f"/runs?action={action}", json=body)
        assert answer.is_success, answer.text
        return answer.json()["value"]

    def description(self, client: TestClient, urn: str = AGE) -> Any:
        (found,) = client.post("/openapi/v3/entity/mlFeature/batchGet?systemMetadata=true", json=[{"urn": urn}]).json()
        aspect = found["mlFeatureProperties"]
        return aspect["value"]["description"], aspect["systemMetadata"]["runId"]

    def test_rollback_restores_and_removes(self, client: TestClient) -> None:
        new = "urn:li:mlFeature:(users,new)"
        self.write(client, "r1", "one")
        self.write(client, "r2", "two")
        self.write(client, "r2", "three")
        self.write(client, "r2", "new", new)
        dry = self.act(client, "rollback", runId="r2", dryRun=True, safe=False)
        assert (self.description(client), dry["aspectsReverted"]) == (("three", "r2"), 3)
        done = self.act(client, "rollback", runId="r2", dryRun=False, safe=False)
        assert (done["aspectsReverted"], done["entitiesAffected"]) == (3, 1)
        assert (
            self.description(client),
            client.head(f"/openapi/v3/entity/mlFeature/{new}").status_code,
        ) == (("one", "r1"), 404)
        assert self.act(client, "describe", runId="r2") == []

    def test_a_version_number_never_names_two_values(self, client: TestClient, store: CatalogStore) -> None:
        self.write(client, "r1", "one")
        self.write(client, "r2", "two")
        before = store.fetch_aspect(AGE, "mlFeatureProperties")
        self.act(client, "rollback", runId="r2")
        after = store.fetch_aspect(AGE, "mlFeatureProperties")
        assert before is not None
        assert after is not None
        assert after.version > before.version

    def test_safe_rollback_only_hides_what_others_wrote_to(self, client: TestClient) -> None:
        new = "urn:li:mlFeature:(users,new)"
        self.write(client, "r2", "new", new)
        tags = proposal("globalTags", {"tags": []}, new, systemMetadata={"runId": "other"})
        assert client.post("/aspects?action=ingestProposal", json=tags).is_success
        done = self.act(client, "rollback", runId="r2", dryRun=False, safe=True)
        assert [{"urn": new}] == done["unsafeEntities"]
        found = client.get(f"/openapi/v3/entity/mlFeature/{new}").json()
        assert (
            found["status"]["value"]["removed"],
            "globalTags" in found,
            "mlFeatureProperties" in found,
        ) == (True, True, False)

    def test_listing(self, client: TestClient) -> None:
        self.write(client, "r1", "one")
        runs = self.act(client, "list", pageOffset=0, pageSize=10)
        assert {one["runId"]: one["rows"] for one in runs if one["runId"] == "r1"} == {"r1": 1}
        (described,) = self.act(client, "describe", runId="r1", start=0, count=10, includeAspect=True)
        assert (described["urn"], described["aspectName"]) == (AGE, "mlFeatureProperties")


async def _ask_in_process(store: CatalogStore) -> httpx.Response:
    transport = httpx.ASGITransport(create_app(store, token="t"))
    async with httpx.AsyncClient(transport=transport, base_url="http://catalog") as client:
        return await client.get(f"/aspects/{AGE}?aspect=mlFeatureProperties", headers={"Authorization": "Bearer t"})


def test_in_process_without_a_socket(store: CatalogStore) -> None:
    import asyncio  # noqa: PLC0415 - the one asynchronous test

    store.write([feature(ORDERS)])
    answer = asyncio.run(_ask_in_process(store))
    assert answer.json()["aspect"]["com.linkedin.ml.metadata.MLFeatureProperties"]["sources"] == [ORDERS]
