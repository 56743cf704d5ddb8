"""Edges that SQL proves, and every reason to refuse one."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from app.reads import Unreadable
from app.repair import ProvenEdge, Refusal, find_edges
from app.trail import LineageGraph, Naming, SqlIndex
from app.words import Config, FeatureConfig, Schema
from tests.build import (
    World,
    column,
    dataset,
    feature,
    feature_entity,
    index,
    model,
    model_entity,
    opaque,
    readers,
    table,
)

ORDERS = table("shop.raw.orders", "order_id customer_id discount_pct quantity is_test")
CF = table("shop.features.customer_features", "customer_id discount_sensitivity")
NAME = "customer_features.discount_sensitivity"
DISCOUNT = feature_entity(NAME, "shop.features.customer_features")
AVG = """CREATE TABLE shop.features.customer_features AS
SELECT customer_id,
       AVG(discount_pct) AS discount_sensitivity
FROM shop.raw.orders
WHERE NOT is_test
GROUP BY customer_id"""
OWN = column("shop.features.customer_features.discount_sensitivity")

Found = tuple[tuple[ProvenEdge, ...], tuple[Refusal, ...]]


def edges(
    sql: SqlIndex,
    *entities: tuple[str, dict[str, Any]],
    names: tuple[str, ...] = (NAME,),
    schema: Schema | None = None,
    config: Config | None = None,
) -> Found:
    world = World.of(*(entities or (ORDERS, CF, DISCOUNT)))
    settings = config or Config()
    naming = Naming.of(world.datasets(), settings)
    return find_edges(sql, world.graph(), naming, schema or {}, frozenset(map(feature, names)), settings)


def pairs(found: Found) -> set[tuple[str, str]]:
    return {(edge.upstream, edge.downstream) for edge in found[0]}


def test_column_edges_into_the_features_own_relation_with_the_line_that_proves_them() -> None:
    found = edges(index(readers(AVG)))

    assert {
        (column("shop.raw.orders.discount_pct"), OWN),
        (column("shop.raw.orders.is_test"), OWN),
        (column("shop.raw.orders.customer_id"), OWN),
    } == pairs(found)
    direct = next(edge for edge in found[0] if edge.direct)
    assert ("column", dataset("shop.features.customer_features"), ("discount_pct",)) == (
        *(direct.kind, direct.entity),
        direct.columns,
    )
    (line,) = direct.evidence
    assert (
        *(line.path, line.line, line.text),
        line.side,
    ) == ("features/customer_features.sql", 3, "AVG(discount_pct) AS discount_sensitivity", "base")
    assert line.commit == "c0ffee"
    assert found[1] == ()


def test_indirect_reads_say_how_they_are_used() -> None:
    found = edges(index(readers(AVG)))
    used = {edge.columns[0]: edge.operation for edge in found[0] if not edge.direct}

    assert used == {"is_test": "FILTER", "customer_id": "GROUP"}


def test_what_the_catalog_has_is_not_proposed_again() -> None:
    known = table(
        "shop.features.customer_features",
        "customer_id discount_sensitivity",
        upstream={"discount_sensitivity": "shop.raw.orders.discount_pct"},
    )
    found = edges(index(readers(AVG)), ORDERS, known, DISCOUNT)

    assert (column("shop.raw.orders.discount_pct"), OWN) not in pairs(found)


def test_a_feature_without_a_dataset_of_its_own_gets_sources_with_columns() -> None:
    bare = feature_entity(NAME)
    found = edges(index(readers(AVG)), ORDERS, bare)
    (edge,) = found[0]

    assert ("source", dataset("shop.raw.orders"), feature(NAME)) == (edge.kind, edge.upstream, edge.downstream)
    assert {"discount_pct", "is_test", "customer_id"} == set(edge.columns)


def test_the_lines_of_a_view_that_the_catalog_does_not_know_are_looked_through() -> None:
    view = "CREATE VIEW shop.tmp.v AS\nSELECT customer_id, discount_pct, is_test\nFROM shop.raw.orders"
    top = AVG.replace("shop.raw.orders", "shop.tmp.v")
    found = edges(index(readers(view, path="v.sql"), readers(top)))
    edge = next(edge for edge in found[0] if edge.columns == ("discount_pct",))

    assert {"v.sql", "features/customer_features.sql"} == {line.path for line in edge.evidence}


def test_edges_between_datasets_further_up_are_found_too() -> None:
    view = table("shop.staging.v", "customer_id discount_pct is_test")
    sql = "CREATE VIEW shop.staging.v AS\nSELECT customer_id, discount_pct, is_test\nFROM shop.raw.orders"
    top = AVG.replace("shop.raw.orders", "shop.staging.v")
    found = edges(index(readers(sql, path="v.sql"), readers(top)), ORDERS, CF, view, DISCOUNT)

    assert (column("shop.raw.orders.discount_pct"), column("shop.staging.v.discount_pct")) in pairs(found)
    assert (column("shop.staging.v.discount_pct"), OWN) in pairs(found)


def test_a_positional_insert_fills_the_columns_in_their_order() -> None:
    sql = """INSERT INTO shop.features.customer_features
SELECT customer_id, AVG(discount_pct) AS x
FROM shop.raw.orders GROUP BY 1"""
    schema = {"shop.features.customer_features": {"customer_id": "", "discount_sensitivity": ""}}
    found = edges(index(readers(sql)), schema=schema)

    assert (column("shop.raw.orders.discount_pct"), OWN) in pairs(found)


def test_a_create_model_gives_its_features_to_the_model_of_its_name() -> None:
    sql = "CREATE MODEL `shop.ml.churn` AS\nSELECT AVG(discount_pct) AS d\nFROM `shop.raw.orders`"
    orders = table("shop.raw.orders", "discount_pct", platform="bigquery")
    entities = orders, feature_entity("shop.ml.churn.d"), model_entity("churn", platform="bigquery")
    found = edges(index(readers(sql, dialect="bigquery")), *entities, names=("shop.ml.churn.d",))

    assert ("model", feature("shop.ml.churn.d"), model("churn", "bigquery")) in {
        (edge.kind, edge.upstream, edge.downstream) for edge in found[0]
    }


def test_a_feast_view_names_the_query_behind_a_feature() -> None:
    text = '''src = BigQuerySource(
    query="""SELECT customer_id, AVG(discount_pct) AS d FROM shop.raw.orders GROUP BY 1""",
    field_mapping={"d": "discount_sensitivity"},
)
fv = FeatureView(name="customer_features", schema=[Field(name="discount_sensitivity")], source=src)
'''
    query = text.split('"""')[1]
    found = edges(index(readers(query, path="repo/fv.py", source=text)), ORDERS, feature_entity(NAME))

    assert {(dataset("shop.raw.orders"), feature(NAME))} == pairs(found)
    assert {2} == {line.line for edge in found[0] for line in edge.evidence}


def test_two_definitions_of_one_feature_both_count() -> None:
    other = AVG.replace("discount_pct", "quantity")
    found = edges(index(readers(AVG), readers(other, path="predict.sql")))

    assert {"discount_pct", "quantity"} <= {edge.columns[0] for edge in found[0]}


def test_the_mapped_file_beats_what_would_be_detected() -> None:
    config = Config(features={NAME: FeatureConfig(sql="predict.sql")})
    other = AVG.replace("discount_pct", "quantity")
    found = edges(index(readers(AVG), readers(other, path="predict.sql")), config=config)

    assert "discount_pct" not in {edge.columns[0] for edge in found[0]}


def test_only_the_given_features() -> None:
    assert edges(index(readers(AVG)), names=()) == ((), ())


# --- refusals ------------------------------------------------------------------------------------------------------


def reasons(found: Found) -> str:
    return " | ".join(refusal.reason for refusal in found[1])


def test_an_ambiguous_column_is_refused() -> None:
    found = edges(index(readers(AVG.replace("FROM shop.raw.orders", "FROM shop.raw.orders, a.b"))))

    assert (column("shop.raw.orders.discount_pct"), OWN) not in pairs(found)
    assert "may belong to several" in reasons(found)


def test_a_star_is_refused_because_no_line_names_the_column() -> None:
    schema = {"shop.raw.orders": {"customer_id": "", "discount_sensitivity": ""}}
    sql = "CREATE TABLE shop.features.customer_features AS SELECT * FROM shop.raw.orders"
    found = edges(index(readers(sql, schema=schema)), schema=schema)

    assert found[0] == ()
    assert "no line names it" in reasons(found)


def test_a_line_that_does_not_name_the_column_is_refused() -> None:
    macro = readers(AVG, source=None)
    lines = tuple("{{ cols() }}" if number == 2 else text for number, text in enumerate(AVG.splitlines()))
    from dataclasses import replace  # noqa: PLC0415 - one test only

    found = edges(index(replace(reader, source=lines) for reader in macro))

    assert (column("shop.raw.orders.discount_pct"), OWN) not in pairs(found)
    assert "no line names it" in reasons(found)


def test_a_relation_that_the_catalog_does_not_know_is_refused() -> None:
    found = edges(index(readers(AVG)), CF, DISCOUNT)

    assert found[0] == ()
    assert "shop.raw.orders" in reasons(found)


def test_a_column_that_the_catalog_does_not_know_is_refused() -> None:
    found = edges(index(readers(AVG)), table("shop.raw.orders", "customer_id is_test"), CF, DISCOUNT)

    assert (column("shop.raw.orders.discount_pct"), OWN) not in pairs(found)
    assert "does not know a column discount_pct" in reasons(found)


def test_code_and_opaque_files_are_refused() -> None:
    config = Config(features={NAME: FeatureConfig(code="season.py")})

    assert "not SQL" in reasons(edges(index(), config=config))
    assert "it is Python" in reasons(edges(index(opaque=[opaque("f.py", "discount_sensitivity")])))
    assert "no SQL" in reasons(edges(index()))


def test_a_rejected_entity_is_left_alone() -> None:
    rejected = (CF[0], {**CF[1], "globalTags": {"tags": [{"tag": "urn:li:tag:tether:rejected"}]}})
    found = edges(index(readers(AVG)), ORDERS, rejected, DISCOUNT)

    assert found[0] == ()
    assert "rejected" in reasons(found)


def test_the_catalogs_own_view_text_is_no_evidence() -> None:
    from app.words import Repo  # noqa: PLC0415 - one test speaks of the catalog's pseudo repository

    found = edges(index(readers(AVG, repo=Repo(0, "catalog"))))

    assert found[0] == ()


# --- no false edge -------------------------------------------------------------------------------------------------

HARD = Path(__file__).parents[3] / "shared" / "execbench" / "hard"


def _hard_schema() -> dict[str, dict[str, str]]:
    text = (HARD / "schema.sql").read_text()
    schema: dict[str, dict[str, str]] = {}
    for name, body in re.findall(r"create\s+(?:or\s+replace\s+)?table\s+([\w.]+)\s*\((.*?)\);", text, re.S | re.I):
        columns = [part.split()[0].strip('"').lower() for part in re.split(r",(?![^(]*\))", body) if part.strip()]
        schema[name.lower()] = {c: "" for c in columns if c not in ("primary", "foreign", "unique", "constraint")}
    return schema


@pytest.mark.skipif(not HARD.exists(), reason="the hard suite of queries is not beside this checkout")
def test_no_edge_of_the_hard_suite_lacks_its_column_on_its_lines_or_is_denied_by_execution() -> None:
    truth = json.loads((HARD / "truth.json").read_text())
    reading: dict[str, set[tuple[str, str]]] = {}
    for case in truth["cases"]:
        for path in (*case["breaks"], *case["output"]):
            reading.setdefault(path, set()).add((case["table"].lower(), case["column"].lower()))
    schema = _hard_schema()
    tables = [table(name, " ".join(columns), platform="duckdb") for name, columns in schema.items()]
    seen = 0
    for path in sorted((HARD / "queries").glob("*.sql")):
        seen += _check_hard(path, schema, tables, reading.get(f"queries/{path.name}", set()))
    assert seen > 50


def _check_hard(path: Path, schema: Schema, tables: list[tuple[str, Any]], reading: set[tuple[str, str]]) -> int:
    try:
        sql = readers(path.read_text(), path=path.name, dialect="duckdb", schema=schema, relation="ml.hard.out")
    except Unreadable:
        return 0
    outputs = [output.name for reader in sql for output in reader.statement.outputs if output.name != "*"]
    own = table("ml.hard.out", " ".join(outputs) or "x", platform="duckdb")
    entities = [feature_entity(f"out.{name}", "ml.hard.out", platform="duckdb") for name in outputs]
    world = World.of(*tables, own, *entities)
    naming, graph = Naming.of(world.datasets(), Config()), world.graph()
    names = frozenset(urn for urn, _ in entities)
    found, _ = find_edges(index(sql), graph, naming, schema, names, Config())
    assert_proven(found, graph)
    for edge in found:
        upstream = edge.upstream.rpartition("(")[2].split(",")
        lost = (upstream[1].lower(), edge.columns[0].lower())
        assert lost in reading, f"{path.name}: {lost} is read by nobody"
    return len(found)


def assert_proven(found: tuple[ProvenEdge, ...], graph: LineageGraph) -> None:
    for edge in found:
        assert edge.evidence
        for name in edge.columns:
            assert any(name.lower() in line.text.lower() for line in edge.evidence), edge
    assert graph.complete
