"""Reads against execution: every column of every table was really dropped and renamed in DuckDB, every query run again.

The suite lies outside the repository; its truth is rebuilt by running it, so that a newer DuckDB is measured as it is.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import duckdb
import pytest

from app.reads import find_reads

SUITE = Path(__file__).parents[3] / "shared" / "execbench" / "hard"
#: what a change of each kind breaks: reads by name, by position, and of the width
BROKEN_BY = {"drop": ("read", "rebind", "position", "width"), "rename": ("read", "rebind")}


@dataclass(frozen=True)
class Change:
    kind: str
    table: str
    column: str
    breaks: frozenset[str]
    silent: frozenset[str]


def body(sql: str) -> str:
    """The query inside CREATE ... AS or INSERT INTO."""
    sql = sql.strip().rstrip(";")
    made = re.match(r"(?is)create\s+(?:table|view)\s+\w+\s+as\s+(.*)", sql)
    written = re.match(r"(?is)insert\s+into\s+\w+\s*(?:\([^()]*\))?\s*(.*)", sql)
    return made[1] if made else written[1] if written else sql


class Database:
    def __init__(self) -> None:
        self.connection = duckdb.connect(":memory:", config={"threads": 1})
        self.connection.execute((SUITE / "schema.sql").read_text())
        rows = self.connection.execute(
            "select table_schema || '.' || table_name, column_name from information_schema.columns order by ordinal_position"
        ).fetchall()
        self.tables: dict[str, dict[str, str]] = defaultdict(dict)
        for table, column in rows:
            self.tables[table][column] = ""

    def outcome(self, sql: str) -> tuple[object, ...] | None:
        """Columns and a checksum of the rows; None when the query fails."""
        try:
            columns = [row[:2] for row in self.connection.execute(f"describe {sql}").fetchall()]
            counted = f"select count(*), sum(hash(r)::hugeint) from ({sql}\n) r"  # noqa: S608 - the suite's own SQL
            values = self.connection.execute(counted).fetchone()
        except duckdb.Error:
            return None
        return (columns, values)

    def changes(self, queries: Mapping[str, str]) -> Iterator[Change]:
        before = {name: self.outcome(sql) for name, sql in queries.items()}
        for table, columns in self.tables.items():
            quoted = ".".join(f'"{part}"' for part in table.split(".", 1))
            for column in columns:
                for kind, action in (
                    ("drop", f'drop column "{column}"'),
                    ("rename", f'rename column "{column}" to zz_gone'),
                ):
                    self.connection.execute("begin")
                    self.connection.execute(f"alter table {quoted} {action}")
                    after = {name: self.outcome(sql) for name, sql in queries.items() if before[name] is not None}
                    self.connection.execute("rollback")
                    breaks = frozenset(name for name, result in after.items() if result is None)
                    silent = frozenset(name for name, result in after.items() if result not in (None, before[name]))
                    yield Change(kind, table, column, breaks, silent)


@pytest.fixture(scope="module")
def executed() -> tuple[dict[str, str], dict[str, dict[str, str]], list[Change]]:
    if not SUITE.exists():
        pytest.skip("the shared execution suite is not here")
    queries = {path.name: body(path.read_text()) for path in sorted((SUITE / "queries").glob("*.sql"))}
    database = Database()
    return queries, database.tables, list(database.changes(queries))


@pytest.mark.parametrize(("known", "floor"), [(True, 0.99), (False, 0.98)])
def test_precision_and_recall(
    executed: tuple[dict[str, str], dict[str, dict[str, str]], list[Change]],
    known: bool,  # noqa: FBT001 - a test parameter
    floor: float,
) -> None:
    queries, tables, changes = executed
    said: dict[tuple[str, str, str], set[str]] = defaultdict(set)
    for name, sql in queries.items():
        for read in find_reads(sql, dialect="duckdb", schema=tables if known else None):
            said[read.relation, read.column, read.kind].add(name)
    right = wrong = missed = 0
    for change in changes:
        table, column = change.table.lower(), change.column.lower()
        keys = [(table, "*" if kind == "width" else column, kind) for kind in BROKEN_BY[change.kind]]
        named = {name for key in keys for name in said.get(key, ())}
        right += len(named & change.breaks)
        wrong += len(named - change.breaks - change.silent)
        missed += len(change.breaks - named)
    assert right > 300
    assert right / (right + wrong) >= floor
    assert right / (right + missed) >= floor
