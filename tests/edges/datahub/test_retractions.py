"""Edges taken back over HTTP: exactly ours, whatever happens in between; and tags that people take off."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

import pytest

from app.catalog import CatalogStore, Proposal, create_app
from app.edges.datahub import DataHubWrites
from app.effects import EdgeWrite, Performed
from app.effects.proof import parse_items
from app.repair import ProvenEdge
from app.words import Evidence, Transient
from tests.edges.datahub.conftest import MakeCatalog
from tests.edges.datahub.world import FEATURE, FEATURES, MODEL, ORDERS, STAGING, field, no_sleep, run
from tests.fakes.serving import Answer, Faulty, json_answer, serving

LINE = Evidence("features/c.sql", 12, "AVG(discount_pct) AS discount", "base", "acme/features", "c0ffee")
SOURCE = ProvenEdge("source", ORDERS, FEATURE, FEATURE, (LINE,), ("discount_pct",))
COLUMN = ProvenEdge("column", field(ORDERS, "qty"), field(STAGING, "units"), STAGING, (LINE,), ("qty",))
INFERRED, REJECTED = "urn:li:tag:tether:inferred", "urn:li:tag:tether:rejected"

Fault = Callable[[str, str, int], Answer | None]
Open = Callable[..., DataHubWrites]


@pytest.fixture
def writer() -> Iterator[Open]:
    with ExitStack() as stack:

        def make(store: CatalogStore, fault: Fault = lambda *_: None, token: str | None = None) -> DataHubWrites:
            app = Faulty(create_app(store, token=token), fault)
            return DataHubWrites(stack.enter_context(serving(app)), "token", sleep=no_sleep)

        yield make


def write(client: DataHubWrites, *edges: ProvenEdge, known: str = "new") -> list[str]:
    async def work() -> list[Performed]:
        writes = (EdgeWrite(edge, "run-1", known) for edge in edges)  # type: ignore[arg-type]  # one of the three words
        return await asyncio.gather(*(client.write_edge(one) for one in writes))

    return [one.outcome for one in run(work())]


def take_back(client: DataHubWrites, *edges: ProvenEdge, why: str = "stale") -> list[str]:
    return [one.outcome for one in run(client.retract_edges(edges, why=why, run_id="run-2"))]  # type: ignore[arg-type]


def held(store: CatalogStore, urn: str, aspect: str) -> Any:
    stored = store.fetch_aspects([urn]).get(urn, {}).get(aspect)
    return stored.value if stored else None


def tags(store: CatalogStore, urn: str) -> list[str]:
    return [entry["tag"] for entry in (held(store, urn, "globalTags") or {"tags": []})["tags"]]


def on_write(answer: Answer, *, times: int) -> Fault:
    def fault(method: str, path: str, before: int) -> Answer | None:
        writes = path.startswith("/openapi/v3/entity/") and "batchGet" not in path
        return answer if writes and before < times else None

    return fault


@pytest.mark.parametrize(("edge", "aspect"), [(SOURCE, "mlFeatureProperties"), (COLUMN, "upstreamLineage")])
def test_what_was_there_before_is_there_afterwards(
    edge: ProvenEdge, aspect: str, catalog: MakeCatalog, writer: Open
) -> None:
    store = catalog()
    client = writer(store)
    before = held(store, edge.entity, aspect)
    assert write(client, edge) == ["written"]
    assert held(store, edge.entity, aspect) != before

    assert take_back(client, edge) == ["taken back"]
    assert held(store, edge.entity, aspect) == before
    assert tags(store, edge.entity) == []
    assert held(store, edge.entity, "institutionalMemory") == {"elements": []}
    assert take_back(client, edge) == ["already there"]


def test_only_the_named_edges_go_and_the_mark_stays_with_the_others(catalog: MakeCatalog, writer: Open) -> None:
    store = catalog()
    client = writer(store)
    edges = [replace(COLUMN, upstream=field(ORDERS, f"c{n}"), columns=(f"c{n}",)) for n in range(4)]
    write(client, *edges)
    take_back(client, *edges[:2])

    value = held(store, STAGING, "upstreamLineage")
    left = {row["upstreams"][0] for row in value["fineGrainedLineages"]}
    assert left == {field(ORDERS, "discount_pct"), field(ORDERS, "c2"), field(ORDERS, "c3")}
    assert {item["upstream"] for item in parse_items(value["upstreams"][0]["properties"])} == {
        field(ORDERS, "c2"),
        field(ORDERS, "c3"),
    }
    assert tags(store, STAGING) == [INFERRED]


def test_an_edge_that_somebody_declared_is_not_ours_to_take(catalog: MakeCatalog, writer: Open) -> None:
    store = catalog()
    declared = replace(SOURCE, upstream=FEATURES)
    assert write(writer(store), declared) == ["declared"]
    before = held(store, FEATURE, "mlFeatureProperties")
    assert take_back(writer(store), declared) == ["already there"]
    assert held(store, FEATURE, "mlFeatureProperties") == before


def test_a_rejection_leaves_its_tag(catalog: MakeCatalog, writer: Open) -> None:
    store = catalog()
    write(writer(store), SOURCE)
    assert take_back(writer(store), SOURCE, why="rejected") == ["taken back"]
    assert tags(store, FEATURE) == [REJECTED]
    assert write(writer(store), SOURCE) == ["rejected"]


@pytest.mark.parametrize("answer", [json_answer({"error": "Precondition Error"}, 412), json_answer({}, 503)])
def test_a_storm_is_outlasted(answer: Answer, catalog: MakeCatalog, writer: Open) -> None:
    store = catalog()
    write(writer(store), SOURCE)
    assert take_back(writer(store, on_write(answer, times=3)), SOURCE) == ["taken back"]
    assert held(store, FEATURE, "mlFeatureProperties")["sources"] == [FEATURES]


def test_a_connection_that_drops_after_the_write_takes_nothing_else(catalog: MakeCatalog, writer: Open) -> None:
    store = catalog()
    write(writer(store), SOURCE)
    assert take_back(writer(store, on_write(Answer(drop=True), times=1)), SOURCE) == ["taken back"]
    assert held(store, FEATURE, "mlFeatureProperties")["sources"] == [FEATURES]


@pytest.mark.parametrize("status", [401, 403])
def test_a_token_that_may_only_read_is_said(status: int, catalog: MakeCatalog, writer: Open) -> None:
    store = catalog()
    write(writer(store), SOURCE)
    client = writer(store, on_write(json_answer({"message": "Unauthorized"}, status), times=99))
    assert take_back(client, SOURCE) == ["not allowed"]
    assert ORDERS in held(store, FEATURE, "mlFeatureProperties")["sources"]


def test_a_catalog_that_is_away_is_transient(catalog: MakeCatalog, writer: Open) -> None:
    store = catalog()
    write(writer(store), SOURCE)
    with pytest.raises(Transient):
        take_back(writer(store, lambda *_: json_answer({}, 503)), SOURCE)


def test_a_feature_that_was_deleted_meanwhile_has_nothing_to_take(catalog: MakeCatalog, writer: Open) -> None:
    assert take_back(writer(catalog([])), SOURCE, MODEL_EDGE) == ["already there"] * 2


MODEL_EDGE = ProvenEdge("model", FEATURE, MODEL, MODEL, (LINE,))


def test_an_aspect_of_an_unknown_shape_is_said(catalog: MakeCatalog, writer: Open) -> None:
    store = catalog()
    body = [
        {
            "urn": STAGING,
            "upstreamLineage": {"value": {"upstreams": ["a newer form"]}, "systemMetadata": {"version": "1"}},
        }
    ]

    def fault(method: str, path: str, before: int) -> Answer | None:
        return json_answer(body) if path.endswith("/dataset/batchGet") else None

    assert take_back(writer(store, fault), COLUMN) == ["failed"]


# --- tags ------------------------------------------------------------------------------------------------------------


def test_a_tag_entity_that_was_deleted_meanwhile_keeps_no_edge_out(catalog: MakeCatalog, writer: Open) -> None:
    store = catalog()
    client = writer(store)
    write(client, SOURCE)
    store.delete(INFERRED)
    assert write(client, replace(SOURCE, upstream=STAGING)) == ["written"]
    assert tags(store, FEATURE) == [INFERRED]


def by(source: str) -> dict[str, Any]:
    return {"properties": {"appSource": source}}


@pytest.mark.parametrize(
    ("history", "outcome"),
    [
        ([([], "ui")], "rejected"),  # a person took it off
        ([(["urn:li:tag:pii"], "ui")], "rejected"),  # and set another one at once
        ([([], "")], "written"),  # an ingestion wrote all tags anew
        ([([], ""), (["urn:li:tag:pii"], "ui")], "written"),  # and a person set another one later
        ([([], "ui"), (["urn:li:tag:feast"], "")], "rejected"),  # taken off, and an ingestion came later
    ],
)
def test_who_took_the_tag_off_decides(
    history: list[tuple[list[str], str]], outcome: str, catalog: MakeCatalog, writer: Open
) -> None:
    store = catalog()
    client = writer(store)
    write(client, SOURCE)
    for names, source in history:
        value = {"tags": [{"tag": name} for name in names]}
        store.write([Proposal(FEATURE, "globalTags", value=value, system=by(source) if source else {"runId": "feast"})])

    assert write(client, SOURCE, known="written") == [outcome]
