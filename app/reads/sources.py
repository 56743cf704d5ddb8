"""What a FROM clause offers names from: tables, queries, functions, pivots. Answers `has` and `find`, nothing about clauses.

`has` says NO, MAYBE or YES, for the columns of a table may be unknown. `find` follows a name through stars until a real
table's column or an explicit projection: that one is a reference of its own, so the way ends there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from sqlglot import exp

if TYPE_CHECKING:
    from app.reads.queries import Query
    from app.reads.scopes import Scope, Whole

NO, MAYBE, YES = 0, 1, 2


class TableColumn(NamedTuple):
    relation: str
    column: str


@dataclass(eq=False, slots=True)
class Item:
    """An explicit projection of a SELECT. `span` are the places of its references in the list of all references.

    `wide`: the whole rows that it takes through a star (`object_construct(*)`).
    """

    name: str
    node: exp.Expr
    scope: Scope
    line: int
    aliased: bool = False
    span: tuple[int, int] = (0, 0)
    wide: tuple[Whole, ...] = ()


Origin: TypeAlias = TableColumn | Item


class Hit(NamedTuple):
    """One place a name comes from. `positional`: by its place in a star, not by its name.

    `shadows`: another source of the same star has the name too, and takes over when this column goes.
    """

    origin: Origin
    certain: bool = True
    positional: bool = False
    shadows: bool = False


class Named(NamedTuple):
    """One column of a fully known list; no hits: computed from nothing that SQL names."""

    name: str
    hits: tuple[Hit, ...]


class Source:
    """Base of all. `name` is the alias; `path` the written name's parts where there is no alias (`db.table.column`)."""

    __slots__ = ("hidden", "name", "path")

    def __init__(self, name: str, path: tuple[str, ...] = ()) -> None:
        self.name = name
        self.path = path or ((name,) if name else ())
        self.hidden = False  # SEMI and ANTI joins: seen by ON alone

    def has(self, name: str) -> int:
        raise NotImplementedError

    def find(self, name: str) -> Sequence[Hit]:
        raise NotImplementedError

    def expand(self) -> Sequence[Named] | None:
        """All columns in order, None when they are not known."""
        return None

    def is_aliased(self) -> bool:
        """Goes by a name that the author gave it here."""
        return bool(self.name)

    def is_open(self) -> bool:
        """May have columns that nobody told us of."""
        return False


class TableSource(Source):
    __slots__ = ("columns", "line", "relation")

    def __init__(
        self, name: str, path: tuple[str, ...], relation: str, columns: Mapping[str, str] | None, line: int
    ) -> None:
        super().__init__(name, path)
        self.relation, self.columns, self.line = relation, columns, line

    def has(self, name: str) -> int:
        if self.columns is None:
            return MAYBE
        return YES if name in self.columns else NO

    def find(self, name: str) -> Sequence[Hit]:
        return (Hit(TableColumn(self.relation, name)),)

    def expand(self) -> Sequence[Named] | None:
        if self.columns is None:
            return None
        return [Named(name, (Hit(TableColumn(self.relation, name)),)) for name in self.columns]

    def is_open(self) -> bool:
        return True

    def is_aliased(self) -> bool:
        return self.name != self.relation.rsplit(".", 1)[-1]


class ComputedSource(Source):
    """A table function, VALUES, UNNEST: its columns come from no table. `names` None: not known which."""

    __slots__ = ("names",)

    def __init__(self, name: str, names: Iterable[str] | None) -> None:
        super().__init__(name)
        self.names = None if names is None else tuple(names)

    def has(self, name: str) -> int:
        if self.names is None:
            return MAYBE
        return YES if name in self.names else NO

    def find(self, name: str) -> Sequence[Hit]:  # noqa: ARG002 - a Source
        return ()

    def expand(self) -> Sequence[Named] | None:
        return None if self.names is None else [Named(name, ()) for name in self.names]


class QuerySource(Source):
    """A CTE or a derived table under its alias."""

    __slots__ = ("query",)

    def __init__(self, name: str, query: Query) -> None:
        super().__init__(name)
        self.query = query

    def has(self, name: str) -> int:
        return self.query.has(name)

    def find(self, name: str) -> Sequence[Hit]:
        return self.query.find(name)

    def expand(self) -> Sequence[Named] | None:
        return self.query.expand()

    def is_open(self) -> bool:
        return self.query.is_open()


class GroupSource(Source):
    """A join in parentheses with an alias of its own: all its tables under one name."""

    __slots__ = ("members",)

    def __init__(self, name: str, members: Sequence[Source]) -> None:
        super().__init__(name)
        self.members = tuple(members)

    def has(self, name: str) -> int:
        return max((member.has(name) for member in self.members), default=NO)

    def find(self, name: str) -> Sequence[Hit]:
        return find_among(self.members, name)

    def is_open(self) -> bool:
        return any(member.is_open() for member in self.members)


class PivotSource(Source):
    """What PIVOT or UNPIVOT leaves: the source's other columns by name, and the generated ones (None: not known which)."""

    __slots__ = ("consumed", "generated", "inner")

    def __init__(self, name: str, inner: Source, consumed: Iterable[str], generated: Iterable[str] | None) -> None:
        super().__init__(name)
        self.inner, self.consumed = inner, frozenset(consumed)
        self.generated = None if generated is None else frozenset(generated)

    def has(self, name: str) -> int:
        if self.generated is not None and name in self.generated:
            return YES
        if name in self.consumed:
            return NO if self.generated is not None else MAYBE
        known = self.inner.has(name)
        return known if self.generated is not None else max(known, MAYBE)

    def find(self, name: str) -> Sequence[Hit]:
        if name in self.consumed or (self.generated is not None and name in self.generated):
            return ()
        known = self.inner.has(name)
        if known == NO and not self.inner.is_open():
            return ()
        certain = known == YES or self.generated is not None
        return [hit if certain else hit._replace(certain=False) for hit in self.inner.find(name)]

    def expand(self) -> Sequence[Named] | None:
        inner = self.inner.expand()
        if inner is None or self.generated is None:
            return None
        kept = [column for column in inner if column.name not in self.consumed]
        return [*kept, *(Named(name, ()) for name in sorted(self.generated))]

    def is_open(self) -> bool:
        return self.inner.is_open()


def find_among(sources: Iterable[Source], name: str) -> list[Hit]:
    """The base SQL is valid: whoever surely has the name has it alone. Else everybody who may is offered it."""
    ranked = [(source.has(name), source) for source in sources]
    best = max((rank for rank, _ in ranked), default=NO)
    if best == YES:
        first, *others = [source for rank, source in ranked if rank == YES]
        return [hit._replace(shadows=True) if others else hit for hit in first.find(name)]
    chosen = [source for rank, source in ranked if (rank == MAYBE if best else source.is_open())]
    found = list(dict.fromkeys(hit for source in chosen for hit in source.find(name)))
    return found if len(chosen) == 1 else [hit._replace(certain=False) for hit in found]


def by_position(hit: Hit) -> Hit:
    """A table's column reached by its place; an explicit projection is a reference of its own, whatever the place."""
    return hit._replace(positional=True) if isinstance(hit.origin, TableColumn) else hit
