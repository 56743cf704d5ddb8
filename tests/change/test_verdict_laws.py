"""Laws that hold for the whole answer: what can never block, and what must."""
# ruff: noqa: S608 - SQL that is judged, never run

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import httpx
from hypothesis import given
from hypothesis import strategies as st

from app.catalog import CatalogStore, create_app
from app.edges.datahub import DataHubReads
from app.offline.local import LocalSide, local_change
from app.review.assess import assess
from app.words import Tree
from tests.fakes.isolation import InlineIsolation
from tests.laws import examples

COLUMNS = {"customer_id": "bigint", "discount": "numeric", "quantity": "integer", "region": "text", "coupon": "text"}
ORDERS, VIEW, FEATURES = "raw.orders", "raw.v", "features.customer_features"
SETTINGS = "version: 1\ndialect: postgres\ncatalog: {platform: postgres, env: PROD}\n"

columns = st.sampled_from(sorted(set(COLUMNS) - {"customer_id"}))


def urn(name: str) -> str:
    return f"urn:li:dataset:(urn:li:dataPlatform:postgres,{name},PROD)"


def dataset(name: str, names: Sequence[str]) -> list[dict[str, Any]]:
    fields = [
        {
            "fieldPath": column,
            "nativeDataType": COLUMNS.get(column, "numeric"),
            "type": {"type": {"com.linkedin.schema.StringType": {}}},
            "nullable": True,
            "recursive": False,
            "isPartOfKey": False,
        }
        for column in names
    ]
    stamp = {"time": 0, "actor": "urn:li:corpuser:datahub"}
    schema = {
        "schemaName": name,
        "platform": "urn:li:dataPlatform:postgres",
        "version": 0,
        "hash": "",
        "created": stamp,
        "lastModified": stamp,
        "platformSchema": {"com.linkedin.schema.OtherSchema": {"rawSchema": ""}},
        "fields": fields,
    }
    return [mcp("dataset", urn(name), "schemaMetadata", schema)]


def mcp(entity: str, of: str, aspect: str, value: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "entityType": entity,
        "entityUrn": of,
        "changeType": "UPSERT",
        "aspectName": aspect,
        "aspect": {"json": dict(value)},
    }


def catalog() -> list[dict[str, Any]]:
    feature = "urn:li:mlFeature:(customer_features,f)"
    model = "urn:li:mlModel:(urn:li:dataPlatform:mlflow,churn,PROD)"
    properties = {"customProperties": {"serving": "true"}, "mlFeatures": [feature], "tags": []}
    return [
        *dataset(ORDERS, list(COLUMNS)),
        *dataset(FEATURES, ["customer_id", "f"]),
        mcp("mlFeature", feature, "mlFeatureProperties", {"customProperties": {}, "sources": [urn(FEATURES)]}),
        mcp("mlModel", model, "mlModelProperties", properties),
    ]


def judge(base: Mapping[str, str], head: Mapping[str, str], dialect: str = "postgres") -> str:
    with tempfile.TemporaryDirectory() as folder, CatalogStore(Path(folder, "catalog.db")) as store:
        file = Path(folder, "catalog.json")
        file.write_text(json.dumps(catalog()))
        store.load_file(file)
        return asyncio.run(_judge(base, head, store, SETTINGS.replace("dialect: postgres", f"dialect: {dialect}")))


async def _judge(base: Mapping[str, str], head: Mapping[str, str], store: CatalogStore, settings_text: str) -> str:
    reads = DataHubReads("http://catalog.embedded", None, transport=httpx.ASGITransport(create_app(store)))
    before, after = (LocalSide(Tree({**side, ".tether.yml": settings_text}), dict(side)) for side in (base, head))
    try:
        change = local_change(before, after, before, config_text=settings_text)
        return (await assess(change, catalog=reads, isolation=InlineIsolation())).facts.verdict.word
    finally:
        await reads.aclose()


def tree(read: str, filtered: str | None, *, star: bool) -> dict[str, str]:
    """A table, perhaps a star view over it, and a feature of one column that may filter by another."""
    create = ", ".join(f"{name} {type_}" for name, type_ in COLUMNS.items())
    source = VIEW if star else ORDERS
    where = f" WHERE {filtered} IS NOT NULL" if filtered else ""
    view = {"views/v.sql": f"CREATE VIEW {VIEW} AS SELECT * FROM {ORDERS};"} if star else {}
    return {
        "migrations/0001_orders.sql": f"CREATE TABLE {ORDERS} ({create});",
        "features/f.sql": f"CREATE VIEW {FEATURES} AS\nSELECT customer_id, count({read}) AS f\n"
        f"FROM {source}{where} GROUP BY customer_id;",
        **view,
    }


def drop(column: str) -> dict[str, str]:
    return {"migrations/0002_change.sql": f"ALTER TABLE {ORDERS} DROP COLUMN {column};"}


@examples(8)
@given(columns, st.none() | columns, st.booleans())
def test_an_equal_tree_passes(read: str, filtered: str | None, star: bool) -> None:  # noqa: FBT001
    files = tree(read, filtered, star=star)
    assert judge(files, dict(files)) == "pass"


@examples(8)
@given(columns, st.none() | columns, st.booleans())
def test_an_added_column_never_blocks_readers_by_name(read: str, filtered: str | None, star: bool) -> None:  # noqa: FBT001
    files = tree(read, filtered, star=star)
    assert (
        judge(files, {**files, "migrations/0002_change.sql": f"ALTER TABLE {ORDERS} ADD COLUMN extra text;"}) == "pass"
    )


@examples(10)
@given(st.booleans(), st.sampled_from(["region", "extra", "coupon"]), st.booleans())
def test_an_added_column_blocks_a_join_exactly_when_its_name_is_written_without_a_table(
    bare: bool,  # noqa: FBT001
    added: str,
    using: bool,  # noqa: FBT001
) -> None:
    condition = "USING (customer_id)" if using else "ON c.customer_id = o.customer_id"
    files = {
        "migrations/0001_orders.sql": f"CREATE TABLE {ORDERS} (customer_id bigint, discount numeric, quantity int);\n"
        "CREATE TABLE raw.customers (customer_id bigint, region text);",
        "features/f.sql": f"CREATE VIEW {FEATURES} AS\nSELECT o.customer_id, count(discount) AS f\n"
        f"FROM {ORDERS} o JOIN raw.customers c {condition}\n"
        f"WHERE {'region' if bare else 'c.region'} IS NOT NULL GROUP BY o.customer_id;",
    }
    change = {"migrations/0002_change.sql": f"ALTER TABLE {ORDERS} ADD COLUMN {added} text;"}
    assert judge(files, {**files, **change}) == ("block" if bare and added == "region" else "pass")


@examples(10)
@given(columns, st.none() | columns, columns, st.booleans())
def test_a_dropped_column_blocks_exactly_when_a_statement_names_it(
    read: str,
    filtered: str | None,
    dropped: str,
    star: bool,  # noqa: FBT001
) -> None:
    """A star that carries it to nobody is no reader."""
    files = tree(read, filtered, star=star)
    expected = "block" if dropped in {read, filtered} else "pass"
    assert judge(files, {**files, **drop(dropped)}) == expected


@examples(6)
@given(columns)
def test_an_added_column_blocks_who_takes_columns_by_position(read: str) -> None:
    files = tree(read, None, star=True)
    files["features/f.sql"] = f"INSERT INTO {FEATURES} SELECT * FROM {VIEW};"
    files["views/v.sql"] = f"CREATE VIEW {VIEW} AS SELECT customer_id, {read} FROM {ORDERS};"
    other = next(name for name in COLUMNS if name not in {"customer_id", read})
    more = {"views/v.sql": f"CREATE VIEW {VIEW} AS SELECT {other}, customer_id, {read} FROM {ORDERS};"}
    assert judge(files, {**files, **more}) == "block"
