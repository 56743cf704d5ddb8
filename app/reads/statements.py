"""read_statements: one file of SQL in, one Statement for each of its statements out. Nothing is passed over in silence.

A statement that does not parse, or that is no known kind, is `opaque` with its reason and line; the others are still read.
"""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from app.reads.catalog import Catalog
from app.reads.commands import judge_words
from app.reads.create import read_create
from app.reads.find import start_walk
from app.reads.fold import find_dialect
from app.reads.guards import deep_stack
from app.reads.models import cut_model
from app.reads.reading import Reading
from app.reads.split import Chunk, parse, split
from app.reads.statement import Statement, StatementKind, Unreadable
from app.reads.walk import is_query
from app.words import Schema


def read_statements(
    sql: str, *, dialect: str, schema: Schema | None = None, relation: str | None = None
) -> tuple[Statement, ...]:
    """Every statement of a file, in order. `relation` is what a bare query defines (a dbt model).

    Raises Unreadable when the file as a whole cannot be cut into statements (size, unterminated string, too many).
    """
    name = find_dialect(dialect)
    catalog = Catalog(schema, exact_case=name == "clickhouse")
    return tuple(
        statement for chunk in split(sql, name) for statement in _read_chunk(chunk, sql, name, catalog, relation)
    )


def _read_chunk(chunk: Chunk, sql: str, dialect: str, catalog: Catalog, relation: str | None) -> tuple[Statement, ...]:
    kind, why = judge_words(chunk)
    if kind:
        return (_bare(chunk, kind, why),)
    try:
        model = cut_model(chunk, dialect)
        if model is not None:
            tree = parse(model.chunk, sql, model.dialect)
        else:
            tree = parse(chunk, sql, dialect)
        with deep_stack():
            reading = Reading(chunk, start_walk(chunk, dialect, catalog))
            if model is not None:
                return (reading.model(tree, model.name, model.label),)
            return _read_tree(reading, tree, relation)
    except Unreadable as error:
        return (replace(_bare(chunk, "opaque", error.reason), line=error.line or chunk.line),)
    except RecursionError:
        return (_bare(chunk, "opaque", "nested too deeply to follow"),)


def _bare(chunk: Chunk, kind: StatementKind, why: str = "") -> Statement:
    return Statement(kind, chunk.line, chunk.end_line, why=why)


def _read_tree(reading: Reading, tree: exp.Expr, relation: str | None) -> tuple[Statement, ...]:
    if is_query(tree):
        return (reading.query(tree, relation),)
    match tree:
        case exp.Create():
            return read_create(reading, tree)
        case exp.Insert() | exp.Update() | exp.Delete() | exp.Merge():
            return (reading.writes(tree),)
        case exp.MultitableInserts():
            return reading.many_inserts(tree)
        case exp.Cache() if is_query(tree.args.get("expression")):
            return (reading.defines("create_view", tree.this, tree.args["expression"], temporary=True),)
        case exp.Export() | exp.Copy() if is_query(tree.this):
            return (reading.query(tree.this, None),)
        case exp.Alter() | exp.Drop() | exp.TruncateTable() | exp.Undrop():
            return (_bare(reading.chunk, "ddl"),)
        case (
            exp.Copy()
            | exp.Set()
            | exp.Use()
            | exp.Pragma()
            | exp.Attach()
            | exp.Refresh()
            | exp.Summarize()
            | exp.Cache()
        ):
            return (_bare(reading.chunk, "inert"),)
        case exp.Command():
            return (_bare(reading.chunk, "opaque", f"{str(tree.this).upper()} is no statement that Tether can read"),)
        case _:
            return (_bare(reading.chunk, "opaque", "not a statement that Tether knows"),)
