"""What models, seeds, snapshots and sources are called."""

from __future__ import annotations

import pytest

from app.render import render_tree
from app.words import CatalogNaming, Config, DbtConfig
from tests.render.trees import CONFIG, naming, project, render, render_model, words


@pytest.mark.parametrize(
    ("head", "relation"),
    [
        ("", "db.core.m"),
        ("{{ config(alias='Orders') }}", "db.core.orders"),
        ("{{ config(schema='marts') }}", "db.core_marts.m"),
        ("{{ config(database='Other') }}", "other.core.m"),
        ("{{ config({'alias': 'x'}) }}", "db.core.x"),
        ("{{ config(alias='a' ~ 'b') }}", "db.core.ab"),
        ("{{ config(alias='p' if target.name == 'prod' else 'd') }}", "db.core.p"),
        ("{% if target.name == 'prod' %}{{ config(schema='live') }}{% endif %}", "db.core_live.m"),
        ("{% if target.name == 'dev' %}{{ config(schema='live') }}{% endif %}", "db.core.m"),
        ("{{ config(alias=var('name', 'fallback')) }}", "db.core.fallback"),
        ("{% set a = 'here' %}{{ config(alias=a) }}", "db.core.here"),
        ("{%- do config.set('alias', 'there') -%}", "db.core.there"),
    ],
)
def test_the_relation_of_a_model(head: str, relation: str) -> None:
    assert relation == render_model(f"{head}\nselect 1 as a").relation


def test_other_models_name_it_alike() -> None:
    files = project(
        {
            "models/m.sql": "{{ config(alias='orders', schema='marts') }}select 1 as a",
            "models/n.sql": "select * from {{ ref('m') }}",
            "models/o.sql": "select * from {{ ref('shop', 'm') }} -- {{ ref('m').identifier }} {{ ref('m').schema }}",
        }
    )

    _, second, third = render(files)

    assert words(second) == "select * from db.core_marts.orders"
    assert words(third) == "select * from db.core_marts.orders -- orders core_marts"


def test_folders_of_dbt_project_yml_go_down_and_the_file_wins() -> None:
    text = (
        "name: shop\nmodels:\n  +materialized: view\n  shop:\n    marts:\n      +schema: marts\n      finance:\n"
        "        +schema: fin\n        materialized: table\n    old:\n      +enabled: false\n"
    )
    files = project(
        {
            "models/a.sql": "select 1",
            "models/marts/b.sql": "select 1",
            "models/marts/finance/c.sql": "select 1",
            "models/marts/finance/d.sql": "{{ config(schema='x', materialized='ephemeral') }}select 1",
            "models/old/e.sql": "select 1",
        },
        text=text,
    )

    assert [(t.relation, t.materialized) for t in render(files)] == [
        ("db.core.a", "view"),
        ("db.core_marts.b", "view"),
        ("db.core_fin.c", "table"),
        ("db.core_x.d", "ephemeral"),
    ]


def test_property_files_beat_folders_and_the_file_beats_both() -> None:
    yaml = "models:\n  - name: m\n    config: {alias: from_yaml, schema: y, enabled: true}\n"

    text = render_model("{{ config(alias='inline') }}select 1", **{"models/_.yml": yaml})

    assert text.relation == "db.core_y.inline"


@pytest.mark.parametrize(
    "files",
    [
        {"models/m.sql": "{{ config(enabled=false) }}select 1"},
        {"models/m.sql": "{{ config(enabled=var('on', false)) }}select 1"},
        {
            "models/m.sql": "select 1",
            "models/_.yml": "models: [{name: m, config: {enabled: \"{{ target.name == 'dev' }}\"}}]",
        },
    ],
)
def test_disabled_models_give_no_text(files: dict[str, str]) -> None:
    assert render(project(files)) == ()


def test_what_decides_enabled_and_is_not_known_counts_as_enabled() -> None:
    assert render_model("{{ config(enabled=tools.is_on('x')) }}select 1").why is None


def test_parts_that_nobody_knows_are_left_out() -> None:
    files = project(
        {"models/m.sql": "select * from {{ ref('n') }}", "models/n.sql": "{{ config(schema='x') }}select 1"}
    )

    assert [text.relation for text in render_tree(files, Config())] == ["m", "n"]
    assert [text.relation for text in render_tree(files, naming(schema="raw"))] == ["raw.m", "raw_x.n"]
    assert [text.relation for text in render_tree(files, naming(database="db"))] == ["m", "n"]


def test_dbt_of_the_configuration_speaks_for_its_own_project_only() -> None:
    files = {
        "a/dbt_project.yml": "name: a\n",
        "a/models/x.sql": "select 1",
        "b/dbt_project.yml": "name: b\n",
        "b/models/y.sql": "select 1",
    }
    config = Config(catalog=CatalogNaming(database="c", schema="s"), dbt=DbtConfig(path="a/", database="d", schema="t"))

    assert [text.relation for text in render_tree(files, config)] == ["d.t.x", "c.s.y"]


GENERATE = """
{% macro generate_schema_name(custom_schema_name, node) -%}
    {%- if target.name == 'prod' and custom_schema_name -%}
        {{ custom_schema_name | trim }}
    {%- else -%}
        {{ target.schema }}_{{ node.name }}
    {%- endif -%}
{%- endmacro %}
"""


def test_the_project_own_naming_macro_is_run() -> None:
    files = project(
        {
            "macros/names.sql": GENERATE,
            "models/m.sql": "{{ config(schema='marts') }}select * from {{ ref('n') }}",
            "models/n.sql": "select 1",
        }
    )

    first, second = render(files)

    assert (first.relation, second.relation) == ("db.marts.m", "db.core_n.n")
    assert words(first) == "select * from db.core_n.n"


def test_a_naming_macro_that_needs_what_is_not_known_leaves_the_part_out() -> None:
    files = project({"macros/names.sql": GENERATE, "models/n.sql": "select 1"})

    assert [text.relation for text in render_tree(files, naming(database="db"))] == ["n"]


@pytest.mark.parametrize(
    ("macro", "relation"),
    [
        ("{% macro generate_schema_name(c, n) %}{{ generate_schema_name_for_env(c, n) }}{% endmacro %}", "db.marts.m"),
        ("{% macro default__generate_schema_name(c, n) %}all{% endmacro %}", "db.all.m"),
        (
            "{% macro generate_alias_name(c=none, node=none) %}{{ node.name }}_t{% endmacro %}",
            "db.core_marts.m_t",
        ),
        ("{% macro generate_database_name(c, n) %}lake{% endmacro %}", "lake.core_marts.m"),
        ("{% macro generate_schema_name(c, n) %}{{ pkg.name(c) }}{% endmacro %}", "m"),
    ],
)
def test_naming_macros(macro: str, relation: str) -> None:
    text = render_model("{{ config(schema='marts') }}select 1", **{"macros/n.sql": macro})

    assert relation == text.relation


SOURCES = """
sources:
  - name: raw
    database: lake
    schema: "{{ var('raw_schema', 'landing') }}"
    tables:
      - name: orders
      - name: users
        identifier: USERS_V2
      - name: mixed
        identifier: Mixed Case
        quoting: {identifier: true}
  - name: bare
    tables: [{name: t}]
"""


@pytest.mark.parametrize(
    ("call", "sql"),
    [
        ("source('raw', 'orders')", "lake.landing.orders"),
        ("source('raw', 'users')", "lake.landing.USERS_V2"),
        ("source('raw', 'mixed')", 'lake.landing."Mixed Case"'),
        ("source('raw', 'unlisted')", "lake.landing.unlisted"),
        ("source('bare', 't')", "db.bare.t"),
        ("source('nobody', 'knows')", "db.nobody.knows"),
        ("ref('nobody')", "db.core.nobody"),
        ("this", "db.core.m"),
    ],
)
def test_what_calls_stand_for(call: str, sql: str) -> None:
    text = render_model("{{ " + call + " }}", **{"models/_sources.yml": SOURCES})

    assert text.sql == sql


def test_versions_of_a_model() -> None:
    yaml = "models:\n  - name: orders\n    latest_version: 2\n    versions: [{v: 1, defined_in: old_orders}, {v: 2}, {v: 3}]\n"
    files = project(
        {
            "models/_.yml": yaml,
            "models/old_orders.sql": "select 1",
            "models/orders_v2.sql": "select 2",
            "models/orders_v3.sql": "select 3",
            "models/x.sql": "{{ ref('orders') }} {{ ref('orders', v=1) }} {{ ref('orders', version=3) }}",
        }
    )

    *versions, last = render(files)

    assert [text.relation for text in versions] == ["db.core.orders_v1", "db.core.orders_v2", "db.core.orders_v3"]
    assert last.sql == "db.core.orders_v2 db.core.orders_v1 db.core.orders_v3"


def test_snapshots_in_blocks_and_in_yaml() -> None:
    block = (
        "{% snapshot orders_snapshot %}\n{{ config(target_schema='history', strategy='check') }}\n"
        "select * from {{ source('raw', 'orders') }}\n{% endsnapshot %}\n{% snapshot second %}select 1{% endsnapshot %}\n"
    )
    yaml = "snapshots:\n  - name: third\n    relation: ref('m')\n    config: {schema: s}\n"
    files = project(
        {"snapshots/a.sql": block, "snapshots/b.yml": yaml, "models/m.sql": "select * from {{ ref('third') }}"}
    )

    model, first, second, third = render(files)

    assert model.sql == "select * from db.core_s.third"
    assert (first.relation, words(first)) == ("db.history.orders_snapshot", "select * from db.raw.orders")
    assert first.lines[first.sql.split("\n").index("select * from db.raw.orders")] == 3
    assert (second.relation, words(second)) == ("db.core.second", "select 1")
    assert (third.path, third.relation, words(third)) == (
        "snapshots/b.yml",
        "db.core_s.third",
        "select * from db.core.m",
    )
    assert third.lines[-1] == 3


def test_seeds_have_columns() -> None:
    csv = '\ufeffID,"Full, Name",amount\n1,"a\nb",2\n'
    files = project(
        {"seeds/people.csv": csv, "seeds/empty.csv": "", "models/m.sql": "select * from {{ ref('people') }}"}
    )

    model, empty, people = render(files)

    assert model.sql == "select * from db.core.people"
    assert (people.kind, people.relation, people.seed_columns) == (
        "seed",
        "db.core.people",
        ("id", '"Full, Name"', "amount"),
    )
    assert empty.why is not None


def test_a_name_that_is_no_plain_word_is_quoted_as_the_dialect_does() -> None:
    config = Config(dialect="bigquery", dbt=DbtConfig(database="my-project", schema="core"))

    text = render_model("{{ config(alias='daily 1') }}select * from {{ this }} {{ ref('n') }}", config)

    assert text.sql == "select * from my-project.core.`daily 1` my-project.core.n"
    assert text.relation == "my-project.core.daily 1"


def test_the_configuration_of_the_tests_is_what_they_say() -> None:
    assert (CONFIG.dbt and CONFIG.dbt.database, CONFIG.dbt and CONFIG.dbt.schema, "prod") == ("db", "core", "prod")


@pytest.mark.parametrize(
    ("rule", "model", "snapshot"),
    [
        ("{{ node.path.split('/')[0] | lower }}", "db.finance.m", "db.audit.s"),
        ("{{ node.fqn[1:] | join('_') }}", "db.finance_core_m.m", "db.audit_all_s.s"),
        ("{{ node.original_file_path.split('/')[0] }}", "db.models.m", "db.snapshots.s"),
        ("{{ node.config.materialized }}", "db.view.m", "db.snapshot.s"),
    ],
)
def test_a_rule_of_names_sees_the_node_from_its_own_project(rule: str, model: str, snapshot: str) -> None:
    files = {
        "teams/shop/dbt_project.yml": "name: shop\n",
        "teams/shop/macros/names.sql": f"{{% macro generate_schema_name(c, node) %}}{rule}{{% endmacro %}}",
        "teams/shop/models/Finance/core/m.sql": "select 1 as a",
        "teams/shop/snapshots/audit/all.sql": "{% snapshot s %}{{ config(unique_key='a') }}select 1 as a{% endsnapshot %}",
    }

    found = {text.path.rpartition("/")[2]: text.relation for text in render_tree(files, CONFIG)}

    assert found == {"m.sql": model, "all.sql": snapshot}


def test_a_rule_of_names_sees_what_the_file_configures() -> None:
    name = "{{ 'tables' if node.config.materialized == 'table' else 'rest' }}"
    rule = f"{{% macro generate_schema_name(c, node) %}}{name}{{% endmacro %}}"

    table = render_model("{{ config(materialized='table') }}select 1 as a", **{"macros/m.sql": rule})
    view = render_model("select 1 as a", **{"macros/m.sql": rule})

    assert (table.relation, view.relation) == ("db.tables.m", "db.rest.m")


@pytest.mark.parametrize(
    ("database", "relation"),
    [
        ("\"{{ var('d', target.database) }}\"", "db.crm.t"),
        ('"{% if 1 > 2 %}x{% endif %}"', "db.crm.t"),
        ("x", "x.crm.t"),
    ],
)
def test_a_source_may_leave_its_database_to_the_target(database: str, relation: str) -> None:
    sources = f"sources: [{{name: crm, database: {database}, tables: [{{name: t}}]}}]"

    text = render_model("select a from {{ source('crm', 't') }}", **{"models/s.yml": sources})

    assert words(text).removeprefix("select a from ") == relation
