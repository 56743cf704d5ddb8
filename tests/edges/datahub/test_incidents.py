"""The incident client by itself, over HTTP against the embedded catalog."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from app.catalog import CatalogStore, create_app
from app.edges.datahub.incidents import IncidentClient, NewIncident
from app.edges.datahub.versioned import Unreached, VersionConflict, WriteRefused, open_graph
from tests.edges.datahub.conftest import MakeCatalog
from tests.edges.datahub.world import MODEL, ORDERS, STAGING
from tests.fakes.serving import Answer, Faulty, json_answer, serving

LATE = "urn:li:incident:orders-late"
NEW = NewIncident("FRESHNESS", "Orders are late", "since noon", (ORDERS,), "HIGH")


@pytest.fixture
def store(catalog: MakeCatalog) -> CatalogStore:
    return catalog()


@pytest.fixture
def client(store: CatalogStore) -> Iterator[IncidentClient]:
    with serving(create_app(store)) as url:
        yield IncidentClient(open_graph(url, None), clock=lambda: 1_800_000_000.0, sleep=lambda _: None)


def test_raise_get_resolve_reopen(client: IncidentClient) -> None:
    assert client.get(LATE) is None
    assert client.raise_incident(LATE, NEW)

    raised = client.get(LATE)
    assert raised is not None
    assert (raised.type, raised.title, raised.description) == ("FRESHNESS", "Orders are late", "since noon")
    assert (raised.entities, raised.state, raised.info["priority"]) == ((ORDERS,), "ACTIVE", 1)
    assert raised.info["created"] == {"time": 1_800_000_000_000, "actor": "urn:li:corpuser:datahub"}

    assert client.resolve(LATE, "back-filled")
    assert not client.resolve(LATE, "again")
    resolved = client.get(LATE)
    assert resolved is not None
    assert (resolved.state, resolved.message) == ("RESOLVED", "back-filled")

    assert client.reopen(LATE, "late again")
    assert not client.reopen(LATE)


def test_raising_again_changes_nothing(client: IncidentClient) -> None:
    client.raise_incident(LATE, NEW)
    client.resolve(LATE, "done")

    assert not client.raise_incident(LATE, replace(NEW, title="Other"))
    found = client.get(LATE)
    assert found is not None
    assert (found.title, found.state) == ("Orders are late", "RESOLVED")


def test_the_list_of_a_dataset(client: IncidentClient) -> None:
    for number in range(3):
        client.raise_incident(f"urn:li:incident:n{number}", NEW)
    client.raise_incident("urn:li:incident:elsewhere", replace(NEW, entities=(STAGING,)))
    client.resolve("urn:li:incident:n1")

    assert {found.urn[-2:] for found in client.list(ORDERS)} == {"n0", "n1", "n2"}
    assert {found.urn[-2:] for found in client.list(ORDERS, state="ACTIVE")} == {"n0", "n2"}
    assert [found.urn[-2:] for found in client.list(ORDERS, state="RESOLVED")] == ["n1"]
    assert client.list("urn:li:dataset:(urn:li:dataPlatform:x,none,PROD)") == ()


def test_a_model_may_carry_an_incident_that_an_older_server_does_not_list(store: CatalogStore) -> None:
    """As DataHub 1.7: stored, readable by its urn, and listed on the dataset that it names as well."""
    said = "Validation error (FieldUndefined@[mlModel/incidents]) : Field 'incidents' in type 'MLModel' is undefined"
    undefined = {"errors": [{"message": said, "extensions": {"classification": "ValidationError"}}]}
    asked: list[str] = []

    def fault(method: str, path: str, before: int) -> Answer | None:
        asked.append(path)
        return json_answer(undefined) if "graphql" in path and "model" in asked else None

    with serving(Faulty(create_app(store), fault)) as url:
        client = IncidentClient(open_graph(url, None), sleep=lambda _: None)
        client.raise_incident(LATE, replace(NEW, entities=(ORDERS, MODEL)))
        found = client.get(LATE)
        assert found is not None
        assert found.entities == (ORDERS, MODEL)
        assert [one.urn for one in client.list(ORDERS)] == [LATE]
        asked.append("model")
        with pytest.raises(WriteRefused, match="lists no incidents of mlModel"):
            client.list(MODEL)


@pytest.mark.parametrize("entity", ["urn:li:mlModelDeployment:(urn:li:dataPlatform:x,d,PROD)", "no urn"])
def test_what_no_server_lists_is_refused(client: IncidentClient, entity: str) -> None:
    with pytest.raises(WriteRefused, match="lists no incidents"):
        client.list(entity)


def test_a_newer_server_lists_those_of_a_model(client: IncidentClient) -> None:
    client.raise_incident(LATE, replace(NEW, entities=(ORDERS, MODEL)))
    assert [one.urn for one in client.list(MODEL)] == [LATE]


def test_an_update_keeps_what_the_client_does_not_know(client: IncidentClient) -> None:
    client.raise_incident(LATE, replace(NEW, type="CUSTOM", custom_type="LATE"))

    assert client.update(LATE, lambda info: {**info, "title": "Very late"})
    assert not client.update(LATE, lambda info: info)
    found = client.get(LATE)
    assert found is not None
    assert (found.title, found.info["customType"]) == ("Very late", "LATE")


def test_an_update_of_nothing_is_refused(client: IncidentClient) -> None:
    with pytest.raises(WriteRefused, match="no incident"):
        client.update(LATE, lambda info: {**info, "title": "x"})


def test_an_entity_that_takes_no_incident_is_refused(client: IncidentClient) -> None:
    with pytest.raises(WriteRefused, match="422"):
        client.raise_incident(LATE, replace(NEW, entities=("urn:li:mlModelGroup:(urn:li:dataPlatform:x,g,PROD)",)))
    assert client.get(LATE) is None


def test_conflicts_without_end_are_told(store: CatalogStore) -> None:
    def fault(method: str, path: str, before: int) -> Answer | None:
        return Answer(412, b"{}") if path.endswith("/incident") and before > 0 else None

    with serving(Faulty(create_app(store), fault)) as url:
        client = IncidentClient(open_graph(url, None), sleep=lambda _: None)
        client.raise_incident(LATE, NEW)
        with pytest.raises(VersionConflict, match="kept changing"):
            client.update(LATE, lambda info: {**info, "title": "x"})


def test_a_list_that_cannot_be_read_is_not_empty(store: CatalogStore) -> None:
    with (
        serving(
            Faulty(create_app(store), lambda _, path, __: Answer(500, b"{}") if "graphql" in path else None)
        ) as url,
        pytest.raises(Unreached, match="could not be listed"),
    ):
        IncidentClient(open_graph(url, None)).list(ORDERS)
