"""What a query hands on: explicit projections, stars, set operations. Columns by name, by position, or not known.

Deliberately absent: where the text of a query is walked (app.reads.scopes) and what its references mean (resolve).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sqlglot import exp

from app.reads.sources import MAYBE, NO, YES, Hit, Item, Named, Source, by_position, find_among

if TYPE_CHECKING:
    from app.reads.scopes import Scope


@dataclass(eq=False, slots=True)
class Star:
    """`*` or `t.*` with its modifiers. `merged`: USING names, which stand for a column of each side at once.

    `rows`: for a star on a whole-row value (`arr[0].*`), tells the sources once references are resolved.
    """

    sources: Sequence[Source]
    line: int
    excluded: frozenset[str] = frozenset()
    replaced: Mapping[str, Item] = field(default_factory=dict)
    renamed: Mapping[str, str] = field(default_factory=dict)  # new name -> old name
    merged: Mapping[str, Sequence[Source]] = field(default_factory=dict)
    rows: Callable[[], Sequence[Source]] | None = None

    def over(self) -> Sequence[Source]:
        return self.sources if self.rows is None else self.rows()

    def original(self, name: str) -> str | None:
        """The name under the star, None when the star does not carry it."""
        if name in self.renamed:
            return self.renamed[name]
        return None if name in self.excluded or name in self.renamed.values() else name

    def has(self, name: str) -> int:
        if name in self.replaced:
            return YES
        old = self.original(name)
        return NO if old is None else max((source.has(old) for source in self.over()), default=NO)

    def is_open(self) -> bool:
        return any(source.is_open() for source in self.over())

    def expand(self) -> Sequence[Named] | None:
        found: list[Named] = []
        seen_merged: set[str] = set()
        back = {old: new for new, old in self.renamed.items()}
        for source in self.over():
            columns = source.expand()
            if columns is None:
                return None
            for column in columns:
                if column.name in self.merged:
                    if column.name in seen_merged:
                        continue
                    seen_merged.add(column.name)
                if column.name in self.replaced:
                    found.append(Named(column.name, (Hit(self.replaced[column.name]),)))
                elif column.name not in self.excluded:
                    found.append(Named(back.get(column.name, column.name), column.hits))
        return found


class Query:
    """Columns of a query. Answers are remembered; a recursive query that asks itself gets "nothing more"."""

    def __init__(self) -> None:
        self._has: dict[str, int] = {}
        self._find: dict[str, Sequence[Hit]] = {}
        self._expanded: Sequence[Named] | bool | None = False

    def has(self, name: str) -> int:
        if name not in self._has:
            self._has[name] = NO
            self._has[name] = self.look_has(name)
        return self._has[name]

    def find(self, name: str) -> Sequence[Hit]:
        if name not in self._find:
            self._find[name] = ()
            self._find[name] = self.look_find(name)
        return self._find[name]

    def expand(self) -> Sequence[Named] | None:
        if isinstance(self._expanded, bool):
            self._expanded = None
            self._expanded = self.look_expand()
        return self._expanded

    def at(self, position: int) -> Named | None:
        """The column at a place, None when what stands there is not known."""
        columns = self.expand()
        return columns[position] if columns is not None and position < len(columns) else None

    def place(self, name: str) -> int | None:
        columns = self.expand()
        if columns is None:
            return None
        return next((n for n, column in enumerate(columns) if column.name == name), None)

    def look_has(self, _name: str) -> int:
        return MAYBE

    def look_find(self, _name: str) -> Sequence[Hit]:
        return ()

    def look_expand(self) -> Sequence[Named] | None:
        return None

    def is_open(self) -> bool:
        """May hand on columns that nobody told us of."""
        return False

    def stars(self) -> Sequence[Star]:
        return ()


class ComputedQuery(Query):
    """VALUES and whatever else yields rows of no table."""


class SelectQuery(Query):
    """`node` and `scope` are what it was built from (None for one that nobody wrote)."""

    def __init__(self, node: exp.Expr | None = None, scope: Scope | None = None) -> None:
        super().__init__()
        self.node, self.scope = node, scope
        self.items: list[Item | Star] = []
        self._open = False

    def named(self, name: str) -> Item | None:
        return next((item for item in self.items if isinstance(item, Item) and item.name == name), None)

    def stars(self) -> Sequence[Star]:
        return [item for item in self.items if isinstance(item, Star)]

    def look_has(self, name: str) -> int:
        if self.named(name):
            return YES
        return max((star.has(name) for star in self.stars()), default=NO)

    def look_find(self, name: str) -> Sequence[Hit]:
        item = self.named(name)
        if item:
            return (Hit(item),)
        offers: dict[int, tuple[Source, str]] = {}
        for star in self.stars():
            if name in star.replaced:
                return (Hit(star.replaced[name]),)
            old = star.original(name)
            if old is None:
                continue
            if old in star.merged:
                return [hit for source in star.merged[old] for hit in source.find(old)]
            for source in star.over():
                offers.setdefault(id(source), (source, old))
        olds = {old for _, old in offers.values()}
        if len(olds) == 1:
            return find_among([source for source, _ in offers.values()], olds.pop())
        return [hit._replace(certain=False) for source, old in offers.values() for hit in find_among([source], old)]

    def look_expand(self) -> Sequence[Named] | None:
        found: list[Named] = []
        for item in self.items:
            if isinstance(item, Item):
                found.append(Named(item.name, (Hit(item),)))
                continue
            columns = item.expand()
            if columns is None:
                return None
            found.extend(columns)
        return found

    def at(self, position: int) -> Named | None:
        head = self.items[: position + 1]
        if len(head) == position + 1 and all(isinstance(item, Item) for item in head):
            last = head[-1]
            return Named(last.name, (Hit(last),)) if isinstance(last, Item) else None
        return super().at(position)

    def place(self, name: str) -> int | None:
        for n, item in enumerate(self.items):
            if not isinstance(item, Item):
                return super().place(name)
            if item.name == name:
                return n
        return None

    def is_open(self) -> bool:
        if self._open:
            return False  # asks itself: a recursive CTE adds nothing
        self._open = True
        try:
            return any(star.is_open() for star in self.stars())
        finally:
            self._open = False


class SetQuery(Query):
    """UNION and its like. Names come from the first branch; the others follow by position, unless BY NAME."""

    def __init__(self, node: exp.Expr, branches: Sequence[Query], *, by_name: bool) -> None:
        super().__init__()
        self.node = node
        self.branches, self.by_name = tuple(branches), by_name
        self._open = False

    def look_has(self, name: str) -> int:
        ask = self.branches if self.by_name else self.branches[:1]
        return max((branch.has(name) for branch in ask), default=NO)

    def look_find(self, name: str) -> Sequence[Hit]:
        first, *others = self.branches
        if self.by_name:
            return [
                hit for branch in self.branches if branch.has(name) or branch.is_open() for hit in branch.find(name)
            ]
        found = list(first.find(name))
        place = first.place(name)
        for branch in others:
            column = branch.at(place) if place is not None else None
            hits = column.hits if column is not None else branch.find(name)
            found += [by_position(hit) for hit in hits]
        return found

    def look_expand(self) -> Sequence[Named] | None:
        columns = self.branches[0].expand()
        if columns is None:
            return None
        if self.by_name:
            every = [branch.expand() for branch in self.branches]
            if any(one is None for one in every):
                return None
            names = dict.fromkeys(column.name for one in every for column in one or ())
            return [Named(name, tuple(self.find(name))) for name in names]
        return [Named(column.name, self._across(n, column)) for n, column in enumerate(columns)]

    def _across(self, place: int, first: Named) -> tuple[Hit, ...]:
        others = [branch.at(place) for branch in self.branches[1:]]
        if any(other is None for other in others):
            return tuple(self.find(first.name))
        return (*first.hits, *(by_position(hit) for other in others if other for hit in other.hits))

    def is_open(self) -> bool:
        if self._open:
            return False
        self._open = True
        try:
            return any(branch.is_open() for branch in self.branches)
        finally:
            self._open = False

    def stars(self) -> Sequence[Star]:
        return [star for branch in self.branches for star in branch.stars()]


class LaterQuery(Query):
    """A recursive CTE seen from inside itself: the query is filled in once it is built."""

    def __init__(self) -> None:
        super().__init__()
        self.query: Query | None = None

    def look_has(self, name: str) -> int:
        return self.query.has(name) if self.query else MAYBE

    def look_find(self, name: str) -> Sequence[Hit]:
        return self.query.find(name) if self.query else ()

    def look_expand(self) -> Sequence[Named] | None:
        return self.query.expand() if self.query else None

    def is_open(self) -> bool:
        return self.query.is_open() if self.query else False

    def stars(self) -> Sequence[Star]:
        return self.query.stars() if self.query else ()


class RenamedQuery(Query):
    """A query whose columns an alias list renames by position: `c(a, b) AS (...)`, `(...) AS t(a, b)`."""

    def __init__(self, query: Query, names: Sequence[str]) -> None:
        super().__init__()
        self.query, self.names = query, tuple(names)

    def look_has(self, name: str) -> int:
        if name in self.names:
            return YES
        return YES if any(column.name == name for column in self._rest()) else NO

    def look_find(self, name: str) -> Sequence[Hit]:
        if name not in self.names:
            return self.query.find(name) if self._rest() else ()
        found = self.query.at(self.names.index(name))
        if found is not None:
            return [by_position(hit) for hit in found.hits]
        # a star of unknown width: the one table column that the name can be told to be is the one of that name
        return [hit._replace(certain=False) for hit in self.query.find(name)] if self.query.is_open() else ()

    def look_expand(self) -> Sequence[Named] | None:
        inner = self.query.expand()
        if inner is None:
            return None
        renamed = [
            Named(name, tuple(map(by_position, column.hits))) for name, column in zip(self.names, inner, strict=False)
        ]
        return [*renamed, *inner[len(self.names) :]]

    def is_open(self) -> bool:
        return False

    def stars(self) -> Sequence[Star]:
        return self.query.stars()

    def _rest(self) -> Sequence[Named]:
        return (self.query.expand() or ())[len(self.names) :]
