"""Things filed under a field path of the catalog, looked up by the folded name that SQL has for it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from app.trail.urns import bare, is_quoted

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class BySpelling(Generic[T]):
    """Answers what `urns.spells` would say of each path, without asking for each."""

    exact: Mapping[str, tuple[T, ...]]
    lowered: Mapping[str, tuple[T, ...]]

    @staticmethod
    def of(rows: Iterable[tuple[str, T]]) -> BySpelling[T]:
        """`rows`: (field path, what is filed under it). A nested path is found by its first part as well."""
        exact: dict[str, list[T]] = {}
        lowered: dict[str, list[T]] = {}
        for path, filed in rows:
            for name in dict.fromkeys((path, path.partition(".")[0])):
                exact.setdefault(name, []).append(filed)
            for name in dict.fromkeys((path.lower(), path.partition(".")[0].lower())):
                lowered.setdefault(name, []).append(filed)
        return BySpelling(
            {name: tuple(found) for name, found in exact.items()},
            {name: tuple(found) for name, found in lowered.items()},
        )

    def find(self, column: str) -> tuple[T, ...]:
        """Whatever is filed under a path that this folded name may be."""
        return self.exact.get(bare(column), ()) if is_quoted(column) else self.lowered.get(column.lower(), ())
