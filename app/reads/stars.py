"""Stars in a projection: `*`, `t.*`, EXCEPT / REPLACE / RENAME, COLUMNS(...), stars on a whole-row value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sqlglot import exp

from app.reads import walk as walking
from app.reads.patterns import Picker, find_listed, find_picker
from app.reads.queries import Query
from app.reads.scopes import Scope, Walk, Whole
from app.reads.sources import Item, Source
from app.reads.star import Star
from app.reads.widths import note_stars
from app.words import LEFT_OUT

if TYPE_CHECKING:
    from collections.abc import Callable


def build_star(walk: Walk, node: exp.Expr, scope: Scope) -> Star | None:
    """The star a projection is, with the names it writes noted as references; None for any other projection."""
    inner = node.this if isinstance(node, (exp.Apply, exp.Like, exp.ILike, exp.Columns)) else node
    if isinstance(node, exp.Columns) and not isinstance(inner, (exp.Star, exp.Column)):
        return _pattern_star(walk, node, scope)
    if isinstance(inner, exp.Star):
        return _star(walk, inner, scope, scope.visible(), node)
    if isinstance(inner, exp.Column) and isinstance(inner.this, exp.Star):
        names = [inner.args.get(key) for key in ("catalog", "db", "table")]
        parts = tuple(walk.folder.name(name) for name in names if name is not None)
        source = find_source(scope, parts)
        if source is not None:
            return _star(walk, inner.this, scope, [source], node)
        return _row_star(walk, inner, parts, scope)
    if isinstance(inner, exp.Dot) and isinstance(inner.expression, exp.Star):
        return _dot_star(walk, inner, scope)
    return None


def find_source(scope: Scope | None, parts: tuple[str, ...]) -> Source | None:
    """The source that a qualifier names, in this query or one around it."""
    while scope is not None:
        for source in scope.sources:
            if source.path[-len(parts) :] == parts:
                return source
        scope = scope.parent
    return None


def _star(walk: Walk, star: exp.Star, scope: Scope, sources: Sequence[Source], node: exp.Expr) -> Star:
    line = star.meta.get("line") or walk.find_line(node) or _line_of(sources) or walk.first_line
    merged = scope.merged if len(sources) != 1 else {}
    excluded, replaced, renamed = note_star_names(walk, star, scope, sources)
    return Star(list(sources), line, frozenset(excluded), replaced, renamed, dict(merged))


def _line_of(sources: Sequence[Source]) -> int | None:
    """`FROM t` alone writes no star: its line is the table's."""
    return next((line for source in sources if isinstance(line := getattr(source, "line", None), int)), None)


def note_star_names(
    walk: Walk, star: exp.Star, scope: Scope, sources: Sequence[Source]
) -> tuple[list[str], dict[str, Item], dict[str, str]]:
    """The names that modifiers write are reads: engines refuse `* EXCEPT (c)` when c is gone (a macro does not)."""
    excluded = [
        bare.removeprefix(LEFT_OUT)
        if (bare := walk.folder.name(name)).startswith(LEFT_OUT)
        else walk.add_name(name, scope, "exclude", only=sources)
        for name in _listed(star, "except_") + _listed(star, "except")
    ]
    replaced: dict[str, Item] = {}
    for alias in _listed(star, "replace"):
        name = walk.folder.name(alias)
        walk.add_name(alias.args.get("alias"), scope, "replace", only=sources)
        start = len(walk.refs)
        item = replaced[name] = Item(name, alias.this, scope, walk.line(alias), aliased=True)
        walking.walk_expression(walk, alias.this, scope, "replace", item=item)
        item.span = (start, len(walk.refs))
    renamed = {
        walk.folder.name(alias): walk.add_name(alias.this, scope, "rename", only=sources)
        for alias in _listed(star, "rename")
    }
    return excluded, replaced, renamed


def _listed(star: exp.Star, key: str) -> list[exp.Expr]:
    value = star.args.get(key)
    values = value if isinstance(value, list) else [value]
    return [one for one in values if isinstance(one, exp.Expr)]


def _row_star(walk: Walk, node: exp.Column, parts: tuple[str, ...], scope: Scope) -> Star:
    """`x.*` where x is a column: the fields of a struct, or of a whole row kept in x."""
    start = len(walk.refs)
    walk.add_bare(parts[-1], node, scope, "select", table=".".join(parts[:-1]))
    return Star((), walk.line(node), rows=_rows(walk, start))


def _dot_star(walk: Walk, node: exp.Dot, scope: Scope) -> Star:
    start = len(walk.refs)
    walking.walk_expression(walk, node.this, scope, "select")
    return Star((), walk.line(node), rows=_rows(walk, start))


def _rows(walk: Walk, start: int) -> Callable[[], Sequence[Source]]:
    end = len(walk.refs)
    return lambda: walk.rows((start, end))


def _pattern_star(walk: Walk, node: exp.Columns, scope: Scope) -> Star:
    picks = _find_picker(node)
    matches = _find_matches(scope, picks)
    if matches is not None and len(matches) == 1:
        ((source, name),) = matches
        walk.add_bare(name, node, scope, "select", only=[source])  # a pattern that matches nothing is an error
    return Star(scope.visible(), walk.line(node), merged=scope.merged, picks=picks, vague=picks is None)


def note_columns(walk: Walk, node: exp.Columns, scope: Scope, clause: str, *, projected: bool) -> None:
    """COLUMNS(...) within an expression, which is computed for each of the columns."""
    matches = _find_matches(scope, _find_picker(node))
    for source, name in matches or ():
        walk.add_bare(name, node, scope, clause, only=[source])
    if matches is None:
        whole = Whole(tuple(scope.visible()), walk.line(node), clause, certain=False, projected=projected)
        walk.wholes.append(whole)


def _find_picker(node: exp.Columns) -> Picker | None:
    pattern = node.this
    if isinstance(pattern, exp.Literal) and pattern.is_string:
        return find_picker(str(pattern.this))
    if isinstance(pattern, exp.Array) and all(isinstance(one, exp.Literal) for one in pattern.expressions):
        return find_listed(str(one.this) for one in pattern.expressions)
    return None  # a lambda


def _find_matches(scope: Scope, picks: Picker | None) -> list[tuple[Source, str]] | None:
    """The columns that are picked; None where the columns of a source, or what is picked, is not known."""
    listed = [(source, source.expand()) for source in scope.visible()]
    if picks is None or any(columns is None for _, columns in listed):
        return None
    return [(source, column.name) for source, columns in listed for column in columns or () if picks(column.name)]


def note_table_star(walk: Walk, node: exp.Column, scope: Scope, clause: str, *, projected: bool) -> None:
    """`t.*` within an expression: `to_jsonb(t.*)`, `count(distinct (t.*))`."""
    names = [node.args.get(key) for key in ("catalog", "db", "table")]
    source = find_source(scope, tuple(walk.folder.name(name) for name in names if name is not None))
    if source is not None:
        note_star_names(walk, node.this, scope, [source])
        note_whole(walk, node, node.this, [source], clause, projected=projected)


def note_whole(
    walk: Walk, node: exp.Expr, star: exp.Star, sources: Sequence[Source], clause: str, *, projected: bool
) -> None:
    """A star within an expression takes whole rows, except where rows are merely counted."""
    # Snowflake's count(t.*) counts the rows without any NULL; count(*) is a row count everywhere
    if counts_rows(node) and not (isinstance(node, exp.Column) and walk.dialect == "snowflake"):
        return
    line = star.meta.get("line") or walk.find_line(node) or _line_of(sources) or walk.first_line
    walk.wholes.append(Whole(tuple(sources), line, clause, projected=projected))
    walk.starred[id(node)] = tuple(sources)


def counts_rows(node: exp.Expr) -> bool:
    """COUNT(row): how many rows, whatever is in them."""
    parent = node.parent
    while isinstance(parent, exp.Paren):
        parent = parent.parent
    return isinstance(parent, exp.Count)


def note_single_column(walk: Walk, node: exp.Expr, query: Query) -> None:
    """`x IN (SELECT * ...)`: the subquery must have exactly one column."""
    if isinstance(node.parent, exp.In) and node.arg_key == "query":
        note_stars(walk, query, "in")
