"""The worked cases of other people's outages that are written with dbt: each of their models renders and parses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import sqlglot

from app.render import render_tree
from app.words import Config, DbtConfig

CASES = Path(__file__).parents[3] / "shared" / "cases" / "field_cases.json"
#: the variable decides which column is read; nobody says how it is set
UNDECIDED = {("fc56-jinja-runtime-var", "after")}


def _cases() -> list[Any]:
    if not CASES.exists():
        return [pytest.param(None, "", marks=pytest.mark.skip(reason=f"{CASES} is not here"))]
    cases = [case for case in json.loads(CASES.read_text()) if "dbt" in case["tags"]]
    return [pytest.param(case, side, id=f"{case['id']}-{side}") for case in cases for side in ("before", "after")]


@pytest.mark.parametrize(("case", "side"), _cases())
def test_field_case(case: dict[str, Any], side: str) -> None:
    files = {"dbt_project.yml": "name: shop\n", **case["feature_files"], **case[side]}
    config = Config(dialect=case["dialect"], dbt=DbtConfig(database="shop", schema="analytics"))
    texts = [text for text in render_tree(files, config) if text.kind == "model"]

    assert {path for path in files if path.startswith("models/") and path.endswith(".sql")} == {
        text.path for text in texts
    }
    for text in texts:
        if (case["id"], side) in UNDECIDED and text.why is not None:
            assert "var('use_new_rates')" in text.why
            continue
        assert text.why is None
        assert text.relation is not None
        assert text.relation.startswith("shop.analytics.")
        assert len(sqlglot.parse(text.sql, read=case["dialect"])) == 1
