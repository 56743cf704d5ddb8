from __future__ import annotations

import ast
from pathlib import Path

import pytest
from graphql import GraphQLSchema, get_named_type, parse, validate

from app.catalog import Proposal, create_app
from app.edges.datahub import DataHubReads, DataHubWrites, relationships
from app.edges.datahub.documents import ALL
from app.ports import CatalogReads, CatalogWrites
from app.trail import Edge, LineageGraph
from app.words import Permanent
from tests.contracts.datahub_schema import read_schema
from tests.edges.datahub.conftest import MakeCatalog
from tests.edges.datahub.world import (
    ARN,
    DEPLOYMENT,
    FEATURE,
    FEATURES,
    GROUP,
    MODEL,
    ORDERS,
    STAGING,
    TABLE,
    field,
    fine,
    reads,
    reads_of,
    run,
)


@pytest.mark.parametrize("name", sorted(ALL))
def test_documents_fit_datahubs_own_schema(name: str) -> None:
    schema = read_schema()

    errors = [error.message for error in validate(schema, parse(ALL[name]))]
    kind = name.partition(" of ")[2]
    if errors and kind and _has_no_incidents(schema, kind):  # only newer servers do: `IncidentClient.list` says so
        pytest.skip(f"datahub: its newest schema knows no incidents of {kind}")
    assert errors == []


def _has_no_incidents(schema: GraphQLSchema, kind: str) -> bool:
    field = schema.query_type.fields.get(kind) if schema.query_type else None
    return field is None or "incidents" not in getattr(get_named_type(field.type), "fields", {})


def test_nothing_else_is_sent_as_graphql() -> None:
    """Every document stands among `ALL`, and nothing formats one."""
    from app.edges import datahub  # noqa: PLC0415 - its folder is read here

    sent = set()
    for path in sorted(Path(str(datahub.__file__)).parent.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and getattr(node.func, "attr", "") in ("post_graphql", "execute_graphql"):
                first = node.args[0]
                first = first.value if isinstance(first, ast.Subscript) else first  # one of several, by its name
                assert isinstance(first, ast.Name), f"{path.name}:{node.lineno} builds its document"
                sent.add(first.id)

    assert sent == {name.partition(" of ")[0] for name in ALL}


def test_a_frontier_brings_edges_and_the_aspects_on_both_ends(catalog: MakeCatalog) -> None:
    part = run(reads_of(catalog()).fetch_neighbours(frozenset({ORDERS})))

    assert Edge(STAGING, "DownstreamOf", ORDERS) in part.edges
    assert part.asked == {ORDERS}
    assert part.aspects[STAGING]["upstreamLineage"]["fineGrainedLineages"][0]["upstreams"] == [
        field(ORDERS, "discount_pct")
    ]
    assert part.aspects[ORDERS]["datasetProperties"]["name"] == "orders"
    assert part.reasons == ()


def test_the_whole_path_to_the_deployment_is_walkable(catalog: MakeCatalog) -> None:
    async def walk() -> LineageGraph:
        client = reads_of(catalog())
        graph = LineageGraph()
        frontier = frozenset({ORDERS})
        for _ in range(6):
            graph = graph.extend(await client.fetch_neighbours(frontier))
            ends = {urn for edge in graph.edges for urn in (edge.source, edge.destination)}
            frontier = frozenset(ends - graph.asked)
        return graph

    graph = run(walk())

    assert graph.complete
    assert graph.sources(FEATURES, "DerivedFrom") == (FEATURE,)
    assert graph.sources(FEATURE, "Consumes") == (MODEL,)
    assert graph.sources(FEATURE, "Contains") == (TABLE,)
    assert set(graph.destinations(MODEL, "DeployedTo")) == {DEPLOYMENT, ARN}
    assert graph.destinations(MODEL, "MemberOf") == (GROUP,)
    assert graph.aspect(DEPLOYMENT, "mlModelDeploymentProperties")["status"] == "IN_SERVICE"
    assert graph.aspects[ARN] == {}
    assert not graph.exists(ARN)
    assert graph.exists(DEPLOYMENT)


def test_a_column_finds_the_dataset_that_declares_only_columns(catalog: MakeCatalog) -> None:
    only_columns = {"upstreams": [], "fineGrainedLineages": [fine(field(ORDERS, "qty"), field(STAGING, "units"))]}
    store = catalog([Proposal(STAGING, "upstreamLineage", value=only_columns)])

    part = run(reads_of(store).fetch_neighbours(frozenset({field(ORDERS, "qty")})))

    assert STAGING in part.aspects
    assert part.aspects[STAGING]["upstreamLineage"]["fineGrainedLineages"] != []
    assert not any(urn.startswith("urn:li:schemaField") for urn in part.aspects)


def test_other_versions_are_found_from_the_group_and_the_deployment(catalog: MakeCatalog) -> None:
    client = reads_of(catalog())
    part = run(client.fetch_neighbours(frozenset({GROUP, DEPLOYMENT})))

    assert {Edge(MODEL, "MemberOf", GROUP), Edge(MODEL, "DeployedTo", DEPLOYMENT)} <= set(part.edges)
    assert "mlModelProperties" in part.aspects[MODEL]


def test_known_aspects_are_not_fetched_again(catalog: MakeCatalog) -> None:
    client = reads_of(catalog())
    part = run(client.fetch_neighbours(frozenset({ORDERS}), known=frozenset({ORDERS})))

    assert ORDERS not in part.aspects
    assert STAGING in part.aspects


def test_pages_are_followed_to_the_end(monkeypatch: pytest.MonkeyPatch, catalog: MakeCatalog) -> None:
    monkeypatch.setattr(relationships, "PAGE", 7)
    features = [f"urn:li:mlFeature:(t,f{number})" for number in range(40)]
    store = catalog(
        [Proposal(urn, "mlFeatureProperties", value={"sources": [ORDERS], "customProperties": {}}) for urn in features]
    )

    part = run(reads_of(store).fetch_neighbours(frozenset({ORDERS})))

    assert {Edge(urn, "DerivedFrom", ORDERS) for urn in features} == set(part.edges)
    assert part.aspects.keys() == {*features, ORDERS}
    assert part.requests >= 6


def test_more_relationships_than_the_cap_are_a_reason(monkeypatch: pytest.MonkeyPatch, catalog: MakeCatalog) -> None:
    monkeypatch.setattr(relationships, "PAGE", 5)
    monkeypatch.setattr(relationships, "MOST_EDGES", 10)
    store = catalog(
        [
            Proposal(
                f"urn:li:mlFeature:(t,f{n})", "mlFeatureProperties", value={"sources": [ORDERS], "customProperties": {}}
            )
            for n in range(40)
        ]
    )

    part = run(reads_of(store).fetch_neighbours(frozenset({ORDERS})))

    assert "not all were read" in part.reasons[0]


def test_requests_grow_with_hops_not_with_entities(catalog: MakeCatalog) -> None:
    def requests(features: int) -> int:
        store = catalog(
            [
                Proposal(
                    f"urn:li:mlFeature:(t,f{n})",
                    "mlFeatureProperties",
                    value={"sources": [ORDERS], "customProperties": {}},
                )
                for n in range(features)
            ]
        )
        return run(reads_of(store).fetch_neighbours(frozenset({ORDERS}))).requests

    assert requests(400) == requests(2)


@pytest.mark.parametrize(
    "urn",
    [
        "urn:li:mlFeature:(a table,name with %28brackets%29%2C and a blank)",
        "urn:li:mlFeature:(umsätze,größe_日本)",
        'urn:li:mlFeature:(t,"quoted" & <odd>)',
    ],
)
def test_odd_urns_travel_unharmed(urn: str, catalog: MakeCatalog) -> None:
    store = catalog([Proposal(urn, "mlFeatureProperties", value={"sources": [ORDERS], "customProperties": {}})])

    part = run(reads_of(store).fetch_neighbours(frozenset({ORDERS})))

    assert part.edges == (Edge(urn, "DerivedFrom", ORDERS),)
    assert part.aspects[urn]["mlFeatureProperties"]["sources"] == [ORDERS]


def test_a_cycle_and_a_self_edge_end(catalog: MakeCatalog) -> None:
    def lineage(urn: str, *upstreams: str) -> Proposal:
        entries = [
            {"auditStamp": {"time": 1, "actor": "urn:li:corpuser:x"}, "dataset": u, "type": "VIEW"} for u in upstreams
        ]
        return Proposal(urn, "upstreamLineage", value={"upstreams": entries})

    store = catalog([lineage(ORDERS, STAGING, ORDERS), lineage(STAGING, ORDERS)])

    part = run(reads_of(store).fetch_neighbours(frozenset({ORDERS, STAGING})))

    assert {Edge(ORDERS, "DownstreamOf", ORDERS), Edge(STAGING, "DownstreamOf", ORDERS)} <= set(part.edges)


def test_deleted_entities_say_so(catalog: MakeCatalog) -> None:
    store = catalog()
    store.write([Proposal(FEATURE, "status", value={"removed": True})])

    graph = LineageGraph().extend(run(reads_of(store).fetch_neighbours(frozenset({FEATURES}))))

    assert not graph.exists(FEATURE)


def test_aspects_alone_come_with_the_edges_that_they_draw(catalog: MakeCatalog) -> None:
    part = run(reads_of(catalog()).fetch_aspects(frozenset({MODEL, ARN, field(ORDERS, "qty")})))

    assert part.asked == frozenset()
    assert set(part.edges) == {
        Edge(MODEL, "DeployedTo", DEPLOYMENT),
        Edge(MODEL, "DeployedTo", ARN),
        Edge(MODEL, "MemberOf", GROUP),
    }
    assert part.aspects.keys() == {MODEL, ARN, ORDERS}
    assert part.aspects[ARN] == {}


def test_an_empty_frontier_asks_for_nothing(catalog: MakeCatalog) -> None:
    part = run(reads_of(catalog()).fetch_neighbours(frozenset()))

    assert (part.edges, part.requests) == ((), 0)


def test_a_listing_leaves_deleted_entities_out(catalog: MakeCatalog) -> None:
    store = catalog()
    store.write([Proposal(STAGING, "status", value={"removed": True})])

    assert run(reads_of(store).fetch_urns("dataset")) == (FEATURES, ORDERS)
    assert run(reads_of(store).fetch_urns("mlModelDeployment")) == (DEPLOYMENT,)


def test_a_listing_above_the_cap_is_refused(catalog: MakeCatalog) -> None:
    with pytest.raises(Permanent, match="more than 1 dataset"):
        run(reads_of(catalog(), most_urns=1).fetch_urns("dataset"))


def test_the_token_is_proven_by_asking_whose_it_is(catalog: MakeCatalog) -> None:
    app = create_app(catalog(), token="right")

    assert run(reads(app, "right").fetch_identity()) == "urn:li:corpuser:datahub"
    with pytest.raises(Permanent, match="TETHER_DATAHUB_TOKEN"):
        run(reads(app, "wrong").fetch_identity())


def test_the_server_tells_its_version_and_what_it_can(catalog: MakeCatalog) -> None:
    server = run(reads_of(catalog()).fetch_server())

    assert server.version.startswith("v1.")
    assert (server.environment, server.relationship_scroll) == ("core", True)


def test_one_client_serves_several_event_loops(catalog: MakeCatalog) -> None:
    store = catalog()
    client = reads_of(store)

    first = run(client.fetch_neighbours(frozenset({ORDERS})))
    second = run(client.fetch_neighbours(frozenset({ORDERS})))

    assert first.edges == second.edges


def test_the_ports_are_fulfilled() -> None:
    read: CatalogReads = DataHubReads("http://catalog.test", None)
    write: CatalogWrites = DataHubWrites("http://catalog.test", None)

    assert all((read, write))
