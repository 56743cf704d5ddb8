"""Every rendered line stands on the source line that holds its text or makes the call that brings it."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.render import SqlText
from tests.laws import examples
from tests.render.trees import render_model, render_models

MACROS = {
    "macros/m.sql": "{% macro cols() %}\n  from_macro_a,\n  from_macro_b,\n{% endmacro %}"
    "{% macro one(x) %}f({{ x }}){% endmacro %}"
}
TEMPLATE = """{{ config(materialized='table') }}
{#- a comment
   of two lines -#}
with base as (
    select * from {{ ref('n') }}
),
{% set middle %}
    captured_a,
    captured_b,
{% endset %}
{%- set names = ['loop_a', 'loop_b'] %}
last as (
    select
        {{ cols() }}
        {{ middle }}
        {%- for name in names %}
        sum({{ name }}) as {{ name }},
        {%- endfor %}
        {{ one(
            'argument'
        ) }} as called,
        {% if target.name == 'prod' -%}
        in_branch,
        {%- else %}
        not_taken,
        {% endif %}
        first_on_line, {{- one('glued') }},
        plain
    from base -- {{ this }} stays a comment
)
select * from last
"""


def _calls(source: list[str], line: int) -> str:
    """The text of a source line and of the lines of a tag that begins there."""
    text = source[line - 1]
    rest = line
    while text.count("{{") > text.count("}}") and rest < len(source):
        text += source[rest]
        rest += 1
    return text


def test_every_name_stands_on_its_line_or_on_the_line_that_calls_for_it() -> None:
    text = render_model(TEMPLATE, **MACROS)
    source = TEMPLATE.split("\n")
    brought = {
        "from_macro_a": "cols()",
        "from_macro_b": "cols()",
        "f": "one(",
        "loop_a": "{{ name }}",
        "loop_b": "{{ name }}",
    }
    brought |= {"db": "{{", "core": "{{", "n": "ref('n')", "m": "{{ this }}"}

    assert text.why is None
    assert len(text.lines) == text.sql.count("\n") + 1
    checked = 0
    for rendered, line in zip(text.sql.split("\n"), text.lines, strict=True):
        for name in re.findall(r"[A-Za-z_]\w*", rendered):
            assert brought.get(name, name) in _calls(source, line), (name, line, source[line - 1])
            checked += 1
    assert checked > 40


def test_text_from_two_source_lines_is_broken_where_a_break_changes_nothing() -> None:
    text = render_model("select a,\n{%- if true %}\n  b,\n{%- endif %}\n  c from t")

    assert [line for line in text.sql.split("\n") if line.strip()] == ["select a,", "  b,", "  c from t"]
    assert [n for n, line in zip(text.lines, text.sql.split("\n"), strict=True) if line.strip()] == [1, 3, 5]


@pytest.mark.parametrize(
    "template",
    [
        "select 'a\n{%- if true %}b{% endif %}' as x",
        "select 1 -- a {{ 'b' }}\n{%- if true %} c{% endif %}",
        "select $$a\n{%- if 1 %}b{% endif %}$$",
    ],
)
def test_no_break_inside_a_string_or_a_comment(template: str) -> None:
    assert "\n" not in render_model(template).sql


def test_source_text_cannot_forge_marks() -> None:
    text = render_model("select a, \ue0009999\ue001b\nfrom {{ 'c' }}\ue002x\ue003")

    assert text.lines == (1, 2)
    assert text.sql == "select a, ?9999?b\nfrom c?x?"


def test_a_string_cannot_point_outside_the_file() -> None:
    text = render_model("select {{ '\\ue000999999\\ue001' }}a\nfrom t")

    assert max(text.lines) <= 2


def test_incremental_texts_have_their_lines_each() -> None:
    template = "{{ config(materialized='incremental') }}\nselect a\nfrom t\n{% if is_incremental() %}\nwhere b > 1\n{% endif %}\n"

    full, later = render_models(template)

    assert later.lines[later.sql.split("\n").index("where b > 1")] == 5
    assert "where" not in full.sql


PIECES = st.lists(
    st.sampled_from([
        "select a", "\n", "  ", ", b", " from ", "{{ ref('n') }}", "{{ source('s', 't') }}", '{{ref("n")}}', "{{ this }}",
        "{# note #}", "{#\n two lines\n#}", "{{ config(materialized='table') }}", "{{ config(tags=['a', 'b'],\n alias='q') }}",
        "-- {{ this }}\n", "'it''s'", "{{ ref('shop', 'n') }}", "'text' || ",
    ]),
    max_size=14,
)  # fmt: skip


def _seen(text: SqlText) -> tuple[object, ...]:
    return text.sql, text.lines, text.relation, text.materialized, text.why


@examples(80)
@given(PIECES)
def test_templates_read_without_jinja_give_what_jinja_gives(pieces: list[str]) -> None:
    template = "".join(pieces) + " x"

    assert _seen(render_model("{% if true %}{% endif %}" + template)) == _seen(render_model(template))


LINES = st.sampled_from(
    ["a{i},", "{{{{ 'b{i}' }}}},", "{{% if true %}}c{i},{{% endif %}}", "", "{{%- if true -%}}", "{{%- endif -%}}"]
)


@examples(60)
@given(st.lists(LINES, max_size=12))
def test_a_name_written_once_is_found_on_its_line(lines: list[str]) -> None:
    source = [line.format(i=i) for i, line in enumerate(lines)]
    opened = sum("if true -" in line for line in source) - sum("endif -" in line for line in source)
    text = render_model("\n".join(["select", *source, *["{% endif %}"] * max(opened, 0), "1 as z from t"]))
    if text.why is not None:  # blocks that do not match
        return

    for rendered, line in zip(text.sql.split("\n"), text.lines, strict=True):
        for name in re.findall(r"\b[abc]\d+\b", rendered):
            assert name in source[line - 2]
