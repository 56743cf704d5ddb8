"""Changes and readers by the hundred, executed: what fails or comes out otherwise in DuckDB is never passed."""
# ruff: noqa: S608 - SQL that is judged and run in memory

from __future__ import annotations

from dataclasses import dataclass

import duckdb
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.change.test_verdict_laws import judge
from tests.laws import examples

NAMES = ("discount", "quantity", "region", "coupon")
FEATURES = "features.customer_features"
some = st.lists(st.sampled_from(NAMES), min_size=1, max_size=3, unique=True)


@dataclass(frozen=True)
class Shop:
    """Columns of two tables, besides the key of both; a query of the feature f; a statement that changes a table."""

    orders: tuple[str, ...]
    customers: tuple[str, ...]
    query: str
    change: str

    @property
    def tables(self) -> str:
        named = {"raw.orders": self.orders, "raw.customers": self.customers}
        return "".join(
            f"CREATE TABLE {t} (k INTEGER, {', '.join(f'{c} INTEGER' for c in cs)});" for t, cs in named.items()
        )


@st.composite
def shops(draw: st.DrawFn) -> Shop:
    orders, customers = (tuple(draw(some)) for _ in range(2))
    read, other = draw(st.sampled_from(orders)), draw(st.sampled_from(customers))
    bare_read = read if read not in customers and draw(st.booleans()) else f"o.{read}"
    bare_other = other if other not in orders and draw(st.booleans()) else f"c.{other}"
    on = draw(st.sampled_from(["ON o.k = c.k", "USING (k)"]))
    source = draw(st.sampled_from(["raw.orders", "(SELECT * FROM raw.orders)"]))
    inner = f"(SELECT max({read}) FROM {source} o WHERE o.k = c.k AND {bare_other} > 0)"
    query = draw(
        st.sampled_from(
            [
                f"SELECT o.k AS customer_id, {bare_read} AS f FROM {source} o JOIN raw.customers c {on} WHERE {bare_other} > 0",
                f"SELECT k AS customer_id, {read} AS f FROM {source} o NATURAL JOIN raw.customers c",
                f"SELECT c.k AS customer_id, {inner} AS f FROM raw.customers c",
                f"SELECT k AS customer_id, {read} * 2 AS double, double + 1 AS f FROM {source} o",
                f"SELECT *, k AS customer_id, {read} AS f FROM {source} o",
                f"SELECT k AS customer_id, {read} AS f FROM {source} o WHERE k IN (SELECT k FROM raw.customers)",
            ]
        )
    )
    (table, columns), (_, others) = draw(
        st.permutations(
            [("raw.orders", orders), ("raw.customers", customers)]
        )  # names of the other table are the dangerous ones
    )
    column, new = draw(st.sampled_from(columns)), draw(st.sampled_from([*others, "double", "f", "more"]))
    add = "ADD COLUMN {new} INTEGER"
    change = draw(st.sampled_from([add, add, "DROP COLUMN {column}", "RENAME COLUMN {column} TO {new}"]))
    assume(new not in columns or "{new}" not in change)
    return Shop(orders, customers, query, f"ALTER TABLE {table} {change.format(column=column, new=new)};")


def run(shop: Shop) -> tuple[object, object]:
    """The feature before and after the change; the engine's error where there is none."""
    with duckdb.connect(":memory:", config={"threads": 1}) as db:
        db.execute(f"CREATE SCHEMA raw; CREATE SCHEMA features; {shop.tables}")
        for table, columns in (("raw.orders", shop.orders), ("raw.customers", shop.customers)):
            for row in range(1, 4):
                db.execute(f"INSERT INTO {table} VALUES ({', '.join(str(row) for _ in ('k', *columns))})")
        before = _build(db, shop.query)
        db.execute(shop.change)
        return before, _build(db, shop.query)


def _build(db: duckdb.DuckDBPyConnection, query: str) -> object:
    try:
        db.execute(f"CREATE OR REPLACE TABLE {FEATURES} AS {query}")
        return db.execute(f"SELECT f FROM {FEATURES} ORDER BY ALL").fetchall()
    except duckdb.Error as error:
        return str(error)


@examples(25)
@given(shops())
def test_what_breaks_in_the_engine_is_never_passed(shop: Shop) -> None:
    before, after = run(shop)
    assume(not isinstance(before, str))
    base = {
        "migrations/0001_tables.sql": shop.tables,
        "features/f.sql": f"CREATE OR REPLACE TABLE {FEATURES} AS\n{shop.query};",
    }
    verdict = judge(base, {**base, "migrations/0002_change.sql": shop.change}, "duckdb")
    if before != after:
        assert verdict != "pass"
    elif shop.change.split()[3] == "ADD" and "NATURAL" not in shop.query:
        assert verdict in {"pass", "warn"}
