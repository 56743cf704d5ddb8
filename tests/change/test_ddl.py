"""DDL of all dialects -> steps. Each row: dialect, statement, the steps it must yield (in short form)."""

from __future__ import annotations

import contextlib
import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.change import steps as ddl
from app.change.ddl import find_ddl
from app.reads import Unreadable


def short(step: ddl.DdlStep) -> str:  # noqa: C901, PLR0911, PLR0912 - one case for each member of the union
    """`DropColumn t.c`: the kind and what tells it apart."""
    name = type(step).__name__
    match step:
        case ddl.CreateTable():
            columns = ",".join(f"{c.name}:{c.type}{'!' * c.not_null}" for c in step.columns)
            flags = [f for f in ("replace", "if_not_exists", "temporary", "keep", "query", "clone") if getattr(step, f)]
            like = [f"like={step.like}"] if step.like else []
            return " ".join([name, f"{step.relation}({columns})", *flags, *like])
        case ddl.AddColumn():
            c = step.column
            return f"{name} {step.relation}.{c.name} {c.type}{'!' * c.not_null}{'=' + c.default if c.default else ''}"
        case ddl.RenameColumn():
            return f"{name} {step.relation}.{step.old}->{step.new}"
        case ddl.RenameTable() | ddl.RenameSchema():
            return f"{name} {step.old}->{step.new}"
        case ddl.SwapTables():
            return f"{name} {step.first}<->{step.second}"
        case ddl.AlterType():
            return f"{name} {step.relation}.{step.column} {step.type}"
        case ddl.SetDefault():
            return f"{name} {step.relation}.{step.column} {step.default}"
        case ddl.ReplaceColumns():
            return f"{name} {step.relation}({','.join(c.name for c in step.columns)})"
        case ddl.DropSchema():
            return f"{name} {step.schema}{' cascade' if step.cascade else ''}"
        case ddl.Inert() | ddl.Opaque():
            return name
        case ddl.DropTable() | ddl.DropView() | ddl.DropColumn():
            column = f".{step.column}" if isinstance(step, ddl.DropColumn) else ""
            return f"{name} {step.relation}{column}{' cascade' if step.cascade else ''}"
        case ddl.CreateView() | ddl.Truncate():
            return f"{name} {step.relation}"
        case ddl.Routine():
            drop = "drop " if step.dropped else ""
            return " ".join([name, f"{drop}{step.kind}", step.name, *filter(None, (step.relation, step.function))])
        case _:
            return f"{name} {step.relation}.{step.column}"


#: the column c of some table is there
GUARD = "IF EXISTS (SELECT 1 FROM information_schema.columns WHERE table_name = 't' AND column_name = 'c')"

CASES: list[tuple[str, str, list[str]]] = [
    ("postgres", "ALTER TABLE t RENAME a TO b", ["RenameColumn t.a->b"]),
    ("duckdb", "ALTER TABLE t RENAME a TO b", ["RenameColumn t.a->b"]),
    ("postgres", "ALTER TABLE s.t RENAME TO u", ["RenameTable s.t->s.u"]),
    ("postgres", "ALTER TABLE t SET SCHEMA archive", ["RenameTable t->archive.t"]),
    ("postgres", "ALTER TABLE t RENAME CONSTRAINT a TO b", ["Inert"]),
    ("duckdb", "ALTER TABLE t DROP c", ["DropColumn t.c"]),
    ("postgres", "ALTER TABLE IF EXISTS ONLY t DROP COLUMN IF EXISTS c CASCADE", ["DropColumn t.c cascade"]),
    (
        "postgres",
        "ALTER TABLE t DROP a, ADD b int NOT NULL DEFAULT 0, ALTER c TYPE text USING c::text, ALTER d DROP NOT NULL",
        ["DropColumn t.a", "AddColumn t.b int!=0", "AlterType t.c text", "DropNotNull t.d"],
    ),
    ("postgres", "ALTER TABLE t ADD CONSTRAINT x CHECK (a > 0) NOT VALID, VALIDATE CONSTRAINT x", ["Inert", "Inert"]),
    ("postgres", "ALTER TABLE t ALTER a SET DEFAULT now()", ["SetDefault t.a now()"]),
    ("postgres", "DROP TABLE IF EXISTS a, s.b CASCADE", ["DropTable a cascade", "DropTable s.b cascade"]),
    ("postgres", "DROP MATERIALIZED VIEW v", ["DropView v"]),
    ("postgres", "DROP SCHEMA raw CASCADE", ["DropSchema raw cascade"]),
    ("postgres", "ALTER SCHEMA raw RENAME TO old", ["RenameSchema raw->old"]),
    ("postgres", "DROP TYPE mood CASCADE", ["Opaque"]),
    ("postgres", "DROP FUNCTION f(), s.g(int)", ["Routine drop function f", "Routine drop function s.g"]),
    ("postgres", "CREATE FUNCTION f(a int) RETURNS int AS $$ SELECT a $$ LANGUAGE sql", ["Routine function f"]),
    ("postgres", "CREATE TRIGGER w BEFORE UPDATE ON t EXECUTE FUNCTION f()", ["Routine trigger w t f"]),
    ("tsql", "ALTER PROCEDURE p AS SELECT 1", ["Routine procedure p"]),
    ("postgres", "ALTER FUNCTION f(int) OWNER TO me", ["Inert"]),
    ("postgres", "ALTER FUNCTION f(int) RENAME TO g", ["Opaque"]),
    ("snowflake", "CREATE OR REPLACE MASKING POLICY p AS (v text) RETURNS text -> v", ["Routine policy p"]),
    ("bigquery", "CREATE OR REPLACE TABLE FUNCTION d.f(x INT64) AS (SELECT x)", ["Routine function d.f"]),
    ("postgres", "DO $$ BEGIN ALTER TABLE t DROP COLUMN c; END $$", ["DropColumn t.c"]),
    ("postgres", "DO $$ BEGIN IF x THEN ALTER TABLE t DROP COLUMN c; END IF; END $$", ["Opaque"]),
    ("postgres", "DO $$ BEGIN UPDATE t SET a = 1; END $$", ["Opaque"]),
    ("postgres", "TRUNCATE TABLE a, b", ["Truncate a", "Truncate b"]),
    ("postgres", "CREATE TABLE t (LIKE u INCLUDING ALL)", ["CreateTable t() like=u"]),
    (
        "postgres",
        "CREATE TABLE t (a bigint PRIMARY KEY, b timestamp with time zone NOT NULL DEFAULT now(), CHECK (a > 0))",
        ["CreateTable t(a:bigint!,b:timestamp with time zone!)"],
    ),
    ("postgres", "CREATE TEMP TABLE t (a int)", ["CreateTable t(a:int) temporary"]),
    ("postgres", "CREATE TABLE IF NOT EXISTS t AS SELECT 1 AS a", ["CreateTable t() if_not_exists query"]),
    ("postgres", "CREATE OR REPLACE VIEW v AS SELECT 1 AS a", ["CreateView v"]),
    ("postgres", "CREATE INDEX CONCURRENTLY i ON t (a)", ["Inert"]),
    ("postgres", 'ALTER TABLE "T" DROP COLUMN "C"', ['DropColumn "T"."C"']),
    ("postgres", "ALTER TABLE t FROBNICATE c", ["Opaque"]),
    ("postgres", "ALTER TABLE t DROP", ["Opaque"]),
    ("postgres", "ALTER TABLE t DROP COLUMN", ["Opaque"]),
    ("postgres", "ALTER TABLE t RENAME COLUMN a", ["Opaque"]),
    ("postgres", "ALTER TABLE t", ["Opaque"]),
    ("postgres", "CREATE TABLE t (a int", ["Opaque"]),
    ("postgres", "CALL archive_orders()", ["Opaque"]),
    ("redshift", "ALTER TABLE t ALTER COLUMN c ENCODE zstd", ["Inert"]),
    ("redshift", "ALTER TABLE t APPEND FROM u", ["Opaque"]),
    ("tsql", "EXEC sp_rename 'dbo.t.c', 'd', 'COLUMN'", ["RenameColumn dbo.t.c->d"]),
    ("tsql", "EXEC sp_rename @objname = N'dbo.t', @newname = N'u'", ["RenameTable dbo.t->dbo.u"]),
    ("tsql", "EXEC sp_rename 'dbo.t.ix', 'ix2', 'INDEX'", ["Inert"]),
    ("tsql", "EXEC sp_rename @what, 'd', 'COLUMN'", ["Opaque"]),
    ("tsql", "ALTER TABLE [dbo].[t] DROP CONSTRAINT x, COLUMN c", ["Inert", "DropColumn dbo.t.c"]),
    ("tsql", "ALTER TABLE t DROP COLUMN a, b", ["DropColumn t.a", "DropColumn t.b"]),
    ("tsql", "ALTER TABLE t ALTER COLUMN c varchar(10) NOT NULL", ["AlterType t.c varchar(10)", "SetNotNull t.c"]),
    ("tsql", "ALTER TABLE a DROP COLUMN c\nALTER TABLE b DROP COLUMN d", ["DropColumn a.c", "DropColumn b.d"]),
    ("tsql", "EXEC sp_executesql N'ALTER TABLE t DROP COLUMN c'", ["DropColumn t.c"]),
    ("tsql", "EXEC('ALTER TABLE ' + @t + ' DROP COLUMN c')", ["Opaque"]),
    ("tsql", "IF COL_LENGTH('t', 'c') IS NOT NULL ALTER TABLE t DROP COLUMN c", ["DropColumn t.c"]),
    ("tsql", "IF COL_LENGTH('t', 'd') IS NOT NULL ALTER TABLE t DROP COLUMN c", ["Opaque"]),
    ("tsql", "IF OBJECT_ID('t') IS NULL CREATE TABLE t (a int)", ["CreateTable t(a:int) if_not_exists"]),
    ("tsql", "IF OBJECT_ID('t') IS NOT NULL CREATE TABLE t (a int)", ["Opaque"]),
    ("tsql", "IF @x = 1 DROP TABLE t", ["Opaque"]),
    ("tsql", "IF @x = 1 DROP TABLE t ELSE DROP TABLE t", ["DropTable t"]),
    ("postgres", f"DO $$ BEGIN {GUARD} THEN ALTER TABLE t DROP c; END IF; END $$", ["DropColumn t.c"]),
    (
        "postgres",
        f"DO $$ BEGIN {GUARD} THEN ALTER TABLE t RENAME c TO d; RAISE NOTICE 'x'; END IF; END $$",
        ["RenameColumn t.c->d"],
    ),
    ("postgres", f"DO $$ BEGIN {GUARD} THEN ALTER TABLE t DROP d; END IF; END $$", ["Opaque"]),
    ("postgres", f"DO $$ BEGIN {GUARD} OR x THEN ALTER TABLE t DROP c; END IF; END $$", ["Opaque"]),
    (
        "postgres",
        f"DO $$ BEGIN {GUARD} THEN ALTER TABLE t DROP c; ELSE ALTER TABLE t DROP d; END IF; END $$",
        ["DropColumn t.c", "Opaque"],
    ),
    ("postgres", "DO $$ BEGIN IF x THEN DROP TABLE t; ELSE DROP TABLE t; END IF; END $$", ["DropTable t", "Inert"]),
    ("bigquery", "IF EXISTS (SELECT 1 FROM x WHERE name = 'c') THEN ALTER TABLE t DROP COLUMN c; END IF;", ["Opaque"]),
    (
        "snowflake",
        (
            "EXECUTE IMMEDIATE $$ BEGIN IF (NOT EXISTS (SELECT 1 FROM information_schema.columns WHERE column_name = 'C')) "
            "THEN ALTER TABLE t ADD COLUMN c int; END IF; END; $$"
        ),
        ["AddColumn t.c int"],
    ),
    ("tsql", "ALTER SCHEMA archive TRANSFER dbo.t", ["RenameTable dbo.t->archive.t"]),
    (
        "bigquery",
        "ALTER TABLE d.t RENAME COLUMN a TO b, RENAME COLUMN c TO d",
        ["RenameColumn d.t.a->b", "RenameColumn d.t.c->d"],
    ),
    ("bigquery", "ALTER TABLE `p-1.d.t` DROP COLUMN c", ["DropColumn p-1.d.t.c"]),
    ("bigquery", "ALTER TABLE p-1.d.t DROP COLUMN c", ["DropColumn p-1.d.t.c"]),
    ("bigquery", "ALTER TABLE d.t ALTER COLUMN c SET DATA TYPE NUMERIC", ["AlterType d.t.c NUMERIC"]),
    ("bigquery", "ALTER TABLE d.t ALTER COLUMN c SET OPTIONS (description = 'x')", ["Inert"]),
    (
        "bigquery",
        "CREATE TABLE d.t (a INT64 NOT NULL, b STRUCT<x INT64, y ARRAY<STRUCT<z INT64>>>, c NUMERIC) PARTITION BY DATE(a)",
        ["CreateTable d.t(a:INT64!,b:STRUCT<x INT64, y ARRAY<STRUCT<z INT64>>>,c:NUMERIC)"],
    ),
    (
        "oracle",
        "ALTER TABLE t MODIFY (a varchar2(10), b number NOT NULL)",
        ["AlterType t.a varchar2(10)", "AlterType t.b number", "SetNotNull t.b"],
    ),
    ("oracle", "ALTER TABLE t SET UNUSED (a, b)", ["DropColumn t.a", "DropColumn t.b"]),
    ("oracle", "ALTER TABLE t SET UNUSED COLUMN a", ["DropColumn t.a"]),
    ("oracle", "ALTER TABLE t DROP (a, b) CASCADE CONSTRAINTS", ["DropColumn t.a cascade", "DropColumn t.b cascade"]),
    ("oracle", "RENAME a TO b", ["RenameTable a->b"]),
    ("oracle", "ALTER TABLE t MODIFY (a INVISIBLE, b VISIBLE)", ["SetVisible t.a", "SetVisible t.b"]),
    ("mysql", "ALTER TABLE t ALTER COLUMN a SET INVISIBLE", ["SetVisible t.a"]),
    ("databricks", "ALTER TABLE t ALTER COLUMN a AFTER b", ["MoveColumn t.a"]),
    ("databricks", "ALTER TABLE t ALTER COLUMN a FIRST", ["MoveColumn t.a"]),
    ("athena", "ALTER TABLE s.t ADD COLUMNS (c int)", ["AddColumn s.t.c int"]),
    ("athena", "CREATE EXTERNAL TABLE s.t (a int) LOCATION 's3://b/'", ["CreateTable s.t(a:int)"]),
    ("athena", "ALTER TABLE t ADD IF NOT EXISTS PARTITION (d = '1')", ["Inert"]),
    ("spark", "ALTER TABLE t DROP IF EXISTS PARTITION (d = '1')", ["Inert"]),
    (
        "bigquery",
        "ALTER TABLE t RENAME COLUMN a TO b, RENAME COLUMN b TO a",
        [
            "RenameColumn t.a->a -> b",
            "RenameColumn t.b->b -> a",
            "RenameColumn t.a -> b->b",
            "RenameColumn t.b -> a->a",
        ],
    ),
    ("postgres", "SELECT run('ALTER TABLE t DROP COLUMN c')", ["Opaque"]),
    ("postgres", "SELECT a.run(1, $$DROP TABLE t$$)", ["Opaque"]),
    ("postgres", "SELECT pg_notify('x', 'ALTER TABLE t was run')", []),
    ("postgres", "SELECT * FROM log WHERE text IN ('ALTER TABLE t DROP COLUMN c')", []),
    ("mysql", "RENAME TABLE a TO b, c TO d", ["RenameTable a->b", "RenameTable c->d"]),
    (
        "mysql",
        "ALTER TABLE t CHANGE a b int",
        ["RenameColumn t.a->b", "AlterType t.b int", "DropNotNull t.b", "DropDefault t.b"],
    ),
    (
        "mysql",
        "ALTER TABLE t MODIFY COLUMN c varchar(9) NOT NULL DEFAULT 'x', DROP INDEX i, ADD KEY (z), RENAME u",
        ["AlterType t.c varchar(9)", "SetNotNull t.c", "SetDefault t.c 'x'", "Inert", "Inert", "RenameTable t->u"],
    ),
    ("clickhouse", "RENAME TABLE a TO b", ["RenameTable a->b"]),
    ("clickhouse", "EXCHANGE TABLES a AND b", ["SwapTables a<->b"]),
    ("clickhouse", "ALTER TABLE t ON CLUSTER c DROP COLUMN IF EXISTS x", ["DropColumn t.x"]),
    ("clickhouse", "ALTER TABLE t UPDATE a = 1 WHERE 1", ["AlterValues t.a"]),
    ("clickhouse", "ALTER TABLE t CLEAR COLUMN a", ["AlterValues t.a"]),
    ("snowflake", "ALTER TABLE a SWAP WITH b", ["SwapTables a<->b"]),
    ("snowflake", "ALTER TABLE t DROP COLUMN a, b", ["DropColumn t.a", "DropColumn t.b"]),
    (
        "snowflake",
        "ALTER TABLE t MODIFY a SET DATA TYPE NUMBER(10,2), COLUMN b DROP DEFAULT",
        ["AlterType t.a NUMBER(10,2)", "DropDefault t.b"],
    ),
    ("snowflake", "ALTER TABLE t CLUSTER BY (a)", ["Inert"]),
    ("snowflake", "ALTER TABLE t MODIFY COLUMN c SET MASKING POLICY p", ["AlterValues t.c"]),
    ("snowflake", "EXECUTE IMMEDIATE 'ALTER TABLE t DROP COLUMN c'", ["DropColumn t.c"]),
    ("snowflake", "EXECUTE IMMEDIATE $sql", ["Opaque"]),
    ("snowflake", "ALTER TABLE IDENTIFIER($t) DROP COLUMN c", ["Opaque"]),
    ("snowflake", "CREATE TABLE t CLONE u", ["CreateTable t() clone like=u"]),
    ("snowflake", "CREATE OR ALTER TABLE t (a int)", ["CreateTable t(a:int) keep"]),
    ("snowflake", "ALTER VIEW v RENAME TO w", ["RenameTable v->w"]),
    ("databricks", "ALTER TABLE t DROP COLUMNS (a, b)", ["DropColumn t.a", "DropColumn t.b"]),
    ("databricks", "ALTER TABLE t RENAME COLUMN a TO b", ["RenameColumn t.a->b"]),
    ("databricks", "ALTER TABLE t SET TBLPROPERTIES ('a' = 'b')", ["Inert"]),
    ("hive", "ALTER TABLE t REPLACE COLUMNS (a int, b string)", ["ReplaceColumns t(a,b)"]),
    ("hive", "ALTER TABLE t CHANGE COLUMN a b int", ["RenameColumn t.a->b", "AlterType t.b int"]),
    ("trino", "ALTER TABLE t ALTER COLUMN c SET DATA TYPE bigint", ["AlterType t.c bigint"]),
    ("trino", "ALTER TABLE t DROP COLUMN c", ["DropColumn t.c"]),
]


@pytest.mark.parametrize(("dialect", "sql", "expected"), CASES, ids=[f"{d}: {s[:60]}" for d, s, _ in CASES])
def test_every_form_is_read(dialect: str, sql: str, expected: list[str]) -> None:
    assert [short(step) for step in find_ddl(sql, dialect=dialect)] == expected


@pytest.mark.parametrize(
    "sql", ["SELECT 1", "INSERT INTO t SELECT * FROM u", "BEGIN; COMMIT", "-- ALTER TABLE t DROP c", ""]
)
def test_queries_and_dml_are_left_to_the_engine(sql: str) -> None:
    assert find_ddl(sql, dialect="postgres") == ()


def test_each_step_stands_at_its_own_line() -> None:
    sql = "-- first\nALTER TABLE t\n  DROP COLUMN a,\n  DROP COLUMN b;\n\nDROP TABLE\n  u;\n"
    assert [step.line for step in find_ddl(sql, dialect="postgres")] == [3, 4, 7]


def test_a_name_in_a_comment_or_a_string_is_no_step() -> None:
    sql = "ALTER TABLE t /* DROP COLUMN x */ ALTER a SET DEFAULT 'DROP COLUMN y' -- DROP COLUMN z"
    assert [short(step) for step in find_ddl(sql, dialect="postgres")] == ["SetDefault t.a 'DROP COLUMN y'"]


def test_text_that_cannot_be_tokenized_is_said_so() -> None:
    with pytest.raises(Unreadable):
        find_ddl("ALTER TABLE t DROP COLUMN 'a", dialect="postgres")


DESTRUCTIVE = [
    sql for dialect, sql, steps in CASES if dialect == "postgres" and "Opaque" not in steps and "DO" not in sql
]


@given(
    st.sampled_from(DESTRUCTIVE),
    st.sampled_from([" ", "\n", "\t", " /* x */ ", " -- x\n"]),
    st.sampled_from(["as written", "lower"]),
)
def test_white_space_comments_and_case_change_nothing(sql: str, gap: str, case: str) -> None:
    spaced = sql.replace(" ", gap)
    varied = spaced.lower() if case == "lower" and '"' not in sql else spaced

    def steps(text: str) -> list[str]:
        return [short(step).lower() for step in map(_without_line, find_ddl(text, dialect="postgres"))]

    assert steps(sql) == steps(varied)


def _without_line(step: ddl.DdlStep) -> ddl.DdlStep:
    return dataclasses.replace(step, line=0)


@given(st.text(alphabet="ALTERDOPCUMNSHW abc.,;()'\"\n-", max_size=80))
def test_no_text_breaks_the_reader(sql: str) -> None:
    with contextlib.suppress(Unreadable):  # a reason is an answer
        assert all(step.line >= 1 for step in find_ddl(sql, dialect="postgres"))
