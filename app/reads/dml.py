"""INSERT, UPDATE, DELETE, MERGE: which columns of the target are written, from what, and what is read on the way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from sqlglot import exp

from app.reads import froms
from app.reads import walk as walking
from app.reads.queries import ComputedQuery, Query, SelectQuery
from app.reads.scopes import Env, Scope, Walk, children
from app.reads.sources import ComputedSource, Item, Source, TableSource
from app.reads.widths import note_stars


@dataclass(slots=True)
class Writes:
    """What a statement writes. `query` hands on rows (INSERT ... SELECT); `items` are single columns with their values."""

    target: exp.Table | None = None
    relation: str = ""
    query: Query | None = None
    items: list[Item] = field(default_factory=list)
    names: tuple[str, ...] = ()
    positional: bool = False
    by_star: list[Source] = field(default_factory=list)
    returning: Query | None = None


def build_dml_cte(walk: Walk, node: exp.Expr, parent: Scope | None, env: Env, *, outward: bool) -> Query:
    """Postgres' WITH x AS (DELETE ... RETURNING a): the relation x has the returned columns."""
    if isinstance(node, (exp.Insert, exp.Update, exp.Delete, exp.Merge)):
        return build_dml(walk, node, env).returning or ComputedQuery()
    walking.walk_expression(walk, node, Scope(parent, env, outward=outward), "with")
    return ComputedQuery()


def build_dml(walk: Walk, node: exp.Expr, env: Env) -> Writes:
    """Walks a writing statement."""
    env = walking.build_with(walk, node, None, env, outward=False)
    match node:
        case exp.Insert():
            return _build_insert(walk, node, env)
        case exp.Update():
            return _build_update(walk, node, env)
        case exp.Delete():
            return _build_delete(walk, node, env)
        case exp.Merge():
            return _build_merge(walk, node, env)
        case _:
            raise TypeError(f"{type(node).__name__} writes nothing")


def split_target(walk: Walk, node: object) -> tuple[exp.Table | None, tuple[str, ...]]:
    """The table under INSERT INTO or CREATE, and the column list behind its name."""
    names: tuple[str, ...] = ()
    if isinstance(node, exp.Schema):
        names = tuple(name for part in node.expressions if (name := walk.folder.name(part)))
        node = node.this
    return (node if isinstance(node, exp.Table) else None), names


def _build_insert(walk: Walk, node: exp.Insert, env: Env) -> Writes:
    target, names = split_target(walk, node.this)
    writes = Writes(target, names=names)
    if target is not None:
        writes.relation = ".".join(walk.folder.parts(target))
    body = node.args.get("expression")
    own = Scope(None, env)
    if walking.is_query(body):
        writes.query = walking.build_query(walk, body, None, env, outward=False)
        if not node.args.get("by_name"):
            note_stars(walk, writes.query, "insert")
    elif isinstance(body, exp.Expr):
        walking.walk_expression(walk, body, own, "insert")
    writes.positional = not names and not node.args.get("by_name")
    if target is not None and any(node.args.get(key) for key in ("conflict", "returning", "where")):
        writes.returning = _build_after_insert(walk, node, target, env)
    return writes


def _build_after_insert(walk: Walk, node: exp.Insert, target: exp.Table, env: Env) -> Query:
    scope = Scope(None, env, [walk.table(target)])
    conflict = node.args.get("conflict")
    if isinstance(conflict, exp.OnConflict):
        scope.sources.append(ComputedSource("excluded", ()))
        for key, part in children(conflict):
            if key == "expressions" and isinstance(part, exp.EQ):
                part = part.expression  # noqa: PLW2901 - the left side is written, not read
            walking.walk_expression(walk, part, scope, "on conflict")
    if isinstance(node.args.get("where"), exp.Expr):
        walking.walk_expression(walk, node.args["where"], scope, "where")
    return _build_returning(walk, node, scope)


def _build_returning(walk: Walk, node: exp.Expr, scope: Scope) -> Query:
    query = SelectQuery()
    returning = node.args.get("returning")
    for part in returning.expressions if isinstance(returning, exp.Returning) else ():
        query.items.append(walking.build_item(walk, part, scope))
    return query


def _build_update(walk: Walk, node: exp.Update, env: Env) -> Writes:
    scope = Scope(None, env)
    if isinstance(node.this, exp.Table):
        froms.add_source(walk, node.this, scope)
    target = _real_target(walk, node.this, node, scope)
    froms.build_from(walk, node, scope)
    writes = Writes(node.this if isinstance(node.this, exp.Table) else None, target)
    for part in node.expressions:
        writes.items += _build_assignment(walk, part, scope)
    for key, part in children(node):
        if key in ("where", "order", "limit"):
            walking.walk_expression(walk, part, scope, key)
    writes.relation = target
    writes.returning = _build_returning(walk, node, scope)
    return writes


def _real_target(walk: Walk, this: object, node: exp.Expr, scope: Scope) -> str:
    """T-SQL's `UPDATE o ... FROM orders o`: the name after UPDATE is an alias of FROM, and no table of its own."""
    if not isinstance(this, exp.Table):
        return ""
    written = ".".join(walk.folder.parts(this))
    from_ = node.args.get("from_")
    aliased = [
        table
        for table in (from_.find_all(exp.Table) if isinstance(from_, exp.From) else ())
        if walk.folder.name(table.args.get("alias")) == written
    ]
    if aliased and not this.args.get("alias"):
        scope.sources.clear()
        walk.relations.pop(written, None)
        return ".".join(walk.folder.parts(aliased[0]))
    return written


def _build_assignment(walk: Walk, node: exp.Expr, scope: Scope) -> list[Item]:
    """`a = expression`, `(a, b) = (SELECT ...)`. The left side is written, not read."""
    if not isinstance(node, (exp.EQ, exp.PropertyEQ)):
        walking.walk_expression(walk, node, scope, "set")
        return []
    left = node.this
    names = left.expressions if isinstance(left, (exp.Tuple, exp.Paren)) and left.expressions else [left]
    start = len(walk.refs)
    first = Item("", node.expression, scope, walk.line(left), aliased=True)
    walking.walk_expression(walk, node.expression, scope, "set", item=first)
    span = (start, len(walk.refs))
    return [
        Item(walk.folder.name(name), node.expression, scope, walk.line(name), aliased=True, span=span) for name in names
    ]


def _build_delete(walk: Walk, node: exp.Delete, env: Env) -> Writes:
    scope = Scope(None, env)
    targets = node.args.get("tables") or ()
    this = node.this
    if isinstance(this, exp.Table):
        froms.add_source(walk, this, scope)
    for part in node.args.get("using") or ():
        froms.add_source(walk, part, scope)
    froms.build_from(walk, node, scope)
    relation = next((source.relation for source in scope.sources if isinstance(source, TableSource)), "")
    for target in targets:
        alias = walk.folder.name(target)
        relation = next(
            (one.relation for one in scope.sources if isinstance(one, TableSource) and one.name == alias), relation
        )
    for key, part in children(node):
        if key in ("where", "order", "limit"):
            walking.walk_expression(walk, part, scope, key)
    return Writes(None, relation, returning=_build_returning(walk, node, scope))


def _build_merge(walk: Walk, node: exp.Merge, env: Env) -> Writes:
    scope = Scope(None, env)
    froms.add_source(walk, node.this, scope)
    relation = next((one.relation for one in scope.sources if isinstance(one, TableSource)), "")
    count = len(scope.sources)
    froms.add_source(walk, node.args["using"], scope)
    given = scope.sources[count:]
    if isinstance(node.args.get("on"), exp.Expr):
        walking.walk_expression(walk, node.args["on"], scope, "merge")
    for name in _listed(node.args.get("using_cond")):
        walk.add_name(name, scope, "merge")
    writes = Writes(node.this if isinstance(node.this, exp.Table) else None, relation)
    whens = node.args.get("whens")
    for when in whens.expressions if isinstance(whens, exp.Expr) else ():
        if isinstance(when.args.get("condition"), exp.Expr):
            walking.walk_expression(walk, when.args["condition"], scope, "merge")
        _build_then(walk, when.args.get("then"), scope, given, writes)
    writes.returning = _build_returning(walk, node, scope)
    return writes


def _build_then(walk: Walk, then: object, scope: Scope, given: Sequence[Source], writes: Writes) -> None:
    if isinstance(then, exp.Update):
        for part in then.expressions:
            if isinstance(part, exp.Star):
                writes.by_star += given
            else:
                writes.items += _build_assignment(walk, part, scope)
    elif isinstance(then, exp.Insert):
        _build_merge_insert(walk, then, Scope(None, scope.env, list(given)), writes)
    if isinstance(then, exp.Expr) and isinstance(then.args.get("where"), exp.Expr):
        walking.walk_expression(walk, then.args["where"], scope, "merge")


def _build_merge_insert(walk: Walk, then: exp.Insert, scope: Scope, writes: Writes) -> None:
    """`scope`: INSERT sees the source's rows alone."""
    values = then.args.get("expression")
    if not isinstance(values, exp.Expr):  # INSERT *, INSERT ROW
        writes.by_star += scope.sources
        return
    names = [walk.folder.name(name) for name in then.this.expressions] if isinstance(then.this, exp.Tuple) else []
    cells = values.expressions if isinstance(values, (exp.Tuple, exp.Values)) else [values]
    if isinstance(values, exp.Values) and len(cells) == 1:
        cells = cells[0].expressions
    writes.positional = writes.positional or not names
    for n, cell in enumerate(cells):
        item = walking.build_item(walk, cell, scope, "insert")
        if isinstance(item, Item):
            item.name = names[n] if n < len(names) else item.name
            writes.items.append(item)
        else:
            writes.by_star += item.over()


def _listed(value: object) -> list[exp.Expr]:
    values = value if isinstance(value, list) else [value]
    return [one for one in values if isinstance(one, exp.Expr)]
