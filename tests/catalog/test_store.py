"""The store: versions, conditions, edges as a function of aspects, and writers side by side."""

from __future__ import annotations

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from app.catalog import CatalogStore, ConditionFailed, Existing, Proposal, RequestRefused
from app.catalog.registry import aspect_spec, parse_entity_type
from app.catalog.relationships import find_edges
from app.catalog.scrolling import EdgeQuery, EntityQuery
from tests.catalog.urns import AGE, CHURN, ENDPOINT, FEATURES, ORDERS, feature, model, upsert
from tests.laws import examples


def version(store: CatalogStore, urn: str = AGE, aspect: str = "mlFeatureProperties") -> str | None:
    stored = store.fetch_aspect(urn, aspect)
    return None if stored is None else stored.system["version"]


def edges(store: CatalogStore, **query: Any) -> list[tuple[str, str, str]]:
    page = store.scroll_edges(EdgeQuery(**query), count=10_000)
    return [(row.source, row.name, row.destination) for row in page.rows]


def test_versions_count_changes_and_earlier_ones_stay(store: CatalogStore) -> None:
    for description in ("a", "b", "b", "c"):
        store.write([feature(ORDERS, description=description)])
    assert version(store) == "3"
    texts = [store.fetch_aspect(AGE, "mlFeatureProperties", number) for number in (0, 1, 2, 3, 4)]
    assert [one and one.value["description"] for one in texts] == ["c", "a", "b", "c", None]


def test_equal_value_moves_only_the_system_metadata(store: CatalogStore) -> None:
    first, again = (Proposal(AGE, "status", value={"removed": False}, system={"runId": run}) for run in ("r1", "r2"))
    store.write([first])
    (written,) = store.write([again])
    assert written.stored is not None
    system = written.stored.system
    assert (written.outcome, system["version"], system["runId"], system["lastRunId"]) == ("unchanged", "1", "r2", "r1")


def test_first_write_brings_the_key(store: CatalogStore) -> None:
    store.write([feature()])
    found = store.fetch_aspects([AGE])[AGE]
    assert found["mlFeatureKey"].value == {"featureNamespace": "users", "name": "age"}


@pytest.mark.parametrize(
    ("headers", "passes"),
    [
        ({"if-version-match": "1"}, True),
        ({"if-version-match": "2"}, False),
        ({"if-version-match": "-1"}, False),
        ({"if-unmodified-since": "2001-01-01T00:00:00Z"}, False),
        ({"if-unmodified-since": "2999-01-01T00:00:00Z"}, True),
        ({"if-modified-since": "2001-01-01T00:00:00Z"}, True),
        ({"if-modified-since": "2999-01-01T00:00:00"}, False),
    ],
)
@pytest.mark.parametrize("change", ["UPSERT", "DELETE"])
def test_conditions_on_something_that_exists(
    store: CatalogStore, headers: dict[str, str], change: Any, *, passes: bool
) -> None:
    store.write([feature(ORDERS)])
    proposal = Proposal(AGE, "mlFeatureProperties", change, {"description": "new"}, headers=headers)
    if passes:
        store.write([proposal])
    else:
        with pytest.raises(ConditionFailed):
            store.write([proposal])
        assert version(store) == "1"


def test_minus_one_means_must_not_exist(store: CatalogStore) -> None:
    store.write([upsert(AGE, "mlFeatureProperties", {}, if_version_match="-1")])
    with pytest.raises(ConditionFailed, match="Expected version -1, actual version 1"):
        store.write([upsert(AGE, "mlFeatureProperties", {}, if_version_match="-1")])


def test_an_instant_that_is_none(store: CatalogStore) -> None:
    store.write([feature()])
    with pytest.raises(RequestRefused, match="ISO-8601") as refused:
        store.write([upsert(AGE, "mlFeatureProperties", {}, if_modified_since="yesterday")])
    assert refused.value.status == 400


def test_create_refuses_or_drops(store: CatalogStore) -> None:
    def create(**headers: str) -> Proposal:
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        return Proposal(AGE, "mlFeatureProperties", "CREATE", {"description": "mine"}, headers=names)

    assert store.write([create()])[0].outcome == "created"
    with pytest.raises(Existing):
        store.write([create()])
    assert store.write([create(if_none_match="*")])[0].outcome == "dropped"


def test_create_entity_takes_several_aspects_once(store: CatalogStore) -> None:
    both = [
        Proposal(AGE, "mlFeatureProperties", "CREATE_ENTITY", {}),
        Proposal(AGE, "status", "CREATE_ENTITY", {"removed": False}),
    ]
    assert [one.outcome for one in store.write(both)] == ["created", "created"]
    with pytest.raises(Existing):
        store.write(both)


def test_generic_patch_loses_headers_and_run_as_in_gms(store: CatalogStore) -> None:
    store.write([feature(ORDERS)])
    document = {"arrayPrimaryKeys": {"sources": []}, "patch": [{"op": "add", "path": "/sources/x", "value": FEATURES}]}
    stale = {"if-version-match": "99"}
    (written,) = store.write([Proposal(AGE, "mlFeatureProperties", "PATCH", document, {"runId": "r"}, stale)])
    assert written.stored is not None
    assert written.stored.system["runId"] == "no-run-id-provided"


def test_template_patch_keeps_headers_and_run(store: CatalogStore) -> None:
    operations = [{"op": "add", "path": "/tags/urn:li:tag:a", "value": {"tag": "urn:li:tag:a"}}]
    store.write([Proposal(AGE, "globalTags", "PATCH", operations, {"runId": "r"})])
    stored = store.fetch_aspect(AGE, "globalTags")
    assert stored is not None
    assert stored.system["runId"] == "r"
    with pytest.raises(ConditionFailed):
        store.write([Proposal(AGE, "globalTags", "PATCH", operations, headers={"if-version-match": "9"})])


@pytest.mark.parametrize(
    ("proposal", "status"),
    [
        (upsert(AGE, "mlModelProperties", {}), 400),
        (upsert(AGE, "nope", {}), 400),
        (upsert("urn:li:nope:a", "status", {}), 400),
        (upsert("not an urn", "status", {}), 400),
        (upsert(f"urn:li:tag:{'x' * 600}", "status", {}), 400),
        (upsert("urn:li:mlFeature:(one)", "status", {}), 400),
        (upsert(ENDPOINT, "institutionalMemory", {"elements": []}), 400),
        (upsert(AGE, "mlFeatureKey", {"featureNamespace": "users", "name": "other"}), 422),
        (Proposal(AGE, "status", value={}, system={"runId": 1}), 400),
    ],
)
def test_refused_proposals(store: CatalogStore, proposal: Proposal, status: int) -> None:
    with pytest.raises(RequestRefused) as refused:
        store.write([proposal])
    assert status == refused.value.status
    assert store.scroll_entities(EntityQuery(), count=10).total == 0


def test_a_batch_is_all_or_nothing(store: CatalogStore) -> None:
    with pytest.raises(RequestRefused):
        store.write([feature(ORDERS), upsert(CHURN, "mlModelProperties", {"mlFeatures": [ORDERS]})])
    assert (store.fetch_aspects([AGE, CHURN]), edges(store)) == ({}, [])


def test_edges_follow_the_aspect(store: CatalogStore) -> None:
    store.write([feature(ORDERS), model()])
    assert edges(store, names=["DerivedFrom", "DeployedTo"]) == [
        (AGE, "DerivedFrom", ORDERS),
        (CHURN, "DeployedTo", ENDPOINT),
    ]
    store.write([feature(FEATURES)])
    assert edges(store, names=["DerivedFrom"]) == [(AGE, "DerivedFrom", FEATURES)]
    store.delete(AGE)
    assert sorted(edges(store)) == [(CHURN, "Consumes", AGE), (CHURN, "DeployedTo", ENDPOINT)]


def test_soft_delete_hides_from_listings_but_not_from_the_graph(store: CatalogStore) -> None:
    store.write([feature(ORDERS), upsert(AGE, "status", {"removed": True})])
    assert (
        store.fetch_presence(AGE),
        store.scroll_entities(EntityQuery(), count=9).total,
        store.scroll_entities(EntityQuery(include_removed=True), count=9).total,
    ) == ((True, True), 0, 1)
    assert edges(store) == [(AGE, "DerivedFrom", ORDERS)]
    store.write([upsert(AGE, "status", {"removed": False})])
    assert store.fetch_presence(AGE) == (True, False)


def test_time_series_keep_every_event_once(store: CatalogStore) -> None:
    run = "urn:li:dataProcessInstance:run-1"
    events = [
        {"timestampMillis": at, "status": status} for at, status in ((5, "STARTED"), (9, "COMPLETE"), (9, "COMPLETE"))
    ]
    store.write([upsert(run, "dataProcessInstanceRunEvent", event) for event in events])
    found = store.fetch_events(run, "dataProcessInstanceRunEvent", limit=10)
    assert [one.value["status"] for one in found] == ["COMPLETE", "STARTED"]
    latest = store.fetch_aspects([run], ["dataProcessInstanceRunEvent"])[run]["dataProcessInstanceRunEvent"]
    assert latest.value["timestampMillis"] == 9
    assert "dataProcessInstanceRunEvent" not in store.fetch_aspects([run])[run]
    assert store.delete(run) == (1, 2)


_FEATURES = [f"urn:li:mlFeature:(t,f{number})" for number in range(3)]
_TABLES = [f"urn:li:dataset:(urn:li:dataPlatform:x,t{number},PROD)" for number in range(3)]
_STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("write"), st.sampled_from(_FEATURES), st.lists(st.sampled_from(_TABLES), max_size=3)),
        st.tuples(st.sampled_from(["delete", "drop"]), st.sampled_from(_FEATURES), st.just([])),
    ),
    max_size=12,
)


@examples(20, HealthCheck.function_scoped_fixture)
@given(steps=_STEPS)
def test_edges_are_a_function_of_aspects(steps: list[tuple[str, str, list[str]]]) -> None:
    with CatalogStore() as store:
        for kind, urn, tables in steps:
            if kind == "write":
                store.write([upsert(urn, "mlFeatureProperties", {"sources": tables})])
            elif kind == "delete":
                store.delete(urn)
            else:
                store.write([Proposal(urn, "mlFeatureProperties", "DELETE")])
        drawn = set()
        for urn, aspects in store.fetch_aspects(_FEATURES).items():
            for name, stored in aspects.items():
                spec = aspect_spec(name)
                assert spec is not None
                drawn |= {
                    (e.source, e.name, e.destination) for e in find_edges(urn, name, spec.relations, stored.value)
                }
        assert sorted(drawn) == sorted(edges(store))


def test_of_many_conditional_writers_none_is_lost(store: CatalogStore) -> None:
    """Eight writers each add twenty tables by read, merge, conditional write, retry: all 160 must be there."""
    store.write([feature()])
    started = threading.Barrier(8)

    def add(writer: int) -> None:
        started.wait()
        for number in range(20):
            table = f"urn:li:dataset:(urn:li:dataPlatform:x,w{writer}_{number},PROD)"
            while True:
                stored = store.fetch_aspect(AGE, "mlFeatureProperties")
                assert stored is not None
                merged = {"sources": [*stored.value["sources"], table]}
                try:
                    store.write([upsert(AGE, "mlFeatureProperties", merged, if_version_match=str(stored.version))])
                    break
                except ConditionFailed:
                    continue

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(add, range(8)))
    stored = store.fetch_aspect(AGE, "mlFeatureProperties")
    assert stored is not None
    assert (len(set(stored.value["sources"])), stored.version, len(edges(store))) == (160, 161, 160)


def test_two_stores_on_one_file_do_not_lose_writes(tmp_path: Path) -> None:
    path = tmp_path / "catalog.db"
    with CatalogStore(path) as one, CatalogStore(path) as two:

        def write(store: CatalogStore, name: str) -> None:
            for number in range(25):
                store.write([upsert(f"urn:li:tag:{name}{number}", "tagProperties", {"name": name})])

        with ThreadPoolExecutor(2) as pool:
            list(pool.map(write, (one, two), ("a", "b")))
        assert one.scroll_entities(EntityQuery(types=["tag"]), count=1).total == 50


def test_restart_finds_everything_and_foreign_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "catalog.db"
    with CatalogStore(path) as store:
        store.write([feature(ORDERS)])
    with CatalogStore(path) as store:
        assert (version(store), edges(store)) == ("1", [(AGE, "DerivedFrom", ORDERS)])
    other = tmp_path / "other.db"
    other.write_bytes(b"")
    with CatalogStore(other) as store:
        assert edges(store) == []
    import sqlite3  # noqa: PLC0415 - only this test makes a file by hand

    foreign = tmp_path / "foreign.db"
    with sqlite3.connect(foreign) as connection:
        connection.execute("CREATE TABLE something (a)")
    connection.close()
    with pytest.raises(ValueError, match="use another file"):
        CatalogStore(foreign)


def test_a_closed_store_says_so() -> None:
    store = CatalogStore()
    store.close()
    store.close()
    with pytest.raises(ValueError, match="closed"):
        store.write([feature()])
    with pytest.raises(ValueError, match="closed"):
        store.fetch_aspects([AGE])


def test_load_file_reads_all_three_shapes(store: CatalogStore, tmp_path: Path) -> None:
    aspect = json.dumps({"mlFeatures": [AGE]})
    path = tmp_path / "mcps.json"
    path.write_text(
        json.dumps(
            [
                {
                    "entityType": "mlFeature",
                    "entityUrn": AGE,
                    "changeType": "UPSERT",
                    "aspectName": "mlFeatureProperties",
                    "aspect": {"json": {"sources": [ORDERS]}},
                },
                {
                    "entityType": "mlModel",
                    "entityUrn": CHURN,
                    "changeType": "UPSERT",
                    "aspectName": "mlModelProperties",
                    "aspect": {"value": aspect, "contentType": "application/json"},
                },
                {
                    "proposedSnapshot": {
                        "com.linkedin.pegasus2avro.metadata.snapshot.DatasetSnapshot": {
                            "urn": ORDERS,
                            "aspects": [{"com.linkedin.pegasus2avro.common.Status": {"removed": False}}],
                        }
                    }
                },
            ]
        )
    )
    assert store.load_file(path) == 3
    assert {"dataset", "mlFeature", "mlModel"} == {
        parse_entity_type(urn) for urn, _ in store.scroll_entities(EntityQuery(), count=9).urns
    }
    assert edges(store) == [(AGE, "DerivedFrom", ORDERS), (CHURN, "Consumes", AGE)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[{", "cannot be read as JSON"),
        ('[{"entityUrn": 1}]', "item 0: .*needs entityUrn"),
        ('[{"entityUrn": "urn:li:tag:a", "aspectName": "tagProperties"}]', "item 0: .*has no value"),
        (
            '[{"entityUrn": "urn:li:tag:a", "aspectName": "x", "changeType": "NO", "aspect": {"json": {}}}]',
            "changeType",
        ),
        ('[{"proposedSnapshot": {"urn": "urn:li:tag:a", "aspects": [{"x": {}}]}}]', "Unknown aspect type"),
    ],
)
def test_files_that_cannot_be_loaded_say_where(store: CatalogStore, tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "bad.json"
    path.write_text(text)
    with pytest.raises(RequestRefused, match=message) as refused:
        store.load_file(path)
    assert str(path) in refused.value.message
