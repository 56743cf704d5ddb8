"""Builds the scopes: queries, WITH, expressions. The recursive half of app.reads.scopes; FROM is app.reads.froms."""

from __future__ import annotations

from typing import TypeGuard

from sqlglot import exp

from app.reads import dml, froms, pivots, stars
from app.reads.own_names import find_own_name
from app.reads.queries import ComputedQuery, Query, SelectQuery, SetQuery
from app.reads.scopes import CLAUSES, Env, Nested, Scope, Walk, children
from app.reads.sources import Item
from app.reads.star import Star
from app.reads.widths import note_fixed_width, note_set_widths
from app.reads.wrapped import LaterQuery

#: dialects in which WITH needs no RECURSIVE to see itself (in a later branch of its UNION)
_SELF_SEEING = {"tsql", "fabric", "oracle", "snowflake", "teradata"}
#: arguments that hold no column of this scope
_SKIPPED = {
    "with_",
    "into",
    "hint",
    "kind",
    "settings",
    "format",
    "locks",
    "operation_modifiers",
    "from_",
    "joins",
    "laterals",
}


def is_query(node: object) -> TypeGuard[exp.Expr]:
    """SELECT, set operation, VALUES, DuckDB's PIVOT statement, or one of these in parentheses."""
    if isinstance(node, (exp.Subquery, exp.Paren)):
        return is_query(node.this)
    return isinstance(node, (exp.Select, exp.SetOperation, exp.Values)) or (
        isinstance(node, exp.Pivot) and node.this is not None
    )


def build_query(walk: Walk, node: exp.Expr, parent: Scope | None, env: Env, *, outward: bool) -> Query:
    """The query under a node, with everything beneath it. `outward`: see Scope."""
    env = build_with(walk, node, parent, env, outward=outward)
    if isinstance(node, exp.Select):
        return _build_select(walk, node, parent, env, outward=outward)
    if isinstance(node, exp.SetOperation):
        return _build_set(walk, node, parent, env, outward=outward)
    if isinstance(node, exp.Pivot):
        return pivots.build_pivot(walk, node, parent, env, outward=outward)
    scope = Scope(parent, env, outward=outward)
    if isinstance(node, (exp.Subquery, exp.Paren)) and is_query(node.this):
        query = build_query(walk, node.this, parent, env, outward=outward)
        if node.args.get("order") or node.args.get("limit"):
            froms.add_result(scope, query)
            _walk_rest(walk, node, scope, skip={*_SKIPPED, "this", "alias", "pivots"})
        return query
    for _, part in children(node):
        walk_expression(walk, part, scope, "select")
    return ComputedQuery()


def build_with(walk: Walk, node: exp.Expr, parent: Scope | None, env: Env, *, outward: bool) -> Env:
    """`env` and the CTEs of a node's own WITH."""
    with_ = node.args.get("with_")
    if not isinstance(with_, exp.With):
        return env
    seen = dict(env)
    for cte in with_.expressions:
        name = walk.folder.name(cte.args.get("alias"))
        if cte.args.get("scalar"):
            continue  # ClickHouse's `WITH expression AS name`: no relation, see _build_select
        if not is_query(cte.this):
            seen[name] = dml.build_dml_cte(walk, cte.this, parent, seen, outward=outward)
            continue
        names = froms.alias_columns(walk, cte)
        later = LaterQuery()
        inside = seen
        if with_.args.get("recursive") or (walk.dialect in _SELF_SEEING and _sees_itself(cte.this, name, walk)):
            inside = {**seen, name: froms.rename(later, names)}
        query = build_query(walk, cte.this, parent, inside, outward=outward)
        later.query = query
        seen[name] = froms.rename(query, names)
        note_fixed_width(walk, query, names)
    return seen


def _sees_itself(node: exp.Expr, name: str, walk: Walk) -> bool:
    while isinstance(node, exp.Subquery):
        node = node.this
    last = node.args.get("expression") if isinstance(node, exp.SetOperation) else None
    return isinstance(last, exp.Expr) and any(
        len(walk.folder.parts(table)) == 1 and walk.folder.own(table) == name for table in last.find_all(exp.Table)
    )


def _build_select(walk: Walk, node: exp.Select, parent: Scope | None, env: Env, *, outward: bool) -> Query:
    scope = Scope(parent, env, outward=outward)
    query = SelectQuery(node, scope)
    froms.build_from(walk, node, scope)
    _build_scalars(walk, node, scope)
    for projection in node.expressions:
        query.items += _build_items(walk, projection, scope)
    for item in query.items:
        if isinstance(item, Item) and item.name:
            scope.outputs.setdefault(item.name, []).append(item)
    _walk_rest(walk, node, scope, skip={*_SKIPPED, "expressions"})
    return query


def _build_scalars(walk: Walk, node: exp.Select, scope: Scope) -> None:
    with_ = node.args.get("with_")
    for cte in with_.expressions if isinstance(with_, exp.With) else ():
        if cte.args.get("scalar"):
            item = _build_named(walk, cte.this, walk.folder.name(cte.args.get("alias")), scope, "with")
            item.aliased = True
            scope.outputs.setdefault(item.name, []).append(item)


def _build_named(walk: Walk, node: exp.Expr, name: str, scope: Scope, clause: str) -> Item:
    start = len(walk.refs)
    item = Item(name, node, scope, walk.line(node))
    walk_expression(walk, node, scope, clause, item=item)
    item.span = (start, len(walk.refs))
    return item


def _build_items(walk: Walk, node: exp.Expr, scope: Scope) -> list[Item | Star]:
    """Spark's `f(x) AS (a, b)` projects several columns of one expression."""
    if not isinstance(node, exp.Aliases):
        return [build_item(walk, node, scope)]
    first = _build_named(walk, node.this, "", scope, "select")
    names = [walk.folder.name(name) for name in node.expressions]
    return [Item(name, node.this, scope, first.line, aliased=True, span=first.span, wide=first.wide) for name in names]


def build_item(walk: Walk, node: exp.Expr, scope: Scope, clause: str = "select") -> Item | Star:
    """One projection: a star, or a named expression."""
    star = stars.build_star(walk, node, scope)
    if star is not None:
        walk.stars.append(star)
        return star
    aliased = isinstance(node, exp.Alias)
    name = walk.folder.name(node) if aliased else find_own_name(node, walk.dialect, walk.folder)
    item = _build_named(walk, node.this if aliased else node, name, scope, clause)
    item.aliased = aliased
    return item


def _walk_rest(walk: Walk, node: exp.Expr, scope: Scope, *, skip: set[str]) -> None:
    for key, part in children(node):
        if key in skip:
            continue
        clause = CLAUSES.get(key, key)
        keys = part.expressions if isinstance(part, (exp.Order, exp.Group)) else ()
        for one in keys:
            column = one.this if isinstance(one, exp.Ordered) else one
            if isinstance(column, exp.Column) and not column.args.get("table"):
                walk.add(column, scope, clause, key=True)
            else:
                walk_expression(walk, one, scope, clause)
        if keys:
            for inner_key, inner in children(part):
                if inner_key != "expressions":
                    walk_expression(walk, inner, scope, clause)
        else:
            walk_expression(walk, part, scope, clause)


def _build_set(walk: Walk, node: exp.SetOperation, parent: Scope | None, env: Env, *, outward: bool) -> Query:
    """A chain of set operations leans to the left and can be thousands long: flattened, not descended."""
    branches: list[exp.Expr] = []
    by_name = False
    left: exp.Expr = node
    while isinstance(left, exp.SetOperation) and (left is node or not left.args.get("with_")):
        by_name = by_name or bool(left.args.get("by_name"))
        branches.append(left.expression)
        left = left.this
    branches.append(left)
    built = [build_query(walk, branch, parent, env, outward=outward) for branch in reversed(branches)]
    query = SetQuery(node, built, by_name=by_name)
    if not by_name:
        note_set_widths(walk, built)
    scope = Scope(parent, env, outward=outward)
    froms.add_result(scope, query)
    _walk_rest(walk, node, scope, skip={*_SKIPPED, "this", "expression", "expressions"})
    return query


def walk_expression(walk: Walk, node: exp.Expr, scope: Scope, clause: str, *, item: Item | None = None) -> None:
    """Note every column in an expression, and build every query in it. Iterative: expressions can be thousands deep."""
    stack: list[tuple[exp.Expr, str, frozenset[str]]] = [(node, clause, frozenset())]
    begin = len(walk.wholes)
    while stack:
        current, where, local = stack.pop()
        if isinstance(current, exp.Column):
            _walk_column(walk, current, scope, where, local, item)
        elif is_query(current) and not (isinstance(current, exp.Paren) and current is node):
            refs, wholes = len(walk.refs), len(walk.wholes)
            query = walk.queries[id(current)] = build_query(walk, current, scope, scope.env, outward=True)
            stars.note_single_column(walk, current, query)
            if item is None:
                walk.nested.append(Nested((refs, len(walk.refs)), (wholes, len(walk.wholes)), where))
        elif isinstance(current, exp.Star):
            stars.note_star_names(walk, current, scope, scope.visible())
            stars.note_whole(walk, current, current, scope.visible(), where, projected=item is not None)
        elif isinstance(current, exp.Columns) and not isinstance(current.this, (exp.Star, exp.Column)):
            stars.note_columns(walk, current, scope, where, projected=item is not None)
        elif isinstance(current, exp.Table):
            froms.note_table_in_expression(walk, current, scope)
        else:
            inner = local | _local_names(walk, current)
            parts = [(part, _clause_under(current, key, where), inner) for key, part in _parts(current)]
            stack.extend(reversed(parts))
    if item is not None:
        item.wide = (*item.wide, *walk.wholes[begin:])


def _walk_column(
    walk: Walk, node: exp.Column, scope: Scope, clause: str, local: frozenset[str], item: Item | None
) -> None:
    if isinstance(node.this, exp.Star):
        stars.note_table_star(walk, node, scope, clause, projected=item is not None)
        return
    first = node.args.get("catalog") or node.args.get("db") or node.args.get("table") or node.this
    if local and walk.folder.name(first) in local:
        return
    if walk.dialect == "clickhouse" and node.arg_key == "field" and isinstance(node.parent, exp.In):
        froms.note_table_name(walk, node, scope)
        return
    walk.add(node, scope, clause, item=item)


def _parts(node: exp.Expr) -> list[tuple[str, exp.Expr]]:
    named = isinstance(node, (exp.Kwarg, exp.PropertyEQ))  # f(name => value): the name is no column
    return [(key, part) for key, part in children(node) if not (named and key == "this")]


def _local_names(walk: Walk, node: exp.Expr) -> frozenset[str]:
    """Loop variables of a list comprehension; parameters of a lambda, where the parser left any as columns."""
    if isinstance(node, exp.Comprehension):
        return frozenset({walk.folder.name(node.expression), walk.folder.name(node.args.get("position"))} - {""})
    if isinstance(node, exp.Lambda):
        return frozenset(walk.folder.name(name) for name in node.expressions) - {""}
    return frozenset()


def _clause_under(node: exp.Expr, key: str, clause: str) -> str:
    return "window" if isinstance(node, exp.Window) and key != "this" else clause
