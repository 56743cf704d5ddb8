"""The table of two witnesses, and what stops and values mean, through the whole loop of fetch and walk."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from app.change import Removal
from app.trail import Walk
from app.words import CatalogNaming, Config, FeatureConfig, ModelConfig
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
    opaque,
    readers,
    report,
    table,
)

ORDERS = table("shop.raw.orders", "order_id customer_id discount_pct quantity")
FEATURES = "shop.features.customer_features"
CHURN = model_entity("churn", "customer_features.discount_sensitivity")
DISCOUNT = feature_entity("customer_features.discount_sensitivity", FEATURES)
AVG = """CREATE TABLE shop.features.customer_features AS
SELECT customer_id,
       AVG(discount_pct) AS discount_sensitivity,
       SUM(quantity) AS units
FROM shop.raw.orders
GROUP BY customer_id"""
LOAD = "INSERT INTO shop.features.customer_features SELECT * FROM shop.raw.orders"
LOST = drop("shop.raw.orders.discount_pct")


def world(*more: tuple[str, dict[str, Any]], upstream: dict[str, str] | None = None, **fields: Any) -> World:
    own = table(FEATURES, "customer_id discount_sensitivity units", upstream=upstream, **fields)
    return World.of(ORDERS, own, DISCOUNT, CHURN, *more)


def models(walk: Walk) -> set[str | None]:
    return {trail.model for trail in walk.trails}


# --- the table of two witnesses ------------------------------------------------------------------------------------


def test_visible_sql_that_reads_is_proof_without_any_edge() -> None:
    walked, _, _ = follow(report(LOST), index(readers(AVG)), world())

    assert [model("churn")] == [trail.model for trail in walked.trails]
    steps = walked.trails[0].steps
    assert [dataset("shop.raw.orders"), dataset(FEATURES), DISCOUNT[0], CHURN[0]] == [step.urn for step in steps]
    assert [step.witness for step in steps] == ["sql", "sql", "relationship", "relationship"]
    assert steps[1].evidence[0].text == "AVG(discount_pct) AS discount_sensitivity,"
    assert steps[1].evidence[0].line == 3
    assert walked.unknowns == ()


def test_visible_sql_that_does_not_read_contradicts_the_edge() -> None:
    sql = AVG.replace("discount_pct", "quantity")
    walked, _, _ = follow(
        report(LOST), index(readers(sql)), world(upstream={"discount_sensitivity": "shop.raw.orders.discount_pct"})
    )

    assert walked.trails == ()
    assert walked.unknowns == ()
    assert len(walked.contradicted) == 1
    assert "its SQL does not read it" in walked.contradicted[0][0]


def test_an_edge_that_the_change_itself_outdates_is_no_contradiction() -> None:
    sql = AVG.replace("discount_pct", "quantity")
    moved = report(LOST, files=("migrations/0002_change.sql", "features/customer_features.sql"))
    walked, _, _ = follow(
        moved, index(readers(sql)), world(upstream={"discount_sensitivity": "shop.raw.orders.discount_pct"})
    )

    assert walked.contradicted == ()


def test_a_table_edge_beside_sql_that_reads_other_columns_is_no_contradiction() -> None:
    sql = AVG.replace("discount_pct", "quantity")
    walked, _, _ = follow(report(LOST), index(readers(sql)), world(tables=["shop.raw.orders"]))

    assert walked.contradicted == ()
    assert walked.trails == ()


def test_a_declared_column_edge_is_proof_where_sql_is_not_visible() -> None:
    walked, _, _ = follow(
        report(LOST), index(), world(upstream={"discount_sensitivity": "shop.raw.orders.discount_pct"})
    )

    assert {model("churn")} == models(walked)
    assert walked.trails[0].steps[1].witness == "declared"


def test_a_table_edge_alone_is_an_unknown_that_names_what_would_settle_it() -> None:
    walked, _, _ = follow(report(LOST), index(), world(tables=["shop.raw.orders"]))

    assert walked.trails == ()
    assert len(walked.unknowns) == 1
    assert "table-level" in walked.unknowns[0].why
    assert "churn" in walked.unknowns[0].why


def test_a_table_edge_to_a_model_that_does_not_serve_decides_nothing() -> None:
    idle = model_entity("churn", "customer_features.discount_sensitivity", serving=False)
    walked, _, _ = follow(report(LOST), index(), world(idle, tables=["shop.raw.orders"]))

    assert walked.unknowns == ()
    assert any("no serving model" in note for note in walked.notes)


def test_a_whole_table_that_goes_is_lost_to_its_table_edges() -> None:
    gone = drop("shop.raw.orders", "relation_dropped")
    walked, _, _ = follow(report(gone), index(), world(tables=["shop.raw.orders"]))

    assert {model("churn")} == models(walked)
    assert walked.unknowns == ()


def test_other_columns_of_an_edge_are_not_this_one() -> None:
    walked, _, _ = follow(report(LOST), index(), world(upstream={"discount_sensitivity": "shop.raw.orders.quantity"}))

    assert walked.trails == ()
    assert walked.unknowns == ()


def test_an_inferred_edge_cites_its_evidence() -> None:
    items = (
        '[{"upstream": "%s", "downstream": "%s", "repo": "shop/features", "commit": "c0ffee", "path": "f.sql", "line": 3,'
        ' "text": "AVG(discount_pct)", "columns": ["discount_pct"]}]'
    )
    up, down = column("shop.raw.orders.discount_pct"), column(f"{FEATURES}.discount_sensitivity")
    urn, held = table(
        FEATURES,
        "customer_id discount_sensitivity",
        upstream={"discount_sensitivity": "shop.raw.orders.discount_pct"},
        globalTags={"tags": [{"tag": "urn:li:tag:tether:inferred"}]},
    )
    held["upstreamLineage"]["upstreams"][0]["properties"] = {"tether.evidence": items % (up, down)}
    walked, _, _ = follow(report(LOST), index(), World.of(ORDERS, (urn, held), DISCOUNT, CHURN))

    assert walked.trails[0].steps[1].witness == "inferred"
    assert walked.trails[0].steps[1].evidence[0].path == "f.sql"


def test_evidence_on_a_feature_gives_its_source_columns() -> None:
    items = '[{"upstream": "%s", "downstream": "%s", "path": "f.py", "line": 3, "columns": ["discount_pct"]}]'
    aspects = {
        "globalTags": {"tags": [{"tag": "urn:li:tag:tether:inferred"}]},
        "mlFeatureProperties": {
            "sources": [dataset("shop.raw.orders")],
            "customProperties": {"tether.evidence": items % (dataset("shop.raw.orders"), DISCOUNT[0])},
        },
    }
    catalog = World.of(ORDERS, (DISCOUNT[0], aspects), CHURN)

    walked, _, _ = follow(report(LOST), index(), catalog)
    other, _, _ = follow(report(drop("shop.raw.orders.quantity")), index(), catalog)

    assert walked.trails[0].steps[1].witness == "inferred"
    assert other.trails == ()
    assert other.unknowns == ()


def test_rejected_evidence_proves_nothing() -> None:
    items = '[{"upstream": "%s", "downstream": "%s", "path": "f.py", "line": 3, "columns": ["discount_pct"]}]'
    tags = [{"tag": "urn:li:tag:tether:inferred"}, {"tag": "urn:li:tag:tether:rejected"}]
    aspects = {
        "globalTags": {"tags": tags},
        "mlFeatureProperties": {
            "sources": [dataset("shop.raw.orders")],
            "customProperties": {"tether.evidence": items % (dataset("shop.raw.orders"), DISCOUNT[0])},
        },
    }
    walked, _, _ = follow(report(LOST), index(), World.of(ORDERS, (DISCOUNT[0], aspects), CHURN))

    assert walked.trails == ()
    assert len(walked.unknowns) == 1


# --- stops and values ----------------------------------------------------------------------------------------------


def test_stops_takes_every_output_of_the_statement() -> None:
    units = feature_entity("customer_features.units", FEATURES)
    pricing = model_entity("pricing", "customer_features.units")
    walked, _, _ = follow(report(LOST), index(readers(AVG)), world(units, pricing))

    assert {model("churn"), model("pricing")} == models(walked)
    assert {"stops"} == {trail.effect for trail in walked.trails}


def test_values_takes_only_what_depends_on_the_column() -> None:
    units = feature_entity("customer_features.units", FEATURES)
    pricing = model_entity("pricing", "customer_features.units")
    changed = drop("shop.raw.orders.discount_pct", "meaning_changed", level="warn")
    walked, _, _ = follow(report(changed), index(readers(AVG)), world(units, pricing))

    assert {model("churn")} == models(walked)
    assert {"values"} == {trail.effect for trail in walked.trails}


def test_values_of_a_grouping_column_reach_every_output() -> None:
    changed = drop("shop.raw.orders.customer_id", "meaning_changed", level="warn")
    walked, _, _ = follow(report(changed), index(readers(AVG)), world())

    assert {model("churn")} == models(walked)


def test_a_column_in_a_filter_alone_stops_the_feature() -> None:
    sql = AVG.replace("GROUP BY", "WHERE order_id > 0\nGROUP BY")
    walked, _, _ = follow(report(drop("shop.raw.orders.order_id")), index(readers(sql)), world())

    assert {model("churn")} == models(walked)
    assert walked.trails[0].steps[1].evidence[0].text == "WHERE order_id > 0"


def test_a_star_passes_only_its_column_on() -> None:
    schema = {"shop.raw.orders": dict.fromkeys(["order_id", "customer_id", "discount_pct", "quantity"], "")}
    star = "CREATE VIEW shop.raw.v AS SELECT * FROM shop.raw.orders"
    top = AVG.replace("FROM shop.raw.orders", "FROM shop.raw.v").replace("AVG(discount_pct)", "AVG(quantity)")
    sql = index(readers(star, path="v.sql", schema=schema), readers(top))

    walked, _, _ = follow(report(LOST, schema=schema), sql, world())
    read, _, _ = follow(report(drop("shop.raw.orders.quantity"), schema=schema), sql, world())

    assert walked.trails == ()
    assert {model("churn")} == models(read)


def test_a_star_over_unknown_columns_passes_any_column_on() -> None:
    star = "CREATE VIEW shop.raw.v AS SELECT * FROM shop.raw.orders"
    top = AVG.replace("FROM shop.raw.orders", "FROM shop.raw.v")
    walked, _, _ = follow(report(LOST), index(readers(star, path="v.sql"), readers(top)), world())

    assert {model("churn")} == models(walked)
    assert "shop.raw.v" in {step.urn for step in walked.trails[0].steps}


def test_a_positional_insert_of_a_star_breaks_when_a_column_goes_and_not_when_it_is_renamed() -> None:
    schema = {"shop.raw.orders": dict.fromkeys(["order_id", "customer_id", "discount_pct", "quantity"], "")}
    sql = index(readers(LOAD, schema=schema))

    gone, _, _ = follow(report(drop("shop.raw.orders.quantity"), schema=schema), sql, world())
    renamed, _, _ = follow(
        report(drop("shop.raw.orders.quantity", "column_renamed", new_name="qty"), schema=schema), sql, world()
    )

    assert {model("churn")} == models(gone)
    assert renamed.trails == ()


def test_a_new_order_reaches_only_readers_by_place() -> None:
    schema = {"shop.raw.orders": dict.fromkeys(["customer_id", "discount_pct", "quantity"], "")}
    moved = report(drop("shop.raw.orders", "position_changed"), schema=schema)
    by_place = index(readers(LOAD, schema=schema))

    hit, _, _ = follow(moved, by_place, world())
    spared, _, _ = follow(moved, index(readers(AVG)), world())

    assert {model("churn")} == models(hit)
    assert spared.trails == ()
    assert spared.unknowns == ()


def test_a_loader_that_still_writes_a_dropped_column_stops() -> None:
    loader = "INSERT INTO shop.raw.orders (order_id, discount_pct) SELECT id, pct FROM shop.raw.landing"
    sql = index(readers(loader, path="load.sql"), readers(AVG.replace("AVG(discount_pct)", "AVG(quantity)")))
    walked, _, _ = follow(report(LOST), sql, world())

    assert {model("churn")} == models(walked)


def test_an_ambiguous_column_is_an_unknown_not_a_trail() -> None:
    sql = AVG.replace("FROM shop.raw.orders", "FROM a.b, shop.raw.orders")
    walked, _, _ = follow(report(LOST), index(readers(sql)), world())

    assert walked.trails == ()
    assert [question.rule for question in walked.questions] == ["column_is_ambiguous"]
    assert walked.unknowns[0].path == "features/customer_features.sql"


def test_a_declared_edge_settles_an_ambiguous_column() -> None:
    sql = AVG.replace("FROM shop.raw.orders", "FROM a.b, shop.raw.orders")
    edge = {"discount_sensitivity": "shop.raw.orders.discount_pct"}
    walked, _, _ = follow(report(LOST), index(readers(sql)), world(upstream=edge))

    assert {model("churn")} == models(walked)


# --- names ---------------------------------------------------------------------------------------------------------


def test_a_view_that_two_repositories_spell_differently_is_one() -> None:
    view = "CREATE VIEW staging.v AS SELECT discount_pct, customer_id, quantity FROM shop.raw.orders"
    top = AVG.replace("FROM shop.raw.orders", "FROM shop.staging.v")
    walked, _, _ = follow(report(LOST), index(readers(view, path="v.sql"), readers(top)), world())

    assert {model("churn")} == models(walked)


def test_a_name_that_fits_two_datasets_is_an_unknown() -> None:
    top = AVG.replace("FROM shop.raw.orders", "FROM raw.orders")
    lab = table("lab.raw.orders", "discount_pct")
    walked, _, _ = follow(report(LOST), index(readers(top)), world(lab))

    assert walked.trails == ()
    assert [question.rule for question in walked.questions] == ["reader_is_unknown"]


def test_the_same_column_of_another_table_is_not_lost() -> None:
    promotions = table("shop.raw.promotions", "promo_id discount_pct")
    walked, _, _ = follow(report(drop("shop.raw.promotions.discount_pct")), index(readers(AVG)), world(promotions))

    assert walked.trails == ()
    assert walked.unknowns == ()


def test_a_temporary_table_belongs_to_its_own_file() -> None:
    scratch = """CREATE TEMPORARY TABLE orders AS SELECT customer_id, 1 AS discount_pct, 2 AS quantity FROM shop.raw.other;
CREATE TABLE shop.features.customer_features AS
SELECT customer_id, AVG(discount_pct) AS discount_sensitivity FROM orders GROUP BY customer_id"""
    config = Config(catalog=CatalogNaming(database="shop", schema="raw"))
    walked, _, _ = follow(report(LOST), index(readers(scratch)), world(), config)

    assert walked.trails == ()


def test_a_dbt_entity_and_its_table_are_walked_as_one() -> None:
    twin = table("shop.raw.orders", "discount_pct", platform="dbt")
    own = table(FEATURES, "discount_sensitivity")
    own[1]["upstreamLineage"] = {
        "upstreams": [{"dataset": twin[0]}],
        "fineGrainedLineages": [
            {
                "upstreams": [column("shop.raw.orders.discount_pct", "dbt")],
                "downstreams": [column(f"{FEATURES}.discount_sensitivity")],
            }
        ],
    }
    walked, _, _ = follow(report(LOST), index(), World.of(ORDERS, twin, own, DISCOUNT, CHURN))

    assert {model("churn")} == models(walked)


def test_lineage_of_another_spelling_of_the_table_is_followed() -> None:
    """One source wrote SHOP.RAW.ORDERS and its lineage, another shop.raw.orders and its schema."""
    upper = table("SHOP.RAW.ORDERS", "DISCOUNT_PCT")
    own = table(FEATURES, "discount_sensitivity", upstream={"discount_sensitivity": "SHOP.RAW.ORDERS.DISCOUNT_PCT"})
    walked, _, _ = follow(report(LOST), index(), World.of(ORDERS, upper, own, DISCOUNT, CHURN))

    assert {model("churn")} == models(walked)


# --- the configuration ---------------------------------------------------------------------------------------------


def test_a_mapped_file_computes_the_feature_it_is_mapped_to() -> None:
    query = "SELECT customer_id, AVG(discount_pct) AS d FROM shop.raw.orders GROUP BY 1"
    config = Config(features={"ml.sensitivity": FeatureConfig(sql="q/d.sql", column="d")})
    catalog = World.of(ORDERS, feature_entity("ml.sensitivity"), model_entity("churn", "ml.sensitivity"))
    walked, _, _ = follow(report(LOST), index(readers(query, path="q/d.sql")), catalog, config)

    assert {model("churn")} == models(walked)
    assert walked.trails[0].steps[1].witness == "config"


def test_a_model_that_only_the_configuration_links_is_found() -> None:
    config = Config(models={"offline_churn": ModelConfig(features=("customer_features.discount_sensitivity",))})
    walked, _, _ = follow(report(LOST), index(readers(AVG)), world(), config)

    assert {model("churn"), "offline_churn"} == models(walked)


# --- what could not be read ----------------------------------------------------------------------------------------


def test_an_opaque_file_that_names_the_column_and_a_relation_of_the_trail_is_an_unknown() -> None:
    suspect = opaque("train.py", "pandas discount_pct orders")
    walked, _, _ = follow(report(LOST), index(opaque=[suspect]), World.of(ORDERS))

    assert [unknown.path for unknown in walked.unknowns] == ["train.py"]


def test_an_opaque_file_that_names_the_column_alone_is_not() -> None:
    suspect = opaque("train.py", "pandas discount_pct promotions")
    walked, _, _ = follow(report(LOST), index(opaque=[suspect]), World.of(ORDERS))

    assert walked.unknowns == ()


def test_an_opaque_file_that_takes_a_star_of_a_relation_on_the_trail_is() -> None:
    suspect = opaque("train.py", "pandas customer_features", star=True)
    walked, _, _ = follow(report(LOST), index(readers(AVG), opaque=[suspect]), World.of(ORDERS, table(FEATURES, "x")))

    assert [unknown.path for unknown in walked.unknowns] == ["train.py"]


@pytest.mark.parametrize(
    ("words", "star", "by_place", "suspected"),
    [
        ("create table copy_of orders", False, (), False),
        ("create table copy_of orders", True, (), True),
        ("insert into copy_of orders", False, ("copy_of",), False),
        ("insert into orders copy_of", False, ("orders",), True),
        ("insert into orders", False, ("",), True),
        ("insert into copy_of customers", True, ("copy_of",), False),
        ("insert into copy_of customers", False, ("",), False),
    ],
)
def test_only_an_opaque_file_that_may_take_columns_by_position_minds_their_order(
    words: str, *, star: bool, by_place: tuple[str, ...], suspected: bool
) -> None:
    moved = drop("shop.raw.orders", "position_changed")
    broken = replace(opaque("x/broken.sql", words, star=star), by_place=frozenset(by_place))
    walked, _, _ = follow(report(moved), index(opaque=[broken]), World.of(ORDERS))
    assert suspected == bool(walked.unknowns)


def test_an_opaque_file_that_names_the_column_and_a_mapped_feature_is() -> None:
    config = Config(features={"season.idx": FeatureConfig(code="season.py")})
    suspect = opaque("other.py", "discount_pct idx")
    walked, _, _ = follow(report(LOST), index(opaque=[suspect]), World.of(ORDERS), config)

    assert [unknown.path for unknown in walked.unknowns] == ["other.py"]


def test_the_code_of_a_mapped_feature_needs_only_the_column() -> None:
    config = Config(features={"season.idx": FeatureConfig(code="season.py")})
    suspect = opaque("season.py", "discount_pct")
    walked, _, _ = follow(report(LOST), index(opaque=[suspect]), World.of(ORDERS), config)

    assert [unknown.path for unknown in walked.unknowns] == ["season.py"]


def test_a_removal_that_may_only_warn_leaves_a_question_and_no_unknown() -> None:
    changed = drop("shop.raw.orders.discount_pct", "meaning_changed", level="warn")
    suspect = opaque("train.py", "discount_pct orders")
    walked, _, _ = follow(report(changed), index(opaque=[suspect]), World.of(ORDERS))

    assert walked.unknowns == ()
    assert len(walked.questions) == 1


FEAST = '''from feast import BigQuerySource, FeatureView, Field

src = BigQuerySource(
    query="""SELECT customer_id, AVG(discount_pct) AS discount_sensitivity FROM shop.raw.orders GROUP BY 1""",
)
fv = FeatureView(name="customer_features", schema=[Field(name="discount_sensitivity")], source=src)
'''


def test_a_feast_view_says_which_feature_its_query_computes() -> None:
    query = FEAST.split('"""')[1]
    catalog = World.of(ORDERS, feature_entity("customer_features.discount_sensitivity"), CHURN)
    walked, _, _ = follow(report(LOST), index(readers(query, path="repo/fv.py", source=FEAST)), catalog)

    assert {model("churn")} == models(walked)
    assert walked.trails[0].steps[1].evidence[0].line == 4


def test_a_query_in_python_that_leads_nowhere_visible_is_an_unknown() -> None:
    text = 'frame = read_sql("SELECT discount_pct FROM shop.raw.orders")\n'
    query = text.split('"')[1]
    walked, _, _ = follow(report(LOST), index(readers(query, path="train.py", source=text)), World.of(ORDERS))

    assert [unknown.path for unknown in walked.unknowns] == ["train.py"]


def test_a_bare_query_file_is_a_note() -> None:
    query = "SELECT discount_pct FROM shop.raw.orders"
    walked, _, _ = follow(report(LOST), index(readers(query, path="adhoc.sql")), World.of(ORDERS))

    assert walked.unknowns == ()
    assert any("without saying what it feeds" in note for note in walked.notes)


def test_the_catalogs_view_text_gives_way_to_the_repository() -> None:
    from app.words import Repo  # noqa: PLC0415 - one test speaks of the catalog's own pseudo repository

    stale = readers(AVG, path="urn", repo=Repo(0, "catalog"))
    now = readers(AVG.replace("discount_pct", "quantity"))

    old, _, _ = follow(report(LOST), index(stale), world())
    new, _, _ = follow(report(LOST), index(stale, now), world())

    assert {model("churn")} == models(old)
    assert old.trails[0].steps[1].evidence[0].side == "catalog"
    assert new.trails == ()


def test_features_are_asked_for_by_urn() -> None:
    catalog = world()
    follow(report(LOST), index(readers(AVG)), catalog)

    assert feature("shop.features.customer_features.discount_sensitivity") in frozenset().union(*catalog.fetches)


# --- types: each reader is asked for itself ------------------------------------------------------------------------


def retype(new_type: str = "VARCHAR") -> Removal:
    return replace(
        LOST, kind="type_changed", effect="values", certain=False, new_type=new_type, detail=f"? -> {new_type}"
    )


def effects(removal: Removal, *sql: str, dialect: str = "postgres") -> dict[str | None, str]:
    read = readers(";\n".join(sql), dialect=dialect)
    walked, _, _ = follow(report(removal), index(read), world())
    return {trail.model: trail.effect for trail in walked.trails}


def test_a_reader_that_rejects_the_new_type_stops() -> None:
    assert effects(retype(), AVG) == {CHURN[0]: "stops"}


def test_a_reader_that_takes_the_new_type_computes_other_values() -> None:
    assert effects(retype(), AVG.replace("AVG(", "COUNT(")) == {CHURN[0]: "values"}
    assert effects(retype("BIGINT"), AVG) == {CHURN[0]: "values"}
    assert effects(retype(), AVG, dialect="snowflake") == {CHURN[0]: "values"}


def test_a_filter_that_rejects_the_new_type_stops_everything() -> None:
    assert effects(
        retype(), AVG.replace("AVG(discount_pct)", "COUNT(*)").replace("GROUP", "WHERE discount_pct > 1\nGROUP")
    ) == {CHURN[0]: "stops"}


def test_a_view_hands_the_new_type_on() -> None:
    view = "CREATE VIEW shop.raw.v AS\nSELECT customer_id, discount_pct AS pct, quantity FROM shop.raw.orders"
    over = AVG.replace("discount_pct", "pct").replace("raw.orders", "raw.v")
    assert effects(retype(), view, over) == {CHURN[0]: "stops"}
    assert effects(retype(), view.replace("discount_pct AS", "length(discount_pct::text) AS"), over) == {
        CHURN[0]: "values"
    }


def test_what_one_reader_rejects_is_not_held_against_another() -> None:
    other = "CREATE VIEW shop.raw.report AS\nSELECT SUM(discount_pct) AS total FROM shop.raw.orders"
    assert effects(retype(), other, AVG.replace("AVG(", "COUNT(")) == {CHURN[0]: "values"}
