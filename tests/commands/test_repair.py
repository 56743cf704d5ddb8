"""`tether repair`, run as people run it: against a served catalog, from a clone, from GitHub, back again."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from app.catalog import CatalogStore, ServingCatalog
from app.edges.git import find_default_branch, find_origin
from app.standin.github import GitHubWorld, ServingGitHub
from tests.commands.run import Done, tether

ROOT = Path(__file__).parents[2]
DEMO = ROOT / "app" / "standin" / "data"
CUSTOMER, SESSION = (
    f"urn:li:dataset:(urn:li:dataPlatform:snowflake,shop.features.{name}_features,PROD)"
    for name in ("customer", "session")
)
SEASONALITY = "urn:li:mlFeature:(seasonality_features,seasonality_index)"
INFERRED, REJECTED, CONFIRMED = (f"urn:li:tag:tether:{word}" for word in ("inferred", "rejected", "confirmed"))


def git(folder: Path, *arguments: str) -> None:
    command = ["git", "-c", "user.name=a", "-c", "user.email=a@example.com", "-C", str(folder), *arguments]
    subprocess.run(command, check=True, capture_output=True)


@dataclass
class Clone:
    catalog: ServingCatalog
    clone: Path
    database: Path
    more: dict[str, str] = field(default_factory=dict)

    @property
    def store(self) -> CatalogStore:
        return self.catalog.store

    def run(self, *arguments: str) -> Done:
        settings = {"TETHER_DATAHUB_URL": self.catalog.url, "TETHER_DATABASE_URL": f"sqlite:///{self.database}"}
        return tether("repair", *arguments, cwd=ROOT, settings=settings | self.more)

    def report(self, *arguments: str) -> Any:
        done = self.run(*arguments, "--format", "json")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def tags(self, urn: str) -> set[str]:
        held = self.store.fetch_aspects([urn]).get(urn, {}).get("globalTags")
        return {entry["tag"] for entry in held.value["tags"]} if held else set()

    def state(self) -> dict[str, Any]:
        """Every aspect that says something; empty tags and links say nothing."""
        urns = (CUSTOMER, SESSION, SEASONALITY)
        held = self.store.fetch_aspects(list(urns))
        return {
            f"{urn} {name}": stored.value
            for urn in urns
            for name, stored in held.get(urn, {}).items()
            if stored.value not in ({"tags": []}, {"elements": []}, {"upstreams": []})
        }


@pytest.fixture
def context(tmp_path: Path) -> Iterator[Clone]:
    clone = tmp_path / "clone"
    shutil.copytree(DEMO / "features", clone)
    git(tmp_path, "init", "-q", "-b", "main", str(clone))
    git(clone, "add", "-A")
    git(clone, "commit", "-qm", "The features")
    git(clone, "remote", "add", "origin", "https://github.example.com/shop/features.git")
    with ServingCatalog(path=tmp_path / "catalog.db") as catalog:
        catalog.store.load_file(DEMO / "catalog.json")
        yield Clone(catalog, clone, tmp_path / "tether.db")


def test_a_dry_run_shows_what_would_be_written_and_writes_nothing(context: Clone) -> None:
    before = context.state()
    report = context.report("--repo", str(context.clone), "--dry-run")

    assert report["mode"] == "dry run"
    assert len(report["edges"]) == 6
    assert report["performed"] == []
    assert {one["name"]: len(one["undeclared_before"]) for one in report["models"]} == {
        "churn_propensity_v4": 2,
        "demand_forecast_v3": 1,
        "dynamic_pricing_v2": 0,
        "fraud_screen_v7": 0,
        "ltv_uplift_v1": 0,
    }
    assert {one["name"]: len(one["undeclared_after"]) for one in report["models"]}["churn_propensity_v4"] == 0
    assert context.state() == before
    assert not context.database.exists()


def test_a_repair_writes_reports_and_is_done_the_second_time(context: Clone) -> None:
    report = context.report("--repo", str(context.clone))

    assert {one["outcome"] for one in report["performed"]} == {"written"}
    assert {row["evidence"][0]["repo"] for one in report["connected"] for row in one["rows"]} == {"shop/features"}
    assert [(one["count"], one["features"]) for one in report["refused"]] == [(1, [SEASONALITY])]
    assert "Python" in report["refused"][0]["reason"]
    assert INFERRED in context.tags(CUSTOMER)
    held = context.state()
    again = context.report("--repo", str(context.clone))
    assert (again["edges"], again["connected"]) == ([], [])
    assert context.state() == held


def test_a_run_that_is_taken_back_leaves_the_catalog_as_it_was(context: Clone) -> None:
    before = context.state()
    run_id = context.report("--repo", str(context.clone))["run_id"]
    assert context.state() != before
    rows = context.report("--revert", run_id)

    assert [row["outcome"] for row in rows] == ["taken back"] * 6
    assert context.state() == before
    assert [row["outcome"] for row in context.report("--revert", run_id)] == ["already there"] * 6
    assert {one["outcome"] for one in context.report("--repo", str(context.clone))["performed"]} == {"written"}, (
        "asked again"
    )


def test_people_confirm_and_reject(context: Clone) -> None:
    context.report("--repo", str(context.clone))
    context.report("--confirm", CUSTOMER)
    rejected = context.report("--reject", SESSION)

    assert context.tags(CUSTOMER) == {INFERRED, CONFIRMED}
    assert context.tags(SESSION) == {REJECTED}
    assert len(rejected) == 4
    again = context.report("--repo", str(context.clone))
    assert again["edges"] == []
    assert any("rejected" in one["reason"] for one in again["refused"])
    assert context.tags(SESSION) == {REJECTED}


def test_a_token_that_may_only_read_is_said_and_nothing_is_lost(context: Clone, tmp_path: Path) -> None:
    with ServingCatalog(path=tmp_path / "locked.db", token="right") as locked:
        locked.store.load_file(DEMO / "catalog.json")
        context.more = {"TETHER_DATAHUB_URL": locked.url, "TETHER_DATAHUB_TOKEN": "wrong"}
        done = context.run("--repo", str(context.clone))

    assert done.returncode == 3
    assert "401" in done.stderr or "token" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--repo", str(DEMO / "features")), "no git repository"),
        (("--repo", "no/such/place"), "no such directory"),
        (("--repo", str(DEMO), "--revert", "x"), "stand alone"),
        (("--revert", "nothing"), "knows no edge of the run nothing"),
        (("--reject", CUSTOMER), "knows no edge on"),
        ((), "TETHER_GITHUB_APP_ID"),
        (("--repo", str(DEMO / "features"), "--catalog", str(DEMO / "catalog.json")), "not written to"),
    ],
)
def test_what_cannot_be_done_is_a_usage_error(context: Clone, arguments: tuple[str, ...], said: str) -> None:
    done = context.run(*arguments)

    assert done.returncode == 3
    assert said in done.stderr


def test_a_repository_of_github_is_read_through_the_app(context: Clone, tmp_path: Path) -> None:
    world = GitHubWorld(tmp_path / "github")
    with ServingGitHub(world) as github:
        world.create_org("shop")
        world.create_repo("shop", "features", DEMO / "features")
        world.create_repo("shop", "warehouse", DEMO / "warehouse")
        app = world.create_app("Tether", {"contents": "read", "metadata": "read"}, [], owner="shop")
        world.install(app, "shop")
        key = tmp_path / "key.pem"
        key.write_text(app.private_key_pem)
        context.more = {
            "TETHER_GITHUB_APP_ID": str(app.id),
            "TETHER_GITHUB_PRIVATE_KEY_FILE": str(key),
            "TETHER_GITHUB_API_URL": github.url,
        }
        one = context.report("--repo", "shop/features", "--dry-run")
        every = context.report()
        missing = context.run("--repo", "shop/other")
    world.close()

    assert len(one["edges"]) == 6
    assert {one["outcome"] for one in every["performed"]} == {"written"}
    # the warehouse's view is read as well, so that its own lineage is completed
    assert any("v_sessions" in edge["downstream"] for edge in every["edges"])
    assert (missing.returncode, "no installation" in missing.stderr) == (3, True)


def test_the_default_branch_is_the_remotes(tmp_path: Path) -> None:
    origin, clone = tmp_path / "origin", tmp_path / "clone"
    git(tmp_path, "init", "-q", "-b", "trunk", str(origin))
    git(origin, "commit", "-q", "--allow-empty", "-m", "first")
    git(tmp_path, "clone", "-q", str(origin), str(clone))
    git(clone, "checkout", "-q", "-b", "mine")

    assert find_default_branch(clone) == "origin/trunk"
    assert find_default_branch(origin) == "HEAD"
    (origin / "below").mkdir()
    assert find_default_branch(origin / "below") is None
    assert find_default_branch(tmp_path) is None
    assert find_origin(origin) == ""


@pytest.mark.parametrize("url", ["git@github.com:shop/features.git", "https://github.com/shop/features"])
def test_the_name_of_a_clone(tmp_path: Path, url: str) -> None:
    git(tmp_path, "init", "-q")
    git(tmp_path, "remote", "add", "origin", url)

    assert find_origin(tmp_path) == "shop/features"
