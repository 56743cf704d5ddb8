"""`tether backtest` over a small history: what would have been red, whose, and what it could not see."""

from __future__ import annotations

import json
import os
import subprocess
import time
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

from app.cli import tether
from app.commands.backtest import find_since
from app.words import Transient
from tests import suite

SCENARIO = suite.scenario("drop_column")
DAY = 86_400


class History:
    """A repository whose commits are dated by how many days ago they were made."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.catalog = suite.lay_out_catalog("drop_column", path.with_suffix(".json"))
        self.git("init", "-q", "-b", "main")

    def git(self, *arguments: str, days: int = 0) -> str:
        day = f"{int(time.time()) - days * DAY} +0000"
        who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
        environment = {**os.environ, "GIT_COMMITTER_DATE": day, "GIT_AUTHOR_DATE": day}
        done = subprocess.run(
            ["git", *who, *arguments], cwd=self.path, env=environment, capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    def commit(self, subject: str, files: dict[str, str], *, days: int) -> str:
        for name, text in files.items():
            file = self.path / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        self.git("add", "-A")
        self.git("commit", "-q", "-m", subject, days=days)
        return self.git("rev-parse", "HEAD")


def texts(side: str) -> dict[str, str]:
    return suite.texts(SCENARIO.base if side == "base" else SCENARIO.head)


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> History:
    """Oldest first: the start, a page of text, the drop (merged from a branch), a statement nobody can read."""
    made = History(tmp_path_factory.mktemp("history"))
    made.commit("Start", texts("base"), days=200)
    made.commit("Say hello", {"README.md": "hello\n"}, days=40)
    made.git("checkout", "-q", "-b", "drop")
    made.commit("Drop it", {"migrations/0002_change.sql": "-- first\n"}, days=31)
    made.commit("Really drop it", texts("head"), days=30)
    made.git("checkout", "-q", "main")
    made.git("merge", "-q", "--no-ff", "-m", "Merge: drop discount_pct", "drop", days=20)
    made.commit("Run\x1b[31m what we are told", {"migrations/0003_run.sql": "EXECUTE IMMEDIATE $$ ;\n"}, days=10)
    return made


def run(history: History, *arguments: str) -> Result:
    return CliRunner().invoke(
        tether, ["backtest", "--repo", str(history.path), "--catalog", str(history.catalog), *arguments]
    )


def told(history: History, *arguments: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run(history, "--format", "json", *arguments).stdout)
    return found


def test_what_would_have_been_red_and_whose(history: History) -> None:
    found = told(history)
    by_subject = {one["subject"]: one for one in found["changes"]}
    drop = by_subject["Merge: drop discount_pct"]

    assert (found["merged"], found["judged"]) == (3, 2)
    assert found["verdicts"] == {"block": 1, "unassessable": 1, "warn": 0, "pass": 0}
    assert (drop["verdict"], drop["author"], drop["rules"]) == ("block", "Ada", ["removed_column_is_read"])
    assert drop["models"] == [{"model": "churn_propensity_v4", "owner": "growth-ml"}]
    assert drop["seconds"] > 0
    assert found["rules"]["removed_column_is_read"] == 1
    assert found["owners"] == {"growth-ml": 1}


def test_a_catalog_that_does_not_answer_is_no_verdict_on_history(history: History) -> None:
    dead = ["backtest", "--repo", str(history.path), "--catalog", "http://127.0.0.1:9/"]
    done = CliRunner(env={"TETHER_DATAHUB_TIMEOUT": "1"}).invoke(tether, dead)

    assert isinstance(done.exception, Transient)
    assert done.stdout == ""


def test_progress_is_a_line_for_each_change_and_not_in_the_answer(history: History) -> None:
    done = run(history, "--format", "json")

    assert [line.split("]")[0] for line in done.stderr.splitlines()] == ["[1/3", "[2/3", "[3/3"]
    assert json.loads(done.stdout)["merged"] == 3


def test_a_subject_cannot_colour_the_terminal(history: History) -> None:
    done = run(history)

    assert done.exit_code == 0
    assert "\x1b" not in done.output
    assert "Ada: Merge: drop discount_pct" in done.stdout


def test_only_the_time_that_is_asked_for(history: History) -> None:
    assert [one["verdict"] for one in told(history, "--since", "15d")["changes"]] == ["unassessable"]
    assert told(history, "--since", "1y")["merged"] == 3  # the first commit changed nothing: there was no before


def test_observing_does_not_hide_what_would_have_been_red(history: History, tmp_path: Path) -> None:
    config = tmp_path / "observe.yml"
    config.write_text(texts("base")[".tether.yml"] + "mode: observe\n")

    assert told(history, "--config", str(config))["verdicts"]["block"] == 1


def test_a_shallow_clone_says_what_it_cannot_see(history: History, tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", "--depth", "2", f"file://{history.path}", str(clone)], check=True)
    found = CliRunner().invoke(
        tether, ["backtest", "--repo", str(clone), "--catalog", str(history.catalog), "--format", "json"]
    )

    assert "the clone is shallow" in json.loads(found.stdout)["notes"][0]


def test_a_branch_that_is_not_there(history: History) -> None:
    done = run(history, "--branch", "nowhere")

    assert "'nowhere' is no revision" in str(done.exception)


@pytest.mark.parametrize(("text", "days"), [("90d", 90), ("2w", 14), ("1m", 30), ("1y", 365)])
def test_how_far_back(text: str, days: int) -> None:
    assert find_since(text, 1_000_000_000.0) == 1_000_000_000.0 - days * DAY


@pytest.mark.parametrize("text", ["", "90", "d", "-3d", "yesterday", "99999d"])
def test_a_time_that_is_none(text: str) -> None:
    with pytest.raises(click.UsageError, match="write 90d"):
        find_since(text, 0.0)
