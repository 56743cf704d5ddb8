"""find_reads: SQL in, the table columns it reads out. The fixed door of the SQL engine."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from app.reads import walk as walking
from app.reads.catalog import Catalog
from app.reads.commands import judge_words
from app.reads.dml import build_dml
from app.reads.fold import find_dialect
from app.reads.resolve import Resolver
from app.reads.scopes import Walk
from app.reads.split import Chunk, parse, split
from app.reads.statement import Read, Unreadable


def find_reads(sql: str, *, dialect: str, schema: Mapping[str, Mapping[str, str]] | None = None) -> tuple[Read, ...]:
    """Every column that the SQL reads, over all its statements. Raises Unreadable instead of guessing."""
    name = find_dialect(dialect)
    catalog = Catalog(schema, exact_case=name == "clickhouse")
    found: dict[Read, None] = {}
    for chunk in split(sql, name):
        kind, why = judge_words(chunk)
        if kind == "opaque":
            raise Unreadable(why, line=chunk.line)
        if kind:
            continue
        walk = start_walk(chunk, name, catalog)
        walk_statement(walk, parse(chunk, sql, name))
        found.update(dict.fromkeys(Resolver(walk).reads()))
    return tuple(found)


def start_walk(chunk: Chunk, dialect: str, catalog: Catalog) -> Walk:
    written: dict[str, int] = {}
    for token in chunk.tokens:
        written.setdefault(token.text.lower(), token.line)
    return Walk(dialect, catalog, chunk.line, written)


def walk_statement(walk: Walk, tree: exp.Expr) -> None:
    if walking.is_query(tree):
        walking.build_query(walk, tree, None, {}, outward=False)
    elif isinstance(tree, (exp.Insert, exp.Update, exp.Delete, exp.Merge)):
        build_dml(walk, tree, {})
    else:
        env = walking.build_with(walk, tree, None, {}, outward=False)
        body = tree.args.get("expression")
        if walking.is_query(body):
            walking.build_query(walk, body, None, env, outward=False)
