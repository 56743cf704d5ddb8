"""All that is not projection, as clauses: filters, joins, grouping, distinct, limits, set operations.

A difference in it changes values, not columns. Aliases, formatting, unused CTEs and the cut into CTEs leave no trace,
so a filter that moves between a query and its CTE leaves none either. ORDER BY counts only under a LIMIT.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from app.reads.expression import Call, Clause, Expression, Meaning, Name, StarLeaf, spell
from app.reads.queries import Query, SelectQuery, SetQuery
from app.reads.shown import show
from app.reads.sources import GroupSource, PivotSource, QuerySource, Source, TableSource
from app.reads.translate import Translator
from app.reads.wrapped import LaterQuery, RenamedQuery

_PLAIN = {
    "having": "having",
    "qualify": "qualify",
    "limit": "limit",
    "offset": "offset",
    "prewhere": "where",
    "sample": "sample",
}


def find_meaning(trees: Translator, query: Query | None, node: exp.Expr | None = None) -> Meaning:
    """Meaning of a query, or of a writing statement's own conditions (`node`), or both; each clause once, in one order."""
    found = set(_of_query(trees, query, set())) if query is not None else set()
    if node is not None:
        for key in ("on", "where"):
            if isinstance(node.args.get(key), exp.Expr):
                found.update(_conjuncts(trees, node.args[key], key))
        whens = node.args.get("whens")
        for when in whens.expressions if isinstance(whens, exp.Expr) else ():
            condition = when.args.get("condition")
            if isinstance(condition, exp.Expr):
                found.update(_conjuncts(trees, condition, "when"))
    return tuple(sorted(found, key=spell))


def _of_query(trees: Translator, query: Query, seen: set[int]) -> Iterator[Clause]:
    if id(query) in seen:
        return
    seen.add(id(query))
    match query:
        case SelectQuery():
            yield from _of_select(trees, query, seen)
        case SetQuery():
            yield from _of_set(trees, query)
            for branch in query.branches:
                yield from _of_query(trees, branch, seen)
        case RenamedQuery():
            yield from _of_query(trees, query.query, seen)
        case LaterQuery() if query.query is not None:
            yield from _of_query(trees, query.query, seen)
        case _:
            return


def _of_select(trees: Translator, query: SelectQuery, seen: set[int]) -> Iterator[Clause]:
    node = query.node
    for source in query.scope.sources if query.scope is not None else ():
        yield from _of_source(trees, source, seen)
    if node is None:
        return
    if isinstance(node.args.get("where"), exp.Expr):
        yield from _conjuncts(trees, node.args["where"].this, "where")
    for join in node.args.get("joins") or ():
        yield from _of_join(trees, join)
    group = node.args.get("group")
    if isinstance(group, exp.Group):
        yield Clause("group", tuple(sorted(set(_group_keys(trees, group, query)), key=spell)))
    if isinstance(node.args.get("distinct"), exp.Expr):
        yield Clause("distinct", tuple(trees.tree(on) for on in (node.args["distinct"].args.get("on"),) if on))
    yield from _of_limits(trees, node, query)


def _of_source(trees: Translator, source: Source, seen: set[int]) -> Iterator[Clause]:
    match source:
        case TableSource():
            yield Clause("from", (StarLeaf((source.relation,)),))
        case QuerySource():
            yield from _of_query(trees, source.query, seen)
        case GroupSource():
            for member in source.members:
                yield from _of_source(trees, member, seen)
        case PivotSource():
            names = (sorted(source.consumed), sorted(source.generated or ("?",)))
            yield Clause("pivot", tuple(Call("names", tuple(map(Name, listed))) for listed in names))
            yield from _of_source(trees, source.inner, seen)
        case _:
            return


def _of_join(trees: Translator, join: exp.Join) -> Iterator[Clause]:
    words = [str(join.args.get(key)).lower() for key in ("method", "side", "kind") if join.args.get(key)]
    kind = " ".join(word for word in words if word not in ("inner", "outer", "cross")) or "inner"
    condition = join.args.get("on")
    if isinstance(condition, exp.Expr):
        yield from _conjuncts(trees, condition, f"{kind} join")
    elif kind != "inner":
        yield Clause(f"{kind} join")
    for name in join.args.get("using") or ():
        yield Clause(f"{kind} join using", (Name(trees.walk.folder.name(name)),))


def _conjuncts(trees: Translator, node: exp.Expr, label: str) -> Iterator[Clause]:
    stack = [node]
    while stack:
        current = stack.pop()
        if isinstance(current, (exp.And, exp.Paren, exp.Where)):
            stack += [part for part in (current.this, current.args.get("expression")) if isinstance(part, exp.Expr)]
        else:
            tree = trees.tree(current)  # `between` holds two conditions
            for part in tree.args if isinstance(tree, Call) and tree.name == "and" else (tree,):
                yield Clause(label, (part,))


def _group_keys(trees: Translator, group: exp.Group, query: SelectQuery) -> Iterator[Expression]:
    for key in group.expressions:
        yield _ordinal(trees, key, query) or trees.tree(key)
    for name in ("rollup", "cube", "grouping_sets"):
        for part in group.args.get(name) or ():
            if isinstance(part, exp.Expr):
                yield trees.tree(part)
    if group.args.get("all"):
        yield Name("all")


def _ordinal(trees: Translator, key: exp.Expr, query: Query) -> Expression | None:
    """`GROUP BY 1`, `ORDER BY 2`: the output that stands there."""
    if isinstance(key, exp.Literal) and not key.args.get("is_string") and str(key.this).isdigit():
        return trees.at(query, int(key.this))
    return None


def _of_limits(trees: Translator, node: exp.Expr, query: Query) -> Iterator[Clause]:
    for key, label in _PLAIN.items():
        part = node.args.get(key)
        if isinstance(part, (exp.Having, exp.Qualify)):
            yield from _conjuncts(trees, part.this, label)
        elif isinstance(part, (exp.Limit, exp.Offset, exp.PreWhere)) and isinstance(
            part.args.get("expression"), exp.Expr
        ):
            yield Clause(label, (trees.tree(part.args["expression"]),))
        elif isinstance(part, exp.Expr):
            yield Clause(label, (trees.tree(part),))
    order = node.args.get("order")
    if (node.args.get("limit") or node.args.get("distinct")) and isinstance(order, exp.Expr):
        yield Clause("order", tuple(_order_key(trees, key, query) for key in order.expressions))


def _order_key(trees: Translator, key: exp.Expr, query: Query) -> Expression:
    named = _ordinal(trees, key.this, query) if isinstance(key, exp.Ordered) else None
    if named is None:
        return trees.tree(key)
    marks = [name for name in ("desc", "nulls_first") if key.args.get(name)]
    return Call("ordered", (named, *map(Name, marks)), " ".join((show(named), *marks[:1])))


def _of_set(trees: Translator, query: SetQuery) -> Iterator[Clause]:
    left: object = query.node
    while isinstance(left, exp.SetOperation):
        yield Clause(f"{left.key} {'distinct' if left.args.get('distinct') else 'all'}")
        left = left.this
    yield from _of_limits(trees, query.node, query)
