"""Names as one spelling, whatever case and quotes the author chose. First step of every comparison of names.

A folded name is lower case. Only where the dialect would not find it under its lower-case spelling it stays in double
quotes: `"Discount_Pct"` on Snowflake or Postgres. Deliberately absent: completing a name with a database or schema.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Literal, TypeAlias

from sqlglot import exp

from app.reads.statement import Unreadable

Case: TypeAlias = Literal["lower", "upper", "quoted", "exact"]

#: our names of the dialects (design 4) and what people write instead -> sqlglot's
_DIALECTS = {
    "athena": "athena",
    "bigquery": "bigquery",
    "clickhouse": "clickhouse",
    "databricks": "databricks",
    "duckdb": "duckdb",
    "hive": "hive",
    "mariadb": "mysql",
    "mssql": "tsql",
    "mysql": "mysql",
    "oracle": "oracle",
    "postgres": "postgres",
    "postgresql": "postgres",
    "presto": "presto",
    "redshift": "redshift",
    "snowflake": "snowflake",
    "spark": "spark",
    "sparksql": "spark",
    "sqlite": "sqlite",
    "sqlserver": "tsql",
    "synapse": "tsql",
    "fabric": "fabric",
    "trino": "trino",
    "tsql": "tsql",
    "teradata": "teradata",
    "": "",
    "ansi": "",
}

#: what an unquoted / quoted identifier means. "lower": case never matters (Redshift too, unless
#: enable_case_sensitive_identifier is set); "upper": unquoted is stored in upper case; "quoted": unquoted is stored in
#: lower case, quoted as written; "exact": every spelling is its own name.
_CASES: dict[str, Case] = {"snowflake": "upper", "oracle": "upper", "postgres": "quoted", "clickhouse": "exact"}
#: the same for the names of tables and what holds them: BigQuery tells Orders from orders, but not columns, aliases or CTEs
_TABLE_CASES: dict[str, Case] = {**_CASES, "bigquery": "exact"}


def find_dialect(name: str) -> str:
    """sqlglot's name of a dialect. Raises Unreadable for one that nobody knows."""
    found = _DIALECTS.get(name.strip().lower().replace("-", "").replace("_", ""))
    if found is None:
        raise Unreadable(f"no SQL dialect is named {name!r}")
    return found


def fold(name: str, *, quoted: bool, dialect: str) -> str:
    """One identifier, folded. `name` comes without its quotes."""
    return _fold(name, quoted, _CASES.get(find_dialect(dialect), "lower"))


@lru_cache(maxsize=65_536)
def _fold(name: str, quoted: bool, case: Case) -> str:  # noqa: FBT001 - private, and the key of a cache
    low = name.lower()
    match case:
        case "lower":
            plain = True
        case "upper":
            plain = not quoted or name == name.upper()
        case "quoted":
            plain = not quoted or name == low
        case "exact":
            plain = name == low
    # a dot inside one name would be taken for the dot between names
    return low if plain and "." not in name else f'"{low if plain else name}"'


class Folder:
    """fold() for one dialect, on sqlglot's identifiers."""

    __slots__ = ("case", "dialect", "tables")

    def __init__(self, dialect: str) -> None:
        self.dialect = dialect
        self.case: Case = _CASES.get(dialect, "lower")
        self.tables: Case = _TABLE_CASES.get(dialect, "lower")

    def name(self, node: object) -> str:
        """Folded text of an Identifier, a Column of one part, an alias, a Var or a plain string; "" when there is none."""
        if isinstance(node, exp.Identifier):
            return _fold(str(node.this), bool(node.args.get("quoted")), self.case)
        if isinstance(node, str):
            quoted = False
            return _fold(node, quoted, self.case) if node else ""
        if isinstance(node, (exp.Column, exp.TableAlias, exp.Var, exp.Ordered, exp.ColumnDef, exp.Table)):
            return self.name(node.this)
        if isinstance(node, (exp.Alias, exp.PivotAlias)):
            return self.name(node.args.get("alias"))
        return ""

    def parts(self, table: exp.Table) -> tuple[str, ...]:
        """Folded parts of a table's name, outermost first; () for a table function or a stage."""
        names = [table.args.get("catalog"), table.args.get("db"), table.this]
        if isinstance(table.this, exp.Dot):  # four parts: server.database.schema.table
            names = [*names[:2], *table.this.flatten()]
        if not isinstance(names[-1], exp.Identifier):
            return ()
        return tuple(self._of_table(part) for part in names if part is not None and self.name(part))

    def own(self, table: exp.Table) -> str:
        """The name that columns are written with behind a table without an alias, and that a CTE goes by."""
        last = table.this.expression if isinstance(table.this, exp.Dot) else table.this
        return self.name(last)

    def _of_table(self, part: exp.Expr) -> str:
        if self.tables != self.case and isinstance(part, exp.Identifier):
            return _fold(str(part.this), bool(part.args.get("quoted")), self.tables)
        return self.name(part)


def fold_table(table: exp.Table, dialect: str) -> str:
    """Dotted folded name of a table as written; "" for a table function."""
    return ".".join(Folder(find_dialect(dialect)).parts(table))
