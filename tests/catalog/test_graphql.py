"""GraphQL: what clients send is answered, is valid on DataHub's own schema, and keeps GMS's quirks."""

from __future__ import annotations

import json
from typing import Any

import pytest
from graphql import GraphQLSchema, get_named_type, parse, validate
from starlette.testclient import TestClient

from app.catalog import CatalogStore, RequestRefused, create_app
from app.catalog.graphql_wiring import build_catalog_schema
from tests.catalog.urns import AGE, CHURN, ENDPOINT, FEATURES, ORDERS, column, feature, model, upsert
from tests.contracts.datahub_schema import FILE, INTROSPECTION, read_schema, render

RELATIONSHIPS = """
query q($urn: String!, $direction: RelationshipDirection!, $types: [String!]!, $start: Int, $count: Int, $related: [String!]) {
  entity(urn: $urn) { urn type ... on EntityWithRelationships {
    relationships(input: {types: $types, direction: $direction, start: $start, count: $count, relatedEntityTypes: $related}) {
      start count total relationships { type direction entity { urn type } } } } } }
"""
ASPECTS = """
query q($urn: String!) { mlModel(urn: $urn) { urn exists status { removed } properties { name mlFeatures }
  aspects(input: {aspectNames: ["mlModelProperties"]}) { aspectName payload } } }
"""
INCIDENTS = """
query q($urn: String!, $state: IncidentState) { dataset(urn: $urn) { incidents(state: $state, start: 0, count: 20) { total
  incidents { urn incidentType customType title description priority incidentStatus { state stage message
  lastUpdated { time actor } } source { type } created { time actor } startedAt entity { urn } } } } }
"""
RAISE = "mutation m($input: RaiseIncidentInput!) { raiseIncident(input: $input) }"
UPDATE_STATUS = (
    "mutation m($urn: String!, $input: IncidentStatusInput!) { updateIncidentStatus(urn: $urn, input: $input) }"
)
UPDATE = "mutation m($urn: String!, $input: UpdateIncidentInput!) { updateIncident(urn: $urn, input: $input) }"
SEARCH = """
query q($input: SearchAcrossEntitiesInput!) { searchAcrossEntities(input: $input) { start count total
  searchResults { entity { urn type } } } }
"""
SCROLL = """
query q($input: ScrollAcrossEntitiesInput!) { scrollAcrossEntities(input: $input) { nextScrollId count total
  searchResults { entity { urn } } } }
"""
FEATURE = "query q($urn: String!) { mlFeature(urn: $urn) { name featureNamespace properties { description sources { urn } } } }"
COLUMNS = """
query q($urn: String!) { dataset(urn: $urn) { name platform { urn name } fineGrainedLineages {
  upstreams { urn path } downstreams { urn path } transformOperation } } }
"""
IDENTITY = "{ me { corpUser { urn } } appConfig { appVersion } }"
ENTITIES = "query q($urns: [String!]!) { entities(urns: $urns, checkForExistence: true) { urn } }"
TYPE = '{ __type(name: "RaiseIncidentInput") { inputFields { name } } }'
ADD_TAG = "mutation m($input: TagAssociationInput!) { addTag(input: $input) }"
SUPPORTED = (
    RELATIONSHIPS,
    ASPECTS,
    INCIDENTS,
    RAISE,
    UPDATE_STATUS,
    UPDATE,
    SEARCH,
    SCROLL,
    FEATURE,
    COLUMNS,
    IDENTITY,
    ENTITIES,
    TYPE,
    ADD_TAG,
)
# Came after the server that the contract was read from: clients ask by introspection whether they are there.
_NEWER = {
    "MLModel.incidents",
    "MLFeature.incidents",
    "MLFeatureTable.incidents",
    "SchemaFieldEntity.incidents",
    "RaiseIncidentInput.id",
}


class Asking:
    """GraphQL against an in-process catalog."""

    def __init__(self, store: CatalogStore) -> None:
        self.store = store
        self._client = TestClient(create_app(store))

    def whole(self, query: str, **variables: Any) -> Any:
        answer = self._client.post("/api/graphql", json={"query": query, "variables": variables})
        assert answer.status_code == 200
        return answer.json()

    def __call__(self, query: str, **variables: Any) -> Any:
        answer = self.whole(query, **variables)
        assert "errors" not in answer, answer
        return answer["data"]

    def error(self, query: str, **variables: Any) -> Any:
        (error,) = self.whole(query, **variables)["errors"]
        return error


@pytest.fixture
def ask(store: CatalogStore) -> Asking:
    store.write([upsert(ORDERS, "datasetProperties", {"name": "orders"}), feature(ORDERS), model()])
    return Asking(store)


@pytest.fixture(scope="module")
def contract() -> GraphQLSchema:
    return read_schema()


@pytest.mark.skipif(not INTROSPECTION.exists(), reason="shared: a server's introspection is not beside this checkout")
def test_the_committed_schema_is_a_servers_own() -> None:
    assert FILE.read_text() == render(json.loads(INTROSPECTION.read_text()))


@pytest.mark.parametrize("operation", SUPPORTED)
def test_supported_operations_are_valid_on_datahub(contract: GraphQLSchema, operation: str) -> None:
    assert validate(contract, parse(operation)) == []
    assert validate(build_catalog_schema(), parse(operation)) == []


def test_schema_has_no_name_of_its_own(contract: GraphQLSchema) -> None:
    """Every field, argument and type that the contract also describes is the same there."""
    differing = set()
    for name, ours in build_catalog_schema().type_map.items():
        theirs: Any = contract.type_map.get(name)
        if theirs is None or name.startswith("__"):
            continue
        for field, definition in getattr(ours, "fields", {}).items():
            other = theirs.fields.get(field)
            arguments = getattr(definition, "args", {})
            if (
                other is None
                or str(other.type) != str(definition.type)
                or not set(arguments) <= set(getattr(other, "args", {}))
            ):
                differing.add(f"{name}.{field}")
        if hasattr(ours, "values"):
            assert set(ours.values) <= set(theirs.values), name
    # The contract is reduced to what Tether uses; this one field the SDK selects stands outside it.
    assert _NEWER | {"SearchResult.extraProperties"} == differing


def test_schema_is_closed() -> None:
    schema = build_catalog_schema()
    named = {
        str(get_named_type(field.type))
        for one in schema.type_map.values()
        for field in getattr(one, "fields", {}).values()
    }
    assert set() == {name for name in named if name not in schema.type_map}


def test_identity(ask: Asking) -> None:
    data = ask(IDENTITY)
    assert (
        data["me"]["corpUser"]["urn"],
        data["appConfig"]["appVersion"].startswith("v"),
    ) == ("urn:li:corpuser:datahub", True)


def test_relationships_both_ways(ask: Asking) -> None:
    incoming = ask(RELATIONSHIPS, urn=ORDERS, direction="INCOMING", types=["DerivedFrom"])["entity"]["relationships"]
    assert incoming["relationships"] == [
        {"type": "DerivedFrom", "direction": "INCOMING", "entity": {"urn": AGE, "type": "MLFEATURE"}}
    ]
    outgoing = ask(RELATIONSHIPS, urn=CHURN, direction="OUTGOING", types=["Consumes"])["entity"]["relationships"]
    assert (outgoing["total"], outgoing["relationships"][0]["entity"]["urn"]) == (1, AGE)


def test_deployments_are_unreachable(ask: Asking) -> None:
    related = ask(RELATIONSHIPS, urn=CHURN, direction="OUTGOING", types=["DeployedTo"])["entity"]["relationships"]
    assert [one["entity"] for one in related["relationships"]] == [None]
    assert ask("query q($urn: String!) { entity(urn: $urn) { urn } }", urn=ENDPOINT) == {"entity": None}
    assert ask.error(ENTITIES, urns=[AGE, ENDPOINT])["extensions"]["code"] == 500
    assert "MLMODEL_DEPLOYMENT" in ask.error(SEARCH, input={"types": ["MLMODEL_DEPLOYMENT"], "query": "*"})["message"]


def test_deployments_stand_in_the_raw_aspect(ask: Asking) -> None:
    found = ask(ASPECTS, urn=CHURN)["mlModel"]
    assert json.loads(found["aspects"][0]["payload"])["deployments"] == [ENDPOINT]
    assert (found["exists"], found["status"], found["properties"]["mlFeatures"]) == (True, None, [AGE])


def test_related_types_are_filtered_after_the_page(ask: Asking) -> None:
    ask.store.write(
        [upsert(f"urn:li:mlFeature:(t,f{n})", "mlFeatureProperties", {"sources": [ORDERS]}) for n in range(3)]
    )
    ask.store.write([upsert("urn:li:mlPrimaryKey:(t,k)", "mlPrimaryKeyProperties", {"sources": [ORDERS]})])
    pages = [
        ask(
            RELATIONSHIPS,
            urn=ORDERS,
            direction="INCOMING",
            types=["DerivedFrom"],
            start=s,
            count=2,
            related=["mlPrimaryKey"],
        )
        for s in (0, 2, 4)
    ]
    assert [len(page["entity"]["relationships"]["relationships"]) for page in pages] == [0, 0, 1]


def test_typed_fields(ask: Asking) -> None:
    fine = {
        "upstreamType": "FIELD_SET",
        "upstreams": [column(ORDERS, "price"), ORDERS],
        "downstreamType": "FIELD",
        "downstreams": [column(FEATURES, "spend")],
    }
    ask.store.write([upsert(FEATURES, "upstreamLineage", {"upstreams": [], "fineGrainedLineages": [fine]})])
    dataset = ask(COLUMNS, urn=FEATURES)["dataset"]
    assert (dataset["name"], dataset["platform"]["name"]) == ("shop.ml.features", "snowflake")
    assert [{"urn": column(ORDERS, "price"), "path": "price"}] == dataset["fineGrainedLineages"][0]["upstreams"]
    found = ask(FEATURE, urn=AGE)["mlFeature"]
    assert (
        found["name"],
        found["featureNamespace"],
        found["properties"]["sources"],
    ) == ("age", "users", [{"urn": ORDERS}])


def test_incident_from_raise_to_resolved(ask: Asking) -> None:
    given = {"type": "DATA_SCHEMA", "title": "t", "description": "d", "resourceUrn": ORDERS, "priority": "CRITICAL"}
    urn = ask(RAISE, input=given)["raiseIncident"]
    (incident,) = ask(INCIDENTS, urn=ORDERS, state="ACTIVE")["dataset"]["incidents"]["incidents"]
    assert (urn, "CRITICAL", "MANUAL", ORDERS) == (
        incident["urn"],
        incident["priority"],
        incident["source"]["type"],
        incident["entity"]["urn"],
    )
    assert ask(UPDATE_STATUS, urn=urn, input={"state": "RESOLVED", "stage": "FIXED", "message": "m"})[
        "updateIncidentStatus"
    ]
    assert ask(INCIDENTS, urn=ORDERS, state="ACTIVE")["dataset"]["incidents"]["total"] == 0
    assert ask(UPDATE_STATUS, urn=urn, input={"state": "ACTIVE"})["updateIncidentStatus"]
    (again,) = ask(INCIDENTS, urn=ORDERS)["dataset"]["incidents"]["incidents"]
    assert tuple(again["incidentStatus"][name] for name in ("state", "stage", "message")) == ("ACTIVE", None, None)
    assert ask(UPDATE, urn=urn, input={"title": "new"})["updateIncident"]
    (changed,) = ask(INCIDENTS, urn=ORDERS)["dataset"]["incidents"]["incidents"]
    assert (changed["title"], changed["description"], changed["priority"]) == ("new", "d", "CRITICAL")


def test_incident_written_as_an_aspect_is_listed(ask: Asking) -> None:
    stamp = {"time": 5, "actor": "urn:li:corpuser:tether"}
    value = {"type": "CUSTOM", "customType": "T", "entities": [ORDERS, CHURN], "created": stamp}
    ask.store.write(
        [upsert("urn:li:incident:a", "incidentInfo", {**value, "status": {"state": "ACTIVE", "lastUpdated": stamp}})]
    )
    assert ask(INCIDENTS, urn=ORDERS)["dataset"]["incidents"]["total"] == 1
    on_model = ask("query q($urn: String!) { mlModel(urn: $urn) { incidents { incidents { urn } } } }", urn=CHURN)
    assert on_model["mlModel"]["incidents"]["incidents"] == [{"urn": "urn:li:incident:a"}]
    read = ask(
        "query q($urn: String!) { entity(urn: $urn) { ... on Incident { title customType } } }", urn="urn:li:incident:a"
    )
    assert read["entity"] == {"title": None, "customType": "T"}


def test_incident_of_a_given_id_is_one(ask: Asking) -> None:
    given = {"id": "mine", "type": "FIELD", "resourceUrns": [ORDERS]}
    assert ask(RAISE, input=given)["raiseIncident"] == "urn:li:incident:mine"
    assert {"code": 409, "type": "CONFLICT"}.items() <= ask.error(RAISE, input=given)["extensions"].items()


@pytest.mark.parametrize(
    ("operation", "variables", "code"),
    [
        (RAISE, {"input": {"type": "FIELD"}}, 400),
        (RAISE, {"input": {"type": "CUSTOM", "resourceUrn": ORDERS}}, 500),
        (RAISE, {"input": {"type": "FIELD", "resourceUrn": ENDPOINT}}, 400),
        (UPDATE_STATUS, {"urn": "urn:li:incident:none", "input": {"state": "ACTIVE"}}, 404),
        (ASPECTS, {"urn": ORDERS}, 400),
        (ASPECTS, {"urn": "nonsense"}, 400),
        (ADD_TAG, {"input": {"tagUrn": "urn:li:tag:none", "resourceUrn": ORDERS}}, 400),
        (SCROLL, {"input": {"query": "*", "scrollId": "nonsense"}}, 400),
        (SEARCH, {"input": {"query": "*", "orFilters": [{"and": [{"field": "mood", "values": ["good"]}]}]}}, 400),
    ],
)
def test_errors_carry_codes(ask: Asking, operation: str, variables: dict[str, Any], code: int) -> None:
    assert code == ask.error(operation, **variables)["extensions"]["code"]


def test_invalid_operations_are_rejected_whole(ask: Asking) -> None:
    answer = ask.whole("{ me { corpUser { urn } } nonsense }")
    assert (answer["data"], "nonsense" in answer["errors"][0]["message"]) == (None, True)


def test_search_and_scroll(ask: Asking) -> None:
    found = ask(SEARCH, input={"types": ["DATASET", "MLMODEL"], "query": "*"})["searchAcrossEntities"]
    assert [one["entity"]["urn"] for one in found["searchResults"]] == [ORDERS, CHURN]
    first = ask(SCROLL, input={"query": "*", "count": 2})["scrollAcrossEntities"]
    rest = ask(SCROLL, input={"query": "*", "count": 2, "scrollId": first["nextScrollId"]})["scrollAcrossEntities"]
    assert (first["total"], first["count"], rest["count"], rest["nextScrollId"]) == (3, 2, 1, None)


def test_entities_keep_order_and_existence(ask: Asking) -> None:
    missing = "urn:li:mlFeature:(users,none)"
    assert ask(ENTITIES, urns=[CHURN, missing, AGE])["entities"] == [{"urn": CHURN}, None, {"urn": AGE}]


def test_tags_by_mutation_are_marked_as_the_ui_s(ask: Asking) -> None:
    tag = ask("mutation m($i: CreateTagInput!) { createTag(input: $i) }", i={"id": "a", "name": "A"})["createTag"]
    assert ask(ADD_TAG, input={"tagUrn": tag, "resourceUrn": AGE})["addTag"]
    stored = ask.store.fetch_aspect(AGE, "globalTags")
    assert stored is not None
    assert ([{"tag": tag}], "ui") == (stored.value["tags"], stored.system["properties"]["appSource"])
    assert ask("mutation m($i: TagAssociationInput!) { removeTag(input: $i) }", i={"tagUrn": tag, "resourceUrn": AGE})[
        "removeTag"
    ]
    again = ask.store.fetch_aspect(AGE, "globalTags")
    assert again is not None
    assert again.value["tags"] == []


def test_operations_too_large_for_gms_are_too_large_here(ask: Asking) -> None:
    alias = "a%d: entity(urn: $urn) { urn type ...f }"
    fragment = "fragment f on Entity { urn }"
    fits = f"query q($urn: String!) {{ {' '.join(alias % n for n in range(500))} }} {fragment}"
    assert len(ask(fits, urn=AGE)) == 500
    answer = ask.whole(f"query q($urn: String!) {{ {' '.join(alias % n for n in range(501))} }} {fragment}", urn=AGE)
    assert (answer["data"], answer["errors"][0]["extensions"]["classification"]) == (None, "ExecutionAborted")
    related = "relationships(input: {types: [], direction: INCOMING}) { relationships { entity { %s } } }"
    nested = f"... on Dataset {{ {related} }}"
    query = "urn"
    for _ in range(17):
        query = nested % query
    assert "depth" in ask.error(f"query q($urn: String!) {{ entity(urn: $urn) {{ {query} }} }}", urn=ORDERS)["message"]


def test_syntax_errors_are_answered(ask: Asking) -> None:
    assert "Syntax Error" in ask.error("{ me {")["message"]


@pytest.mark.parametrize("body", [b"", b"[]", b'{"query": 1}', b'{"variables": {}}'])
def test_bodies_without_a_query_are_400(store: CatalogStore, body: bytes) -> None:
    assert TestClient(create_app(store)).post("/api/graphql", content=body).status_code == 400


def test_kinds_without_graphql_are_refused() -> None:
    from app.catalog.graphql_schema import require_kind  # noqa: PLC0415 - a door for one test

    with pytest.raises(RequestRefused):
        require_kind("MLMODEL_DEPLOYMENT")
