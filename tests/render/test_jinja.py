"""What dbt's names do in templates, without dbt."""

from __future__ import annotations

import pytest

from app.words import Config, DbtConfig
from tests.render.trees import render_model, render_models, words

VARS = """name: shop
vars:
  plain: 1
  lists: [a, b]
  raw: "{{ source('s', 't') }}"
  nothing: null
  shop: {scoped: inner, plain: 2}
"""


@pytest.mark.parametrize(
    ("template", "sql"),
    [
        ("{{ var('plain') }}", "2"),
        ("{{ var('scoped') }}", "inner"),
        ("{{ var('raw') }}", "db.s.t"),
        ("{{ var('nothing') is none }}", "True"),
        ("{{ var('unset', 'x') }}", "x"),
        ("{{ var.has_var('plain') }} {{ var.has_var('unset') }}", "True False"),
        ("{% for x in var('lists') %}{{ x }}{{ ',' if not loop.last }}{% endfor %}", "a,b"),
        ("{% do var('lists').append('c') %}{{ var('lists') | length }}", "2"),
        ("{{ env_var('X', 'y') }}", "y"),
        ("{{ target.name }} {{ target.schema }} {{ target.database }} {{ target.type }}", "prod core db snowflake"),
        ("{{ config.get('materialized', 'none') }}", "none"),
        ("{{ config(x=1) }}{{ config.get('x') }}", "1"),
        ("{% set a %}one{% endset %}{{ 'yes' if a == 'one' else 'no' }}", "yes"),
        ("{% set a %} one {% endset %}{{ a | trim | upper }}|{{ a.strip() }}", "ONE|one"),
        ("{% set a = [] %}{% do a.append('x') %}{% do a.append('y') %}{{ a | join(', ') }}", "x, y"),
        ("{% set n = namespace(x=1) %}{% for i in range(3) %}{% set n.x = n.x + i %}{% endfor %}{{ n.x }}", "4"),
        (
            "{{ {'a': 1} | tojson }} {{ tojson([1]) }} {{ fromjson('[2]')[0] }} {{ fromyaml('a: 3').a }}",
            '{"a": 1} [1] 2 3',
        ),
        ("{{ zip([1], [2]) }} {{ set([1]) }}", "[(1, 2)] {1}"),
        ("{% for i in [1, 2, 3] %}{% if i == 2 %}{% break %}{% endif %}{{ i }}{% endfor %}", "1"),
        ("{{ log('x') }}{% do exceptions.warn('x') %}a", "a"),
        ("{{ run_started_at.strftime('%Y-%m-%d') }} {{ modules.datetime.datetime.now().year }}", "2024-01-01 2024"),
        ("{{ (modules.datetime.datetime.now() - modules.datetime.timedelta(days=3)).strftime('%Y') }}", "2024"),
        ("{{ model.name }} {{ project_name }} {{ this.identifier }}", "m shop m"),
        ("{{ adapter.quote('a b') }} {{ api.Relation.create(schema='s', identifier='i') }}", '"a b" s.i'),
        (
            "{{ adapter.get_relation('a', 'b', 'c') }} {{ adapter.get_relation('a', schema='b', identifier='c').schema }}",
            "a.b.c b",
        ),
        ("{{ load_relation(ref('other')) }} {{ load_relation(this) is none }}", "db.core.other True"),
        ("{% for x in set(['c', 'a', 'd', 'b']) %}{{ x }}{% endfor %} {{ set(['z', 'y']) | join(',') }}", "abcd y,z"),
        (
            "{% call statement('x', fetch_result=True) %}select 1{% endcall %}{{ load_result('x')['data'] | length }}",
            "1",
        ),
        ("{{ undefined_dictionary.key | default('d') }} {{ {}.key }}|", "d |"),
        ("a {# gone #} b", "a b"),
        ("{% raw %}{{ kept }}{% endraw %}", "{{ kept }}"),
        ("{{ '100' | as_number }} {{ 'x' | as_text }}", "100 x"),
    ],
)
def test_what_templates_say(template: str, sql: str) -> None:
    assert sql == words(render_model(template, project=VARS))


@pytest.mark.parametrize(
    ("template", "why"),
    [
        ("select\n{{ var('x') }}", "line 2: var('x') has no value: set it under dbt.vars in .tether.yml"),
        ("{{ env_var('X') }}", "line 1: env_var('X') has no value: set it under dbt.env in .tether.yml"),
        ("\n\n{{ exceptions.raise_compiler_error('no good') }}", "line 3: it stops itself: no good"),
        (
            "{% if var('x') == 'a' %}b{% endif %}c",
            "var('x') has no value: set it under dbt.vars in .tether.yml",
        ),
        ("{{ nothing_here(1) + }}", "line 1: unexpected 'end of print statement'"),
    ],
)
def test_what_cannot_be_told_is_said_with_its_line(template: str, why: str) -> None:
    assert why == render_model(template).why


def test_a_target_that_nobody_knows_is_said() -> None:
    text = render_model("select '{{ target.schema }}'", Config())

    assert text.why == "line 1: target.schema is not known: set it under dbt in .tether.yml"


def test_an_adapter_that_nobody_knows_is_said() -> None:
    text = render_model("{% if target.type == 'snowflake' %}a{% else %}b{% endif %}", Config())

    assert text.why == "line 1: target.type is not known: set dialect in .tether.yml"


def test_variables_of_the_configuration_beat_those_of_the_project() -> None:
    config = Config(dbt=DbtConfig(vars={"plain": 9, "flag": False}))

    assert (
        words(render_model("{{ var('plain') }} {{ 'yes' if var('flag') else 'no' }}", config, project=VARS)) == "9 no"
    )


def test_an_undecidable_condition_that_matters_is_said() -> None:
    text = render_model("select\n  {% if var('fast') %}a{% else %}b{% endif %}")

    assert text.why == "var('fast') has no value: set it under dbt.vars in .tether.yml"
    assert text.why_line == 2


@pytest.mark.parametrize(
    "template",
    [
        "select a{% if var('fast') %}  {% endif %} from t",
        "{% if var('fast') %}{{ config(tags='x') }}{% endif %}select a from t",
        "{% if var('fast') and var('loud') %}{{ log('x') }}{% endif %}select a from t",
    ],
)
def test_an_undecidable_condition_that_does_not_matter_is_no_trouble(template: str) -> None:
    assert words(render_model(template)) == "select a from t"


def test_all_answers_of_several_conditions_are_tried() -> None:
    text = render_model("{% if var('a') %}{% if var('b') %}x{% else %}y{% endif %}{% else %}y{% endif %}")

    assert text.why is not None
    assert "var('b')" in text.why


def test_too_many_conditions_are_said() -> None:
    template = "".join(f"{{% if var('v{i}') %}} {{% endif %}}" for i in range(12)) + "select 1"

    assert "too many conditions" in (render_model(template).why or "")


INCREMENTAL = "select a from t{% if is_incremental() %} where b > (select max(b) from {{ this }}){% endif %}"


def test_an_incremental_model_has_a_text_for_each_way_it_runs() -> None:
    head = "{{ config(materialized='incremental', on_schema_change='append_new_columns') }}"

    full, later = render_models(head + INCREMENTAL)

    assert words(full) == "select a from t"
    assert words(later) == "select a from t where b > (select max(b) from db.core.m)"
    assert {("db.core.m", "incremental", "append_new_columns")} == {
        (text.relation, text.materialized, text.on_schema_change) for text in (full, later)
    }


@pytest.mark.parametrize(
    "template",
    [INCREMENTAL, "{{ config(materialized='incremental') }}select a from t{% if is_incremental() %} {% endif %}"],
)
def test_one_text_where_incremental_runs_read_the_same(template: str) -> None:
    texts = render_models(template)

    assert [words(text) for text in texts][:1] == ["select a from t"]
    assert len({words(text) for text in texts}) == 1


def test_configured_materialization_counts_as_well() -> None:
    texts = render_models(INCREMENTAL, project="name: shop\nmodels:\n  +materialized: incremental\n")

    assert len(texts) == 2


LIVE = """
{% set found = run_query('select distinct status from t') %}
{% if execute %}{% set states = found.columns[0].values() %}{% else %}{% set states = [] %}{% endif %}
select {% for s in states %}sum(case when status = '{{ s }}' then amount end) as {{ s }}_amount, {% endfor %}id from t
"""


def test_what_a_query_would_decide_is_rendered_once_so_that_its_columns_are_seen() -> None:
    assert (
        words(render_model(LIVE))
        == "select sum(case when status = 'zz_value' then amount end) as zz_value_amount, id from t"
    )


MACROS = """
{% macro cents(column, scale=2) -%} ({{ column }} / 100)::numeric(16, {{ scale }}) {%- endmacro %}
{% macro names() %}{{ return(['a', 'b']) }}{% endmacro %}
{% macro stamp() %}{{ adapter.dispatch('stamp', 'shop')() }}{% endmacro %}
{% macro default__stamp() %}now(){% endmacro %}
{% macro snowflake__stamp() %}sysdate(){% endmacro %}
{# {% macro hidden() %}no{% endmacro %} #}
{% test not_read(model) %}select {% endtest %}
{% materialization odd, default %}{% endmaterialization %}
{% macro wrapped() %}[{{ caller() }}]{% endmacro %}
{% macro here() %}{{ this }} {{ model.name }}{% endmacro %}
{% macro of_config() %}{{ config.get('alias') }}{% endmacro %}
"""


@pytest.mark.parametrize(
    ("template", "sql"),
    [
        ("{{ cents('amount') }}", "(amount / 100)::numeric(16, 2)"),
        ("{{ cents(column='amount', scale=4) }}", "(amount / 100)::numeric(16, 4)"),
        ("{{ shop.cents('x') }}", "(x / 100)::numeric(16, 2)"),
        ("{% for n in names() %}{{ n }};{% endfor %}", "a;b;"),
        ("{{ stamp() }}", "sysdate()"),
        ("{% call wrapped() %}x{% endcall %}", "[x]"),
        ("{{ here() }}", "db.core.m m"),
        ("{{ config(alias='q') }}{{ of_config() }}", "q"),
        ("{% macro inline(x) %}{{ x }}{{ x }}{% endmacro %}{{ inline('ab') }}", "abab"),
    ],
)
def test_macros_of_the_project(template: str, sql: str) -> None:
    assert sql == words(render_model(template, **{"macros/m.sql": MACROS}))


def test_dispatch_falls_back_to_the_parent_adapter_and_the_default() -> None:
    macros = "{% macro postgres__x() %}pg{% endmacro %}{% macro default__x() %}any{% endmacro %}"
    template = "{{ adapter.dispatch('x')() }}"

    got = [
        words(render_model(template, Config(dialect=d), **{"macros/m.sql": macros})) for d in ("redshift", "bigquery")
    ]

    assert got == ["pg", "any"]


def test_what_a_macro_does_only_when_dbt_executes_is_what_counts() -> None:
    macro = """{% macro merged(relations) %}{% if not execute %}{{ return('') }}{% endif %}
    {% for relation in relations %}select {{ loop.index }} as part{% for c in adapter.get_columns_in_relation(relation) %},
    {{ c.name }}{% endfor %} from {{ relation }}{% if not loop.last %} union all {% endif %}{% endfor %}{% endmacro %}"""

    text = render_model(
        "{{ merged([ref('a'), ref('b')]) }}", **{"macros/m.sql": macro, "models/a.sql": "select x from t"}
    )

    assert words(text) == "select 1 as part, x from db.core.a union all select 2 as part, * from db.core.b"


def test_a_macro_may_take_the_name_of_a_function_of_dbt() -> None:
    macro = "{% macro ref(name) %}{% do return(builtins.ref(name ~ '_v')) %}{% endmacro %}"

    assert words(render_model("select * from {{ ref('a') }}", **{"macros/m.sql": macro})) == "select * from db.core.a_v"


def test_a_failure_in_a_macro_is_told_at_the_line_that_calls_it() -> None:
    text = render_model(
        "select\n  a,\n  {{ bad() }}", **{"macros/m.sql": "\n\n\n\n{% macro bad() %}{{ var('x') }}{% endmacro %}"}
    )

    assert text.why == "line 3: var('x') has no value: set it under dbt.vars in .tether.yml"


@pytest.mark.parametrize(
    ("template", "sql"),
    [
        ("select {{ tools.rate('amount', 3) }} as r from t", "select zz_tools_rate(amount, 3) as r from t"),
        ("select a {{ tools.tail() }}, b from t", "select a , b from t"),
        ("select {{ f('day', 3, 'at') }} as a, {{ f('day') }} as b", "select zz_f('day', 3, at) as a, zz_f(day) as b"),
        ("select coalesce({{ f('a') }}, 1) from t", "select coalesce(zz_f(a), 1) from t"),
        ("select a from t where {{ f('b') }}", "select a from t where zz_f(b)"),
        ("{{ tools.setup() }} select a from t", "select a from t"),
        ("-- note\n{{ tools.setup() }}\nwith x as (select 1) select a from x", "-- note with x as (select 1) select a from x"),
        ("select * from {{ tools.merged(ref('a'), [ref('b')]) }} as x",
         "select * from (select * from db.core.a union all by name select * from db.core.b) as x"),
        ("select {% for c in tools.columns('t') %}{{ c }}{% endfor %} from t", "select *, zz_tools_columns(t) from t"),
        ("select {{ f('it\\'s', none, {'a': 'b'}) }} from t", "select *, zz_f(null, null, b) from t"),
        ("select a, {{ tools.stars(ref('b')) }} from t", "select a, * from t"),
        ("select f(a, 1), {{ tools.stars('b') }}, c from t", "select f(a, 1), *, zz_tools_stars(b), c from t"),
        ("select {{ f('a') }} as a, b from t union all select {{ f('c') }}, d from u",
         "select zz_f(a) as a, b from t union all select zz_f(c), d from u"),
        ("select b from t union all (select {{ f('c') }} from u)", "select b from t union all (select zz_f(c) from u)"),
        ("select a from t where b in (select {{ f('c') }} from u)", "select a from t where b in (select zz_f(c) from u)"),
        ("select f(a, {{ tools.g('b') }}, c) as d from t", "select f(a, zz_tools_g(b), c) as d from t"),
        ("select a from t group by a, {{ tools.g('b') }}, c", "select a from t group by a, zz_tools_g(b), c"),
        ("select a from t where b > {{ tools.limits(ref('c'), 'at') }}",
         "select a from t where b > (select zz_tools_limits(null, at) from db.core.c)"),
        ("{% set low, high = tools.limits('at') %}select a from t where b > {{ low }} and b < {{ high }}",
         "select a from t where b > zz_tools_limits(at) and b < zz_tools_limits(at)"),
        ("select {% for k, v in tools.pairs('p') %}{{ k }} as x{% endfor %} from t", "select zz_tools_pairs(p) as x from t"),
        ("select {{ unknown_name }} from t", "select zz_unknown_name from t"),
    ],
)  # fmt: skip
def test_unknown_macros_stay_visible_where_an_expression_may_stand(template: str, sql: str) -> None:
    assert sql == words(render_model(template))


def test_an_unknown_answer_that_decides_the_sql_is_said() -> None:
    text = render_model("select {% if tools.has('a') %}a{% else %}b{% endif %} from t")

    assert text.why == "what tools.has() answers decides the SQL, and it is not in this repository"


def test_blocks_and_parents_are_looked_for_where_a_template_has_them() -> None:
    blocks = render_model("select {% block b scoped %}p{% block c %}q{% endblock %}{% endblock %} from t")

    assert words(blocks) == "select pq from t"
    assert render_model("{% extends 'x' %}select 1").why == "line 1: no loader for this environment specified"


@pytest.mark.parametrize(
    ("template", "sql"),
    [
        ("select a from t where d >= {{ var('from') }}", "select a from t where d >= zz_unset_var_from()"),
        ("select a from t where d = '{{ env_var('DAY') }}'", "select a from t where d = 'zz_unset_env_var_day'"),
        ("select a from t where d between {{ var('x') }} and {{ var('x') }}", None),
        ("select a from t where d in ({{ var('x') }}, 2) limit {{ var('x') | int }}", None),
        ("select a * {{ var('x') }} as b from t", None),
        ("select a from t -- {{ var('x') }}", None),
    ],
)
def test_a_value_that_nobody_told_stays_a_value(template: str, sql: str | None) -> None:
    text = render_model(template)

    assert text.why is None
    assert sql is None or text.sql.lower() == sql


@pytest.mark.parametrize(
    "template",
    [
        "select {{ var('x') }} as a from t",
        "select *{{ var('x') }} from t",
        "select sum({{ var('x') }}) as a from t",
        "select a from {{ var('x') }}",
        "select a from t where {{ var('x') }}",
        "select a from t where b = {{ var('x') }}.c",
        "select a from t where b = \"{{ var('x') }}\"",
        "select a from {{ ref('m_' ~ var('x')) }}",
        "{{ config(alias='m_' ~ var('x')) }}select a from t",
        "{% set s %}{{ var('x') }}{% endset %}select a{% if s == 'b' %}, b{% endif %} from t",
        "{% for c in var('x') %}{{ c }}{% endfor %}",
        "select {{ var('x').name }}{{ var('x')._name }} as a from t",
    ],
)
def test_a_value_that_may_be_a_name_is_not_made_up(template: str) -> None:
    text = render_model(template)

    assert text.sql == ""
    assert "var('x') has no value: set it under dbt.vars in .tether.yml" in (text.why or "")


def test_a_number_that_nobody_told_is_tried_both_ways() -> None:
    days = "{%% set days = ['d'] %%}{%% for i in range(var('n')) %%}{%% do days.append('d-' ~ i) %%}{%% endfor %%}%s"

    assert words(render_model(days % "select a from t")) == "select a from t"
    assert len(render_model(days % "select a from t where x in ({{ days | join(',') }})").variants) == 2


def test_the_environment_of_the_configuration_beats_the_default() -> None:
    config = Config(dbt=DbtConfig(env={"STAGE": "prod"}))

    assert words(render_model("{{ env_var('STAGE', 'dev') }} {{ env_var('OTHER', 'x') }}", config)) == "prod x"
