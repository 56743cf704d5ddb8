"""A macro that is in no file of the repository must not pass for a relation that is known to be harmless."""

from __future__ import annotations

import pytest

from app.render import render_tree
from app.words import Config, DbtConfig

PROJECT = "name: shop\nversion: '1.0'\nprofile: shop\nmodel-paths: [models]\nmacro-paths: [macros]\n"


def render(model: str) -> tuple[str | None, int, str]:
    files = {"dbt_project.yml": PROJECT, "models/stg.sql": "select 1 as a", "models/m.sql": model}
    config = Config(found=True, dialect="snowflake", dbt=DbtConfig(database="shop", schema="analytics"))
    (text,) = [text for text in render_tree(files, config) if text.path == "models/m.sql"]
    return text.why, text.why_line, text.sql


@pytest.mark.parametrize(
    "model",
    [
        "select a\nfrom {{ get_rel('stg') }}",
        "select a\nfrom ({{ pkg.latest('stg') }}) t",
        "select x.a\nfrom {{ get_rel('stg') }} x",
        "with t as (\n{{ pkg.body() }}\n) select a from t",
    ],
)
def test_an_unknown_source_is_unknown(model: str) -> None:
    why, line, sql = render(model)

    assert why is not None
    assert "in no file of this repository" in why
    assert (line, sql) == (2, "")


@pytest.mark.parametrize(
    "model", ["select {{ pkg.mask('a') }} as a from {{ ref('stg') }}", "select a from {{ ref('stg') }}"]
)
def test_an_unknown_expression_keeps_its_arguments(model: str) -> None:
    why, _, sql = render(model)

    assert why is None
    assert "a" in sql
