"""dbt incremental models: the table and the rows of earlier runs stay as they were, whatever the new query says.

What `on_schema_change` says of a new column (docs.getdbt.com): `ignore` leaves the table without it and `fail` ends the run, so
that whoever names it stops; the others add it, NULL in all earlier rows, since no existing row is ever filled, and on some
adapters the insert goes by position. Those are risks, not proofs: warn, as where nothing is said.
"""

from __future__ import annotations

from collections.abc import Iterator

from app.change.removal import Removal
from app.change.sources import Sources
from app.change.world import RelationState, World

_ADDS_COLUMNS = frozenset({"append_new_columns", "sync_all_columns"})
_STAYS_WITHOUT = frozenset({"ignore", "fail"})


def find_incremental(base: World, head: World, sources: Sources) -> list[Removal]:
    """New columns of incremental models, and the columns that they push to another position."""
    found: list[Removal] = []
    for name, after in sorted(head.relations.items()):
        before = base.relations.get(name)
        if before is None or after is None or before.incremental is None or after.incremental is None:
            continue
        if before.known and after.known:
            known = head.catalog.get(name, {})  # a column that the table has already comes to nobody as news
            found += (removal for removal in _new_columns(before, after, sources) if removal.column not in known)
            found += _pushed(before, after, sources)
    return found


def _new_columns(before: RelationState, after: RelationState, sources: Sources) -> Iterator[Removal]:
    for name, column in after.columns.items():
        if name in before.columns:
            continue
        evidence = sources.at(column.place, "head")
        if after.incremental in _STAYS_WITHOUT:
            detail = f"new in an incremental model ({after.incremental}): not in its table without a full refresh"
            yield Removal("values_lost", after.name, name, evidence, "stops", detail=detail)
        else:
            detail = f"new in an incremental model ({after.incremental}): NULL in earlier rows without a full refresh"
            yield Removal("values_lost", after.name, name, evidence, "values", "warn", detail=detail)


def _pushed(before: RelationState, after: RelationState, sources: Sources) -> Iterator[Removal]:
    """A new column before an old one: where the insert goes by position, every column behind it is another one's."""
    if after.incremental not in _ADDS_COLUMNS:
        return
    names = list(after.columns)
    last_old = max((names.index(name) for name in before.columns if name in after.columns), default=-1)
    for index, (name, column) in enumerate(after.columns.items()):
        if name not in before.columns and index < last_old:
            yield Removal(
                "position_changed",
                after.name,
                name,
                sources.at(column.place, "head"),
                effect="values",
                level="warn",
                detail="an incremental insert may go by position on this adapter",
            )
