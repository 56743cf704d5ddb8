"""dbt's cross-database macros and the common packages: every column they are given stays visible, in every dialect."""

from __future__ import annotations

import pytest
import sqlglot
from sqlglot import exp

from app.render.columns import find_outputs
from app.words import Config, DbtConfig
from tests.render.trees import project, render, render_model, words

DIALECTS = (
    *("snowflake", "bigquery", "postgres", "redshift", "databricks", "trino", "duckdb", "mysql", "tsql", "clickhouse"),
    "oracle",
)
#: of the columns p and q
EXPRESSIONS = [
    "dbt.date_trunc('month', 'p')",
    "dbt.dateadd('day', 'q', 'p')",
    "dbt.datediff('p', 'q', 'day')",
    "dbt.last_day('p', 'month')",
    "dbt.safe_cast('p', dbt.type_string())",
    "dbt.concat(['p', 'q'])",
    "dbt.hash('p')",
    "dbt.split_part('p', \"','\", 1)",
    "dbt.replace('p', 'a', 'b')",
    "dbt.right('p', 'q')",
    "dbt.length('p')",
    "dbt.position('p', 'q')",
    "dbt.listagg('p', \"','\", 'order by q')",
    "dbt.array_agg('p')",
    "dbt.bool_or('p')",
    "dbt.any_value('p')",
    "dbt.cast_bool_to_text('p')",
    "dbt_utils.safe_divide('p', 'q')",
    "dbt_utils.safe_add(['p', 'q'])",
    "dbt_utils.safe_subtract(['p', 'q'])",
    "dbt_utils.generate_surrogate_key(['p', 'q'])",
    "dbt_utils.surrogate_key('p', 'q')",
    "dbt_utils.width_bucket('p', 'q', 1, 2)",
    "dbt_utils.haversine_distance('p', 'q', 'p', 'q')",
    "dbt_utils.get_url_host('p')",
    "dbt_utils.pivot('p', ['x', 'y'], then_value='q')",
    "dbt_utils.datediff('p', 'q', 'day')",
    "datediff('p', 'q', 'day')",
    "fivetran_utils.unknown('p', 'q')",
    "fivetran_utils.string_agg('p', \"', '\")",
    "fivetran_utils.max_bool('p')",
    "fivetran_utils.percentile('p', 'q', '0.5')",
    "fivetran_utils.first_value('p', 'q', 'p', 'desc')",
    "fivetran_utils.json_extract('p', 'month')",
    "fivetran_utils.json_parse('p', ['day', 0])",
    "fivetran_utils.timestamp_add('day', 'q', 'p')",
    "fivetran_utils.timestamp_diff('p', 'q', 'day')",
    "fivetran_utils.try_cast('p', 'numeric')",
    "fivetran_utils.ceiling('p')",
    "dbt_date.day_name('p', short=false)",
    "dbt_date.date_part('day', 'p')",
    "dbt_date.convert_timezone('p', 'America/New_York', source_tz='UTC')",
    "dbt_date.periods_since('p', period_name='day')",
]


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_columns_stay_visible(expression: str, dialect: str) -> None:
    alias = "" if "pivot" in expression else " as r"
    template = "".join(("select {{ ", expression, " }}", alias, " from t"))
    text = render_model(template, Config(dialect=dialect, dbt=DbtConfig(schema="s")))
    tree = sqlglot.parse_one(words(text), read=dialect)

    wanted = {column for column in "pq" if f"'{column}'" in expression or f"order by {column}" in expression}
    assert wanted == {column.name for column in tree.find_all(exp.Column)}


QUERIES = [
    "select {{ dbt_utils.star(ref('a')) }} from {{ ref('a') }}",
    "{{ dbt_utils.union_relations([ref('a'), ref('b')]) }}",
    "{{ dbt_utils.union_relations(relations=[ref('a'), ref('b')], include=['x'], where='x > 1') }}",
    "{{ dbt_utils.deduplicate(relation=ref('a'), partition_by='x', order_by='y desc') }}",
    "{{ dbt_utils.date_spine(datepart='day', start_date=\"cast('2020-01-01' as date)\", end_date='current_date') }}",
    "select x {{ dbt_utils.group_by(2) }}",
    "select * from ({{ dbt_utils.generate_series(10) }}) as g",
    "select {% for v in dbt_utils.get_column_values(ref('a'), 'x') %}sum(case when x = '{{ v }}' then y end){% endfor %} from t",
]


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("query", QUERIES)
def test_queries_parse(query: str, dialect: str) -> None:
    text = render_model(query, Config(dialect=dialect, dbt=DbtConfig(schema="s")))

    assert isinstance(sqlglot.parse_one(words(text), read=dialect), exp.Query)


def test_star_of_columns_that_the_tree_lists() -> None:
    files = project(
        {
            "seeds/a.csv": "id,Name,x\n",
            "models/b.sql": "select id, {{ 1 }} as one from t",
            "models/c.sql": "select {{ dbt_utils.star(from=ref('a'), except=['x'], relation_alias='q') }} from {{ ref('a') }} q",
            "models/d.sql": "select {{ dbt_utils.star(ref('b'), prefix='b_') }} from {{ ref('b') }}",
            "models/e.sql": "select {% for c in adapter.get_columns_in_relation(ref('b')) %}{{ c.name }},{% endfor %} 1",
        }
    )

    _, c, d, e, _ = render(files)

    assert words(c) == "select q.id, q.Name from db.core.a q"
    assert words(d) == "select id as b_id, one as b_one from db.core.b"
    assert words(e) == "select id,one, 1"


def test_star_of_columns_that_nobody_lists_stays_a_star() -> None:
    assert (
        words(render_model("select {{ dbt_utils.star(source('s', 't'), 'a') }} from {{ source('s', 't') }} a"))
        == "select a.* from db.s.t a"
    )


def test_renaming_columns_that_nobody_lists_is_said() -> None:
    text = render_model("select {{ dbt_utils.star(source('s', 't'), suffix='_x') }} from t")

    assert text.why == "line 1: dbt_utils.star() renames columns that this repository does not list"


@pytest.mark.parametrize(
    "call", ["union_relations(dbt_utils.get_relations_by_pattern('a', 'b'))", "unpivot(source('s', 't'))"]
)
def test_what_only_a_database_can_list_is_said(call: str) -> None:
    assert render_model(f"{{{{ dbt_utils.{call} }}}}").why is not None


def test_a_package_in_the_tree_speaks_for_itself() -> None:
    files = project(
        {
            "dbt_packages/dbt_utils/dbt_project.yml": "name: dbt_utils\n",
            "dbt_packages/dbt_utils/macros/m.sql": "{% macro safe_divide(a, b) %}div0({{ a }}, {{ b }}){% endmacro %}",
            "models/m.sql": "select {{ dbt_utils.safe_divide('a', 'b') }}, {{ dbt_utils.group_by(1) }}",
        }
    )

    (text,) = render(files)

    assert words(text) == "select div0(a, b), group by 1"


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_date_dimension_reads_no_table(dialect: str) -> None:
    query = (
        "with d as ({{ dbt_date.get_date_dimension('2020-01-01', '2030-12-31') }}) select date_day, month_name from d"
    )

    text = render_model(query, Config(dialect=dialect, dbt=DbtConfig(schema="s")))

    tree = sqlglot.parse_one(words(text), read=dialect)
    assert [table.name for table in tree.find_all(exp.Table)] == ["d"]


def test_columns_are_followed_through_the_stars_of_other_models() -> None:
    files = project(
        {
            "seeds/a.csv": "id,x\n",
            "models/b.sql": "with a as (select * from {{ ref('a') }}), f as (select *, x + 1 as y from a) select * from f",
            "models/c.sql": "select b.*, a.x as z from {{ ref('b') }} as b join {{ ref('a') }} as a using (id)",
            "models/d.sql": "select {{ dbt_utils.star(ref('c'), except=['x']) }} from {{ ref('c') }}",
        }
    )

    d = next(text for text in render(files) if text.path == "models/d.sql")

    assert words(d) == "select id, y, z from db.core.c"


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("select * from t", "id p"),
        ("select * exclude (p), 1 as n from t", "id n"),
        ("select * from t join u using (id)", "id p q"),
        ("select * from t semi join u using (id)", "id p"),
        ("select x.* from t as x(a) cross join u", "a p"),
        ("select * from (select * from u) as s", "id q"),
        ("select * from t union all by name select * from u", "id p q"),
        ("select * from t union all select id, q from u", "id p"),
        ("with recursive r as (select 1 as n union all select n + 1 from r) select * from r", "n"),
        ("select * from missing", ""),
        ("select id + 1 from t", ""),
        ("select * from t natural join u", ""),
        ("select * from t pivot (sum(p) for id in (1, 2))", ""),
        ("with r as (select * from r) select * from r", ""),
        ("delete from t", ""),
        ("select from where", ""),
    ],
)
def test_output_names(query: str, names: str) -> None:
    tables = {"t": ("id", "p"), "u": ("id", "q")}

    assert find_outputs(query, "duckdb", lambda table: tables.get(table.name, ())) == tuple(names.split())


def test_a_query_built_of_columns_that_nobody_lists_says_whose() -> None:
    loop = "{% for c in adapter.get_columns_in_relation(ref('up')) %}, max(up.{{ c.name }}) as {{ c.name }}{% endfor %}"
    model = "".join(("select b ", loop, " from {{ ref('up') }}"))

    unknown = render_model(model, **{"models/up.sql": "select * from {{ source('s', 't') }}"})
    known = render_model(model, **{"models/up.sql": "select p from {{ source('s', 't') }}"})

    assert unknown.why == "its SQL depends on the columns of db.core.up, which this repository does not list"
    assert words(known) == "select b , max(up.p) as p from db.core.up"


@pytest.mark.parametrize("lead", ["", "-- depends_on: {{ ref('m') }}\n" * 30, "/* all of it */ ("])
def test_a_macro_that_nobody_has_in_place_of_the_query_is_named(lead: str) -> None:
    text = render_model(lead + "{{ strangers.empty_table([('id', 'int')]) }}")

    assert text.why == (
        "what the macro strangers_empty_table() reads cannot be told: it is in no file of this repository"
    )


def test_comments_are_no_query() -> None:
    assert render_model("-- {{ ref('m') }}\n/* gone **/ ;").why == "its template renders to no SQL here"
