"""A star as a projection: what it carries, under which names. Used by app.reads.queries, built by app.reads.stars."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from app.reads.sources import MAYBE, NO, YES, Hit, Item, Named, Source


@dataclass(eq=False, slots=True)
class Star:
    """`*` or `t.*` with its modifiers. `merged`: USING names, which stand for a column of each side at once.

    `rows`: for a star on a whole-row value (`arr[0].*`), tells the sources once references are resolved. `picks`: only the
    names that it says (`COLUMNS('pattern')`); where `vague`, not even that is known, and any of them may be taken.
    """

    sources: Sequence[Source]
    line: int
    excluded: frozenset[str] = frozenset()
    replaced: Mapping[str, Item] = field(default_factory=dict)
    renamed: Mapping[str, str] = field(default_factory=dict)  # new name -> old name
    merged: Mapping[str, Sequence[Source]] = field(default_factory=dict)
    rows: Callable[[], Sequence[Source]] | None = None
    picks: Callable[[str], bool] | None = None
    vague: bool = False

    def over(self) -> Sequence[Source]:
        return self.sources if self.rows is None else self.rows()

    def original(self, name: str) -> str | None:
        """The name under the star, None when the star does not carry it."""
        if self.picks is not None and not self.picks(name):
            return None
        if name in self.renamed:
            return self.renamed[name]
        return None if name in self.excluded or name in self.renamed.values() else name

    def has(self, name: str) -> int:
        if name in self.replaced:
            return YES
        old = self.original(name)
        known = NO if old is None else max((source.has(old) for source in self.over()), default=NO)
        return min(known, MAYBE) if self.vague else known

    def is_open(self) -> bool:
        return any(source.is_open() for source in self.over())

    def expand(self) -> Sequence[Named] | None:
        if self.vague:
            return None
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
                elif column.name not in self.excluded and (self.picks is None or self.picks(column.name)):
                    found.append(Named(back.get(column.name, column.name), column.hits))
        return found
