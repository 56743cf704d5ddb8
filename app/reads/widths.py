"""Where the number of columns matters: a star in a branch of a positional UNION, under a fixed list of names, in an IN.

Dropping or adding a column of such a relation breaks the statement; renaming one does not.
"""

from __future__ import annotations

from collections.abc import Sequence

from app.reads.queries import Query
from app.reads.scopes import Walk, Width
from app.reads.sources import GroupSource, PivotSource, QuerySource, Source, TableSource


def find_wide_tables(query: Query, seen: set[int] | None = None) -> list[str]:
    """Relations whose whole width shows in a query's output, once for each star that shows it.

    `seen`: queries already looked at; through a recursive CTE, or the same CTE joined again and again, nothing is added.
    """
    seen = set() if seen is None else seen
    if id(query) in seen:
        return []
    seen.add(id(query))
    return [relation for star in query.stars() for source in star.over() for relation in _of_source(source, seen)]


def _of_source(source: Source, seen: set[int]) -> list[str]:
    if isinstance(source, TableSource):
        return [source.relation]
    if isinstance(source, QuerySource):
        return find_wide_tables(source.query, seen)
    if isinstance(source, GroupSource):
        return [relation for member in source.members for relation in _of_source(member, seen)]
    if isinstance(source, PivotSource):
        return _of_source(source.inner, seen)
    return []


def find_tables(source: Source) -> list[str]:
    """Relations whose whole rows a whole row of this source is made of, each once."""
    return list(dict.fromkeys(_of_source(source, set())))


def note_set_widths(walk: Walk, branches: Sequence[Query]) -> None:
    """Branches of one positional set operation need one width. Stars over the same tables shrink together."""
    wide = [find_wide_tables(branch) for branch in branches]
    if len({tuple(sorted(names)) for names in wide}) > 1:
        walk.unions.append(tuple(map(tuple, wide)))
        for branch in branches:
            note_stars(walk, branch, "union")


def note_fixed_width(walk: Walk, query: Query, names: Sequence[str], clause: str = "select") -> None:
    """A star under a fixed list of names."""
    if names:
        note_stars(walk, query, clause)


def note_stars(walk: Walk, query: Query, clause: str) -> None:
    """Every star of the query's output makes the width of its relations matter."""
    for star in query.stars():
        seen: set[int] = set()
        for relation in dict.fromkeys(one for source in star.over() for one in _of_source(source, seen)):
            walk.widths.append(Width(relation, star.line, clause))
