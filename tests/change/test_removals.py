"""Old and new files -> removals. Each row: what changes, and all that is taken away (positions aside)."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from app.change import RemovalReport, find_removals, is_relevant
from app.words import CatalogNaming, Config, Root, Schema
from tests.change.trees import brief, briefs, parse_tree, review

ORDERS = """CREATE TABLE public.orders (
    order_id bigint PRIMARY KEY,
    discount numeric(5,4) NOT NULL DEFAULT 0,
    quantity integer
);
"""
FIRST = {"migrations/0001_orders.sql": ORDERS}
VIEW = {"views/v.sql": "CREATE OR REPLACE VIEW public.v AS\nSELECT order_id, discount, quantity\nFROM public.orders;\n"}
CATALOG: Schema = {"public.orders": {"order_id": "bigint", "discount": "numeric(5,4)", "quantity": "integer"}}
DROPPED = ["column_dropped public.orders.discount block/stops"]


def second(sql: str) -> dict[str, str]:
    """The first migration, and a new one."""
    return {**FIRST, "migrations/0002_change.sql": sql}


def view(sql: str) -> dict[str, str]:
    return {"views/v.sql": f"CREATE OR REPLACE VIEW public.v AS {sql};\n"}


@dataclass(frozen=True)
class Case:
    name: str
    base: dict[str, str]
    head: dict[str, str]
    expected: list[str] = field(default_factory=list)
    dialect: str = "postgres"
    catalog: Schema = field(default_factory=dict)


BELOW = "CREATE VIEW public.w AS SELECT order_id AS id, discount AS rate, quantity FROM public.orders;"
VIEW_OF_VIEW = {**view("SELECT id AS order_id, rate AS discount, quantity FROM public.w"), "views/w.sql": BELOW}

MIGRATIONS = [
    Case("drop column", FIRST, second("ALTER TABLE orders DROP COLUMN discount;"), DROPPED),
    Case(
        "rename column",
        FIRST,
        second("ALTER TABLE public.orders RENAME discount TO rate;"),
        ["column_renamed public.orders.discount -> rate block/stops"],
    ),
    Case("drop table", FIRST, second("DROP TABLE orders;"), ["relation_dropped public.orders block/stops"]),
    Case("drop schema", FIRST, second("DROP SCHEMA public CASCADE;"), ["relation_dropped public.orders block/stops"]),
    Case(
        "rename table",
        FIRST,
        second("ALTER TABLE orders RENAME TO orders_v2;"),
        ["relation_renamed public.orders -> public.orders_v2 block/stops"],
    ),
    Case(
        "swap without the column",
        FIRST,
        second(
            "CREATE TABLE public.orders_new (order_id bigint, quantity integer);\n"
            "ALTER TABLE public.orders SWAP WITH public.orders_new;"
        ),
        [*DROPPED, *(f"values_lost public.orders.{c} block/values" for c in ("order_id", "quantity"))],
        dialect="snowflake",
    ),
    Case(
        "copy, drop, rename into place",
        FIRST,
        second(
            "CREATE TABLE tmp (order_id bigint NOT NULL, discount numeric(5,4) NOT NULL DEFAULT 0, quantity integer);\n"
            "INSERT INTO tmp (order_id, discount, quantity) SELECT order_id, discount, quantity FROM orders;\n"
            "DROP TABLE orders;\nALTER TABLE tmp RENAME TO orders;"
        ),
    ),
    Case(
        "copy without the column's values",
        FIRST,
        second(
            "CREATE TABLE tmp (order_id bigint NOT NULL, discount numeric(5,4) NOT NULL DEFAULT 0, quantity integer);\n"
            "INSERT INTO tmp (order_id, quantity) SELECT order_id, quantity FROM orders;\n"
            "DROP TABLE orders;\nALTER TABLE tmp RENAME TO orders;"
        ),
        ["values_lost public.orders.discount block/values"],
    ),
    Case(
        "drop and add again",
        FIRST,
        second(
            "ALTER TABLE orders DROP COLUMN discount;\n"
            "ALTER TABLE orders ADD COLUMN discount numeric(5,4) NOT NULL DEFAULT 0;"
        ),
        ["values_lost public.orders.discount block/values"],
    ),
    Case(
        "drop and add again, back-filled",
        FIRST,
        second(
            "ALTER TABLE orders ADD COLUMN old numeric(5,4);\nUPDATE orders SET old = discount;\n"
            "ALTER TABLE orders DROP COLUMN discount;\nALTER TABLE orders ADD COLUMN discount numeric(5,4);\n"
            "UPDATE orders SET discount = old;"
        ),
        ["values_lost public.orders.discount warn/values"],
    ),
    Case(
        "back-fill after the drop is none",
        FIRST,
        second(
            "ALTER TABLE orders DROP COLUMN discount;\nALTER TABLE orders ADD COLUMN discount numeric(5,4);\n"
            "UPDATE orders SET discount = 0;"
        ),
        ["values_lost public.orders.discount block/values"],
    ),
    Case(
        "rename away and back",
        FIRST,
        second("ALTER TABLE orders RENAME discount TO tmp;\nALTER TABLE orders RENAME tmp TO discount;"),
    ),
    Case(
        "rename away, new column under the name",
        FIRST,
        second("ALTER TABLE orders RENAME discount TO old;\nALTER TABLE orders ADD COLUMN discount numeric(5,4);"),
        ["values_lost public.orders.discount block/values"],
    ),
    Case(
        "add column", FIRST, second("ALTER TABLE orders ADD COLUMN rate numeric;\nUPDATE orders SET rate = discount;")
    ),
    Case("scratch column", FIRST, second("ALTER TABLE orders ADD tmp int;\nALTER TABLE orders DROP COLUMN tmp;")),
    Case("drop if exists of nothing", FIRST, second("ALTER TABLE orders DROP COLUMN IF EXISTS nothing;")),
    Case("inert", FIRST, second("BEGIN;\nCREATE INDEX i ON orders (discount);\nGRANT SELECT ON orders TO x;\nCOMMIT;")),
    Case(
        "type widened",
        FIRST,
        second("ALTER TABLE orders ALTER quantity TYPE bigint;"),
    ),
    Case(
        "type shifted",
        FIRST,
        second("ALTER TABLE orders ALTER discount TYPE double precision;"),
        ["type_changed public.orders.discount warn/values"],
    ),
    Case(
        "type of another class, no reader here",
        FIRST,
        second("ALTER TABLE orders ALTER discount TYPE text;"),
        ["type_changed public.orders.discount block/values?"],
    ),
    Case(
        "type of another class under a sum",
        {**FIRST, **view("SELECT order_id, sum(discount) AS d FROM orders GROUP BY order_id")},
        {
            **second("ALTER TABLE orders ALTER discount TYPE text;"),
            **view("SELECT order_id, sum(discount) AS d FROM orders GROUP BY order_id"),
        },
        ["type_changed public.orders.discount block/values?"],
    ),
    Case(
        "type of another class under a count",
        {**FIRST, **view("SELECT count(discount) AS d FROM orders")},
        {**second("ALTER TABLE orders ALTER discount TYPE text;"), **view("SELECT count(discount) AS d FROM orders")},
        ["type_changed public.orders.discount block/values?"],
    ),
    Case(
        "rules dropped",
        FIRST,
        second("ALTER TABLE orders ALTER discount DROP NOT NULL, ALTER discount DROP DEFAULT;"),
        ["meaning_changed public.orders.discount warn/values"] * 2,
    ),
    Case(
        "updated in place",
        FIRST,
        second("UPDATE orders SET discount = discount / 100;"),
        ["meaning_changed public.orders.discount warn/values"],
    ),
    Case("emptied", FIRST, second("TRUNCATE orders;"), ["meaning_changed public.orders warn/values"]),
    Case(
        "rows deleted",
        FIRST,
        second("DELETE FROM orders WHERE quantity = 0;"),
        ["meaning_changed public.orders warn/values"],
    ),
    Case(
        "rows deleted before", second("DELETE FROM orders;"), {**FIRST, "migrations/0003_x.sql": "DELETE FROM orders;"}
    ),
    Case(
        "a script deletes other rows each time",
        {
            **FIRST,
            "jobs/fill.sql": "DELETE FROM public.s WHERE a = 1;\nINSERT INTO public.s (a) SELECT order_id FROM orders;",
        },
        {
            **FIRST,
            "jobs/fill.sql": "DELETE FROM public.s WHERE a = 2;\nINSERT INTO public.s (a) SELECT order_id FROM orders;",
        },
        ["meaning_changed public.s warn/values"],
        catalog={"public.s": {"a": "bigint"}},
    ),
    Case(
        "a view gets another query",
        {**FIRST, "migrations/0002_v.sql": VIEW["views/v.sql"]},
        {
            **FIRST,
            "migrations/0002_v.sql": VIEW["views/v.sql"],
            "migrations/0003_v.sql": "ALTER VIEW public.v AS\nSELECT order_id, quantity FROM public.orders;",
        },
        ["output_removed public.v.discount block/stops"],
        dialect="tsql",
    ),
    Case(
        "a view gets the same query",
        {**FIRST, "migrations/0002_v.sql": VIEW["views/v.sql"]},
        {
            **FIRST,
            "migrations/0002_v.sql": VIEW["views/v.sql"],
            "migrations/0003_v.sql": "ALTER VIEW public.v AS SELECT order_id, discount, quantity FROM public.orders;",
        },
        dialect="mysql",
    ),
    Case(
        "only the catalog knows the table",
        {},
        {"migrations/0002_x.sql": "ALTER TABLE orders DROP discount;"},
        DROPPED,
        catalog=CATALOG,
    ),
    Case("nobody knows the table", {}, {"migrations/0002_x.sql": "ALTER TABLE public.orders DROP discount;"}, DROPPED),
    Case(
        "created and dropped in one change",
        {},
        {"migrations/0001_x.sql": "CREATE TABLE t (a int);\nALTER TABLE t DROP COLUMN a;\nDROP TABLE t;"},
    ),
    Case(
        "edited migration",
        FIRST,
        {"migrations/0001_orders.sql": ORDERS.replace("    discount numeric(5,4) NOT NULL DEFAULT 0,\n", "")},
        DROPPED,
    ),
    Case(
        "squashed migrations",
        second("ALTER TABLE orders ADD COLUMN rate numeric;"),
        {"migrations/0001_all.sql": ORDERS.replace("quantity integer", "quantity integer,\n    rate numeric")},
    ),
    Case(
        "deleted migration",
        second("ALTER TABLE orders ADD COLUMN rate numeric;"),
        FIRST,
        ["column_dropped public.orders.rate block/stops"],
    ),
    Case("moved migrations", FIRST, {"db/migrations/0001_orders.sql": ORDERS}),
    Case(
        "down part",
        FIRST,
        second(
            "-- +goose Up\nALTER TABLE orders ADD x int;\n-- +goose Down\nALTER TABLE orders DROP COLUMN discount;\n"
        ),
    ),
    Case(
        "dbmate down part",
        FIRST,
        second(
            "-- migrate:up\nALTER TABLE orders ADD x int;\n-- migrate:down\nALTER TABLE orders DROP COLUMN discount;\n"
        ),
    ),
    Case("down file", FIRST, {**FIRST, "migrations/0002_x.down.sql": "ALTER TABLE orders DROP COLUMN discount;"}),
    Case("temporary table", FIRST, second("CREATE TEMP TABLE orders_tmp (a int);\nDROP TABLE orders_tmp;")),
    Case(
        "numbers order, not names",
        {},
        {
            "migrations/10_b.sql": "ALTER TABLE t DROP COLUMN a;",
            "migrations/9_a.sql": "CREATE TABLE t (a int, b int);",
        },
    ),
    Case(
        "cascade takes the view along",
        {**FIRST, **view("SELECT discount FROM orders")},
        {**second("ALTER TABLE orders DROP COLUMN discount CASCADE;"), **view("SELECT discount FROM orders")},
        [*DROPPED, "relation_dropped public.v block/stops"],
    ),
    Case(
        "cascade, and the view is made again",
        {**FIRST, **view("SELECT order_id, discount FROM orders")},
        {
            **second(
                "ALTER TABLE orders DROP COLUMN discount CASCADE;\nCREATE VIEW v AS SELECT order_id, 0 AS discount FROM orders;"
            ),
            **view("SELECT order_id, discount FROM orders"),
        },
        DROPPED,
    ),
    Case(
        "table replaced by a query over itself",
        FIRST,
        second("CREATE OR REPLACE TABLE public.orders AS SELECT order_id, discount, quantity FROM public.orders;"),
        ["meaning_changed public.orders.discount warn/values"] * 2
        + ["meaning_changed public.orders.order_id warn/values"],
        dialect="snowflake",
    ),
    Case(
        "table replaced, values by a constant",
        {"migrations/0001_t.sql": "CREATE TABLE s.t (a int, b int);"},
        {
            "migrations/0001_t.sql": "CREATE TABLE s.t (a int, b int);",
            "migrations/0002_t.sql": "CREATE OR REPLACE TABLE s.t AS SELECT a, 0 AS b FROM s.t;",
        },
        ["values_lost s.t.b block/values"],
        dialect="snowflake",
    ),
    Case(
        "table replaced by a view over somebody else",
        {"migrations/0001_t.sql": "CREATE TABLE s.t (a int);"},
        {
            "migrations/0001_t.sql": "CREATE TABLE s.t (a int);",
            "migrations/0002_t.sql": "DROP TABLE s.t;\nCREATE VIEW s.t AS SELECT a FROM s.other;",
        },
        ["meaning_changed s.t.a warn/values"],
    ),
    Case(
        "table renamed, a view under its old name",
        {"migrations/0001_t.sql": "CREATE TABLE s.t (a int);"},
        {
            "migrations/0001_t.sql": "CREATE TABLE s.t (a int);",
            "migrations/0002_t.sql": "ALTER TABLE s.t RENAME TO t2;\nCREATE VIEW s.t AS SELECT * FROM s.t2;",
        },
    ),
    Case(
        "search_path",
        FIRST,
        second("SET search_path TO archive;\nALTER TABLE orders DROP COLUMN discount;"),
        ["column_dropped archive.orders.discount block/stops"],
    ),
]

DEFINITIONS = [
    Case(
        "output removed",
        VIEW,
        view("SELECT order_id, quantity FROM public.orders"),
        ["output_removed public.v.discount block/stops"],
    ),
    Case(
        "output renamed",
        VIEW,
        view("SELECT order_id, discount AS rate, quantity FROM public.orders"),
        ["output_renamed public.v.discount -> rate block/stops"],
    ),
    Case(
        "old name kept beside the new one",
        VIEW,
        view("SELECT order_id, discount AS rate, discount, quantity FROM public.orders"),
    ),
    Case(
        "other expression",
        VIEW,
        view("SELECT order_id, discount * 100 AS discount, quantity FROM public.orders"),
        ["meaning_changed public.v.discount warn/values"],
    ),
    Case(
        "other filter",
        VIEW,
        view("SELECT order_id, discount, quantity FROM public.orders WHERE quantity > 0"),
        ["meaning_changed public.v warn/values"],
    ),
    Case(
        "cut into CTEs",
        VIEW,
        view("WITH o AS (SELECT * FROM public.orders) SELECT order_id, discount, quantity FROM o"),
    ),
    Case("name with or without schema", VIEW, view("SELECT o.order_id, o.discount, quantity FROM orders o")),
    Case("file moved", VIEW, {"marts/v.sql": VIEW["views/v.sql"]}),
    Case("file deleted", VIEW, {}, ["definition_deleted public.v block/stops"]),
    Case(
        "relation renamed",
        VIEW,
        {"views/w.sql": VIEW["views/v.sql"].replace("public.v", "public.w")},
        ["relation_renamed public.v -> public.w block/stops"],
    ),
    Case("moved into a migration", VIEW, {"migrations/0001_v.sql": VIEW["views/v.sql"]}),
    Case(
        "view becomes a table",
        VIEW,
        {"views/v.sql": VIEW["views/v.sql"].replace("OR REPLACE VIEW", "TABLE")},
    ),
    Case("a view goes into its reader", VIEW_OF_VIEW, VIEW, ["definition_deleted public.w block/stops"]),
    Case("a view between them", VIEW, VIEW_OF_VIEW),
    Case("a reader turns to what a view reads", VIEW_OF_VIEW | {"views/w.sql": BELOW}, VIEW | {"views/w.sql": BELOW}),
    Case(
        "a view between them filters",
        VIEW,
        VIEW_OF_VIEW | {"views/w.sql": BELOW.replace(";", " WHERE quantity > 0;")},
        ["meaning_changed public.v warn/values"],
    ),
    Case(
        "a view between them computes",
        VIEW,
        VIEW_OF_VIEW | {"views/w.sql": BELOW.replace("discount AS rate", "discount * 100 AS rate")},
        ["meaning_changed public.v.discount warn/values"],
    ),
    Case("only case", VIEW, view("SELECT ORDER_ID, Discount, QUANTITY FROM Public.Orders")),
    Case("added output", VIEW, view("SELECT order_id, discount, quantity, 1 AS one FROM public.orders")),
    Case(
        "star replaced by a list",
        {**FIRST, **view("SELECT * FROM public.orders")},
        {**FIRST, **view("SELECT order_id, quantity FROM public.orders")},
        ["output_removed public.v.discount block/stops"],
    ),
    Case("list replaced by a star", {**FIRST, **VIEW}, {**FIRST, **view("SELECT * FROM public.orders")}),
    Case(
        "column leaves a star by EXCLUDE",
        {**FIRST, **view("SELECT * FROM public.orders")},
        {**FIRST, **view("SELECT * EXCLUDE (discount) FROM public.orders")},
        ["output_removed public.v.discount block/stops"],
        dialect="duckdb",
    ),
    Case(
        "star over nobody knows what, replaced",
        view("SELECT * FROM public.unknown"),
        view("SELECT order_id FROM public.unknown"),
        ["output_removed public.v block/stops?"],
    ),
    Case(
        "list replaced by a star over nobody knows what",
        VIEW,
        view("SELECT * FROM public.unknown"),
        [
            "output_removed public.v.discount block/stops?",
            "output_removed public.v.order_id block/stops?",
            "output_removed public.v.quantity block/stops?",
        ],
    ),
    Case(
        "INSERT no longer fills a column",
        {
            "ddl.sql": "CREATE TABLE f (id int, d numeric);",
            "load.sql": "INSERT INTO f (id, d) SELECT order_id, discount FROM orders;",
        },
        {
            "ddl.sql": "CREATE TABLE f (id int, d numeric);",
            "load.sql": "INSERT INTO f (id) SELECT order_id FROM orders;",
        },
        ["output_removed public.f.d block/values"],
    ),
    Case(
        "reader follows a rename",
        {**FIRST, **view("SELECT order_id, discount AS d FROM orders")},
        {
            **second("ALTER TABLE orders RENAME discount TO rate;"),
            **view("SELECT order_id, rate AS d FROM orders"),
        },
        ["column_renamed public.orders.discount -> rate block/stops"],
    ),
    Case(
        "cast to another class",
        {**FIRST, **VIEW},
        {**FIRST, **view("SELECT order_id, CAST(discount AS text) AS discount, quantity FROM public.orders")},
        ["type_changed public.v.discount block/values?"],
    ),
    Case(
        "table declared without the column",
        {"schema.sql": ORDERS},
        {"schema.sql": ORDERS.replace("    discount numeric(5,4) NOT NULL DEFAULT 0,\n", "")},
        DROPPED,
    ),
    Case(
        "script outside the migrations",
        {"schema.sql": ORDERS},
        {"schema.sql": ORDERS, "fix/drop.sql": "ALTER TABLE orders DROP COLUMN discount;"},
        DROPPED,
    ),
    Case(
        "merge loses a column",
        {"m.sql": "MERGE INTO public.f USING public.o ON f.id = o.id WHEN MATCHED THEN UPDATE SET d = o.d, e = o.e;"},
        {"m.sql": "MERGE INTO public.f USING public.o ON f.id = o.id WHEN MATCHED THEN UPDATE SET e = o.e;"},
        ["output_removed public.f.d block/values"],
    ),
]


@pytest.mark.parametrize("case", [*MIGRATIONS, *DEFINITIONS], ids=lambda case: case.name)
def test_what_is_taken_away(case: Case) -> None:
    report = review(case.base, case.head, dialect=case.dialect, catalog=case.catalog)
    assert sorted(case.expected) == briefs(report)
    assert report.unknowns == ()


@pytest.mark.parametrize("case", [*MIGRATIONS, *DEFINITIONS], ids=lambda case: case.name)
def test_no_change_takes_nothing_away(case: Case) -> None:
    for tree in (case.base, case.head):
        report = review(tree, tree, dialect=case.dialect, catalog=case.catalog)
        assert [brief(removal) for removal in report.removals] == []
        assert report.unknowns == ()


def test_the_evidence_is_the_line_that_takes_it_away() -> None:
    report = review(FIRST, second("-- first\nALTER TABLE orders\n  ADD x int,\n  DROP COLUMN discount;"))
    (evidence,) = [r.evidence for r in report.removals if r.kind == "column_dropped"]
    assert (evidence.side, evidence.path, evidence.line) == ("head", "migrations/0002_change.sql", 4)
    assert evidence.text == "DROP COLUMN discount;"


def test_a_lost_output_is_shown_where_it_stood() -> None:
    base = {"v.sql": "CREATE VIEW public.v AS\nSELECT a,\n       b\nFROM public.t;"}
    (removal,) = review(base, {"v.sql": "CREATE VIEW public.v AS\nSELECT a\nFROM public.t;"}).removals
    assert (removal.evidence.side, removal.evidence.line, removal.evidence.text) == ("base", 3, "b")


def test_names_are_completed_by_the_configuration() -> None:
    naming = CatalogNaming(database="shop", schema="raw")
    head = {
        "migrations/0002_x.sql": "ALTER TABLE orders DROP COLUMN a;\nALTER TABLE mart.t DROP COLUMN b;\nALTER TABLE x.y.z DROP c;"
    }
    report = review({}, head, dialect="snowflake", naming=naming)
    assert sorted(f"{r.relation}.{r.column}" for r in report.removals) == [
        "shop.mart.t.b",
        "shop.raw.orders.a",
        "x.y.z.c",
    ]


def test_use_changes_what_a_name_means() -> None:
    head = {"migrations/0002_x.sql": "USE DATABASE shop;\nUSE SCHEMA raw;\nALTER TABLE orders DROP COLUMN a;"}
    (removal,) = review({}, head, dialect="snowflake").removals
    assert removal.relation == "shop.raw.orders"


def test_what_only_the_head_defines_is_created() -> None:
    report = review(FIRST, {**second("CREATE TABLE a (x int);"), **VIEW})
    assert report.created == {"public.a", "public.v"}


def test_schemas_tell_what_is_known_on_both_sides() -> None:
    report = review(FIRST, {**second("ALTER TABLE orders DROP COLUMN discount;"), **VIEW})
    assert list(report.base_schema["public.orders"]) == ["order_id", "discount", "quantity"]
    assert list(report.head_schema["public.orders"]) == ["order_id", "quantity"]


def test_roots_override_the_kinds() -> None:
    config = Config(found=True, dialect="postgres", roots=(Root("scratch", "ignore"), Root("steps", "migrations")))
    head = {"scratch/x.sql": "DROP TABLE public.orders;", "steps/b.sql": "ALTER TABLE public.orders DROP quantity;"}
    report = review({}, head, config=config, catalog=CATALOG)
    assert briefs(report) == ["column_dropped public.orders.quantity block/stops"]
    assert report.files == ("steps/b.sql",)


# --- positions ------------------------------------------------------------------------------------------------------


def test_a_new_order_is_reported_for_positional_readers() -> None:
    head = view("SELECT discount, order_id, quantity FROM public.orders")
    report = review(VIEW, head, catalog={"public.v": {"order_id": "", "discount": "", "quantity": ""}})
    assert briefs(report, positions=True) == ["position_changed public.v block/values"]


def test_code_that_takes_a_star_is_warned_of_a_new_order() -> None:
    code = {"serving/score.py": "SQL: SELECT * FROM public.v"}
    head = {**view("SELECT discount, order_id, quantity FROM public.orders"), **code}
    report = review({**VIEW, **code}, head)
    assert "position_changed public.v warn/values" in briefs(report, positions=True)


def test_a_renamed_or_dropped_column_moves_nothing() -> None:
    known = {"public.v": {"order_id": "", "discount": "", "quantity": ""}}
    for sql in (
        "SELECT order_id, discount AS rate, quantity FROM public.orders",
        "SELECT order_id, quantity FROM public.orders",
    ):
        kinds = {removal.kind for removal in review(VIEW, view(sql), catalog=known).removals}
        assert "position_changed" not in kinds


# --- Snowflake ------------------------------------------------------------------------------------------------------

STAR = {"views/s.sql": "CREATE VIEW shop.mart.s AS\nSELECT * FROM shop.raw.t;\n"}
RAW = {"migrations/0001_t.sql": "CREATE TABLE shop.raw.t (a NUMBER, b NUMBER);"}
DROP_B = {"migrations/0002_b.sql": "ALTER TABLE shop.raw.t DROP COLUMN b;"}


def test_a_frozen_star_view_is_invalidated() -> None:
    report = review({**RAW, **STAR}, {**RAW, **STAR, **DROP_B}, dialect="snowflake")
    assert "view_invalidated shop.mart.s block/stops" in briefs(report)


@pytest.mark.parametrize("dialect", ["postgres", "bigquery"])
def test_other_engines_freeze_no_star(dialect: str) -> None:
    report = review({**RAW, **STAR}, {**RAW, **STAR, **DROP_B}, dialect=dialect)
    assert {removal.kind for removal in report.removals} == {"column_dropped"}


def test_a_star_view_that_is_made_again_is_not_invalidated() -> None:
    again = {"views/s.sql": "CREATE OR REPLACE VIEW shop.mart.s AS\nSELECT * FROM shop.raw.t;\n"}
    report = review({**RAW, **STAR}, {**RAW, **again, **DROP_B}, dialect="snowflake")
    assert {removal.kind for removal in report.removals} == {"column_dropped"}


def test_relevant_names() -> None:
    assert all(map(is_relevant, ["a.sql", "models/x.sql", "models/x.yml", "dbt_project.yml", "seeds/a.csv", "f/x.py"]))
    assert not any(map(is_relevant, ["README.md", "a.csv", ".github/workflows/ci.yml", "node_modules/a.sql"]))


# --- squashed migrations ----------------------------------------------------------------------------------------------

MADE_TWICE = {
    "migrations/0001_t.sql": "CREATE TABLE public.t (a int, b int);",
    "migrations/0002_x.sql": "ALTER TABLE public.t DROP COLUMN b;",
    "migrations/0003_y.sql": "ALTER TABLE public.t ADD COLUMN b int;",
}
LOST = ["values_lost public.t.b block/values"]


@pytest.mark.parametrize("squashed", ["migrations/0001_all.sql", "migrations/0003_all.sql", "migrations/0003_zz.sql"])
def test_a_drop_behind_squashed_migrations_is_seen(squashed: str) -> None:
    whole = {squashed: "CREATE TABLE public.t (a int, b int);"}
    assert briefs(review(MADE_TWICE, whole)) == []
    again = {"migrations/0004_x.sql": "ALTER TABLE public.t DROP COLUMN b;\nALTER TABLE public.t ADD COLUMN b int;"}
    report = review(MADE_TWICE, {**whole, **again})
    assert briefs(report) == LOST
    assert report.removals[0].evidence.path == "migrations/0004_x.sql"
    filled = {
        "migrations/0004_x.sql": "ALTER TABLE public.t ADD c int;\nUPDATE public.t SET c = b;\nALTER TABLE public.t DROP b;\n"
        "ALTER TABLE public.t ADD b int;\nUPDATE public.t SET b = c;\nALTER TABLE public.t DROP c;"
    }
    kept = briefs(review(MADE_TWICE, {**whole, **filled}))
    assert "values_lost public.t.b warn/values" in kept
    assert LOST[0] not in kept


# --- incremental models -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("setting", "found"),
    [
        (", on_schema_change='ignore'", "block/stops"),
        (", on_schema_change='fail'", "block/stops"),
        (", on_schema_change='append_new_columns'", "warn/values"),
        ("", "warn/values"),
    ],
)
def test_a_new_column_of_an_incremental_model(setting: str, found: str) -> None:
    project = {"dbt_project.yml": "name: shop\nversion: '1.0'\nprofile: shop\nmodel-paths: [models]\n"}
    model = f"{{{{ config(materialized='incremental', schema='mart'{setting}) }}}}\nselect a{{0}} from shop.raw.t\n"
    naming = CatalogNaming(database="shop")
    base, head = (project | {"models/m.sql": model.replace("{0}", text)} for text in ("", ", b"))
    report = review(base, head, dialect="snowflake", naming=naming)
    assert [brief(removal).rpartition(" ")[2] for removal in report.removals] == [found]
    known = {report.removals[0].relation: {"a": "int", "b": "int"}}
    assert briefs(review(base, head, dialect="snowflake", naming=naming, catalog=known)) == []


# --- positions --------------------------------------------------------------------------------------------------------


def test_a_positional_reader_in_another_repository_notices_a_new_order() -> None:
    config = Config(found=True, dialect="postgres")
    base = {"views/v.sql": "CREATE VIEW public.v AS SELECT a, b FROM public.t;"}
    head = {"views/v.sql": "CREATE VIEW public.v AS SELECT b, a FROM public.t;"}
    other = {"jobs/fill.sql": "INSERT INTO public.f SELECT * FROM public.v;"}
    before, after, readers = (parse_tree(files, config, {}, "postgres") for files in (base, head, other))

    def positions(found: RemovalReport) -> list[str]:
        return [brief(removal) for removal in found.removals if removal.kind == "position_changed"]

    alone = find_removals(before, after, changed=frozenset(base), catalog={}, config=config)
    assert positions(alone) == []
    read = find_removals(before, after, changed=frozenset(base), catalog={}, config=config, readers=readers)
    assert positions(read) == ["position_changed public.v block/values"]
