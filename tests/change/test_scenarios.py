"""The scenarios of `tests/scenarios`: the removals are exactly those expected, and DuckDB confirms the claim where it can."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest
import yaml

from app.change.files import order_key
from app.words import Config, Schema
from tests.change.trees import review

ROOT = Path(__file__).parent.parent / "scenarios"
ALL = sorted(path for path in ROOT.iterdir() if (path / "expected" / "removals.json").exists())
EXECUTABLE = sorted(path.parent.parent for path in ROOT.glob("*/expected/rows.sql"))


def tree(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): path.read_text()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != ".tether.yml"
    }


def catalog(scenario: Path) -> Schema:
    """Columns by relation, from the schemaMetadata aspects."""
    found: dict[str, dict[str, str]] = {}
    for mcp in json.loads((scenario / "catalog" / "catalog.json").read_text()):
        if mcp["aspectName"] == "schemaMetadata":
            fields = mcp["aspect"]["json"]["fields"]
            found[mcp["entityUrn"].split(",")[1]] = {f["fieldPath"]: f["nativeDataType"] for f in fields}
    return found


def expected(scenario: Path, name: str) -> Any:
    return json.loads((scenario / "expected" / name).read_text())


@pytest.mark.parametrize("scenario", ALL, ids=lambda path: path.name)
def test_the_removals_are_those_expected(scenario: Path) -> None:
    dialect = yaml.safe_load((scenario / "base" / ".tether.yml").read_text())["dialect"]
    report = review(
        tree(scenario / "base"),
        tree(scenario / "head"),
        dialect=dialect,
        catalog=catalog(scenario),
        config=Config(found=True, dialect=dialect),
    )
    found = [
        {
            "kind": r.kind,
            "relation": r.relation,
            "column": r.column,
            "new_name": r.new_name,
            "level": r.level,
            "effect": r.effect,
            "certain": r.certain,
            "side": r.evidence.side,
            "path": r.evidence.path,
            "line": r.evidence.line,
        }
        for r in report.removals
    ]
    assert expected(scenario, "removals.json")["removals"] == found
    places = [{"path": unknown.path, "line": unknown.line} for unknown in report.unknowns]
    assert expected(scenario, "removals.json")["unknowns"] == places


@pytest.mark.parametrize("scenario", EXECUTABLE, ids=lambda path: path.name)
def test_the_claim_is_true(scenario: Path) -> None:
    verdict = expected(scenario, "verdict.json")["verdict"]
    rows = (scenario / "expected" / "rows.sql").read_text()
    base, head = tree(scenario / "base"), tree(scenario / "head")
    before = _run(base, {}, rows, _target(base))
    after = _run(base, head, rows, _target(base))
    if verdict == "block":
        assert isinstance(after, str) or before != after, "blocked, and the feature came out equal"
    elif "does not serve" not in expected(scenario, "verdict.json")["why"]:
        assert not isinstance(after, str), after
        assert verdict == "warn" or before == after


def _target(files: dict[str, str]) -> str:
    """The feature table and its column: what the model asks for."""
    words = files["features/customer_features.sql"].split()
    return next(word for word in words if word.startswith("shop.features."))


def _run(base: dict[str, str], head: dict[str, str], rows: str, feature: str) -> list[Any] | str:
    """Values of the feature, or the engine's error. The base is built and filled, then the head's news are applied."""
    with duckdb.connect(":memory:", config={"threads": 1}) as db:
        db.execute("SET enable_external_access = false")
        db.execute("ATTACH ':memory:' AS shop")
        for schema in ("raw", "analytics", "features"):
            db.execute(f"CREATE SCHEMA shop.{schema}")
        for sql in (*_migrations(base), rows, *_definitions(base)):
            db.execute(sql)
        try:
            new = {path: sql for path, sql in head.items() if path not in base}
            gone = [path for path in base if head and path not in head and path.startswith("views/")]
            for path in gone:
                if not any(base[path] == sql for sql in new.values()):
                    db.execute(f"DROP VIEW {base[path].split()[4]}")
            for sql in (*_migrations(new), *_definitions(head)):
                db.execute(sql)
            return db.execute(f"SELECT customer_id, discount_sensitivity FROM {feature} ORDER BY ALL").fetchall()  # noqa: S608 - the scenario's own name
        except duckdb.Error as error:
            return str(error)


def _migrations(files: dict[str, str]) -> Iterator[str]:
    for path in sorted((p for p in files if p.startswith("migrations/")), key=order_key):
        yield files[path]


def _definitions(files: dict[str, str]) -> Iterator[str]:
    """Views before the features that read them."""
    for folder in ("views/", "marts/", "features/"):
        for path in sorted(p for p in files if p.startswith(folder)):
            yield files[path]
