"""SQLMesh models and templates with parameters."""

from __future__ import annotations

import pytest

from app.render import SqlText, render_tree
from app.render.sqlmesh import find_header
from app.words import Config

MODEL = """-- a note
MODEL (
  name shop.raw.orders, -- with a comment )
  kind INCREMENTAL_BY_TIME_RANGE (time_column at),
  dialect snowflake,
  description 'a (text) with ; in it'
);

SELECT id, at
FROM lake.orders
WHERE at BETWEEN @start_ds AND @end_ds
"""


NONE = Config()


def one(path: str, text: str, config: Config = NONE, /, **files: str) -> SqlText:
    found = [item for item in render_tree({path: text, **files}, config) if item.path == path]
    assert len(found) == 1
    return found[0]


def test_the_header_is_cut_out_and_lines_are_kept() -> None:
    text = one("models/orders.sql", MODEL)

    assert (text.kind, text.relation, text.dialect, text.materialized) == (
        "model",
        "shop.raw.orders",
        "snowflake",
        "incremental",
    )
    assert text.sql.strip() == "SELECT id, at\nFROM lake.orders\nWHERE at BETWEEN @start_ds AND @end_ds"
    assert text.lines[text.sql.split("\n").index("SELECT id, at")] == 9


@pytest.mark.parametrize(
    ("header", "relation"),
    [
        ("name a.b", "a.b"),
        ('name "A"."b"', "a.b"),
        ("kind FULL", "x.y"),
        ("name @schema.y", None),
    ],
)
def test_names(header: str, relation: str | None) -> None:
    text = one("models/x/y.sql", f"MODEL ({header});\nSELECT 1 AS a")

    assert relation == text.relation
    assert (text.why is None) == (relation is not None)


@pytest.mark.parametrize(
    "text", ["AUDIT (name a);\nSELECT 1", "METRIC (name a);", "MODEL (name a.b, enabled false);\nSELECT 1"]
)
def test_what_is_not_built_gives_no_text(text: str) -> None:
    assert render_tree({"models/a.sql": text}, Config()) == ()


def test_macros_that_are_functions_keep_their_arguments() -> None:
    text = one("m.sql", "MODEL (name a.b);\nSELECT @rate(amount, 2) AS r, '@IF(x)' AS s FROM t -- @EACH(x)")

    assert text.sql.strip() == "SELECT zz_rate(amount, 2) AS r, '@IF(x)' AS s FROM t -- @EACH(x)"


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("SELECT\n@EACH([a, b], x -> x) FROM t", 3),
        ("@IF(TRUE, SELECT 1)", 2),
        ("SELECT @{column} FROM t", 2),
        ("SELECT {{ a }}", 2),
    ],
)
def test_macros_that_make_sql_say_so(body: str, line: int) -> None:
    text = one("m.sql", f"MODEL (name a.b);\n{body}")

    assert text.why is not None
    assert text.why.startswith(f"line {line}: ")


def test_seeds() -> None:
    declared = "MODEL (name a.s, kind SEED (path 'x.csv'), columns (id INT, Name TEXT));"
    by_file = "MODEL (name a.s, kind SEED (path '../seeds/x.csv'));"

    assert one("models/s.sql", declared).seed_columns == ("id", "name")
    assert one("models/s.sql", by_file, **{"seeds/x.csv": "A,b\n1,2\n"}).seed_columns == ("a", "b")
    assert one("models/s.sql", by_file).why is not None


PARAMS = Config(params={"source": "lake.orders", "n": "7"})


@pytest.mark.parametrize(
    ("text", "sql"),
    [
        ("select * from {{ source }}", "select * from lake.orders"),
        ("select * from {{ params.source }} limit {{ params['n'] }}", "select * from lake.orders limit 7"),
        ("{% if params.n == '7' %}select 1{% endif %}", "select 1"),
    ],
)
def test_parameters(text: str, sql: str) -> None:
    assert sql == one("jobs/a.sql", text, PARAMS).sql


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("select\n{{ ds }}", "line 2: ds has no value: set it under params in .tether.yml"),
        ("{{ params.table }}", "line 1: params.table has no value: set it under params in .tether.yml"),
        ("{{ macros.ds_add(ds, 1) }}", "line 1: macros has no value: set it under params in .tether.yml"),
        ("{{ ref('a') }}", "line 1: ref belongs to dbt, and no dbt_project.yml stands above this file"),
        ("{% if flag %}a{% endif %}b", "line 1: flag has no value: set it under params in .tether.yml"),
    ],
)
def test_what_has_no_value_is_named(text: str, why: str) -> None:
    assert why == one("jobs/a.sql", text, PARAMS).why


def test_template_files_of_other_tools() -> None:
    assert one("jobs/a.sql.j2", "select {{ n }}", PARAMS).sql == "select 7"
    assert render_tree({"jobs/page.html.j2": "{{ n }}"}, PARAMS) == ()


def test_a_long_row_of_comments_is_read_at_once() -> None:
    text = "/* a */ " * 200

    assert find_header(text + "select 1") is None
    assert find_header(text + "MODEL (name a.b); select 1") is not None


JINJA = """MODEL (name a.b);
JINJA_QUERY_BEGIN;
{% set x = 1 %}
SELECT
  w.id AS id,
  {{ named(x, 'flag') }},
  {{ strangers.rate('amount') }} AS rate
FROM {{ var('from', 'a.w') }} AS w
WHERE w.at BETWEEN CAST('{{ start_ds }}' AS DATE) AND @end_date
JINJA_END;
"""
MACROS = "{% macro named(expression, name) %}{{ expression }} AS {{ name }}{% endmacro %}"


def test_jinja_is_rendered_with_the_macros_beside_the_models() -> None:
    text = one("p/models/b.sql", JINJA, **{"p/macros/m.sql": MACROS, "q/macros/m.sql": MACROS.replace("AS", "as")})

    assert text.why is None, text.why
    assert " ".join(text.sql.split()) == (
        "SELECT w.id AS id, 1 AS flag, zz_strangers_rate(amount) AS rate FROM a.w AS w "
        "WHERE w.at BETWEEN CAST('2024-01-01' AS DATE) AND @end_date ;"
    )
    assert text.lines[next(n for n, line in enumerate(text.sql.split("\n")) if "flag" in line)] == 6


@pytest.mark.parametrize(
    ("jinja", "why"),
    [
        ("SELECT {{ var('x') }} FROM t", "line 4: var('x') has no value: set it under params in .tether.yml"),
        ("SELECT {{ 1 + }} FROM t", "line 4: unexpected 'end of print statement'"),
        ("{% for i in range(100000) %}{% for j in range(100000) %}{% endfor %}{% endfor %}",
         "line 4: the template does too much: more than 500,000 steps"),
    ],
)  # fmt: skip
def test_jinja_that_cannot_be_rendered_says_where(jinja: str, why: str) -> None:
    text = one("m.sql", f"MODEL (name a.b);\n\nJINJA_QUERY_BEGIN;\n{jinja}\nJINJA_END;")

    assert (text.why, text.relation) == (why, "a.b")


def test_parameters_are_variables_of_sqlmesh() -> None:
    text = one(
        "m.sql",
        "MODEL (name a.b);\nJINJA_QUERY_BEGIN; SELECT {{ var('x') }} AS c; JINJA_END;",
        Config(params={"x": "7"}),
    )

    assert "SELECT 7 AS c" in text.sql
