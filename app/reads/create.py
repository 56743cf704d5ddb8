"""CREATE TABLE / VIEW / MODEL and their like: the relation's columns, or the query that defines it."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from app.reads.dml import split_target
from app.reads.queries import SelectQuery
from app.reads.reading import Reading
from app.reads.star import Star
from app.reads.statement import Statement, StatementKind
from app.reads.walk import build_with, is_query


def read_create(reading: Reading, tree: exp.Create) -> tuple[Statement, ...]:
    """Statements of one CREATE: more than one where it also feeds another table."""
    kind = str(tree.args.get("kind") or "").upper()
    table, names = split_target(reading.walk, tree.this)
    name = reading.name(table)
    if kind not in ("TABLE", "VIEW", "MODEL") or not name:
        why = f"CREATE {kind} is not read" if name else "the name of what is created is computed"
        return (Statement("opaque", reading.chunk.line, reading.chunk.end_line, why=why),)
    body = tree.args.get("expression")
    if kind == "MODEL":
        # without a query it is imported, not trained here
        return (
            reading.model(body, name, _labels(reading, tree))
            if is_query(body)
            else reading.finish("create_model", name),
        )
    temporary = _has(tree, exp.TemporaryProperty) or name.rsplit(".", 1)[-1].startswith("#")
    if is_query(body):
        as_kind: StatementKind = "create_view" if kind == "VIEW" else "create_table_as"
        env = dict(build_with(reading.walk, tree, None, {}, outward=False))
        made = reading.defines(as_kind, table, body, names=names, temporary=temporary, env=env)
        return (made, *_feeds(reading, tree, made))
    return (_without_query(reading, tree, name, temporary=temporary),)


def _without_query(reading: Reading, tree: exp.Create, name: str, *, temporary: bool) -> Statement:
    copied = _copied(tree)
    if copied is not None:
        query = SelectQuery()
        query.items.append(Star([reading.walk.table(copied)], reading.walk.line(copied)))
        outputs = reading.of_query(query)
        return reading.finish("create_table_as", name, outputs, query=query, temporary=temporary)
    columns = _columns(reading, tree.this.expressions if isinstance(tree.this, exp.Schema) else ())
    return reading.finish("create_table", name, columns=columns, temporary=temporary)


def _has(tree: exp.Create, kind: type[exp.Expr]) -> bool:
    properties = tree.args.get("properties")
    return isinstance(properties, exp.Properties) and any(isinstance(one, kind) for one in properties.expressions)


def _columns(reading: Reading, parts: Sequence[exp.Expr]) -> tuple[tuple[str, str], ...]:
    found = []
    for part in parts:
        if isinstance(part, exp.ColumnDef):
            kind = part.args.get("kind")
            text = kind.sql(dialect=reading.walk.dialect) if isinstance(kind, exp.Expr) else str(kind or "")
            found.append((reading.walk.folder.name(part), text))
    return tuple(found)


def _copied(tree: exp.Create) -> exp.Table | None:
    """CLONE s, LIKE s, (LIKE s INCLUDING ALL): the columns are those of s."""
    clone = tree.args.get("clone")
    if isinstance(clone, exp.Expr) and isinstance(clone.this, exp.Table):
        return clone.this
    properties = tree.args.get("properties")
    parts = list(properties.expressions) if isinstance(properties, exp.Properties) else []
    parts += tree.this.expressions if isinstance(tree.this, exp.Schema) else []
    for part in parts:
        if isinstance(part, exp.LikeProperty) and isinstance(part.this, exp.Table):
            return part.this
    return None


def _feeds(reading: Reading, tree: exp.Create, made: Statement) -> tuple[Statement, ...]:
    """ClickHouse's materialized view TO a table fills that table, by name."""
    properties = tree.args.get("properties")
    for part in properties.expressions if isinstance(properties, exp.Properties) else ():
        if isinstance(part, exp.ToTableProperty):
            target = part.this.this if isinstance(part.this, exp.Schema) else part.this
            return (reading.finish("insert", reading.name(target), made.outputs),)
    return ()


def _labels(reading: Reading, tree: exp.Create) -> tuple[str, ...]:
    """BigQuery: OPTIONS(input_label_cols = [...]), else a column named label."""
    properties = tree.args.get("properties")
    for part in properties.expressions if isinstance(properties, exp.Properties) else ():
        if isinstance(part, exp.Property) and part.name.lower() == "input_label_cols":
            value = part.args.get("value")
            texts = [one.name for one in value.find_all(exp.Literal)] if isinstance(value, exp.Expr) else []
            return tuple(reading.walk.folder.name(text) for text in texts)
    return ("label",)
