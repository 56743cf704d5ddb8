"""Projects over Fivetran's connectors: its macro package is in none of them."""

from __future__ import annotations

import pytest

from app.render import SqlText
from app.words import Config, DbtConfig
from tests.render.trees import PROJECT, render_model, words

SOURCES = "sources: [{name: crm, schema: crm_raw, tables: [{name: deal}, {name: deal_b}]}]"
UNION = """{{ fivetran_utils.union_data(table_identifier='deal', database_variable='crm_database', schema_variable='crm_schema',
    default_database=target.database, default_schema='crm', default_variable='deal',
    union_schema_variable='crm_union_schemas', union_database_variable='crm_union_databases') }}"""
FROM_ONE = "select *, 'db.one.deal' as _dbt_source_relation from db.one.deal"
CONNECTIONS = "{{ fivetran_utils.union_connections('crm_sources', 'crm', 'deal') }}"


def stage(sql: str, variables: str = "{}", config: Config | None = None) -> SqlText:
    files = {"project": f"{PROJECT}vars: {variables}\n", "models/sources.yml": SOURCES}
    return render_model(
        sql, config or Config(dialect="snowflake", dbt=DbtConfig(database="db", schema="core")), **files
    )


@pytest.mark.parametrize(
    ("sql", "variables", "expected"),
    [
        (UNION, "{}", "select 'crm' as _dbt_source_relation, * from db.crm_raw.deal"),
        (
            UNION,
            "{crm_deal_identifier: deal_seed}",
            "select 'crm' as _dbt_source_relation, * from db.crm_raw.deal_seed",
        ),
        (
            UNION,
            "{crm_union_schemas: [one, two]}",
            f"{FROM_ONE} union all by name {FROM_ONE.replace('one', 'two')}",
        ),
        (
            UNION,
            "{crm_union_databases: ['x'], crm_schema: raw}",
            "select *, 'x.raw.deal' as _dbt_source_relation from x.raw.deal",
        ),
        (CONNECTIONS, "{}", "select * from db.crm_raw.deal as source_table"),
        (
            CONNECTIONS,
            "{crm_sources: [{name: a, schema: one}, {name: b, database: other, schema: two}]}",
            f"{FROM_ONE} union all by name {FROM_ONE.replace('db.one', 'other.two')}",
        ),
    ],
)
def test_the_source_of_a_staging_model(sql: str, variables: str, expected: str) -> None:
    assert words(stage(sql, variables)) == expected


@pytest.mark.parametrize(
    ("call", "variables", "expected"),
    [
        ("source_relation()", "{}", ", cast('' as varchar) as source_relation"),
        (
            "source_relation(union_schema_variable='us', union_database_variable='ud')",
            "{us: [one]}",
            ", zz_schema_of(_dbt_source_relation) as source_relation",
        ),
        ("apply_source_relation('crm')", "{}", ", cast('' as varchar) as source_relation"),
        ("apply_source_relation('crm')", "{crm_sources: [{name: a}]}", ", _dbt_source_relation as source_relation"),
        ("persist_pass_through_columns('more', identifier='d')", "{}", ""),
        ("persist_pass_through_columns('more', identifier='d')", "{more: [{name: x, alias: y}]}", ", (d.y) as y"),
        ("fill_pass_through_columns('more')", "{more: [x]}", ", coalesce(cast(x as varchar), '') as x"),
        ("calculated_fields('more')", "{more: [{name: n, transform_sql: a + b}]}", ", a + b as n"),
    ],
)
def test_columns_that_it_adds(call: str, variables: str, expected: str) -> None:
    text = stage("".join(("select id {{ fivetran_utils.", call, " }} from t")), variables)

    assert words(text) == " ".join(("select id", expected, "from t")).replace("  ", " ")


@pytest.mark.parametrize(
    ("variables", "all_of_them", "one_of_them"),
    [("{}", True, False), ("{a: true, b: false}", False, True), ("{a: true, b: true}", True, True)],
)
def test_enabled_variables(variables: str, all_of_them: bool, one_of_them: bool) -> None:  # noqa: FBT001 - a test parameter
    text = stage(
        "select {{ fivetran_utils.enabled_vars(['a', 'b']) }}, {{ fivetran_utils.enabled_vars_one_true(['a', 'b']) }}",
        variables,
    )

    assert words(text) == f"select {all_of_them}, {one_of_them}"


def test_staging_columns_keep_their_names_and_their_quotes() -> None:
    columns = "[{'name': 'id'}, {'name': 'at', 'alias': 'created_at'}, {'name': 'order', 'quote': True}]"
    macro = f"{{% macro get_columns() %}}{{{{ return({columns}) }}}}{{% endmacro %}}"
    model = "select {{ fivetran_utils.fill_staging_columns(source_columns=[], staging_columns=get_columns()) }} from t"

    assert words(render_model(model, **{"macros/m.sql": macro})) == 'select id, at as created_at, "ORDER" from t'


def test_passed_through_columns_lengthen_the_list() -> None:
    model = """{% set columns = [{'name': 'id'}] %}{{ fivetran_utils.add_pass_through_columns(columns, var('more')) }}
    select {{ fivetran_utils.fill_staging_columns([], columns) }} from t"""

    assert words(stage(model, "{more: [{name: x, alias: y}, z]}")) == "select id, x as y, z from t"
