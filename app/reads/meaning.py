"""All that is not projection, as one canonical text: filters, joins, grouping, distinct, limits, set operations.

A difference in it changes values, not columns. Aliases, formatting, unused CTEs and the cut into CTEs leave no trace,
so a filter that moves between a query and its CTE leaves none either. ORDER BY counts only under a LIMIT.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from app.reads.canonical import Canon
from app.reads.queries import Query, SelectQuery, SetQuery
from app.reads.sources import GroupSource, Item, PivotSource, QuerySource, Source, TableSource
from app.reads.wrapped import LaterQuery, RenamedQuery

_PLAIN = {
    "having": "having",
    "qualify": "qualify",
    "limit": "limit",
    "offset": "offset",
    "prewhere": "where",
    "sample": "sample",
}


def find_meaning(canon: Canon, query: Query | None, node: exp.Expr | None = None) -> str:
    """Meaning of a query, or of a writing statement's own conditions (`node`), or both."""
    lines = set(_of_query(canon, query, set())) if query is not None else set()
    if node is not None:
        for key in ("on", "where"):
            if isinstance(node.args.get(key), exp.Expr):
                lines.update(_conjuncts(canon, node.args[key], key))
        whens = node.args.get("whens")
        for when in whens.expressions if isinstance(whens, exp.Expr) else ():
            condition = when.args.get("condition")
            if isinstance(condition, exp.Expr):
                lines.update(_conjuncts(canon, condition, "when"))
    return "\n".join(sorted(lines))


def _of_query(canon: Canon, query: Query, seen: set[int]) -> Iterator[str]:
    if id(query) in seen:
        return
    seen.add(id(query))
    match query:
        case SelectQuery():
            yield from _of_select(canon, query, seen)
        case SetQuery():
            yield from _of_set(canon, query.node)
            for branch in query.branches:
                yield from _of_query(canon, branch, seen)
        case RenamedQuery():
            yield from _of_query(canon, query.query, seen)
        case LaterQuery() if query.query is not None:
            yield from _of_query(canon, query.query, seen)
        case _:
            return


def _of_select(canon: Canon, query: SelectQuery, seen: set[int]) -> Iterator[str]:
    node = query.node
    for source in query.scope.sources if query.scope is not None else ():
        yield from _of_source(canon, source, seen)
    if node is None:
        return
    if isinstance(node.args.get("where"), exp.Expr):
        yield from _conjuncts(canon, node.args["where"].this, "where")
    for join in node.args.get("joins") or ():
        yield from _of_join(canon, join)
    group = node.args.get("group")
    if isinstance(group, exp.Group):
        yield "group " + ", ".join(sorted(_group_keys(canon, group, query)))
    if isinstance(node.args.get("distinct"), exp.Expr):
        yield canon.text(node.args["distinct"])
    yield from _of_limits(canon, node)


def _of_source(canon: Canon, source: Source, seen: set[int]) -> Iterator[str]:
    match source:
        case TableSource():
            yield f"from {source.relation}"
        case QuerySource():
            yield from _of_query(canon, source.query, seen)
        case GroupSource():
            for member in source.members:
                yield from _of_source(canon, member, seen)
        case PivotSource():
            yield "pivot " + ", ".join(sorted(source.consumed)) + " -> " + ", ".join(sorted(source.generated or ("?",)))
            yield from _of_source(canon, source.inner, seen)
        case _:
            return


def _of_join(canon: Canon, join: exp.Join) -> Iterator[str]:
    words = [str(join.args.get(key)).lower() for key in ("method", "side", "kind") if join.args.get(key)]
    kind = " ".join(word for word in words if word not in ("inner", "outer", "cross")) or "inner"
    condition = join.args.get("on")
    if isinstance(condition, exp.Expr):
        yield from _conjuncts(canon, condition, f"{kind} join")
    elif kind != "inner":
        yield f"{kind} join"
    for name in join.args.get("using") or ():
        yield f"{kind} join using {canon.walk.folder.name(name)}"


def _conjuncts(canon: Canon, node: exp.Expr, label: str) -> Iterator[str]:
    stack = [node]
    while stack:
        current = stack.pop()
        if isinstance(current, (exp.And, exp.Paren, exp.Where)):
            stack += [part for part in (current.this, current.args.get("expression")) if isinstance(part, exp.Expr)]
        else:
            yield f"{label} {canon.text(current)}"


def _group_keys(canon: Canon, group: exp.Group, query: SelectQuery) -> Iterator[str]:
    for key in group.expressions:
        place = int(key.this) if isinstance(key, exp.Literal) and str(key.this).isdigit() else 0
        named = query.items[place - 1] if 0 < place <= len(query.items) else None
        yield canon.item(named) if isinstance(named, Item) else canon.text(key)
    for name in ("rollup", "cube", "grouping_sets"):
        for part in group.args.get(name) or ():
            if isinstance(part, exp.Expr):
                yield canon.text(part)


def _of_limits(canon: Canon, node: exp.Expr) -> Iterator[str]:
    for key, label in _PLAIN.items():
        part = node.args.get(key)
        if isinstance(part, exp.Expr):
            yield f"{label} {canon.text(part)}"
    if (node.args.get("limit") or node.args.get("distinct")) and isinstance(node.args.get("order"), exp.Expr):
        yield f"order {canon.text(node.args['order'])}"


def _of_set(canon: Canon, node: exp.Expr) -> Iterator[str]:
    left: object = node
    while isinstance(left, exp.SetOperation):
        yield f"{left.key} {'distinct' if left.args.get('distinct') else 'all'}"
        left = left.this
    yield from _of_limits(canon, node)
