"""Every way by which a source may come to give a name: through which relation, and whether it is known to.

Unlike `Source.find`, which takes the SQL to be valid and answers with the one meaning, this lists what a second column of
the name would collide with.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from app.reads.queries import Query, SelectQuery, SetQuery
from app.reads.sources import MAYBE, NO, YES, GroupSource, PivotSource, QuerySource, Source, TableSource
from app.reads.star import Star
from app.reads.wrapped import LaterQuery, RenamedQuery


class Way(NamedTuple):
    """`relation` "": no table's column (a projection, a list of names, a join key). `rank`: NO for a table that lacks it."""

    relation: str
    rank: int


def find_ways(sources: Iterable[Source], name: str) -> list[Way]:
    """In the order of the sources."""
    seen: set[tuple[int, str]] = set()
    return [way for source in sources for way in _of_source(source, name, seen)]


def _of_source(source: Source, name: str, seen: set[tuple[int, str]]) -> Iterator[Way]:
    match source:
        case TableSource():
            yield Way(source.relation, source.has(name))
        case QuerySource():
            yield from _of_query(source.query, name, seen)
        case GroupSource():
            for member in source.members:
                yield from _of_source(member, name, seen)
        case PivotSource():
            if name in (source.generated or ()):
                yield Way("", YES)
            elif name not in source.consumed:
                for way in _of_source(source.inner, name, seen):
                    yield way if source.generated is not None else way._replace(rank=min(way.rank, MAYBE))
        case _:
            if rank := source.has(name):
                yield Way("", rank)


def _of_query(query: Query, name: str, seen: set[tuple[int, str]]) -> Iterator[Way]:
    """`seen`: a recursive query adds nothing to itself, and a CTE that is joined with itself is followed once."""
    if (id(query), name) in seen:
        if query.has(name) == YES:
            yield Way("", YES)
        return
    seen.add((id(query), name))
    match query:
        case SelectQuery():
            yield from _of_select(query, name, seen)
        case SetQuery() if query.by_name and query.has(name) == YES:
            yield Way("", YES)  # another branch may have it as well: their columns of one name are one column
        case SetQuery():
            for branch in query.branches if query.by_name else query.branches[:1]:
                yield from _of_query(branch, name, seen)
        case LaterQuery() if query.query is not None:
            yield from _of_query(query.query, name, seen)
        case RenamedQuery() if query.has(name) != YES:
            pass  # a list of names hands on no other
        case _:
            if rank := query.has(name):
                yield Way("", rank)


def _of_select(query: SelectQuery, name: str, seen: set[tuple[int, str]]) -> Iterator[Way]:
    if query.named(name):
        yield Way("", YES)
    for star in query.stars():
        yield from _of_star(star, name, seen)


def _of_star(star: Star, name: str, seen: set[tuple[int, str]]) -> Iterator[Way]:
    old = star.original(name)
    if name in star.replaced or (old is not None and old in star.merged):
        yield Way("", YES)
    elif old is not None:
        for source in star.over():
            for way in _of_source(source, old, seen):
                yield way._replace(rank=min(way.rank, MAYBE)) if star.vague else way


def holds(ways: Iterable[Way], relation: str) -> int:
    """Whether the name is there without any column of the relation: NO, MAYBE, YES."""
    return max((way.rank for way in ways if way.relation != relation), default=NO)
