"""PIVOT and UNPIVOT, in FROM and as DuckDB's statement: the names they write are reads of the source beneath."""

from __future__ import annotations

from sqlglot import exp

from app.reads import froms
from app.reads import walk as walking
from app.reads.queries import Query, SelectQuery
from app.reads.scopes import Env, Scope, Walk, Width
from app.reads.sources import ComputedSource, GroupSource, Item, PivotSource, QuerySource, Source
from app.reads.star import Star
from app.reads.widths import find_tables


def add_pivot(walk: Walk, node: exp.Pivot, scope: Scope, start: int) -> None:
    """Replaces the sources from `start` on by what the pivot makes of them."""
    members = scope.sources[start:]
    inner = members[0] if len(members) == 1 else GroupSource("", members)
    pivoted, names = _pivoted(walk, node, inner, scope)
    alias = walk.folder.name(node.args.get("alias")) or inner.name
    pivoted.name = alias
    pivoted.path = inner.path if alias == inner.name else (alias,)
    source: Source = pivoted
    if names:
        query = SelectQuery()
        query.items.append(Star([pivoted], walk.line(node)))
        source = QuerySource(alias, froms.rename(query, names))
    scope.sources[start:] = [source]


def _pivoted(walk: Walk, node: exp.Pivot, inner: Source, scope: Scope) -> tuple[PivotSource, tuple[str, ...]]:
    own = Scope(scope, scope.env, [inner])
    names = froms.alias_columns(walk, node)
    unpivot = bool(node.args.get("unpivot"))
    consumed: set[str] = set()
    generated: set[str] | None
    if unpivot:
        made_here = {walk.folder.name(one) for part in node.expressions for one in _names(part)}
        for field in node.args.get("fields") or ():
            made_here |= {walk.folder.name(one) for one in _names(field.this)}
            for listed in field.expressions:
                consumed |= _note_listed(walk, listed, own)
        generated = made_here
    else:
        for part in node.expressions:
            consumed |= _note_columns(walk, part, own)
        for field in node.args.get("fields") or ():
            consumed |= _note_columns(walk, field.this, own)
            for listed in field.expressions:
                if walking.is_query(listed) or isinstance(listed, exp.Subquery):
                    walking.walk_expression(walk, listed, own, "pivot")
        group = node.args.get("group")
        if isinstance(group, exp.Expr):
            _note_columns(walk, group, own)
        else:
            _note_grouping(walk, inner, walk.find_line(node))
        made = node.args.get("columns")
        generated = {walk.folder.name(one) for one in made} if made else None
    return PivotSource("", inner, consumed, generated), names


def _note_grouping(walk: Walk, inner: Source, line: int | None) -> None:
    """Without a list of its own, PIVOT groups by every column that it does not name: one less, and there are fewer rows."""
    walk.widths += [Width(relation, line or walk.first_line, "pivot") for relation in find_tables(inner)]


def _names(node: exp.Expr) -> list[exp.Expr]:
    return list(node.expressions) if isinstance(node, exp.Tuple) else [node]


def _note_columns(walk: Walk, node: exp.Expr, scope: Scope) -> set[str]:
    start = len(walk.refs)
    walking.walk_expression(walk, node, scope, "pivot")
    return {ref.parts[-1] for ref in walk.refs[start:] if ref.scope is scope}


def _note_listed(walk: Walk, node: exp.Expr, scope: Scope) -> set[str]:
    """A column, an aliased one, or a tuple of them in UNPIVOT's list."""
    inner = node.this if isinstance(node, (exp.Alias, exp.PivotAlias)) else node
    found: set[str] = set()
    for one in _names(inner):
        if isinstance(one, exp.Column):
            found |= _note_columns(walk, one, scope)
        elif isinstance(one, exp.Identifier):
            found.add(walk.add_name(one, scope, "pivot"))
    return found


def build_pivot(walk: Walk, node: exp.Pivot, parent: Scope | None, env: Env, *, outward: bool) -> Query:
    """DuckDB's `PIVOT t ON c USING sum(x) GROUP BY g` and `UNPIVOT t ON a, b INTO NAME n VALUE v`."""
    scope = Scope(parent, env, outward=outward)
    froms.add_source(walk, node.this, scope)
    inner = scope.sources[0]
    start = len(walk.refs)
    for key in ("expressions", "using", "fields"):
        value = node.args.get(key)
        for part in value if isinstance(value, list) else ():
            walking.walk_expression(walk, part, scope, "pivot")
    consumed = {ref.parts[-1] for ref in walk.refs[start:] if ref.scope is scope and ref.clause != "exclude"}
    if any(isinstance(star.parent, exp.Columns) for part in node.expressions for star in part.find_all(exp.Star)):
        kept = {ref.parts[-1] for ref in walk.refs[start:] if ref.clause == "exclude"}
        consumed |= {column.name for column in inner.expand() or ()} - kept
    query = SelectQuery(node, scope)
    group = node.args.get("group")
    if isinstance(group, exp.Expr):
        for key in group.expressions:
            begin = len(walk.refs)
            item = Item(walk.folder.name(key), key, scope, walk.line(key))
            walking.walk_expression(walk, key, scope, "pivot", item=item)
            item.span = (begin, len(walk.refs))
            query.items.append(item)
        query.items.append(Star([ComputedSource("", None)], walk.line(node)))
    else:
        generated = _unpivot_names(walk, node) if node.args.get("unpivot") else None
        if generated is None:
            _note_grouping(walk, inner, walk.find_line(node))
        query.items.append(Star([PivotSource("", inner, consumed, generated)], walk.line(node)))
    return query


def _unpivot_names(walk: Walk, node: exp.Pivot) -> set[str]:
    into = node.args.get("into")
    if not isinstance(into, exp.Expr):
        return {"name", "value"}
    return {walk.folder.name(into.this), *(walk.folder.name(one) for one in into.expressions)}
