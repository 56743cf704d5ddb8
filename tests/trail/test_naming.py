"""Relation names to urns: all parts or nothing, and a sentence that says what would settle it."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.trail import Naming
from app.words import CatalogNaming, Config
from tests.build import dataset


def naming(*names: str | tuple[str, str], **catalog: str | None) -> Naming:
    """Names on snowflake, or (name, platform)."""
    urns = [dataset(*name) if isinstance(name, tuple) else dataset(name) for name in names]
    return Naming.of(urns, Config(catalog=CatalogNaming(**catalog)))  # type: ignore[arg-type]


def test_a_whole_name_is_its_dataset() -> None:
    assert naming("shop.raw.orders").resolve("shop.raw.orders").urn == dataset("shop.raw.orders")


def test_two_parts_are_enough_where_they_are_unique() -> None:
    assert naming("shop.raw.orders", "shop.raw.events").resolve("raw.orders").urn == dataset("shop.raw.orders")


def test_the_last_part_alone_never_matches() -> None:
    named = naming("shop.raw.orders").resolve("orders")

    assert named.urn is None
    assert named.candidates == (dataset("shop.raw.orders"),)
    assert "`catalog: {database: shop, schema: raw}`" in named.why


def test_the_same_last_part_in_another_schema_is_no_match() -> None:
    assert naming("shop.raw.orders").resolve("shop.staging.orders").urn is None


def test_two_parts_that_fit_two_databases_are_ambiguous() -> None:
    named = naming("shop.raw.orders", "lab.raw.orders").resolve("raw.orders")

    assert named.urn is None
    assert set(named.candidates) == {dataset("shop.raw.orders"), dataset("lab.raw.orders")}
    assert "catalog: {database" in named.why


def test_the_configured_database_settles_it() -> None:
    names = naming("shop.raw.orders", "lab.raw.orders", database="lab")

    assert names.resolve("raw.orders").urn == dataset("lab.raw.orders")


def test_configured_schema_and_database_complete_a_bare_name() -> None:
    names = naming("shop.raw.orders", "shop.lab.orders", database="shop", schema="raw")

    assert names.resolve("orders").urn == dataset("shop.raw.orders")


def test_a_configured_database_does_not_match_another_one() -> None:
    assert naming("lab.raw.orders", database="shop").resolve("raw.orders").urn is None


def test_a_catalog_without_databases_is_found_through_the_configured_one() -> None:
    assert naming("public.orders", database="shop").resolve("shop.public.orders").urn == dataset("public.orders")


def test_a_database_that_nobody_configured_is_not_dropped() -> None:
    assert naming("public.orders").resolve("shop.public.orders").urn is None


def test_a_one_part_catalog_name_is_found_by_one_part() -> None:
    assert naming("orders").resolve("orders").urn == dataset("orders")


def test_the_exact_name_is_preferred_to_a_longer_one() -> None:
    assert naming("raw.orders", "shop.raw.orders").resolve("raw.orders").urn == dataset("raw.orders")


@pytest.mark.parametrize("platform", ["bigquery", "clickhouse", "mysql"])
def test_where_case_counts_the_exact_name_comes_first(platform: str) -> None:
    both = naming(("SHOP.RAW.ORDERS", platform), ("shop.raw.orders", platform))

    assert both.resolve("shop.raw.orders").urn == dataset("shop.raw.orders", platform)
    assert both.canonical(dataset("SHOP.RAW.ORDERS", platform)) == dataset("SHOP.RAW.ORDERS", platform)


@pytest.mark.parametrize("platform", ["snowflake", "redshift", "databricks", "postgres", "oracle"])
def test_where_case_does_not_count_two_spellings_are_one_relation(platform: str) -> None:
    """Two sources of one catalog disagree on case: what either says of the table is said of the table."""
    both = naming(("SHOP.RAW.ORDERS", platform), ("shop.raw.orders", platform), ("shop.raw.orders", "dbt"))
    one = dataset("shop.raw.orders", platform)

    assert both.resolve("shop.raw.orders").urn == one
    assert {one} == {
        both.canonical(urn) for urn in (one, dataset("SHOP.RAW.ORDERS", platform), dataset("shop.raw.orders", "dbt"))
    }


def test_any_case_is_taken_where_there_is_one_spelling() -> None:
    assert naming("SHOP.RAW.ORDERS").resolve("shop.raw.orders").urn == dataset("SHOP.RAW.ORDERS")


def test_a_quoted_part_with_a_dot_is_one_part() -> None:
    assert naming("shop.raw.orders").resolve('"shop.raw".orders').urn is None


def test_a_dot_in_a_tables_name_is_one_like_any_other_in_the_catalog() -> None:
    assert naming("shop.raw.my.table").resolve('shop.raw."my.table"').urn == dataset("shop.raw.my.table")
    assert naming("shop.raw.orders").resolve('"raw.orders"').urn is None


@pytest.mark.parametrize(
    ("platform", "stored", "written", "found"),
    [
        ("postgres", "shop.public.orders", "orders", True),
        ("postgres", "shop.raw.orders", "orders", False),
        ("mssql", "shop.dbo.Orders", "orders", True),
        ("snowflake", "SHOP.PUBLIC.ORDERS", "orders", True),
        ("bigquery", "shop.public.orders", "orders", False),
        ("mysql", "public.orders", "orders", False),
    ],
)
def test_a_bare_name_is_looked_for_in_the_schema_that_its_platform_looks_in(
    platform: str, stored: str, written: str, *, found: bool
) -> None:
    assert naming((stored, platform)).resolve(written).urn == (dataset(stored, platform) if found else None)


def test_a_bare_name_that_two_schemas_have_stays_open() -> None:
    named = naming(("shop.public.orders", "postgres"), ("shop.raw.orders", "postgres")).resolve("orders")

    assert named.urn is None
    assert len(named.candidates) == 2
    assert "`catalog: {database: shop, schema: public}`" in named.why


@pytest.mark.parametrize("written", ["shop.raw.orders", "raw.orders"])
def test_two_instances_with_one_database_name_are_told_apart_by_the_configured_one(written: str) -> None:
    both = ("a.shop.raw.orders", "b.shop.raw.orders")

    assert "`catalog: {instance: a}`" in naming(*both).resolve(written).why
    assert naming(*both, instance="b").resolve(written).urn == dataset("b.shop.raw.orders")


def test_a_table_of_another_instance_is_not_taken_for_ones_own() -> None:
    named = naming("a.shop.raw.orders", "b.shop.raw.customers", instance="a").resolve("shop.raw.customers")

    assert named.urn is None
    assert "`catalog: {instance: b}`" in named.why


def test_a_dbt_entity_does_not_hide_a_table_with_an_instance() -> None:
    names = naming("eu.shop.raw.orders", ("shop.raw.orders", "dbt"))
    two = naming("eu.shop.raw.orders", "us.shop.raw.orders", ("shop.raw.orders", "dbt"))

    assert names.resolve("shop.raw.orders").urn == dataset("eu.shop.raw.orders")
    assert two.resolve("shop.raw.orders").urn is None


@pytest.mark.parametrize(
    ("stored", "settings", "written", "line"),
    [
        ("shop.raw.orders", {}, "orders", "catalog: {database: shop, schema: raw}"),
        ("shop.raw.orders", {"schema": "ods"}, "orders", "catalog: {database: shop, schema: raw}"),
        ("shop.raw.orders", {"database": "other"}, "raw.orders", "catalog: {database: shop}"),
        ("eu.shop.raw.orders", {}, "orders", "catalog: {instance: eu, database: shop, schema: raw}"),
        ("shop.ods.orders", {}, "shop.raw.orders", "ingest it, or write the name as the catalog has it"),
    ],
)
def test_the_line_that_would_settle_a_name_has_the_values_of_the_nearest_dataset(
    stored: str, settings: dict[str, str], written: str, line: str
) -> None:
    assert line in naming(stored, **settings).resolve(written).why


def test_a_dbt_entity_and_its_table_are_one_relation() -> None:
    names = naming("shop.raw.orders", ("shop.raw.orders", "dbt"))

    assert names.resolve("shop.raw.orders").urn == dataset("shop.raw.orders")
    assert names.canonical(dataset("shop.raw.orders", "dbt")) == dataset("shop.raw.orders")


def test_a_dbt_entity_without_a_table_stands_for_itself() -> None:
    names = naming(("shop.raw.orders", "dbt"), platform="snowflake")

    assert names.resolve("shop.raw.orders").urn == dataset("shop.raw.orders", "dbt")


def test_two_platforms_are_ambiguous_until_one_is_configured() -> None:
    names = ("shop.raw.orders", ("shop.raw.orders", "postgres"))

    assert "catalog: {platform" in naming(*names).resolve("shop.raw.orders").why
    assert naming(*names, platform="postgres").resolve("shop.raw.orders").urn == dataset("shop.raw.orders", "postgres")


def test_another_environment_is_not_this_one_and_the_line_is_named() -> None:
    names = Naming.of([dataset("shop.raw.orders", env="DEV")], Config())

    assert names.resolve("shop.raw.orders").urn is None
    assert "catalog: {env: DEV}" in names.resolve("shop.raw.orders").why


def test_the_platform_instance_is_no_part_of_the_name() -> None:
    names = naming("eu1.shop.raw.orders", instance="eu1")

    assert names.resolve("shop.raw.orders").urn == dataset("eu1.shop.raw.orders")
    assert names.relation(dataset("eu1.shop.raw.orders")) == "shop.raw.orders"


def test_an_unknown_relation_has_its_completed_name_as_key() -> None:
    names = naming("shop.raw.events", database="shop", schema="raw")

    assert names.key("orders") == names.key("raw.orders") == "shop.raw.orders"


@pytest.mark.parametrize(
    "urn",
    [
        "urn:li:dataset:(urn:li:dataPlatform:s3,bucket/a(1)/b,PROD)",
        "urn:li:dataset:(urn:li:dataPlatform:snowflake,shop.raw.a%2Cb,PROD)",
        "urn:li:dataset:(urn:li:dataPlatform:snowflake,shop.raw.a,b,PROD)",
        "urn:li:dataset:(urn:li:dataPlatform:snowflake,läden.roh.bestellungen,PROD)",
        "urn:li:dataset:(broken",
        "no urn at all",
    ],
)
def test_strange_urns_do_no_harm(urn: str) -> None:
    names = Naming.of([urn, dataset("shop.raw.orders")], Config())

    assert names.resolve("shop.raw.orders").urn == dataset("shop.raw.orders")


_PART = st.sampled_from(["shop", "lab", "raw", "orders", "events"])
_NAMES = st.lists(st.lists(_PART, min_size=1, max_size=4).map(".".join), max_size=8)


@given(_NAMES, st.lists(_PART, min_size=1, max_size=3).map(".".join))
def test_what_resolves_ends_with_every_written_part(catalog: Iterable[str], relation: str) -> None:
    urn = naming(*catalog).resolve(relation).urn

    if urn is not None:
        stored = urn.split(",")[1].split(".")
        written = relation.split(".")
        assert stored[-len(written) :] == written
        assert len(written) >= 2 or stored == written
