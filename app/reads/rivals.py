"""Names of a statement that a new column somewhere would disturb, whatever the change is that brings it.

A name without a table is ambiguous as soon as a second table has it; an inner table's column, or an input column beside an
alias, takes it over without a word; NATURAL joins by every name that both sides have; a star beside columns that are written
out gives one name twice. Tables that have the column already are listed as well: they cannot gain it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from app.reads.aliases import alias_wins
from app.reads.queries import Query, SelectQuery, SetQuery
from app.reads.resolve import Resolver
from app.reads.scopes import Join, Ref, Scope, Walk
from app.reads.sources import NO, YES, Item, Source, TableSource
from app.reads.star import Star
from app.reads.stars import find_source
from app.reads.statement import Rival
from app.reads.ways import Way, find_ways, holds
from app.reads.widths import find_tables

#: give a second column of one name another name, so that nothing fails; the first keeps it
_RENAMES_DOUBLES = frozenset({"duckdb", "sqlite"})
#: take one of two columns of a name without complaint, or may be set to
_PICKS_ONE = frozenset({"clickhouse"})
#: an alias beats an input column: everywhere, or in HAVING over aggregates
_ALIAS_FIRST = frozenset({"clickhouse"})
_HAVING_ALIAS = frozenset({"duckdb", "mysql", "bigquery"})
#: more than this in one statement is a generated monster; what is over is said by one doubt for each relation
MOST_RIVALS = 10_000


@dataclass(frozen=True, slots=True)
class _Taken:
    """Within one scope: relations that would come before whatever the name means further out, and how it then breaks."""

    relation: str
    doubled: bool


def find_rivals(resolver: Resolver, query: Query | None, *, named: bool) -> tuple[Rival, ...]:
    """Each once. `named`: the query's columns become those of a relation, by their own names."""
    walk = resolver.walk
    found: dict[tuple[str, str, str, tuple[str, ...] | None], Rival] = {}
    parts = [
        *(rival for n, ref in enumerate(walk.refs) if not ref.only for rival in _of_ref(resolver, query, n, ref)),
        *(rival for join in walk.joins for rival in _of_join(join)),
        *(_of_doubles(query, walk.dialect) if named or walk.dialect == "bigquery" else ()),
    ]
    for rival in parts:
        found.setdefault((rival.relation, rival.column, rival.effect, rival.outputs), rival)
    rivals = tuple(found.values())
    if len(rivals) <= MOST_RIVALS:
        return rivals
    return tuple(Rival(name, "*", "stops", walk.first_line, certain=False) for name in walk.relations)


# --- written names --------------------------------------------------------------------------------------------------


def _of_ref(resolver: Resolver, query: Query | None, n: int, ref: Ref) -> Iterator[Rival]:
    for length in range(len(ref.parts) - 1, 0, -1):
        source = find_source(ref.scope, ref.parts[:length])
        if source is not None:
            if not isinstance(source, TableSource):
                yield from _of_doubled(resolver.walk, ref, ref.parts[length], [source])
            return
    yield from _of_bare(resolver, query, n, ref)


def _of_doubled(walk: Walk, ref: Ref, name: str, sources: Sequence[Source]) -> Iterator[Rival]:
    """A name of a derived table that would hand on two columns of it."""
    ways = find_ways(sources, name)
    for relation in _relations(ways):
        rank = holds(ways, relation)
        if rank and walk.dialect not in _RENAMES_DOUBLES:
            yield Rival(relation, name, "stops", ref.line, certain=rank == YES and walk.dialect not in _PICKS_ONE)


def _of_bare(resolver: Resolver, query: Query | None, n: int, ref: Ref) -> Iterator[Rival]:
    walk, name = resolver.walk, ref.parts[0]
    alias = resolver.find_alias(ref, name)
    if alias is not None and alias_wins(ref.clause, key=ref.key):
        return
    taken: list[_Taken] = []
    scope: Scope | None = ref.scope
    while scope is not None:
        ways = _ways_in(scope, ref, name)
        yield from _of_level(walk, ref, name, ways)
        for one in taken:
            if rank := holds(ways, one.relation):
                yield _captured(query, n, ref, one, name, certain=rank == YES)
        sure = {way.relation for way in ways if way.rank == YES}
        if len(sure) > 1 or "" in sure:
            return
        here = [_Taken(r, _count(ways, r) > 1) for r in _relations(ways) if not holds(ways, r)]
        taken = [one for one in (*taken, *here) if not sure or one.relation in sure]
        if sure and not taken:
            return
        if scope is ref.scope and alias is not None:
            if not _alias_stays(walk, ref):
                yield from (_captured(query, n, ref, one, name, certain=True) for one in here)
            return
        scope = scope.around()


def _ways_in(scope: Scope, ref: Ref, name: str) -> list[Way]:
    sources = scope.visible() if ref.clause != "join" or scope is not ref.scope else scope.sources
    shared = scope.merged.get(name, ())
    ways = find_ways([source for source in sources if source not in shared], name)
    return [Way("", YES), *ways] if shared else ways


def _of_level(walk: Walk, ref: Ref, name: str, ways: Sequence[Way]) -> Iterator[Rival]:
    """Two sources of one scope have it: no engine chooses, but those that may be told to."""
    for relation in _relations(ways):
        if rank := holds(ways, relation):
            yield Rival(relation, name, "stops", ref.line, certain=rank == YES and walk.dialect not in _PICKS_ONE)


def _alias_stays(walk: Walk, ref: Ref) -> bool:
    if ref.clause == "order by" or walk.dialect in _ALIAS_FIRST:
        return True  # the output comes first, or the engines disagree about what matters under a LIMIT alone
    return ref.clause == "having" and walk.dialect in _HAVING_ALIAS


def _captured(query: Query | None, n: int, ref: Ref, one: _Taken, name: str, *, certain: bool) -> Rival:
    effect = "stops" if one.doubled else "values"
    return Rival(one.relation, name, effect, ref.line, _outputs_of(query, n), certain)  # type: ignore[arg-type]


def _outputs_of(query: Query | None, n: int) -> tuple[str, ...] | None:
    """The outputs in whose expression the n-th reference stands, None where it bears on all of them."""
    items = query.items if isinstance(query, SelectQuery) else ()
    names = (item.name for item in items if isinstance(item, Item) and n in range(*item.span))
    return tuple(names) or None


def _relations(ways: Iterable[Way]) -> list[str]:
    return list(dict.fromkeys(way.relation for way in ways if way.relation))


def _count(ways: Sequence[Way], relation: str) -> int:
    return sum(1 for way in ways if way.relation == relation)


# --- joins by name --------------------------------------------------------------------------------------------------


def _of_join(join: Join) -> Iterator[Rival]:
    if join.name:
        left = [source for source in join.before if source not in join.merged]
        ways = [*([Way("", YES)] if join.merged else []), *find_ways(left, join.name)]
        for relation in _relations(ways):
            if rank := holds(ways, relation):
                yield Rival(relation, join.name, "stops", join.line, certain=rank == YES)
        return
    for mine, others in ((join.before, join.added), (join.added, join.before)):
        names = _names(others)
        for relation in dict.fromkeys(name for source in mine for name in find_tables(source)):
            if names is None:
                yield Rival(relation, "*", "values", join.line, certain=False)
            for name in names or ():
                if holds(find_ways(others, name), relation) == YES:
                    yield Rival(relation, name, "values", join.line)


def _names(sources: Sequence[Source]) -> list[str] | None:
    listed = [source.expand() for source in sources]
    if any(columns is None for columns in listed):
        return None
    return list(dict.fromkeys(column.name for columns in listed for column in columns or ()))


# --- one name twice in what a relation is made of ---------------------------------------------------------------------


def _of_doubles(query: Query | None, dialect: str) -> Iterator[Rival]:
    while isinstance(query, SetQuery):
        query = query.branches[0]
    if not isinstance(query, SelectQuery):
        return
    for place, star in enumerate(query.items):
        if not isinstance(star, Star) or star.picks is not None:
            continue
        for relation in dict.fromkeys(name for source in star.over() for name in find_tables(source)):
            for name, at in _others(query, relation):
                if relation not in _relations(_under(star, name)):
                    continue
                if dialect not in _RENAMES_DOUBLES:
                    yield Rival(relation, name, "stops", star.line)
                elif place < at:
                    yield Rival(relation, name, "values", star.line, (name,))


def _under(star: Star, name: str) -> list[Way]:
    old = star.original(name)
    return [] if old is None or name in star.replaced or old in star.merged else find_ways(star.over(), old)


def _others(query: SelectQuery, relation: str) -> list[tuple[str, int]]:
    """Names that the query gives without the relation, with the place of what gives them."""
    found: dict[str, int] = {}
    for place, item in enumerate(query.items):
        if isinstance(item, Item):
            names = [item.name] if item.name else []
        else:
            columns = item.expand() or ()
            names = [c.name for c in columns if holds(_under(item, c.name), relation) != NO or c.name in item.replaced]
        for name in names:
            found.setdefault(name, place)
    return list(found.items())
