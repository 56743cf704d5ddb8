"""The doors of the engine. One file of SQL in, one Statement for each of its statements out: nothing passed over in silence.

A statement that does not parse, or that is no known kind, is `opaque` with its reason and line; the others are still read.
find_reads is the same without outputs, and raises where the other says opaque.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from sqlglot import exp

from app.reads.catalog import Catalog
from app.reads.commands import judge_words
from app.reads.create import read_create
from app.reads.fold import find_dialect
from app.reads.guards import deep_stack
from app.reads.models import cut_model
from app.reads.reading import Reading
from app.reads.scopes import Walk
from app.reads.split import Chunk, parse, split
from app.reads.statement import Read, Statement, StatementKind, Unreadable
from app.reads.system import judge_system
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
    found: list[Statement] = []
    for chunk in split(sql, name):
        try:
            found += _read_chunk(chunk, sql, name, catalog, relation, reads_only=False)
        except Unreadable as error:
            found.append(replace(_bare(chunk, "opaque", error.reason), why_line=error.line or 0))
    return tuple(found)


def find_reads(sql: str, *, dialect: str, schema: Mapping[str, Mapping[str, str]] | None = None) -> tuple[Read, ...]:
    """Every column that the SQL reads, over all its statements. Raises Unreadable instead of guessing."""
    name = find_dialect(dialect)
    catalog = Catalog(schema, exact_case=name == "clickhouse")
    found: dict[Read, None] = {}
    for chunk in split(sql, name):
        for statement in _read_chunk(chunk, sql, name, catalog, None, reads_only=True):
            if statement.kind == "opaque":
                raise Unreadable(statement.why, line=statement.why_line or statement.line)
            found.update(dict.fromkeys(statement.reads))
    return tuple(found)


def _read_chunk(
    chunk: Chunk, sql: str, dialect: str, catalog: Catalog, relation: str | None, *, reads_only: bool
) -> tuple[Statement, ...]:
    kind, why = judge_words(chunk)
    if kind:
        return (_bare(chunk, kind, why),)
    model = cut_model(chunk, dialect)
    tree = parse(model.chunk, sql, model.dialect) if model else parse(chunk, sql, dialect)
    written: dict[str, int] = {}
    for token in chunk.tokens:
        written.setdefault(token.text.lower(), token.line)
    try:
        with deep_stack():
            walk = Walk(dialect, catalog, chunk.line, written)
            reading = Reading(chunk, sql, walk, reads_only=reads_only)
            if model is not None:
                return (reading.model(tree, model.name, model.label),)
            return _read_tree(reading, tree, relation)
    except RecursionError as error:
        raise Unreadable("nested too deeply to follow", line=chunk.line) from error


def _bare(chunk: Chunk, kind: StatementKind, why: str = "") -> Statement:
    return Statement(kind, chunk.line, chunk.end_line, why=why)


def _read_tree(reading: Reading, tree: exp.Expr, relation: str | None) -> tuple[Statement, ...]:
    exported = isinstance(tree, (exp.Export, exp.Copy)) and is_query(tree.this)
    if exported or is_query(tree):
        return (reading.query(tree.this, None) if exported else reading.query(tree, relation),)
    match tree:
        case exp.Create():
            return read_create(reading, tree)
        case exp.Insert() | exp.Update() | exp.Delete() | exp.Merge():
            judged = judge_system(tree)
            return (_bare(reading.chunk, *judged) if judged else reading.writes(tree),)
        case exp.MultitableInserts():
            return reading.many_inserts(tree)
        case exp.Cache() if is_query(tree.args.get("expression")):
            return (reading.defines("create_view", tree.this, tree.args["expression"], temporary=True),)
        case _:
            return (_bare(reading.chunk, *_judge_tree(tree)),)


_DDL = (exp.Alter, exp.Drop, exp.TruncateTable, exp.Undrop)
_INERT = (exp.Copy, exp.Set, exp.Use, exp.Pragma, exp.Attach, exp.Refresh, exp.Summarize, exp.Cache)


def _judge_tree(tree: exp.Expr) -> tuple[StatementKind, str]:
    if isinstance(tree, _DDL):
        return "ddl", ""
    if isinstance(tree, _INERT):
        return "inert", ""
    if isinstance(tree, exp.Command):
        return "opaque", f"{str(tree.this).upper()} is no statement that Tether can read"
    return "opaque", "not a statement that Tether knows"
