"""Every route from a dataset to a model, and every way in which a catalog can be strange."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.trail import Edge, Walk
from app.words import Config, ServingConfig
from tests.build import (
    World,
    column,
    dataset,
    drop,
    feature,
    feature_entity,
    follow,
    index,
    model,
    model_entity,
    readers,
    report,
    table,
)
from tests.laws import examples

ORDERS = table("shop.raw.orders", "order_id customer_id discount_pct quantity")
LOST = drop("shop.raw.orders.discount_pct")
GONE = drop("shop.raw.orders", "relation_dropped")
JOB = "urn:li:dataJob:(urn:li:dataFlow:(airflow,daily,PROD),train)"
RUN = "urn:li:dataProcessInstance:abc"


def walked(*entities: tuple[str, dict[str, Any]], change: Any = LOST, config: Config | None = None) -> Walk:
    found, _, _ = follow(report(change), index(), World.of(ORDERS, *entities), config)
    return found


def models(walk: Walk) -> set[str | None]:
    return {trail.model for trail in walk.trails}


# --- routes --------------------------------------------------------------------------------------------------------


def test_a_feature_whose_column_the_source_has_is_lost_with_it() -> None:
    entities = feature_entity("orders.discount_pct", "shop.raw.orders"), model_entity("m", "orders.discount_pct")

    assert {model("m")} == models(walked(*entities))


def test_another_column_of_the_source_is_not_the_feature() -> None:
    entities = feature_entity("orders.quantity", "shop.raw.orders"), model_entity("m", "orders.quantity")
    found = walked(*entities)

    assert found.trails == ()
    assert found.unknowns == ()


def test_a_feature_whose_column_nobody_can_tell_is_an_unknown_with_the_line_that_settles_it() -> None:
    entities = feature_entity("cf.sensitivity", "shop.raw.orders"), model_entity("m", "cf.sensitivity")
    found = walked(*entities)

    assert found.trails == ()
    assert "features: {cf.sensitivity" in found.unknowns[0].why


def test_the_same_feature_of_a_model_that_does_not_serve_is_not() -> None:
    entities = feature_entity("cf.sensitivity", "shop.raw.orders"), model_entity("m", "cf.sensitivity", serving=False)

    assert walked(*entities).unknowns == ()


def test_an_unknown_serving_state_counts_as_the_configuration_says() -> None:
    entities = feature_entity("cf.sensitivity", "shop.raw.orders"), model_entity("m", "cf.sensitivity", serving=None)
    relaxed = Config(serving=ServingConfig(unknown="not_serving"))

    assert len(walked(*entities).unknowns) == 1
    assert walked(*entities, config=relaxed).unknowns == ()


def test_a_lost_key_takes_its_whole_feature_table() -> None:
    key = "urn:li:mlPrimaryKey:(orders,customer_id)"
    feature_table = "urn:li:mlFeatureTable:(urn:li:dataPlatform:feast,orders)"
    entities = (
        (key, {"mlPrimaryKeyProperties": {"sources": [dataset("shop.raw.orders")]}}),
        (
            feature_table,
            {"mlFeatureTableProperties": {"mlPrimaryKeys": [key], "mlFeatures": [feature("orders.units")]}},
        ),
        feature_entity("orders.units", "shop.raw.orders"),
        model_entity("m", "orders.units"),
    )

    assert {model("m")} == models(walked(*entities, change=drop("shop.raw.orders.customer_id")))


def reads(**fields: Any) -> dict[str, Any]:
    return {"dataProcessInstanceInput": {"inputs": [dataset("shop.raw.orders")], **fields}}


def edges_to(*urns: str) -> list[dict[str, str]]:
    return [{"destinationUrn": urn} for urn in urns]


GROUP = "urn:li:mlModelGroup:(urn:li:dataPlatform:mlflow,m,PROD)"
IN_GROUP = {"groups": [GROUP]}
#: every way in which a catalog says that a model was trained on a dataset, or scores with it, without naming a feature
TABLE_LEVEL_ROUTES: dict[str, tuple[tuple[str, dict[str, Any]], ...]] = {
    "training run": ((RUN, reads()), model_entity("m", properties={"trainingJobs": [RUN]})),
    "run with edges": (
        (RUN, {"dataProcessInstanceInput": {"inputs": [], "inputEdges": edges_to(dataset("shop.raw.orders"))}}),
        model_entity("m", properties={"trainingJobs": [RUN]}),
    ),
    "run that writes the model": (
        (RUN, {**reads(), "dataProcessInstanceOutput": {"outputs": [], "outputEdges": edges_to(model("m"))}}),
        model_entity("m"),
    ),
    "run that scores with the model": ((RUN, reads(inputEdges=edges_to(model("m")))), model_entity("m")),
    "training job": (
        (JOB, {"dataJobInputOutput": {"inputDatasets": [dataset("shop.raw.orders")]}}),
        model_entity("m", properties={"trainingJobs": [JOB]}),
    ),
    "scoring job": (
        (JOB, {"dataJobInputOutput": {"inputDatasets": [dataset("shop.raw.orders")]}}),
        model_entity("m", properties={"downstreamJobs": [JOB]}),
    ),
    "job that names columns only": (
        (JOB, {"dataJobInputOutput": {"inputDatasetFields": [column("shop.raw.orders.discount_pct")]}}),
        model_entity("m", properties={"trainingJobs": [JOB]}),
    ),
    "run of the group": (
        (RUN, reads()),
        (GROUP, {"mlModelGroupProperties": {"trainingJobs": [RUN]}}),
        model_entity("m", properties=IN_GROUP),
    ),
    "training data": (
        model_entity("m", mlModelTrainingData={"trainingData": [{"dataset": dataset("shop.raw.orders")}]}),
    ),
}
route = pytest.mark.parametrize("entities", TABLE_LEVEL_ROUTES.values(), ids=TABLE_LEVEL_ROUTES)


@route
def test_a_model_without_features_that_takes_the_table_is_an_unknown(entities: Any) -> None:
    found = walked(*entities)

    assert found.trails == ()
    assert "training or scoring run" in found.unknowns[0].why


@route
def test_the_whole_table_is_lost_to_a_model_that_takes_it(entities: Any) -> None:
    found = walked(*entities, change=GONE)

    assert {model("m")} == models(found)
    assert found.unknowns == ()


@route
def test_a_model_that_is_gone_takes_nothing(entities: Any) -> None:
    *before, (urn, held) = entities
    found = walked(*before, (urn, {**held, "status": {"removed": True}}))

    assert (found.trails, found.unknowns) == ((), ())


def test_a_model_with_declared_features_is_judged_by_them() -> None:
    found = walked((RUN, reads()), model_entity("m", "other.feature", properties={"trainingJobs": [RUN]}))

    assert found.unknowns == ()


def test_a_run_that_was_cleaned_up_counts_while_its_model_names_it() -> None:
    """Catalogs clean up old runs; what they once wrote may come from elsewhere, what a model was trained on stays."""
    run = RUN, {**reads(), "status": {"removed": True}, "dataProcessInstanceOutput": {"outputs": [model("other")]}}
    found = walked(run, model_entity("m", properties={"trainingJobs": [RUN]}), model_entity("other"))

    assert found.trails == ()
    assert ["behind it: m" in unknown.why for unknown in found.unknowns] == [True]


def test_tasks_that_only_run_later_take_nothing() -> None:
    """Schedulers declare the order of tasks as lineage between jobs."""
    later = "urn:li:dataJob:(urn:li:dataFlow:(airflow,daily,PROD),mail)"
    found = walked(
        (JOB, {"dataJobInputOutput": {"inputDatasets": [dataset("shop.raw.orders")]}}),
        (later, {"dataJobInputOutput": {"inputDatajobs": [JOB]}}),
        model_entity("m", properties={"trainingJobs": [later]}),
    )

    assert found.unknowns == ()


def test_lineage_goes_through_jobs() -> None:
    job = (
        JOB,
        {
            "dataJobInputOutput": {
                "inputDatasets": [dataset("shop.raw.orders")],
                "outputDatasets": [dataset("shop.ml.training")],
            }
        },
    )
    entities = (
        job,
        table("shop.ml.training", "label discount"),
        feature_entity("training.discount", "shop.ml.training"),
        model_entity("m", "training.discount"),
    )

    assert len(walked(*entities).unknowns) == 1
    assert {model("m")} == models(walked(*entities, change=GONE))


def test_lineage_that_is_declared_on_columns_alone_is_followed() -> None:
    """Both kinds of edge that a server may keep: from the dataset to the column, and from column to column."""
    training = table("shop.ml.training", "discount", upstream={"discount": "shop.raw.orders.discount_pct"})
    training[1]["upstreamLineage"]["upstreams"] = []
    entities = training, feature_entity("training.discount", "shop.ml.training"), model_entity("m", "training.discount")

    class ColumnsOnly(World):
        def edges(self) -> frozenset[Edge]:
            plain = frozenset(edge for edge in World.edges(self) if edge.type != "DownstreamOf")
            lineage = Edge(column("shop.ml.training.discount"), "DownstreamOf", column("shop.raw.orders.discount_pct"))
            return plain | {lineage}

    catalog = dict((ORDERS, *entities))
    for world in (World(catalog), ColumnsOnly(catalog)):
        found, _, _ = follow(report(LOST), index(), world)
        assert {model("m")} == models(found)


def test_siblings_that_only_their_aspect_tells_are_one_relation() -> None:
    stg = table("shop.dbt.stg_orders", "discount_pct", platform="dbt")
    view = table("shop.raw.stg", "discount_pct", siblings={"siblings": [stg[0]], "primary": True})
    down = table("shop.f.t", "d")
    down[1]["upstreamLineage"] = {
        "upstreams": [{"dataset": stg[0]}],
        "fineGrainedLineages": [
            {"upstreams": [f"urn:li:schemaField:({stg[0]},discount_pct)"], "downstreams": [column("shop.f.t.d")]}
        ],
    }
    entities = stg, view, down, feature_entity("t.d", "shop.f.t"), model_entity("m", "t.d")

    assert {model("m")} == models(walked(*entities, change=drop("shop.raw.stg.discount_pct")))


def test_a_dbt_exposure_of_type_ml_depends_on_every_output() -> None:
    exposure = "urn:li:dashboard:(dbt,exposure.shop.churn)"
    held = {"dashboardInfo": {"datasets": [dataset("shop.raw.orders")]}, "subTypes": {"typeNames": ["ML Model"]}}

    assert {exposure} == models(walked((exposure, held)))


def test_other_dashboards_are_listed_and_walked_past() -> None:
    board = "urn:li:dashboard:(looker,sales)"
    found = walked((board, {"dashboardInfo": {"datasets": [dataset("shop.raw.orders")]}}))

    assert (board,) == found.dashboards
    assert found.trails == ()


def test_a_chart_is_listed_with_the_dashboards_that_it_stands_on() -> None:
    chart, board = "urn:li:chart:(looker,revenue)", "urn:li:dashboard:(looker,sales)"
    gone = "urn:li:dashboard:(looker,old)"
    found = walked(
        (chart, {"chartInfo": {"inputs": [dataset("shop.raw.orders")]}}),
        (board, {"dashboardInfo": {"charts": [chart]}}),
        (gone, {"dashboardInfo": {"charts": [chart]}, "status": {"removed": True}}),
    )

    assert (chart, board) == found.dashboards


def test_a_create_model_is_the_model_of_its_name() -> None:
    sql = "CREATE OR REPLACE MODEL `shop.ml.churn` AS SELECT discount_pct, quantity AS label FROM `shop.raw.orders`"
    bigquery = table("shop.raw.orders", "discount_pct quantity", platform="bigquery")
    world = World.of(bigquery, model_entity("churn", platform="bigquery"))
    found, _, _ = follow(report(LOST), index(readers(sql, dialect="bigquery")), world)

    assert {model("churn", "bigquery")} == models(found)


# --- strange catalogs ----------------------------------------------------------------------------------------------


def test_deleted_entities_are_dropped() -> None:
    removed: dict[str, Any] = {"status": {"removed": True}}
    lost_feature = feature_entity("orders.discount_pct", "shop.raw.orders", **removed)
    kept_feature = feature_entity("orders.discount_pct", "shop.raw.orders")

    assert walked(lost_feature, model_entity("m", "orders.discount_pct")).trails == ()
    found = walked(kept_feature, model_entity("m", "orders.discount_pct", **removed))
    assert [trail.model for trail in found.trails] == [None]


def test_a_cycle_and_a_self_edge_end() -> None:
    a = table("shop.a.t", "c", upstream={"c": "shop.b.t.c"}, tables=["shop.a.t"])
    b = table("shop.b.t", "c", upstream={"c": "shop.a.t.c"})
    orders = table("shop.raw.orders", "discount_pct", upstream={"discount_pct": "shop.raw.orders.discount_pct"})
    c = table("shop.a.t2", "c", upstream={"c": "shop.raw.orders.discount_pct"})
    world = World.of(orders, a, b, c)
    found, _, _ = follow(report(drop("shop.a.t.c")), index(), world)

    assert found.trails == ()


def test_statements_that_feed_each_other_end() -> None:
    sql = "CREATE VIEW x.a AS SELECT discount_pct FROM x.b; CREATE VIEW x.b AS SELECT discount_pct FROM x.a;"
    sql += "CREATE VIEW x.c AS SELECT a.discount_pct FROM x.a JOIN shop.raw.orders o ON o.order_id = a.discount_pct"
    found, _, _ = follow(report(drop("x.a.discount_pct")), index(readers(sql)), World.of(ORDERS))

    assert found.trails == ()


def test_an_incomplete_graph_is_an_unknown() -> None:
    found, _, _ = follow(report(LOST), index(), World.of(ORDERS, reasons=("a page could not be read",)))

    assert [unknown.why for unknown in found.unknowns] == ["a page could not be read"]


@pytest.mark.parametrize(
    "aspects",
    [
        {"schemaMetadata": {"fields": {"new": "shape"}}},
        {"upstreamLineage": {"upstreams": [], "fineGrainedLineages": "none"}},
        {"status": {"removed": "perhaps"}},
    ],
)
def test_an_aspect_of_another_shape_is_an_unknown(aspects: dict[str, Any]) -> None:
    world = World.of((dataset("shop.raw.orders"), aspects))
    found, _, _ = follow(report(LOST), index(), world)

    assert any("shape that Tether does not know" in unknown.why for unknown in found.unknowns)


@pytest.mark.parametrize("name", ["a,b", "a(1)", "läden", "a b", "x" * 400])
def test_hostile_feature_names(name: str) -> None:
    orders = table("shop.raw.orders", "")
    orders[1]["schemaMetadata"] = {"fields": [{"fieldPath": name}]}
    urn = f"urn:li:mlFeature:(orders,{name.replace(',', '%2C').replace('(', '%28').replace(')', '%29')})"
    entities = (
        (urn, {"mlFeatureProperties": {"sources": [dataset("shop.raw.orders")]}}),
        (model("m"), {"mlModelProperties": {"mlFeatures": [urn], "customProperties": {"serving": "true"}}}),
    )
    world = World.of(orders, *entities)
    found, _, _ = follow(report(GONE), index(), world)

    assert {model("m")} == models(found)


def test_a_model_with_ten_thousand_features() -> None:
    names = [f"orders.f{number}" for number in range(10_000)]
    entity = model_entity("m", "orders.discount_pct", *names)
    found = walked(feature_entity("orders.discount_pct", "shop.raw.orders"), entity)

    assert {model("m")} == models(found)


def test_a_field_path_of_version_two_is_the_same_column() -> None:
    orders = table("shop.raw.orders")
    orders[1]["schemaMetadata"] = {"fields": [{"fieldPath": "[version=2.0].[type=struct].[type=string].discount_pct"}]}
    world = World.of(
        orders, feature_entity("orders.discount_pct", "shop.raw.orders"), model_entity("m", "orders.discount_pct")
    )
    found, _, _ = follow(report(LOST), index(), world)

    assert {model("m")} == models(found)


# --- the walk as a whole -------------------------------------------------------------------------------------------

_NODE = st.integers(0, 5)
_EDGES = st.lists(st.tuples(_NODE, _NODE, st.booleans()), max_size=12)


def _world(edges: list[tuple[int, int, bool]], features: list[int]) -> World:
    tables = {n: table(f"s.t.n{n}", "c") for n in range(6)}
    for up, down, fine in edges:
        lineage = tables[down][1].setdefault("upstreamLineage", {"upstreams": [], "fineGrainedLineages": []})
        lineage["upstreams"].append({"dataset": tables[up][0]})
        if fine:
            row = {
                "upstreams": [f"urn:li:schemaField:({tables[up][0]},c)"],
                "downstreams": [f"urn:li:schemaField:({tables[down][0]},c)"],
            }
            lineage["fineGrainedLineages"].append(row)
    entities = [feature_entity(f"n{n}.c", f"s.t.n{n}") for n in features]
    entities += [model_entity(f"m{n}", f"n{n}.c") for n in features]
    return World.of(*tables.values(), *entities)


def _reached(edges: list[tuple[int, int, bool]], *, fine_only: bool) -> set[int]:
    found, queue = {0}, [0]
    while queue:
        here = queue.pop()
        for up, down, fine in edges:
            if up == here and down not in found and (fine or not fine_only):
                found.add(down)
                queue.append(down)
    return found


@examples(25)
@given(_EDGES, st.lists(_NODE, unique=True, max_size=4))
def test_every_model_behind_column_edges_is_lost_and_every_other_one_behind_edges_is_in_question(
    edges: list[tuple[int, int, bool]], features: list[int]
) -> None:
    found, _, _ = follow(report(drop("s.t.n0.c")), index(), _world(edges, features))

    proven = {model(f"m{n}") for n in features if n in _reached(edges, fine_only=True)}
    # a pair with a column edge is known by its columns: the table edge beside it says nothing more
    assert proven == models(found) - {None}
    in_question = {name for question in found.questions for name in question.models}
    behind = {model(f"m{n}") for n in features if n in _reached(edges, fine_only=False)}
    assert behind - proven == in_question


@examples(12)
@given(_EDGES, st.lists(_NODE, unique=True, max_size=4))
def test_the_walk_with_everything_at_hand_finds_what_the_loop_finds(
    edges: list[tuple[int, int, bool]], features: list[int]
) -> None:
    from app.trail import Naming, walk  # noqa: PLC0415 - the pure function itself, without the loop

    world = _world(edges, features)
    looped, _, _ = follow(report(drop("s.t.n0.c")), index(), world)
    config = Config()
    at_once = walk(report(drop("s.t.n0.c")), index(), world.graph(), Naming.of(world.datasets(), config), config)

    assert models(looped) == models(at_once)
