"""Queries around queries: under an alias list, and a recursive CTE as it is seen from inside."""

from __future__ import annotations

from collections.abc import Sequence

from app.reads.queries import Query
from app.reads.sources import MAYBE, NO, YES, Hit, Named, by_position
from app.reads.star import Star


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

    def look_open(self) -> bool:
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

    def look_open(self) -> bool:
        return False

    def stars(self) -> Sequence[Star]:
        return self.query.stars()

    def _rest(self) -> Sequence[Named]:
        return (self.query.expand() or ())[len(self.names) :]
