"""Manifests that are checked in: what they call the nodes, and files of that name that are something else."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest

from app.render import is_manifest, read_manifests

METADATA = {"dbt_schema_version": "https://schemas.getdbt.com/dbt/manifest/v12.json", "project_name": "shop"}


def manifest(*nodes: dict[str, object], sources: Mapping[str, object] | None = None) -> str:
    named = {f"model.shop.{node['name']}": node for node in nodes}
    return json.dumps({"metadata": METADATA, "nodes": named, "sources": sources or {}})


def node(name: str, schema: str | None = "core", **more: object) -> dict[str, object]:
    return {"name": name, "alias": name, "database": "db", "schema": schema, **more}


def test_models_and_sources_by_their_unique_id() -> None:
    sources = {
        "source.shop.raw.orders": {"database": "lake", "schema": "raw", "name": "orders", "identifier": "Orders"}
    }
    text = manifest(node("a"), node("b", alias="B2"), node("c", config={"materialized": "ephemeral"}), sources=sources)

    found, notes = read_manifests([("target/manifest.json", text)])

    assert found == {
        "model.shop.a": ("db", "core", "a"),
        "model.shop.b": ("db", "core", "B2"),
        "source.shop.raw.orders": ("lake", "raw", "Orders"),
    }
    assert notes == ()


def test_a_database_without_that_level() -> None:
    assert read_manifests([("m", manifest(node("a", database=None)))])[0] == {"model.shop.a": ("core", "a")}


def test_what_two_of_them_call_otherwise_is_not_known() -> None:
    texts = [("a", manifest(node("a"), node("b"))), ("b", manifest(node("a", "dev"), node("b")))]

    assert read_manifests(texts)[0] == {"model.shop.b": ("db", "core", "b")}


@pytest.mark.parametrize("text", ["", "[]", "{", '{"name": "an app", "icons": []}', '{"metadata": 1}', "[" * 100_000])
def test_another_tools_file_is_none(text: str) -> None:
    assert read_manifests([("manifest.json", text)]) == ({}, ())


@pytest.mark.parametrize(
    "text", [manifest(node("a"))[:-20], '{"metadata": {"dbt_schema_version": "v12"}, "nodes": ' + "[" * 100_000]
)
def test_one_that_is_cut_off_is_told(text: str) -> None:
    found, (note,) = read_manifests([("target/manifest.json", text)])

    assert found == {}
    assert note.startswith("target/manifest.json: it is not JSON")


@pytest.mark.parametrize(
    "nodes", [1, [], {"model.shop.a": 1}, {"model.shop.a": {}}, {"test.shop.a": node("a")}, {"": node("a")}]
)
def test_strange_nodes_are_left_out(nodes: object) -> None:
    assert read_manifests([("m", json.dumps({"metadata": METADATA, "nodes": nodes}))]) == ({}, ())


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("manifest.json", True),
        ("target/manifest.json", True),
        ("artifacts/manifest.json", True),
        ("dbt/manifest.json", True),
        ("dbt/target/manifest.json", True),
        ("web/public/manifest.json", False),
        ("target/run_results.json", False),
    ],
)
def test_where_manifests_are(path: str, expected: bool) -> None:  # noqa: FBT001 - a parameter of a test
    assert is_manifest(path, {"", "dbt"}) is expected
    assert not is_manifest(path, ())
