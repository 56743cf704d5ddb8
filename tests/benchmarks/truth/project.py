"""A dbt project that dbt built with DuckDB -> its models as plain SQL over `ref__model` and `src__table`, and the data.

The same text is executed (tables of these names are made) and, with the names turned into `ref()` and `source()`, judged.
"""
# ruff: noqa: S608 - our own statements over tables of this process

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

ROWS = 400
#: the CTE by which dbt puts an ephemeral model into its readers
_INLINED = "__dbt__cte__"
_NAMES = re.compile(r'"?\b(ref|src)__(\w+)"?')


@dataclass(frozen=True, slots=True)
class Project:
    """`models`: name -> SQL. `tables`: the sources in `data`, with their columns and types."""

    name: str
    models: Mapping[str, str]
    tables: Mapping[str, Mapping[str, str]]
    data: duckdb.DuckDBPyConnection


def load_project(folder: Path) -> Project:
    """`folder` has `target/manifest.json`, and beside it one `*.duckdb`. Models that do not run as they are, are left out."""
    manifest = json.loads((folder / "target/manifest.json").read_text())
    database = next(folder.parent.glob("*.duckdb"))
    nodes = {**manifest["nodes"], **manifest["sources"]}
    named = {
        str(one["relation_name"]).replace('"', "").lower(): one for one in nodes.values() if one.get("relation_name")
    }
    data = duckdb.connect()
    data.execute("SET threads = 1")
    data.execute(f"ATTACH '{database}' AS built (READ_ONLY)")
    models: dict[str, str] = {}
    tables: dict[str, dict[str, str]] = {}
    for node in manifest["nodes"].values():
        if node["resource_type"] == "model" and node.get("compiled_code"):
            text = _rewrite(node["compiled_code"], named)
            if text is not None:
                models[node["name"]] = text
    for table in sorted({name for text in models.values() for kind, name in find_names(text) if kind == "src"}):
        one = next(one for one in named.values() if _name_of(one) == f"src__{table}")
        place = f'built."{one["schema"]}"."{one.get("identifier") or one.get("alias") or one["name"]}"'
        try:
            data.execute(f"CREATE TABLE src__{table} AS SELECT * FROM {place} LIMIT {ROWS}")
        except duckdb.Error:
            continue
        tables[table] = find_columns(data, f"src__{table}")
    return Project(folder.parent.name, _keep_running(models, data), tables, data)


def find_columns(data: duckdb.DuckDBPyConnection, table: str) -> dict[str, str]:
    return {str(row[0]).lower(): str(row[1]) for row in data.execute(f'DESCRIBE "{table}"').fetchall()}


def find_names(text: str) -> set[tuple[str, str]]:
    """(ref or src, name) of each relation that it names."""
    return set(_NAMES.findall(text))


def render_models(project: Project, models: Mapping[str, str]) -> dict[str, str]:
    """As files of a dbt project."""
    sources = "".join(f"      - name: {name}\n" for name in project.tables)
    return {
        "dbt_project.yml": "name: shop\nversion: '1.0'\nprofile: shop\nmodel-paths: [models]\nmodels: {+materialized: table}\n",
        "models/sources.yml": f"version: 2\nsources:\n  - name: raw\n    schema: raw\n    tables:\n{sources}",
        **{f"models/{name}.sql": _NAMES.sub(_template, text) + "\n" for name, text in models.items()},
    }


def _template(match: re.Match[str]) -> str:
    kind, name = match.groups()
    return f"{{{{ ref('{name}') }}}}" if kind == "ref" else f"{{{{ source('raw', '{name}') }}}}"


def _name_of(node: Mapping[str, Any]) -> str:
    return f"ref__{node['name']}" if node["resource_type"] == "model" else f"src__{node['name']}".lower()


def _rewrite(text: str, named: Mapping[str, Mapping[str, Any]]) -> str | None:
    """Its relations under our names; formatted by sqlglot, so that a mutated tree differs in nothing else."""
    try:
        tree = parse_one(text, dialect="duckdb")
    except SqlglotError:
        return None
    for cte in list(tree.find_all(exp.CTE)):
        if cte.alias.startswith(_INLINED):
            whole = cte.parent
            cte.pop()
            if isinstance(whole, exp.With) and not whole.expressions:
                whole.pop()
    for table in list(tree.find_all(exp.Table)):
        if table.name.startswith(_INLINED):
            table.set("this", exp.to_identifier(f"ref__{table.name.removeprefix(_INLINED)}"))
            continue
        found = named.get(".".join(part.name for part in table.parts).lower())
        if found is not None and table.db:
            alias = table.alias or table.name
            table.set("db", None)
            table.set("catalog", None)
            table.set("this", exp.to_identifier(_name_of(found)))
            if table.parent is not None and alias and any(c.table == alias for c in tree.find_all(exp.Column)):
                table.set("alias", exp.TableAlias(this=exp.to_identifier(alias)))
    return tree.sql(dialect="duckdb", pretty=True)


def _keep_running(models: Mapping[str, str], data: duckdb.DuckDBPyConnection) -> dict[str, str]:
    kept: dict[str, str] = {}
    left = dict(models)
    while ready := [
        name for name, text in left.items() if not {n for k, n in find_names(text) if k == "ref"} & set(left)
    ]:
        for name in ready:
            text = left.pop(name)
            try:
                data.execute(f"CREATE TABLE ref__{name} AS {text}")
            except duckdb.Error:
                continue
            kept[name] = text
    return kept
