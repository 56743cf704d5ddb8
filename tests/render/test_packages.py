"""dbt's cross-database macros and the common packages: every column they are given stays visible, in every dialect."""

from __future__ import annotations

import pytest
import sqlglot
from sqlglot import exp

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


def test_staging_columns_of_fivetran_keep_their_names() -> None:
    columns = "[{'name': 'id', 'datatype': 'int'}, {'name': 'at', 'alias': 'created_at'}]"
    macro = f"{{% macro get_columns() %}}{{{{ return({columns}) }}}}{{% endmacro %}}"
    model = "select {{ fivetran_utils.fill_staging_columns(source_columns=[], staging_columns=get_columns()) }} from t"

    assert words(render_model(model, **{"macros/m.sql": macro})) == "select id, at as created_at from t"
