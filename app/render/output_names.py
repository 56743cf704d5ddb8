"""The names of a query's outputs, stars followed through its CTEs and subqueries to the relations whose columns are known."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from sqlglot import exp

from app.words import LEFT_OUT

Names: TypeAlias = tuple[str, ...]
#: the columns of a table as the query writes it; () where nobody tells them
TableNames: TypeAlias = Callable[[exp.Table], Names]

#: their right side gives no column
_ONE_SIDED: Final = frozenset({"SEMI", "ANTI"})


class Unlisted(Exception):  # noqa: N818 - a way out, not an error
    """Some output has no name, or stands for columns that nobody tells."""


def find_names(query: exp.Expr, tables: TableNames, ctes: Mapping[str, Names] | None = None) -> Names:
    """In order. Raises Unlisted."""
    inner = {**(ctes or {}), **_find_ctes(query, tables, ctes or {})}
    match query:
        case exp.Subquery():
            return find_names(query.this, tables, inner)
        case exp.SetOperation():
            left = find_names(query.left, tables, inner)
            if not query.args.get("by_name"):
                return left
            low = {name.lower() for name in left}
            return left + tuple(n for n in find_names(query.right, tables, inner) if n.lower() not in low)
        case exp.Select():
            return tuple(name for item in query.expressions for name in _of_item(query, item, tables, inner))
        case _:
            raise Unlisted


def _find_ctes(query: exp.Expr, tables: TableNames, outer: Mapping[str, Names]) -> dict[str, Names]:
    found: dict[str, Names] = {}
    with_ = query.args.get("with_")
    for cte in with_.expressions if with_ is not None else ():
        name = cte.alias.lower()
        found[name] = ()  # what refers to itself, and what cannot be told
        try:
            found[name] = _renamed(cte, find_names(cte.this, tables, {**outer, **found}))
        except Unlisted:
            continue
    return found


def _renamed(aliased: exp.Expr, names: Names) -> Names:
    given = tuple(column.name for column in aliased.args["alias"].columns) if aliased.args.get("alias") else ()
    return given + names[len(given) :]


def _of_item(select: exp.Select, item: exp.Expr, tables: TableNames, ctes: Mapping[str, Names]) -> Names:
    star = item.this if isinstance(item, exp.Column) else item
    if not isinstance(star, exp.Star):
        if not item.output_name:
            raise Unlisted
        return (item.output_name,)
    if star.args.get("rename"):
        raise Unlisted
    gone = {each.name.lower().removeprefix(LEFT_OUT) for each in star.args.get("except_") or ()}
    found = _of_sources(select, item.table if isinstance(item, exp.Column) else "", tables, ctes)
    return tuple(name for name in found if name.lower() not in gone)


def _of_sources(select: exp.Select, alias: str, tables: TableNames, ctes: Mapping[str, Names]) -> Names:
    """What `*` or `alias.*` stands for."""
    first = select.args.get("from_")
    if first is None or select.args.get("laterals"):
        raise Unlisted
    found: list[str] = []
    merged: set[str] = set()
    for join in (None, *(select.args.get("joins") or ())):
        source = first.this if join is None else join.this
        if join is not None:
            if join.kind in _ONE_SIDED:
                continue
            if join.method == "NATURAL":
                raise Unlisted
            merged |= {name.name.lower() for name in join.args.get("using") or ()}
        if alias and source.alias_or_name.lower() != alias.lower():
            continue
        names = _of_source(source, tables, ctes)
        seen = {name.lower() for name in found} & merged
        found += [name for name in names if alias or name.lower() not in seen]
    if not found:
        raise Unlisted
    return tuple(found)


def _of_source(source: exp.Expr, tables: TableNames, ctes: Mapping[str, Names]) -> Names:
    if source.args.get("pivots") or source.args.get("joins"):
        raise Unlisted
    if isinstance(source, exp.Subquery):
        names = find_names(source.this, tables, ctes)
    elif isinstance(source, exp.Table) and isinstance(source.this, exp.Identifier):
        name = source.name.lower()
        names = ctes[name] if name in ctes and not source.db else tables(source)
    else:
        raise Unlisted
    if not names:
        raise Unlisted
    return _renamed(source, names)
