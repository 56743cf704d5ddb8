"""`tether whatif` as people and programs call it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.commands.run import tether
from tests.commands.test_cli import DEMO, write

FEATURES = DEMO / "features"
CATALOG = DEMO / "catalog.json"


def test_json_with_readers_and_models() -> None:
    done = tether(
        "whatif", "shop.raw.orders.discount_pct", "--repo", FEATURES, "--catalog", CATALOG, "--format", "json"
    )
    answer = json.loads(done.stdout)

    assert done.returncode == 0
    assert (answer["relation"], answer["column"]) == ("shop.raw.orders", "discount_pct")
    assert {
        "path": "features/customer_features.sql",
        "line": 5,
        "clause": "select",
        "direct": True,
        "through": [],
    } in answer["readers"]
    assert any("churn_propensity_v4" in reached["model"] for reached in answer["models"])


def test_text_without_a_catalog() -> None:
    done = tether("whatif", "orders", "--column", "discount_pct", "--repo", FEATURES)

    assert done.returncode == 0
    assert done.stdout.startswith("If shop.raw.orders.discount_pct were dropped: 1 reader, models not known\n")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("whatif",), "Missing argument"),
        (("whatif", "t.a"), "--repo"),
        (("whatif", "t.a", "--repo", "nowhere"), "nowhere is not a directory"),
        (("whatif", "nobody.a", "--repo", "."), "nothing in the repository or the catalog names"),
        (("whatif", "tt.a", "--repo", "."), "near are"),
        (("whatif", "t.zz", "--repo", "."), "has no column zz"),
        (("whatif", "t.a", "--repo", ".", "--catalog", "none.json"), "none.json: no such file"),
    ],
)
def test_usage_errors_are_3_and_one_sentence(arguments: tuple[str, ...], sentence: str, tmp_path: Path) -> None:
    write(tmp_path, {"ddl.sql": "CREATE TABLE t (a INT, b INT);"})
    done = tether(*arguments, cwd=tmp_path)

    assert (done.returncode, "Traceback" in done.stderr) == (3, False)
    assert sentence in done.stderr + done.stdout
