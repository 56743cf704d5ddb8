"""The replay over a history of four commits: a dbt project and a folder of migrations, each with a model behind it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.benchmarks.replay.__main__ import main
from tests.benchmarks.replay.replay import load_records
from tests.benchmarks.replay.repositories import find_clone, load_repositories

PROJECT = "name: shop\nversion: '1'\nprofile: shop\nmodels: {shop: {+schema: mart}}\n"
SOURCES = (
    "sources: [{name: raw, database: shop, schema: raw, tables: [{name: orders, columns: [{name: id}, {name: amount},"
    " {name: discount}]}, {name: customers, columns: [{name: id}]}, {name: items, columns: [{name: id}]}]}]\n"
)
STAGING = "select id, amount, discount from {{ source('raw', 'orders') }}\n"
FEATURES = "select id, sum(amount) as spent, avg(discount) as generosity from {{ ref('stg_orders') }} group by id\n"
SPECS = {
    "acme/dbt": {
        "kind": "dbt",
        "dialect": "snowflake",
        "database": "shop",
        "schema": "analytics",
        "schemas": "joined",
        "config": {
            "version": 1,
            "dialect": "snowflake",
            "catalog": {"platform": "snowflake", "database": "shop"},
            "dbt": {"path": ".", "target": "prod", "database": "shop", "schema": "analytics"},
        },
    },
    "acme/app": {
        "kind": "migrations",
        "dialect": "postgres",
        "database": "app",
        "schema": "public",
        "migrations": "^migrations/",
        "config": {
            "version": 1,
            "dialect": "postgres",
            "catalog": {"platform": "postgres", "database": "app", "schema": "public"},
        },
    },
}


def commit(repo: Path, subject: str, files: dict[str, str]) -> None:
    for name, text in files.items():
        (repo / name).parent.mkdir(parents=True, exist_ok=True)
        (repo / name).write_text(text)
    who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
    for words in (("add", "-A"), (*who, "commit", "-q", "-m", subject)):
        subprocess.run(["git", "-C", str(repo), *words], check=True)


@pytest.fixture(scope="module")
def clones(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("clones")
    for name in SPECS:
        subprocess.run(["git", "init", "-q", "-b", "main", str(folder / name)], check=True)
    dbt, app = (folder / name for name in SPECS)
    start = {"dbt_project.yml": PROJECT, "models/sources.yml": SOURCES, "models/stg_orders.sql": STAGING}
    commit(dbt, "Start", start | {"models/customer_features.sql": FEATURES})
    commit(
        dbt, "Add a column", {"models/stg_orders.sql": STAGING.replace("discount from", "discount, now() as at from")}
    )
    commit(
        dbt, "Drop the discount", {"models/stg_orders.sql": "select id, amount from {{ source('raw', 'orders') }}\n"}
    )
    commit(dbt, "Say hello", {"README.md": "hello\n"})
    tables = "CREATE TABLE orders (id int, plan text);\nCREATE TABLE items (id int);\nCREATE TABLE users (id int);\n"
    commit(app, "Start", {"migrations/1.sql": tables})
    commit(app, "Drop the plan", {"migrations/2.sql": "ALTER TABLE orders DROP COLUMN plan;\n"})
    (folder / "specs.yml").write_text(yaml.safe_dump(SPECS))
    return folder


def run(monkeypatch: pytest.MonkeyPatch, clones: Path, out: Path, *words: str) -> None:
    first = ["replay", "--out", str(out), "--specs", str(clones / "specs.yml"), *words]
    monkeypatch.setattr(sys, "argv", first)
    before = sys.getrecursionlimit()
    main()
    sys.setrecursionlimit(before)


def test_what_was_merged_is_judged_counted_and_shown(
    clones: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run(monkeypatch, clones, tmp_path, "run", "--repos", str(clones), "--share", "1", "--epoch", "9")
    records = {r["subject"]: r for file in tmp_path.glob("*.jsonl") for r in load_records(file)}

    assert {subject: record["verdict"] for subject, record in records.items()} == {
        "Add a column": "pass",
        "Drop the discount": "block",
        "Drop the plan": "block",
    }
    drop = records["Drop the discount"]
    assert {one["relation"] for one in drop["removals"]} == {"shop.analytics_mart.stg_orders"}
    assert {one["column"] for one in drop["removals"]} == {"at", "discount"}
    assert "model_analytics_mart_customer_features" in drop["text"]

    capsys.readouterr()
    run(monkeypatch, clones, tmp_path, "run", "--repos", str(clones), "--share", "1")
    assert "crash" not in capsys.readouterr().out
    assert sum(len(load_records(file)) for file in tmp_path.glob("*.jsonl")) == 3  # none is judged twice

    labels = tmp_path / "labels.json"
    labels.write_text(json.dumps({drop["sha"]: "wrong"}))
    run(monkeypatch, clones, tmp_path, "table", "--labels", str(labels))
    told = capsys.readouterr().out
    assert "unassessable: 0 of 3 (0 %)" in told
    assert "false blocks: 1 of 1 that somebody read (100 %)" in told
    assert f"blocks that nobody has read: {records['Drop the plan']['sha'][:12]}" in told

    run(monkeypatch, clones, tmp_path, "show", "--repos", str(clones), "acme/dbt", drop["sha"][:8])
    assert "-select id, amount, discount, now() as at from" in capsys.readouterr().out


def test_a_catalog_of_a_commit_is_written_for_check(
    clones: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "catalog.json"
    run(
        monkeypatch,
        clones,
        tmp_path,
        "catalog",
        "--repos",
        str(clones),
        "--share",
        "1",
        "acme/dbt",
        "HEAD~2",
        str(file),
    )
    held = json.loads(file.read_text())

    fields = {
        one["entityUrn"].split(",")[1]: [field["fieldPath"] for field in one["aspect"]["json"]["fields"]]
        for one in held
        if one["aspectName"] == "schemaMetadata"
    }
    assert fields["shop.analytics_mart.stg_orders"] == ["id", "amount", "discount", "at"]
    assert fields["shop.analytics_mart.customer_features"] == ["id", "spent", "generosity"]
    assert fields["shop.raw.orders"] == ["id", "amount", "discount"]
    (features,) = [one for one in held if one["aspectName"] == "mlFeatureTableProperties"]
    assert len(features["aspect"]["json"]["mlFeatures"]) == 3


def test_a_clone_that_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="no clone of acme/dbt: looked for "):
        find_clone(tmp_path, "acme/dbt")


def test_the_repositories_that_are_measured_have_configurations_that_can_be_used() -> None:
    from app.review.config import parse_config  # noqa: PLC0415

    held = load_repositories()

    assert len(held) == 8
    assert [name for name, one in held.items() if parse_config(one.config).dialect != one.dialect] == []
