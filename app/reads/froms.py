"""FROM and JOIN: what a query may name columns of. Tables, CTEs, derived tables, laterals, functions, parenthesised joins."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from app.reads import pivots
from app.reads import walk as walking
from app.reads.queries import Query, SelectQuery
from app.reads.scopes import Join, Scope, Walk, Whole, Width, children
from app.reads.sources import MAYBE, YES, ComputedSource, GroupSource, QuerySource, Source, TableSource
from app.reads.star import Star
from app.reads.widths import note_fixed_width
from app.reads.wrapped import RenamedQuery

_SEMI = {"SEMI", "ANTI"}
#: Oracle's and others' one-row table: no relation of anybody
_NO_TABLES = {("dual",), ("sys", "dual"), ("sysibm", "sysdummy1")}


def build_from(walk: Walk, node: exp.Expr, scope: Scope) -> None:
    """Sources of FROM, JOIN and LATERAL VIEW, in order; then the conditions between them."""
    from_ = node.args.get("from_")
    if isinstance(from_, exp.From):
        for part in [from_.this, *from_.expressions]:
            if isinstance(part, exp.Expr):
                add_source(walk, part, scope)
    for join in node.args.get("joins") or ():
        add_join(walk, join, scope)
    for lateral in node.args.get("laterals") or ():
        add_source(walk, lateral, scope)


def add_join(walk: Walk, join: exp.Join, scope: Scope) -> None:
    """One joined source, hidden when it only filters, and the columns its condition reads."""
    before = list(scope.visible())
    start = len(scope.sources)
    if isinstance(join.this, (exp.Column, exp.Alias)):  # ClickHouse: ARRAY JOIN arr AS a
        _add_array_join(walk, join, scope)
    else:
        add_source(walk, join.this, scope)
    added = scope.sources[start:]
    if str(join.args.get("kind") or "").upper() in _SEMI:
        for source in added:
            source.hidden = True
    for name in join.args.get("using") or ():
        _note_using(walk, name, scope, before, added)
    if str(join.args.get("method") or "").upper() == "NATURAL":
        _note_natural(walk, join, scope, before, added)
    for key, part in children(join):
        if key in ("on", "match_condition"):
            walking.walk_expression(walk, part, scope, "join")


def _add_array_join(walk: Walk, join: exp.Join, scope: Scope) -> None:
    names = []
    for part in [join.this, *join.expressions]:
        names.append(walk.folder.name(part))
        walking.walk_expression(walk, part, scope, "array join")
    scope.sources.append(ComputedSource("", [name for name in names if name]))


def _note_using(walk: Walk, name: exp.Expr, scope: Scope, before: Sequence[Source], added: Sequence[Source]) -> None:
    folded = walk.folder.name(name)
    merged = scope.merged.get(folded, [])
    walk.joins.append(Join(folded, before, added, walk.line(name), merged))
    left = merged or _likely(before, folded)
    for only in [[source] for source in merged] or [left]:
        walk.add_name(name, scope, "using", only=only)
    walk.add_name(name, scope, "using", only=added)
    if not any(source.hidden for source in added):
        scope.merged[folded] = [*left, *added]


def _likely(sources: Sequence[Source], name: str) -> list[Source]:
    sure = [source for source in sources if source.has(name) == YES]
    maybe = [source for source in sources if source.has(name) == MAYBE and not isinstance(source, ComputedSource)]
    return sure or maybe or [source for source in sources if source.is_open()]


def _note_natural(walk: Walk, join: exp.Join, scope: Scope, before: Sequence[Source], added: Sequence[Source]) -> None:
    """NATURAL compares every column that both sides have: only known columns tell which, else it may be any."""
    walk.joins.append(Join("", before, added, walk.line(join.this)))
    if any(source.expand() is None for source in (*before, *added)):
        walk.wholes.append(Whole((*before, *added), walk.line(join.this), "join", certain=False))
    left = {column.name for source in before for column in source.expand() or ()}
    right = {column.name for source in added for column in source.expand() or ()}
    for name in sorted(left & right):
        scope.merged[name] = [*(source for source in before if source.has(name) == YES), *added]
        for only in (scope.merged[name][:-1], list(added)):
            walk.add_bare(name, join, scope, "join", only=only)


def add_source(walk: Walk, node: exp.Expr, scope: Scope) -> None:
    """One element of a FROM list, with the joins and pivots that hang on it."""
    start = len(scope.sources)
    if isinstance(node, (exp.Final, exp.Stream)):  # ClickHouse; Databricks' STREAM(t) and STREAM t
        node = node.this
    if isinstance(node, exp.Table):
        _add_table(walk, node, scope)
    elif isinstance(node, exp.Subquery):
        _add_subquery(walk, node, scope)
    elif isinstance(node, exp.Lateral):
        _add_lateral(walk, node, scope)
    elif walking.is_query(node):
        query = walking.build_query(walk, node, scope.so_far(), scope.env, outward=isinstance(node, exp.Values))
        scope.sources.append(QuerySource(_alias(walk, node), rename(query, alias_columns(walk, node))))
    else:
        _add_function(walk, node, node, scope)
    for pivot in node.args.get("pivots") or ():
        pivots.add_pivot(walk, pivot, scope, start)
    for join in node.args.get("joins") or ():
        add_join(walk, join, scope)
    for lateral in node.args.get("laterals") or ():
        add_source(walk, lateral, scope)


def _add_table(walk: Walk, node: exp.Table, scope: Scope) -> None:
    parts = walk.folder.parts(node)
    if not parts:
        _add_function(walk, node, node, scope)
        return
    if parts in _NO_TABLES:
        scope.sources.append(ComputedSource(_alias(walk, node) or parts[-1], ()))
        return
    names = alias_columns(walk, node)
    own = walk.folder.own(node)
    if len(parts) == 1 and own in scope.env:
        query = rename(scope.env[own], names)
        scope.sources.append(QuerySource(_alias(walk, node) or own, query))
        return
    first = walk.folder.name(node.args.get("db"))
    if len(parts) == 2 and walk.dialect in ("redshift", "bigquery") and _is_path(first, scope):
        walk.add_bare(own, node, scope, "from", table=first)
        scope.sources.append(ComputedSource(_alias(walk, node) or own, names or None))
        return
    table = walk.table(node)
    source: Source = table
    if names:
        source = QuerySource(table.name, rename(one_table(table, walk.line(node)), names))
        note_fixed_width(walk, one_table(table, walk.line(node)), names)
    scope.sources.append(source)
    for key in ("when", "version", "sample"):
        if isinstance(node.args.get(key), exp.Expr):
            walking.walk_expression(walk, node.args[key], scope, "from")


def _is_path(first: str, scope: Scope) -> bool:
    """`FROM t, t.items`: an array of a table already named, not a table of a schema."""
    around: Scope | None = scope
    while around is not None:
        if any(source.name == first for source in around.sources):
            return True
        around = around.parent
    return False


def _add_subquery(walk: Walk, node: exp.Subquery, scope: Scope) -> None:
    alias, names = _alias(walk, node), alias_columns(walk, node)
    if walking.is_query(node.this):
        before = scope.so_far()
        env = walking.build_with(walk, node, before, scope.env, outward=False)
        query = walking.build_query(walk, node.this, before, env, outward=False)
        scope.sources.append(QuerySource(alias, rename(query, names)))
        note_fixed_width(walk, query, names)
        return
    if not alias:  # a join, or a table, in parentheses
        add_source(walk, node.this, scope)
        return
    inside = Scope(scope.so_far(), scope.env)
    add_source(walk, node.this, inside)
    scope.sources.append(GroupSource(alias, inside.sources))


def _add_lateral(walk: Walk, node: exp.Lateral, scope: Scope) -> None:
    inner = node.this
    if walking.is_query(inner):
        query = walking.build_query(walk, inner, scope.so_far(), scope.env, outward=True)
        scope.sources.append(QuerySource(_alias(walk, node), rename(query, alias_columns(walk, node))))
    else:
        _add_function(walk, node, inner, scope)


def _add_function(walk: Walk, node: exp.Expr, inner: exp.Expr, scope: Scope) -> None:
    """A table function or UNNEST: its arguments see the sources before it, its columns come from no table."""
    before = scope.so_far()
    for key, part in children(inner):
        if key not in ("alias", "joins", "pivots", "laterals", "db", "catalog", "offset"):
            walking.walk_expression(walk, part, before, "from")
    alias = _alias(walk, node)
    names = list(alias_columns(walk, node))
    offset = walk.folder.name(node.args.get("offset"))
    if isinstance(node, exp.Unnest) and alias and not names:
        names = [alias]  # the element goes by the alias
    every = [*names, *([offset] if offset else [])]
    source = ComputedSource(alias or (names[0] if isinstance(node, exp.Unnest) and names else ""), every or None)
    scope.sources.append(source)


def _alias(walk: Walk, node: exp.Expr) -> str:
    return walk.folder.name(node.args.get("alias"))


def alias_columns(walk: Walk, node: exp.Expr) -> tuple[str, ...]:
    """Column names that an alias gives: `AS t(a, b)`, a CTE's list."""
    alias = node.args.get("alias")
    names = alias.args.get("columns") if isinstance(alias, exp.TableAlias) else None
    return tuple(walk.folder.name(name) for name in names or ())


def rename(query: Query, names: Sequence[str]) -> Query:
    """The query under the names of an alias list, if there is one."""
    return RenamedQuery(query, names) if names else query


def one_table(table: TableSource, line: int) -> Query:
    """A table seen as `SELECT *` of it."""
    query = SelectQuery()
    query.items.append(Star([table], line))
    return query


def add_result(scope: Scope, query: Query) -> None:
    """The columns of a query as the only names that its ORDER BY sees."""
    scope.sources.append(QuerySource("", query))


def note_table_in_expression(walk: Walk, node: exp.Table, scope: Scope) -> None:
    """A table where an expression stands (`x IN t`, `EXISTS(TABLE t)`): named, no column of it."""
    parts = walk.folder.parts(node)
    if (
        parts
        and not (len(parts) == 1 and walk.folder.own(node) in scope.env)
        and not isinstance(node.parent, exp.Predict)
    ):
        walk.relations.setdefault(".".join(parts))


def note_table_name(walk: Walk, node: exp.Column, scope: Scope) -> None:
    """ClickHouse's `x IN t`: t is a table of one column."""
    names = [node.args.get("db"), node.args.get("table"), node.this]
    relation = ".".join(walk.folder.name(name) for name in names if name is not None)
    if relation and relation not in scope.env:
        walk.relations.setdefault(relation)
        walk.widths.append(Width(relation, walk.line(node), "in"))
