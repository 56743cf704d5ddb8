"""The bench, run as people run it: three of six before the repair, five after it, and never a false alarm."""

from __future__ import annotations

import json
import math
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from app.effects import Bench, BenchCase, Judged, Round, Share, bench_html, measure
from tests.commands.run import Done, tether

ROOT = Path(__file__).parents[2]
SCENARIOS = ROOT / "tests" / "scenarios"
FEATURES = {
    "urn:li:mlFeature:(customer_features,discount_sensitivity)",
    "urn:li:mlFeature:(session_features,session_depth_7d)",
}
BROKEN = {
    "B1": "dynamic_pricing_v2",
    "B2": "fraud_screen_v7",
    "B3": "ltv_uplift_v1",
    "B4": "churn_propensity_v4",
    "B5": "churn_propensity_v4",
    "B6": "demand_forecast_v3",
}


@dataclass(frozen=True)
class Ran:
    json: dict[str, Any]
    progress: str
    page: str


def run(*arguments: str) -> Done:
    return tether("bench", *arguments)


@pytest.fixture(scope="module")
def repaired(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    page = tmp_path_factory.mktemp("bench") / "bench.html"
    done = run("--format", "json", "--html", str(page))
    assert done.returncode == 0, done.stderr
    return Ran(json.loads(done.stdout), done.stderr, page.read_text())


def outcomes(found: dict[str, Any]) -> dict[str, str]:
    return {case["id"]: case["outcome"] for case in found["cases"]}


def test_three_of_six_are_caught_cold_and_five_warm(repaired: Ran) -> None:
    cold, warm = repaired.json["cold"], repaired.json["warm"]

    assert (cold["caught"], cold["total"], warm["caught"], warm["total"]) == (3, 6, 5, 6)
    assert outcomes(cold) == {
        **dict.fromkeys(("B1", "B2", "B3"), "caught"),
        **dict.fromkeys(("B4", "B5", "B6"), "pass"),
    }
    assert outcomes(warm) == {**dict.fromkeys(("B1", "B2", "B3", "B4", "B5"), "caught"), "B6": "pass"}


def test_caught_means_blocked_and_the_model_that_breaks_is_named(repaired: Ran) -> None:
    cases = [case for one in ("cold", "warm") for case in repaired.json[one]["cases"]]

    assert {case["id"]: case["expected_model"] for case in cases} == BROKEN
    for case in cases:
        assert case["caught"] == (case["verdict"] == "block" and BROKEN[case["id"]] in case["models"])
        assert (case["reason"] == "") == case["caught"]


def test_the_change_that_breaks_nothing_stays_clean(repaired: Ran) -> None:
    for one in ("cold", "warm"):
        assert [(case["id"], case["verdict"]) for case in repaired.json[one]["clean"]] == [("N1", "pass")]


def test_two_features_are_reconnected_with_the_lines_that_prove_it(repaired: Ran) -> None:
    edges = repaired.json["edges"]

    assert {edge["feature"] for edge in edges} == FEATURES
    rows = [row for edge in edges for row in edge["rows"]]
    assert {row["transformOperation"] for row in rows} == {"DIRECT", "FILTER", "GROUP"}
    for row in rows:
        assert row["aspect"] == "upstreamLineage"
        for line in row["evidence"]:
            text = (
                (ROOT / "app" / "standin" / "data" / "features" / line["path"])
                .read_text()
                .splitlines()[line["line"] - 1]
            )
            assert line["text"] == text.strip()
            assert (line["repo"], len(line["commit"])) == ("shop/features", 40)
            assert row["columns"][0] in text


def test_the_python_feature_is_refused_and_named_as_the_reason(repaired: Ran) -> None:
    (refusal,) = repaired.json["refusals"]
    missed = next(case for case in repaired.json["warm"]["cases"] if not case["caught"])

    assert refusal["feature"] == "urn:li:mlFeature:(seasonality_features,seasonality_index)"
    assert "Python" in refusal["reason"]
    assert refusal["path"] == "features/seasonality.py"
    assert "seasonality_index" in missed["reason"]
    assert "Python" in missed["reason"]


def test_progress_goes_to_standard_error(repaired: Ran) -> None:
    assert [line.split(":")[0] for line in repaired.progress.splitlines() if line[:2] in {*BROKEN, "N1"}] == [
        *BROKEN,
        "N1",
        *BROKEN,
        "N1",
    ]


def test_the_page_draws_each_case_before_and_after(repaired: Ran) -> None:
    assert repaired.page.count('class="trail"') == 12  # six that break something, twice
    assert repaired.page.count("stroke-dasharray") == 4  # missed: three before, one after
    assert "://" not in repaired.page
    assert "<script" not in repaired.page
    assert "…" not in repaired.page
    whole = repaired.page.replace("<wbr>", "")
    named = {case["expected_model"] for case in repaired.json["cold"]["cases"]}
    lost = {name for case in repaired.json["cold"]["cases"] for name in case["lost"][:1]}
    assert [name for name in named | lost if f"{name}</span></li>" not in whole] == []


def test_without_a_repair_both_rounds_are_the_same() -> None:
    done = run("--no-repair", "--format", "json")
    found = json.loads(done.stdout)

    assert done.returncode == 0, done.stderr
    assert [found[one]["caught"] for one in ("cold", "warm")] == [3, 3]
    assert found["cold"] == found["warm"]
    assert (found["edges"], found["refusals"], found["repaired"]) == ([], [], False)


# --- the suite -----------------------------------------------------------------------------------------------------


def test_a_suite_counts_both_rounds(tmp_path: Path) -> None:
    for name in ("drop_column", "drop_unread_column", "add_column", "unreadable_reader_unchanged_add_column"):
        shutil.copy(SCENARIOS / f"{name}.md", tmp_path)
    shutil.copytree(SCENARIOS / "catalogs", tmp_path / "catalogs")
    liar = tmp_path / "add_column.md"
    liar.write_text(liar.read_text().replace("\nverdict: pass\n", "\nverdict: block\n"))
    done = run("--suite", str(tmp_path), "--format", "json")
    found = json.loads(done.stdout)

    assert done.returncode == 0, done.stderr
    assert found["edges"] > 0
    for one in ("cold", "warm"):
        measured = found[one]
        assert measured["scenarios"] == 4
        assert (measured["caught"]["count"], measured["caught"]["of"]) == (1, 2)
        assert (measured["false_alarms"]["count"], measured["false_alarms"]["of"]) == (0, 2)
        assert measured["wrong"] == [{"name": "add_column", "expected": "block", "verdict": "pass"}]


def test_a_suite_that_is_not_there_is_a_usage_error(tmp_path: Path) -> None:
    done = run("--suite", str(tmp_path))

    assert done.returncode == 3
    assert "no scenarios" in done.stderr


@pytest.mark.parametrize(
    ("count", "of", "low", "high"), [(0, 10, 0.0, 0.2775), (5, 10, 0.2366, 0.7634), (10, 10, 0.7225, 1.0), (0, 0, 0, 1)]
)
def test_wilsons_interval(count: int, of: int, low: float, high: float) -> None:
    found = Share(count, of).interval

    assert math.isclose(found[0], low, abs_tol=1e-4)
    assert math.isclose(found[1], high, abs_tol=1e-4)


def test_a_block_that_names_another_model_is_not_caught() -> None:
    judged = (
        Judged("a", "block", "block", ("m",), ("n",)),
        Judged("b", "warn", "block"),
        Judged("c", "pass", "unassessable"),
    )
    shares = measure(judged)

    assert {name: (share.count, share.of) for name, share in shares.items()} == {
        "caught": (0, 1),
        "false_alarms": (1, 2),
        "unassessable": (1, 3),
    }
    assert BenchCase("B1", "t", "m", "block", "Blocked", models=("n",)).outcome == "wrong model"


def test_hostile_names_stay_text_in_the_page() -> None:
    hostile = "</text><script>alert(1)</script>"
    case = BenchCase("B1", hostile, hostile, "pass", hostile, lost=(hostile,), reason=hostile)
    page = bench_html(Bench(Round((case,)), Round((case,)), None))

    assert "<script" not in page
    assert "&lt;script&gt;" in page


def test_the_page_draws_the_loss_that_the_trail_begins_with() -> None:
    name = "urn:li:dataset:(urn:li:dataPlatform:snowflake,shop.raw.{},PROD)"
    case = BenchCase(
        "B1",
        "t",
        "m",
        "block",
        "Blocked",
        models=("m",),
        lost=("shop.views.orders.discount", "shop.raw.orders.discount"),
        trail=(name.format("orders"), name.format("features")),
    )
    page = bench_html(Bench(Round((case,)), Round((case,)), None)).replace("<wbr>", "")

    assert "shop.views" not in page
    assert page.count("shop.raw.orders") == 2  # before and after the repair: once each
