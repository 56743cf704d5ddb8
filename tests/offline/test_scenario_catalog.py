"""The notation of a scenario's catalog: what each statement comes to, and what is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest

from app.catalog import CatalogStore
from app.offline.scenario import MalformedScenario
from app.offline.scenario.catalog import find_proposals, merge_statements, parse_statements
from app.offline.scenario.values import ExpectedLine
from tests.suite import NAMES, scenario

ORDERS = "urn:li:dataset:(urn:li:dataPlatform:snowflake,shop.raw.orders,PROD)"
VIEW = "urn:li:dataset:(urn:li:dataPlatform:snowflake,shop.a.v,PROD)"
MODEL = "urn:li:mlModel:(urn:li:dataPlatform:mlflow,churn,PROD)"
START = """table shop.raw.orders: order_id NUMBER
feature f.x from shop.raw.orders
model churn from f.x: serving true
"""


def lines(text: str) -> list[ExpectedLine]:
    return [ExpectedLine("one.md", number, line) for number, line in enumerate(text.split("\n"), 1)]


def read(text: str, platform: str | None = "snowflake") -> dict[tuple[str, str], dict[str, Any]]:
    found = find_proposals(parse_statements(lines(text)), platform)
    return {(one["entityUrn"], one["aspectName"]): one["aspect"]["json"] for one in found}


def test_a_table_with_its_columns() -> None:
    found = read(
        'table shop.raw.orders: id NUMBER(5, 4), "d.pct" STRUCT<a INT, b INT>, note TEXT, at TIMESTAMP, day DATE, ok BOOLEAN'
    )
    fields = found[ORDERS, "schemaMetadata"]["fields"]

    assert found[ORDERS, "datasetProperties"]["qualifiedName"] == "shop.raw.orders"
    assert [(f["fieldPath"], f["nativeDataType"], *f["type"]["type"]) for f in fields] == [
        ("id", "NUMBER(5, 4)", "com.linkedin.schema.NumberType"),
        ("d.pct", "STRUCT<a INT, b INT>", "com.linkedin.schema.StringType"),
        ("note", "TEXT", "com.linkedin.schema.StringType"),
        ("at", "TIMESTAMP", "com.linkedin.schema.TimeType"),
        ("day", "DATE", "com.linkedin.schema.DateType"),
        ("ok", "BOOLEAN", "com.linkedin.schema.BooleanType"),
    ]


def test_columns_may_stand_below_their_table_and_a_table_may_have_none() -> None:
    assert read("table shop.raw.orders:\n  id NUMBER,\n  note TEXT") == read(
        "table shop.raw.orders: id NUMBER, note TEXT"
    )
    assert list(read("table shop.raw.orders")) == [(ORDERS, "datasetProperties")]
    assert read("table shop.raw.orders:")[ORDERS, "schemaMetadata"]["fields"] == []


@pytest.mark.parametrize(
    ("name", "urn"),
    [
        ("shop.raw.orders", ORDERS),
        ("dbt:shop.raw.orders", ORDERS.replace("snowflake", "dbt")),
        ("shop.raw.orders@DEV", ORDERS.replace("PROD", "DEV")),
        ('"shop.raw.my table"', ORDERS.replace("orders", "my table")),
        (ORDERS, ORDERS),
    ],
)
def test_names_become_urns(name: str, urn: str) -> None:
    assert list(read(f"table {name}")) == [(urn, "datasetProperties")]
    assert list(read(f"feature f.x from {name}").values()) == [{"customProperties": {}, "sources": [urn]}]


def test_views_and_their_sql() -> None:
    found = read(
        "view shop.a.v: id NUMBER\nsql shop.a.v:\n  SELECT id\n    FROM t\nlineage shop.a.v from shop.raw.orders"
    )

    assert found[VIEW, "subTypes"] == {"typeNames": ["View"]}
    assert found[VIEW, "viewProperties"]["viewLogic"] == "SELECT id\n  FROM t"
    assert [one["dataset"] for one in found[VIEW, "upstreamLineage"]["upstreams"]] == [ORDERS]
    assert "fineGrainedLineages" not in found[VIEW, "upstreamLineage"]


def test_lineage_of_columns() -> None:
    one = read("lineage shop.a.v from shop.raw.orders: x from a + b")[VIEW, "upstreamLineage"]["fineGrainedLineages"]
    two = read("lineage shop.a.v from shop.raw.orders, shop.raw.c: x from shop.raw.orders.a")[VIEW, "upstreamLineage"]

    assert one[0]["upstreams"] == [f"urn:li:schemaField:({ORDERS},{column})" for column in ("a", "b")]
    assert one[0]["downstreams"] == [f"urn:li:schemaField:({VIEW},x)"]
    assert two["fineGrainedLineages"][0]["upstreams"] == [f"urn:li:schemaField:({ORDERS},a)"]


def test_what_is_known_of_a_model() -> None:
    said = "serving true, owner growth-ml, created 2026-07-14, deployed sagemaker:live, group g"
    found = read(f"model churn from f.x, f.y: {said}")
    model = found[MODEL, "mlModelProperties"]

    assert model["customProperties"] == {"serving": "true"}
    assert model["mlFeatures"] == ["urn:li:mlFeature:(f,x)", "urn:li:mlFeature:(f,y)"]
    assert model["created"]["time"] == 1783987200000
    assert model["deployments"] == ["urn:li:mlModelDeployment:(urn:li:dataPlatform:sagemaker,live,PROD)"]
    assert model["groups"] == ["urn:li:mlModelGroup:(urn:li:dataPlatform:mlflow,g,PROD)"]
    assert found[MODEL, "ownership"]["owners"] == [{"owner": "urn:li:corpGroup:growth-ml", "type": "TECHNICAL_OWNER"}]
    assert list(read("model churn")) == [(MODEL, "mlModelProperties")]


def test_nodes_of_dbt_and_their_siblings() -> None:
    found = read("dbt source shop.raw.orders in models/s.yml: id NUMBER\nsiblings dbt:shop.raw.orders, shop.raw.orders")
    dbt = ORDERS.replace("snowflake", "dbt")

    assert found[dbt, "datasetProperties"]["customProperties"]["dbt_unique_id"] == "source.shop.raw.orders"
    assert found[dbt, "siblings"] == {"siblings": [ORDERS], "primary": True}
    assert found[ORDERS, "siblings"] == {"siblings": [dbt], "primary": False}
    model = read("dbt model shop.a.v in models/v.sql: id NUMBER")[VIEW.replace("snowflake", "dbt"), "datasetProperties"]
    assert model["customProperties"]["dbt_unique_id"] == "model.shop.v"


def test_whatever_else_is_written_as_yaml() -> None:
    flow = read("aspect table shop.a.v subTypes: {typeNames: [Snapshot]}")
    below = read("aspect table shop.a.v subTypes:\n  typeNames:\n  - Snapshot")
    job = read("aspect urn:li:dataProcessInstance:t1 status: {removed: true}\ndeleted urn:li:dataProcessInstance:t2")

    assert flow == below == {(VIEW, "subTypes"): {"typeNames": ["Snapshot"]}}
    assert job == {
        ("urn:li:dataProcessInstance:t1", "status"): {"removed": True},
        ("urn:li:dataProcessInstance:t2", "status"): {"removed": True},
    }


def test_a_statement_replaces_takes_out_or_adds() -> None:
    own = "view shop.raw.orders: id NUMBER\nwithout feature f.x\ntable shop.raw.more"
    merged = merge_statements(parse_statements(lines(START)), parse_statements(lines(own)))

    assert [(one.keyword, one.parts["name"]) for one in merged] == [
        ("view", "shop.raw.orders"),
        ("model", "churn"),
        ("table", "shop.raw.more"),
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("tabel shop.raw.orders", "one.md:1: tabel begins no line of a catalog: there are platform, table"),
        ("table shop raw", "one.md:1: this is not understood; write it like: table shop.raw.orders: order_id NUMBER"),
        ("table a.b\n  c NUMBER", "one.md:1: this is not understood"),
        ("  id NUMBER", "one.md:1: this line is indented below nothing"),
        ("table a.b\n\ntable a.b: id NUMBER", "one.md:3: line 1 says something else of the same"),
        ("table a.b: id", "one.md:1: the column id has no type"),
        ("table a.b: id NUMBER,, c NUMBER", "one.md:1: the column (nothing) has no type"),
        ("feature x", "one.md:1: a feature is written table.feature, not x"),
        ("model m: serves true", "one.md:1: a model has no serves: there are serving, owner"),
        ("model m: created yesterday", "one.md:1: yesterday is no day: write it like 2026-07-14"),
        ("dbt macro a.b in m.sql: id NUMBER", "one.md:1: dbt has no macro: there are model, seed"),
        ("lineage a.b from c.d: x", "one.md:1: x is no edge between columns"),
        ("lineage a.b from c.d, e.f: x from y", "one.md:1: y may be of 2 tables: write it as table.y"),
        ("aspect table a.b subTypes: [", "one.md:1: the value of subTypes has to be YAML"),
        ("deleted cat a.b", "one.md:1: a.b is not known for what it is"),
        ("platform snow flake", "one.md:1: one platform is named: platform snowflake"),
    ],
)  # fmt: skip
def test_what_is_no_statement_is_refused(text: str, said: str) -> None:
    with pytest.raises(MalformedScenario) as refused:
        read(text)

    assert str(refused.value).startswith(said), str(refused.value)


def test_what_the_starting_catalog_lacks_cannot_be_taken_out() -> None:
    with pytest.raises(
        MalformedScenario, match=r"one\.md:1: the starting catalog has no table a\.b: leave this line out"
    ):
        merge_statements(parse_statements(lines(START)), parse_statements(lines("without table a.b")))


def test_the_platform_has_to_be_said_somewhere() -> None:
    with pytest.raises(MalformedScenario, match=r"one\.md:1: the platform of a\.b is not said"):
        read("table a.b", None)
    assert list(read("platform snowflake\ntable shop.raw.orders", None)) == [(ORDERS, "datasetProperties")]


def test_a_catalog_takes_what_every_scenario_says_of_it() -> None:
    """DataHub's own schemas judge the aspects: each is stored as it was written."""
    with CatalogStore() as store:
        seen: dict[str, None] = {}
        for name in NAMES:
            fresh = [one for one in scenario(name).proposals if json.dumps(one) not in seen]
            seen |= dict.fromkeys(map(json.dumps, fresh))
            assert store.load(fresh, name) == len(fresh)
