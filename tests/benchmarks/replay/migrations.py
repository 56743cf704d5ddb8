"""A repository of migrations -> its tables: CREATE, ALTER and DROP TABLE replayed, crudely."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

import sqlglot
from sqlglot import exp

from tests.benchmarks.replay.git_objects import Objects
from tests.benchmarks.replay.repositories import Repository
from tests.benchmarks.replay.warehouse import Table, Warehouse

_STATEMENT_END = re.compile(r";[ \t]*(?:--[^\n]*)?\n")
_REPLAYED = re.compile(r"(?is)\s*(create\s+(table|unlogged)|alter\s+table|drop\s+table)")
#: what sqlglot does not take: RENAME without COLUMN
_BARE_RENAME = re.compile(r"(?i)\bRENAME\s+(?!TO\b|COLUMN\b|CONSTRAINT\b)(\w+)\s+TO\b")

Columns = dict[str, str | None]
_Dropped = TypeVar("_Dropped", bound=exp.Expr)


@dataclass(slots=True)
class MigratedWarehouses:
    """One warehouse for each tree that is asked for; each file is parsed once."""

    objects: Objects
    repository: Repository
    parsed: dict[str, list[exp.Expr]] = field(default_factory=dict)

    def build(self, tree: Mapping[str, str]) -> Warehouse:
        """`tree`: path -> blob."""
        tables: dict[str, Columns] = {}
        for path in sorted(path for path in tree if re.search(self.repository.migrations, path)):
            for statement in self._parse(tree[path]):
                self._replay(statement, tables)
        named = {
            name: Table(f"{self.repository.database}.{name}", "table", documented=tuple(columns.items()))
            for name, columns in tables.items()
        }
        return Warehouse(named, {}, lambda _: None)

    def _parse(self, blob: str) -> list[exp.Expr]:
        if blob not in self.parsed:
            self.parsed[blob] = list(self._find_statements(self.objects.fetch_text(blob)))
        return self.parsed[blob]

    def _find_statements(self, text: str) -> Iterator[exp.Expr]:
        for piece in _STATEMENT_END.split(_BARE_RENAME.sub(r"RENAME COLUMN \1 TO", text) + "\n"):
            body = re.sub(r"--[^\n]*", "", piece).strip()
            if not _REPLAYED.match(body):
                continue
            yield from self._parse_statement(body)

    def _parse_statement(self, sql: str) -> list[exp.Expr]:
        try:
            found = sqlglot.parse(sql, dialect=self.repository.dialect)
        except Exception:  # noqa: BLE001 - a stranger's SQL: the catalog does without this statement
            return []
        return [statement for statement in found if statement is not None]

    def _replay(self, statement: exp.Expr, tables: dict[str, Columns]) -> None:
        if isinstance(statement, exp.Create) and statement.kind == "TABLE" and isinstance(statement.this, exp.Schema):
            columns = [one for one in statement.this.expressions if isinstance(one, exp.ColumnDef)]
            tables.setdefault(self._name(statement.this.this), {one.name: _type(one) for one in columns})
        elif isinstance(statement, exp.Drop) and statement.kind == "TABLE":
            for table in _find_dropped(statement, exp.Table):
                tables.pop(self._name(table), None)
        elif isinstance(statement, exp.Alter) and isinstance(statement.this, exp.Table):
            self._alter(statement, tables)

    def _alter(self, statement: exp.Alter, tables: dict[str, Columns]) -> None:
        name = self._name(statement.this)
        if (held := tables.get(name)) is None:
            return
        for action in statement.args.get("actions") or ():
            if isinstance(action, exp.ColumnDef):
                held[action.name] = _type(action)
            elif isinstance(action, exp.Drop) and action.kind == "COLUMN":
                for column in _find_dropped(action, exp.Column):
                    held.pop(column.name, None)
            elif isinstance(action, exp.RenameColumn):
                held[action.args["to"].name] = held.pop(action.this.name, None)
            elif isinstance(action, exp.AlterRename):
                tables[f"{name.partition('.')[0]}.{action.this.name}"] = tables.pop(name, held)

    def _name(self, table: exp.Table) -> str:
        return f"{(table.db or self.repository.schema).lower()}.{table.name}"


def _find_dropped(drop: exp.Drop, kind: type[_Dropped]) -> list[_Dropped]:
    """What stands behind DROP."""
    return [one for one in drop.args.get("tables") or [drop.this] if isinstance(one, kind)]


def _type(column: exp.ColumnDef) -> str | None:
    kind = column.args.get("kind")
    return kind.sql() if kind else None
