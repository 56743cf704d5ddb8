"""Hooks of dbt projects: which there are, where they stand, and what they come out as."""

from __future__ import annotations

import pytest

from app.render import SqlText
from tests.render.trees import PROJECT, project, render, words

_HOOK = "grant select on {{ this }} to role bi"
_SQL = "grant select on db.core.m to role bi"


def hooks(files: dict[str, str], *, text: str = PROJECT) -> list[SqlText]:
    return [found for found in render(project(files, text=text)) if found.kind == "hook"]


@pytest.mark.parametrize(
    "head",
    [
        f'{{{{ config(post_hook="{_HOOK}") }}}}',
        f'{{{{ config(pre_hook=["{_HOOK}"]) }}}}',
        f'{{{{ config({{"post-hook": {{"sql": "{_HOOK}", "transaction": false}}}}) }}}}',
        f'{{% set h = "{_HOOK}" %}}{{{{ config(post_hook=h) }}}}',
        "{{ config(post_hook=open()) }}",
        '{{ config(post_hook="{{ open() }}") }}',
        f'{{% if target.name == "prod" %}}{{{{ config(post_hook="{_HOOK}") }}}}{{% endif %}}',
    ],
)
def test_config_in_the_model_names_a_hook(head: str) -> None:
    macro = f"{{% macro open() %}}{_HOOK}{{% endmacro %}}"

    (found,) = hooks({"models/m.sql": f"\n{head}\nselect 1 as a", "macros/o.sql": macro})

    assert (found.path, found.relation, words(found)) == ("models/m.sql", None, _SQL)


def test_hooks_add_up_from_the_project_down_to_the_model() -> None:
    text = PROJECT + (
        "models:\n  +post-hook: select 1 as outermost\n  shop:\n    post-hook: [select 2 as project]\n"
        "    marts:\n      +pre-hook: {sql: select 3 as folder}\n"
    )
    files = {
        "models/marts/m.sql": "{{ config(post_hook='select 5 as own') }}\nselect 1 as a",
        "models/p.yml": "models:\n  - name: m\n    config:\n      post_hook: select 4 as properties\n",
    }

    found = {(one.path, one.lines[0], words(one)) for one in hooks(files, text=text) for _ in one.lines[:1]}

    assert {words(one) for one in hooks(files, text=text)} == {
        "select 1 as outermost",
        "select 2 as project",
        "select 3 as folder",
        "select 4 as properties",
        "select 5 as own",
    }
    assert {path for path, _, _ in found} == {"dbt_project.yml", "models/p.yml", "models/marts/m.sql"}


def test_a_hook_is_cited_where_it_is_written() -> None:
    text = PROJECT + "on-run-end:\n  - select 1 as last\n"
    model = "{{ config(\n    materialized='table',\n    post_hook=\"analyze {{ this }}\"\n) }}\nselect 1 as a"

    found = {
        one.path: one.lines[len(one.sql.rstrip("\n").split("\n")) - 1]
        for one in hooks({"models/m.sql": model}, text=text)
    }

    assert found == {"models/m.sql": 3, "dbt_project.yml": 5}


def test_hooks_of_a_disabled_model_and_those_that_come_to_nothing_are_none() -> None:
    disabled = "{{ config(enabled=false, post_hook='select 1 as a') }}select 1 as a"
    empty = "{{ config(post_hook=\"{% if target.name == 'dev' %}select 1 as a{% endif %}\") }}select 1 as a"

    assert hooks({"models/d.sql": disabled, "models/e.sql": empty}) == []


def test_what_a_hook_does_before_the_build_is_undone_by_a_full_one() -> None:
    head = "{{{{ config(materialized='{}', pre_hook='select 1 as a') }}}}select 1 as a"

    built = [hooks({"models/m.sql": head.format(kind)})[0].rebuilt for kind in ("table", "incremental")]

    assert built == ["db.core.m", None]


def test_a_hook_that_cannot_be_rendered_keeps_its_text() -> None:
    (found,) = hooks({"models/m.sql": '{{ config(post_hook="{{ 1 / 0 }} {{ this }}") }}select 1 as a'})

    assert found.why is not None
    assert found.sql == "{{ 1 / 0 }} {{ this }}"
