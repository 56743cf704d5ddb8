"""Two worlds side by side -> what the second lacks.

The end states are compared; of the way between them only the statement that took something away is remembered, as evidence.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from app.change.beneath import Beneath, Find
from app.change.infer import with_types
from app.change.pairing import find_renamed_column, find_renamed_relation
from app.change.removal import Removal, RemovalKind
from app.change.renames import Renames
from app.change.sources import Sources
from app.change.values import ValueChange, find_row_changes, find_value_changes
from app.change.world import ColumnState, Gone, RelationState, World

UNFILLED = "no statement fills the column any more"


@dataclass(frozen=True, slots=True)
class Comparison:
    """`other` is the head's other world: a relation that moved from definitions to migrations stands there."""

    base: World
    head: World
    other: World
    base_other: World
    sources: Sources
    changed: frozenset[str]
    renames: Renames
    definitional: bool
    beneath: tuple[Beneath, Beneath] = field(init=False)

    def __post_init__(self) -> None:
        base = _find_live(self.base, self.base_other, definitional=self.definitional)
        head = _find_live(self.head, self.other, definitional=self.definitional)
        object.__setattr__(self, "beneath", (Beneath(base), Beneath(head)))

    def removals(self) -> Iterator[Removal]:
        for name in sorted({*self.base.relations, *self.head.relations}):
            before = self.base.find(name)
            if before is not None:
                yield from self._relation(before)
        yield from self._blind()
        yield from self._retyped()
        yield from self._fallen()

    # --- relations --------------------------------------------------------------------------------------------------

    def _relation(self, before: RelationState) -> Iterator[Removal]:
        after = self.head.find(before.name)
        if after is not None and (after.declared or not before.declared or self._filled_on(before, after)):
            yield from self._columns(before, after)
            return
        gone = self._gone(before.name, None)
        moved = self.other.relations.get(before.name)
        if gone is None and moved is not None and moved.declared:
            yield from self._columns(before, moved)
            return
        yield self._lost(before, gone)

    def _filled_on(self, before: RelationState, after: RelationState) -> bool:
        """A query made the table anew each time, and now statements fill it where it stands, as the catalog knows it."""
        tables = before.kind == after.kind == "table"
        return self.definitional and tables and any(column.expressions for column in after.columns.values())

    def _lost(self, before: RelationState, gone: Gone | None) -> Removal:
        renamed = find_renamed_relation(before, self.base, self.head)
        new_name = renamed.name if renamed is not None else None
        if gone is not None:
            new_name = new_name or gone.new_name
            kind: RemovalKind = "relation_renamed" if new_name else "relation_dropped"
            return Removal(kind, before.name, None, self.sources.at(gone.place, "head"), new_name=new_name)
        kind = "relation_renamed" if new_name else ("definition_deleted" if self.definitional else "relation_dropped")
        return Removal(kind, before.name, None, self.sources.at(before.place, "base"), new_name=new_name)

    def _gone(self, relation: str, column: str | None) -> Gone | None:
        """The head's statement that took it away, unless the base says the same."""
        gone = self.head.gone.get((relation, column))
        return None if gone is None or gone == self.base.gone.get((relation, column)) else gone

    # --- columns ----------------------------------------------------------------------------------------------------

    def _columns(self, before: RelationState, after: RelationState) -> Iterator[Removal]:
        if after.unread:
            return  # the unread file is an unknown of its own
        for name, column in self._base_columns(before).items():
            now = after.columns.get(name)
            if now is None:
                removal = self._lost_column(before, after, column)
                if removal is not None:
                    yield removal
            else:
                yield from self._kept_column(before, column, after, now)
        if self._same_text(before, after):
            after = dataclasses.replace(after, meaning=before.meaning)
        elif before.meaning != after.meaning:  # what did not follow a rename reads the same, and breaks with its source
            old, new = self.beneath
            same = old.rows(before) == new.rows(after)
            before = dataclasses.replace(
                before, meaning=after.meaning if same else self.renames.apply_rows(before.meaning)
            )
        for change in find_row_changes(before, after):
            yield self._changed(before.name, change)
        yield from self._open_star(before, after)

    def _same_text(self, before: RelationState, after: RelationState) -> bool:
        """The same files, unchanged: expressions differ only by what else is known of the tables that they read."""
        return bool(before.paths) and before.paths == after.paths and not before.paths & self.changed

    def _kept_column(
        self, before: RelationState, column: ColumnState, after: RelationState, now: ColumnState
    ) -> Iterator[Removal]:
        if self._same_text(before, after):
            now = dataclasses.replace(now, expressions=column.expressions, sources=column.sources)
        elif column.expressions != now.expressions:
            old, new = self.beneath
            if Counter(old.column(column)) == Counter(new.column(now)):
                column = dataclasses.replace(column, expressions=now.expressions, sources=now.sources)
            else:
                column = self.renames.apply(column)
        if column.expressions != now.expressions:
            column, now = with_types(
                (column, before.dialect, lambda r: self.base.find(r) or self.base_other.find(r)),
                (now, after.dialect, self._anywhere),
            )
        for change in find_value_changes(before, column, after, now):
            yield self._changed(before.name, change)
        name = column.name
        if now.hidden and not column.hidden:
            yield Removal("column_hidden", before.name, name, self.sources.at(now.place, "head"))
        if column.expressions and not now.expressions and after.kind == "table" and not self._other_lost(before, name):
            yield self._unfilled(before, column, certain=not after.open_fill)

    def _other_lost(self, before: RelationState, column: str) -> bool:
        """The other world lost the column as well, by a statement that says so: that is the removal."""
        keys = ((before.name, column), (before.name, None))
        if all(self.other.gone.get(key) == self.base_other.gone.get(key) for key in keys):
            return False
        there = self.other.find(before.name)
        return there is None or (there.known and column not in there.columns)

    def _base_columns(self, before: RelationState) -> dict[str, ColumnState]:
        """Behind a star whose columns no file tells, the catalog's columns of this relation."""
        if before.known:
            return before.columns
        known = self.base.catalog.get(before.name, {})
        extra = {
            c: ColumnState(c, (before.owner, c, 0), before.place, type=t, via_star=bool(before.star_of))
            for c, t in known.items()
            if c not in before.columns
        }
        return {**before.columns, **extra}

    def _changed(self, relation: str, change: ValueChange) -> Removal:
        gone = self._gone(relation, change.column) if change.kind == "values_lost" else None
        return Removal(
            change.kind,
            relation,
            change.column,
            self.sources.at(change.place if gone is None else gone.place, "head"),
            effect=change.effect,
            level=change.level,
            certain=change.certain,
            detail=change.detail,
            new_type=change.new_type,
        )

    def _lost_column(self, before: RelationState, after: RelationState, column: ColumnState) -> Removal | None:
        certain = True
        if not (before.declared or after.declared) and column.expressions:
            unfilled = self._unfilled(before, column, certain=not after.open_fill)
            return None if self._other_lost(before, column.name) else unfilled
        if not after.known:
            if self._passes_through(before, after, column) or (not before.known and self._same_text(before, after)):
                return None
            certain = False
        elif self._is_consequence(column, after):
            return None
        return self._column_removal(before, after, column, certain=certain)

    def _unfilled(self, before: RelationState, column: ColumnState, *, certain: bool = True) -> Removal:
        """The column stays, with what was written to it last; nothing here writes to it any more."""
        evidence = self.sources.at(column.place, "base")
        return Removal(
            "output_removed", before.name, column.name, evidence, effect="values", certain=certain, detail=UNFILLED
        )

    def _passes_through(self, before: RelationState, after: RelationState, column: ColumnState) -> bool:
        """The same open star stands on both sides, or the head's star is over a table that has the column."""
        if column.via_star and before.star_of and before.star_of <= after.star_of:
            return True
        stars = [self._anywhere(relation) for relation in after.star_of]
        return any(state is not None and column.name in state.columns for state in stars)

    def _anywhere(self, relation: str) -> RelationState | None:
        return self.head.find(relation) or self.other.find(relation)

    def _is_consequence(self, column: ColumnState, after: RelationState) -> bool:
        """It came through a star, and the table below lost it: that is the removal, the walk follows it up here."""
        if not column.via_star or not any(c.via_star for c in after.columns.values()):
            return False
        for relation, source in column.sources:
            below = self._anywhere(relation)
            if below is None or not below.known or source in below.columns:
                return False
        return bool(column.sources)

    def _column_removal(
        self, before: RelationState, after: RelationState, column: ColumnState, *, certain: bool
    ) -> Removal:
        renamed = find_renamed_column(before, after, column)
        gone = self._gone(before.name, column.name)
        new_name = renamed.name if renamed is not None else (gone.new_name if gone is not None else None)
        # a statement that does not make the relation takes it, whatever computes it
        stated = gone is not None and gone.column is not None and gone.place != after.place
        computed = (bool(column.expressions) or column.via_star or after.kind != "table") and not stated
        kind: RemovalKind
        if computed:
            kind = "output_renamed" if new_name else "output_removed"
        else:
            kind = "column_renamed" if new_name else "column_dropped"
        if gone is not None and not (self.definitional and computed):
            evidence = self.sources.at(gone.place, "head")
        elif renamed is not None:
            evidence = self.sources.at(renamed.place, "head")
        elif column.place.path:
            evidence = self.sources.at(column.place, "base")
        else:
            evidence = self.sources.at(after.place, "head")
        return Removal(kind, before.name, column.name, evidence, certain=certain, new_name=new_name)

    def _open_star(self, before: RelationState, after: RelationState) -> Iterator[Removal]:
        """A star over unknown columns became something else: which columns went cannot be told."""
        lost = before.star_of - after.star_of
        edited = before.star_of and before.stars != after.stars
        if not before.known and before.star_of and (lost or edited) and before.name not in self.base.catalog:
            yield Removal(
                "output_removed",
                before.name,
                None,
                self.sources.at(after.place, "head"),
                certain=False,
                detail="a * over columns that are not known was replaced",
            )

    # --- what nothing was known about -------------------------------------------------------------------------------

    def _blind(self) -> Iterator[Removal]:
        """Statements that take away what neither files nor catalog know: taken at their word."""
        for (relation, column), gone in sorted(self.head.gone.items(), key=lambda item: (item[0][0], item[0][1] or "")):
            if not gone.blind or self._gone(relation, column) is None or self._blind_at_base(relation, column):
                continue
            after = self.head.find(relation)
            here = after is not None and (column is None or column in after.columns)
            evidence = self.sources.at(gone.place, "head")
            if column is None:
                kind: RemovalKind = "relation_renamed" if gone.new_name else "relation_dropped"
                yield Removal(kind, relation, None, evidence, certain=not here, new_name=gone.new_name)
            elif here:
                yield Removal("values_lost", relation, column, evidence, "values", detail="dropped and made again")
            else:
                kind = "column_renamed" if gone.new_name else "column_dropped"
                yield Removal(kind, relation, column, evidence, new_name=gone.new_name)

    def _blind_at_base(self, relation: str, column: str | None) -> bool:
        """The base takes the same away, perhaps in another file."""
        gone = self.base.gone.get((relation, column))
        return gone is not None and gone.blind

    def _retyped(self) -> Iterator[Removal]:
        known = {(r.relation, r.column, r.type) for r in self.base.retyped}
        for item in self.head.retyped:
            if (item.relation, item.column, item.type) not in known:
                evidence = self.sources.at(item.place, "head")
                yield Removal(
                    "type_changed",
                    item.relation,
                    item.column,
                    evidence,
                    "values",
                    certain=False,
                    detail=f"? -> {item.type}",
                    new_type=item.type,
                )

    def _fallen(self) -> Iterator[Removal]:
        for view, place in sorted(self.head.fallen.items()):
            if view not in self.base.fallen:
                yield Removal(
                    "relation_dropped", view, None, self.sources.at(place, "head"), detail="taken along by CASCADE"
                )


def _find_live(world: World, other: World, *, definitional: bool) -> Find:
    """What always gives what its query gives: a definition is run again and again, of migrations a view alone."""

    def find(relation: str) -> RelationState | None:
        for state, live in (
            (world.relations.get(relation), definitional),
            (other.relations.get(relation), not definitional),
        ):
            if state is not None and (live or state.kind == "view"):
                return state
        return None

    return find
