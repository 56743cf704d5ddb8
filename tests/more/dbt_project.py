"""A dbt project of one source, two models and an exposure: its files, and the artifacts that dbt would write of it."""

from __future__ import annotations

import json
from typing import Any

FILES = {
    "dbt_project.yml": "name: shop\nversion: '1.0'\nprofile: shop\nmodel-paths: [models]\n",
    "models/sources.yml": (
        "version: 2\nsources:\n  - name: raw\n    database: shop\n    schema: raw\n    tables: [{name: orders}]\n"
    ),
    "models/stg_orders.sql": (
        "select order_id, customer_id, discount_pct / 100 as discount\nfrom {{ source('raw', 'orders') }}\n"
    ),
    "models/customer_features.sql": (
        "select customer_id, avg(discount) as discount_sensitivity, count(*) as orders\n"
        "from {{ ref('stg_orders') }}\ngroup by customer_id\n"
    ),
    "models/exposures.yml": (
        "version: 2\nexposures:\n  - name: churn\n    type: ml\n    maturity: high\n    owner: {name: growth-ml}\n"
        "    depends_on: [ref('customer_features')]\n"
    ),
}
#: relation -> (column, type), as the warehouse has them
TABLES = {
    "raw.orders": {"order_id": "NUMBER", "customer_id": "NUMBER", "discount_pct": "FLOAT"},
    "staging.stg_orders": {"order_id": "NUMBER", "customer_id": "NUMBER", "discount": "FLOAT"},
    "features.customer_features": {"customer_id": "NUMBER", "discount_sensitivity": "FLOAT", "orders": "NUMBER"},
}
COMPILED = {
    "stg_orders": "select order_id, customer_id, discount_pct / 100 as discount\nfrom shop.raw.orders\n",
    "customer_features": (
        "select customer_id, avg(discount) as discount_sensitivity, count(*) as orders\n"
        "from shop.staging.stg_orders\ngroup by customer_id\n"
    ),
}
SOURCE = "source.shop.raw.orders"


def render_manifest() -> str:
    metadata = {
        "dbt_schema_version": "manifest/v12.json",
        "dbt_version": "1.9.0",
        "adapter_type": "snowflake",
        "project_name": "shop",
        "generated_at": "2026-01-01T00:00:00Z",
    }
    models = {"staging.stg_orders": SOURCE, "features.customer_features": "model.shop.stg_orders"}
    return json.dumps({
        "metadata": metadata,
        "nodes": {f"model.shop.{_name(one)}": _model(one, upstream) for one, upstream in models.items()},
        "sources": {SOURCE: _source()},
        "exposures": {"exposure.shop.churn": _exposure()},
        "metrics": {},
        "macros": {},
        "docs": {},
        "semantic_models": {},
        "saved_queries": {},
        "groups": {},
        "disabled": {},
    })  # fmt: skip


def render_catalog() -> str:
    """catalog.json: what `dbt docs generate` found in the warehouse."""
    found = {f"model.shop.{_name(one)}": _table(one) for one in TABLES if not one.startswith("raw")}
    metadata = {"dbt_schema_version": "catalog/v1.json", "dbt_version": "1.9.0", "generated_at": "2026-01-01T00:00:00Z"}
    return json.dumps({"metadata": metadata, "nodes": found, "sources": {SOURCE: _table("raw.orders")}, "errors": None})


def _name(relation: str) -> str:
    return relation.partition(".")[2]


def _common(relation: str, kind: str, path: str) -> dict[str, Any]:
    schema, _, name = relation.partition(".")
    return {
        "name": name,
        "resource_type": kind,
        "package_name": "shop",
        "path": path.removeprefix("models/"),
        "original_file_path": path,
        "unique_id": f"{kind}.shop.{name}" if kind == "model" else SOURCE,
        "fqn": ["shop", name],
        "database": "shop",
        "schema": schema,
        "columns": {column: {"name": column, "data_type": text} for column, text in TABLES[relation].items()},
        "tags": [],
        "meta": {},
        "description": "",
    }


def _model(relation: str, upstream: str) -> dict[str, Any]:
    name = _name(relation)
    path = f"models/{name}.sql"
    return {
        **_common(relation, "model", path),
        "alias": name,
        "language": "sql",
        "raw_code": FILES[path],
        "compiled_code": COMPILED[name],
        "compiled": True,
        "config": {"materialized": "table", "enabled": True},
        "depends_on": {"macros": [], "nodes": [upstream]},
        "refs": [],
        "sources": [],
    }


def _source() -> dict[str, Any]:
    return {
        **_common("raw.orders", "source", "models/sources.yml"),
        "source_name": "raw",
        "identifier": "orders",
        "source_description": "",
        "loader": "",
        "config": {"enabled": True},
    }


def _exposure() -> dict[str, Any]:
    return {
        "name": "churn",
        "type": "ml",
        "resource_type": "exposure",
        "package_name": "shop",
        "path": "exposures.yml",
        "original_file_path": "models/exposures.yml",
        "unique_id": "exposure.shop.churn",
        "fqn": ["shop", "churn"],
        "owner": {"name": "growth-ml", "email": None},
        "maturity": "high",
        "description": "",
        "meta": {},
        "tags": [],
        "depends_on": {"macros": [], "nodes": ["model.shop.customer_features"]},
    }


def _table(relation: str) -> dict[str, Any]:
    schema, _, name = relation.partition(".")
    columns = {
        column: {"name": column.upper(), "type": text, "index": number, "comment": None}
        for number, (column, text) in enumerate(TABLES[relation].items(), 1)
    }
    metadata = {"type": "BASE TABLE", "schema": schema.upper(), "name": name.upper(), "database": "SHOP", "owner": "x"}
    return {
        "metadata": {**metadata, "comment": None},
        "columns": columns,
        "stats": {},
        "unique_id": f"model.shop.{name}",
    }
