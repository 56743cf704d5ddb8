"""What a query hands on: explicit projections, stars, set operations. Columns by name, by position, or not known.

Deliberately absent: where the text of a query is walked (app.reads.scopes) and what its references mean (resolve).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sqlglot import exp

from app.reads.sources import MAYBE, NO, YES, Hit, Item, Named, Source, by_position, find_among
from app.reads.star import Star

if TYPE_CHECKING:
    from app.reads.scopes import Scope

#: a list of columns longer than this is treated as not known: stars over joins of stars double it at every step
MAX_COLUMNS = 5_000


class Query:
    """Columns of a query. Answers are remembered; a recursive query that asks itself gets "nothing more"."""

    def __init__(self) -> None:
        self._has: dict[str, int] = {}
        self._find: dict[str, Sequence[Hit]] = {}
        self._expanded: Sequence[Named] | bool | None = False
        self._open: bool | None = None

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
            found = self.look_expand()
            self._expanded = found if found is None or len(found) <= MAX_COLUMNS else None
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
        """May hand on columns that nobody told us of. A query that asks itself adds nothing."""
        if self._open is None:
            self._open = False
            self._open = self.look_open()
        return self._open

    def look_open(self) -> bool:
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
                return list(dict.fromkeys(hit for source in star.merged[old] for hit in source.find(old)))
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

    def look_open(self) -> bool:
        return any(star.is_open() for star in self.stars())


class SetQuery(Query):
    """UNION and its like. Names come from the first branch; the others follow by position, unless BY NAME."""

    def __init__(self, node: exp.Expr, branches: Sequence[Query], *, by_name: bool) -> None:
        super().__init__()
        self.node = node
        self.branches, self.by_name = tuple(branches), by_name

    def look_has(self, name: str) -> int:
        ask = self.branches if self.by_name else self.branches[:1]
        return max((branch.has(name) for branch in ask), default=NO)

    def look_find(self, name: str) -> Sequence[Hit]:
        first, *others = self.branches
        if self.by_name:
            having = [branch for branch in self.branches if branch.has(name) or branch.is_open()]
            return list(dict.fromkeys(hit for branch in having for hit in branch.find(name)))
        found = list(first.find(name))
        place = first.place(name)
        for branch in others:
            column = branch.at(place) if place is not None else None
            hits = column.hits if column is not None else branch.find(name)
            found += [by_position(hit) for hit in hits]
        return list(dict.fromkeys(found))

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
        further = (by_position(hit) for other in others if other for hit in other.hits)
        return tuple(dict.fromkeys((*first.hits, *further)))

    def look_open(self) -> bool:
        return any(branch.is_open() for branch in self.branches)

    def stars(self) -> Sequence[Star]:
        return [star for branch in self.branches for star in branch.stars()]
