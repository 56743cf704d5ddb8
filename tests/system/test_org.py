"""An organisation of two repositories and the real server: readers elsewhere, privacy, merge groups, lost deliveries."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import httpx
import pytest

from app.standin.github import FileContent
from tests import suite
from tests.stage import ADMIN, ORG, Stage, set_stage

SCENARIO = "both_branches_drop"
BASE = suite.texts(suite.scenario(SCENARIO).base)
TETHER = BASE[".tether.yml"]
ORDERS = BASE["migrations/0001_orders.sql"]
READER = BASE["features/customer_features.sql"]
NO_READER = READER.replace("AVG(discount_pct)", "AVG(quantity)")
DROP = {"migrations/0002_drop.sql": "ALTER TABLE raw.orders DROP COLUMN discount_pct;\n"}
PATH = "features/customer_features.sql"


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    repos = {
        "warehouse": {".tether.yml": TETHER, "migrations/0001_orders.sql": ORDERS},
        "features": {".tether.yml": TETHER, PATH: READER},
    }
    with set_stage(tmp_path, suite.lay_out_catalog(SCENARIO, tmp_path / "catalog.json"), repos) as made:
        yield made


def rows(stage: Stage, table: str) -> int:
    with closing(sqlite3.connect(stage.database)) as connection:
        return int(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0])  # noqa: S608 - our own names


def test_a_reader_in_another_repository_blocks_and_its_leaving_frees(stage: Stage) -> None:
    with stage.serve():
        stage.install()
        stage.idle()
        number = stage.open("warehouse", "drop", DROP)
        stage.idle()
        head = stage.head("warehouse", number)
        run = stage.concluded("warehouse", head)
        (comment,) = stage.comments("warehouse", number)
        assert run.conclusion == "failure"
        commit = stage.world.branch_head(stage.repos["features"], "main")
        assert f"{stage.github.url}/{ORG}/features/blob/{commit}/{PATH}#L3" in comment
        assert f"features at {commit[:8]}" in (run.summary or "")

        stage.world.push(stage.repos["features"], "main", {PATH: NO_READER}, "Read quantity")
        stage.idle()
        freed = stage.concluded("warehouse", head, times=2)
        # A warning, if the edge that the old SQL proved is still in the catalog when the review looks.
        assert freed.conclusion in ("success", "neutral"), freed.title
        (comment,) = stage.comments("warehouse", number)
        assert "[!CAUTION]" not in comment
        assert rows(stage, "tether_index") == 2

        health = httpx.get(f"{stage.url}/admin/health", headers=ADMIN).json()
        (budget,) = health["github"]["budgets"].values()
        assert budget["limit"] == 5_000
        assert budget["waits_s"] == 0


def test_a_review_with_a_warm_index_makes_few_requests(stage: Stage) -> None:
    with stage.serve():
        stage.install()
        stage.idle()
        stage.open("warehouse", "words", {"README.md": "hello"})
        stage.idle()
        time.sleep(1.1)  # GitHub tells in whole seconds when a pull request was opened: our rows reach back further
        stage.world.forget_requests()
        number = stage.open("warehouse", "drop", DROP)
        stage.idle()
        asked = [f"{one.method} {one.path}" for one in stage.world.requests() if one.path != "/app"]  # health asks that
        assert stage.concluded("warehouse", stage.head("warehouse", number)).conclusion == "failure"
        assert len(asked) <= 12, asked


def test_a_private_repository_is_not_shown_in_a_public_one(stage: Stage) -> None:
    stage.world.set_visibility(stage.repos["warehouse"], "public")
    stage.world.push(
        stage.repos["features"], "main", {"models/broken_secret.sql": b"SELECT \xff".decode("latin-1")}, "x"
    )
    with stage.serve():
        stage.install()
        stage.idle()
        number = stage.open("warehouse", "drop", DROP)
        stage.idle()
        run = stage.concluded("warehouse", stage.head("warehouse", number))
        shown = "\n".join([run.title or "", run.summary or "", run.text or "", *stage.comments("warehouse", number)])
        assert run.conclusion == "failure"
        assert "a private repository of this organisation" in shown
        for hidden in (PATH, "AVG(discount_pct)", f"{ORG}/features", "broken_secret"):
            assert hidden not in shown


def test_two_pull_requests_safe_apart_are_unsafe_together(stage: Stage) -> None:
    stage.world.push(stage.repos["features"], "main", {PATH: None}, "Moved")
    stage.world.push(stage.repos["warehouse"], "main", {PATH: NO_READER}, "Moved here")
    with stage.serve():
        stage.install()
        stage.idle()
        first = stage.open("warehouse", "drop", DROP)
        second = stage.open("warehouse", "read", {PATH: READER})
        stage.idle()
        apart = [stage.concluded("warehouse", stage.head("warehouse", number)) for number in (first, second)]
        assert [run.conclusion in ("success", "neutral") for run in apart] == [True, True], [r.title for r in apart]

        group = stage.world.queue_merge(stage.repos["warehouse"], first, second)
        together = stage.concluded("warehouse", group)
        assert together.conclusion == "failure"
        assert (together.title or "").startswith("Blocked")
        alone = stage.world.queue_merge(stage.repos["warehouse"], first)
        assert stage.concluded("warehouse", alone).conclusion != "failure"


def test_what_was_lost_while_the_server_was_away_is_found_on_start(stage: Stage) -> None:
    with stage.serve():
        stage.install()
        stage.idle()
    refused = stage.open("warehouse", "refused", DROP)
    assert stage.world.wait_for_deliveries()
    stage.world.lose_next_deliveries(2)  # the push's and the pull request's
    unsent = stage.open("warehouse", "unsent", {**DROP, "README.md": "x"})
    assert stage.world.wait_for_deliveries()
    with stage.serve():
        for number in (refused, unsent):
            assert stage.concluded("warehouse", stage.head("warehouse", number)).conclusion == "failure"
        stage.idle()
        assert len(stage.comments("warehouse", refused)) == 1
        assert any(delivery.redelivery for delivery in stage.world.deliveries(event="pull_request"))


def test_leaving_deletes_and_coming_back_works(stage: Stage) -> None:
    with stage.serve():
        installed = stage.install()
        stage.idle()
        stage.open("warehouse", "drop", DROP)
        stage.idle()
        tables = ("tether_index", "tether_index_text", "tether_check_run", "tether_pull_head", "tether_comment")
        assert all(rows(stage, table) for table in tables)
        stage.world.uninstall(installed)
        stage.idle()
        assert [rows(stage, table) for table in tables] == [0] * len(tables)
        again = stage.install()
        stage.world.suspend(again)
        stage.idle()
        number = stage.open("warehouse", "later", DROP)
        stage.idle()
        assert stage.world.check_runs(stage.repos["warehouse"], stage.head("warehouse", number)) == ()
        stage.world.unsuspend(again)
        stage.idle()
        assert stage.concluded("warehouse", stage.head("warehouse", number)).conclusion == "failure"


LFS = "version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 9\n"


def test_what_github_does_not_show_whole_is_seen_or_said(stage: Stage) -> None:
    view = "CREATE VIEW views.v{0} AS SELECT quantity FROM raw.orders;\n"
    many = {f"views/v{n}.sql": view.format(n) for n in range(310)}
    odd: dict[str, dict[str, FileContent]] = {
        "submodule": {"vendor/models": FileContent(b"1" * 40, "160000")},
        "symlink": {"migrations/0002_link.sql": FileContent(b"../elsewhere.sql", "120000")},
        "lfs": {"migrations/0002_lfs.sql": FileContent(LFS.encode())},
        "binary": {"migrations/0002_binary.sql": FileContent(b"ALTER\0\xff")},
    }
    with stage.serve():
        stage.install()
        stage.idle()
        number = stage.open("warehouse", "many", {**many, **DROP})
        run = stage.concluded("warehouse", stage.head("warehouse", number))
        assert (run.conclusion, (run.title or "")[:7]) == ("failure", "Blocked"), "it is the last of 311 files"
        for name, changes in odd.items():
            number = stage.open("warehouse", name, changes)
            run = stage.concluded("warehouse", stage.head("warehouse", number))
            assert (run.conclusion, "be assessed" in (run.title or "")) == ("failure", True), (name, run.title)
        stage.world.limits.tree_entries = 2
        number = stage.open("warehouse", "cut", {"README.md": "x"})
        run = stage.concluded("warehouse", stage.head("warehouse", number))
        assert (run.conclusion, "be assessed" in (run.title or "")) == ("failure", True), "SQL may be in what was cut"
        stage.idle()


def test_a_limit_in_the_middle_of_a_review_only_delays_it(stage: Stage) -> None:
    with stage.serve():
        stage.install()
        stage.idle()
        limited = {"Retry-After": "2"}
        for method, path in (("GET", "/compare/"), ("POST", "/comments$")):
            stage.world.fail_next(
                method, path, 403, headers=limited, message="You have exceeded a secondary rate limit"
            )
        number = stage.open("warehouse", "drop", DROP)
        run = stage.concluded("warehouse", stage.head("warehouse", number))
        stage.idle()
        assert (run.conclusion, (run.title or "")[:7]) == ("failure", "Blocked")
        assert len(stage.comments("warehouse", number)) == 1
