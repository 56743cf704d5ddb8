"""The order and number of a relation's columns, for readers that take them by position.

The removal names the relation, not a column: the walk follows it only through positional readers (an INSERT without a column
list, a UNION of stars), so a reader by name never notices. Code that takes `SELECT *` is not read any further: a warning.
A column that merely goes is a removal of its own and is not repeated here.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence

from app.change.removal import ParsedFile, Removal
from app.change.schema import Worlds
from app.change.sources import Sources
from app.change.world import ColumnState, RelationState
from app.reads import Statement
from app.words import Schema


def find_position_changes(
    base: Worlds,
    head: Worlds,
    files: Sequence[ParsedFile],
    sources: Sources,
    catalog: Schema,
    removals: Iterable[Removal],
    changed: frozenset[str],
    late: frozenset[tuple[str, str]] = frozenset(),
) -> list[Removal]:
    """`removals` are those by name, for their renames; `late` are columns that come behind all others (`find_late`).
    Relations that neither the catalog nor a positional reader here knows are left out: nobody could take anything from them by
    position.
    """
    renames = {(r.relation, r.column): r.new_name for r in removals if r.column is not None and r.new_name}
    code, written = _star_readers(files)
    found: list[Removal] = []
    names = {*head.definitions.relations, *head.migrations.relations}
    for name in sorted(names):
        before, after = _find(base, name), _find(head, name)
        if before is None or after is None or not (before.known and after.known):
            continue
        if name in catalog or name in code or name in written:
            after = dataclasses.replace(after, columns=_put_last(after, late))
            found += _changes(before, after, renames, code.get(name, ""), sources, changed)
    return found


def _put_last(state: RelationState, late: frozenset[tuple[str, str]]) -> dict[str, ColumnState]:
    return dict(sorted(state.columns.items(), key=lambda item: (state.name, item[0]) in late))


def _find(worlds: Worlds, relation: str) -> RelationState | None:
    state = worlds.definitions.relations.get(relation)
    return state if state is not None and state.declared else worlds.migrations.find(relation)


def _star_readers(files: Sequence[ParsedFile]) -> tuple[dict[str, str], set[str]]:
    """Relations that code takes whole (with the code's path), and those that SQL takes whole."""
    code: dict[str, str] = {}
    written: set[str] = set()
    for file in files:
        for statement in file.statements:
            for relation in _starred(statement):
                if file.kind == "other" and statement.target is None:
                    code.setdefault(relation, file.path)
                else:
                    written.add(relation)
            written |= {read.relation for read in statement.reads if read.kind in {"width", "position"}}
    return code, written


def _starred(statement: Statement) -> set[str]:
    stars = [output for output in statement.outputs if output.via_star or output.name == "*"]
    return {source.relation for output in stars for source in output.sources}


def _changes(
    before: RelationState,
    after: RelationState,
    renames: dict[tuple[str, str], str],
    code: str,
    sources: Sources,
    changed: frozenset[str],
) -> Iterator[Removal]:
    old = [renames.get((before.name, name)) or name for name in before.columns]
    kept = [name for name in old if name in after.columns]
    now = list(after.columns)
    if kept == now:
        return
    moved = [after.columns[name].place for i, name in enumerate(now) if i >= len(kept) or kept[i] != name]
    moved = moved or [after.place]  # the tail was cut: nothing stands at another place than before
    place = next((p for p in moved if p.path in changed), moved[0])
    evidence = sources.at(place if place.path else after.place, "head")
    detail = f"columns by position: {_brief(old)} -> {_brief(now)}"
    at_end = kept == old == now[: len(kept)]
    yield Removal("position_changed", after.name, None, evidence, effect="values", detail=detail, at_end=at_end)
    if code and kept != now[: len(kept)]:
        detail = f"{code} takes SELECT * of it, perhaps by position"
        yield Removal("position_changed", after.name, None, evidence, effect="values", level="warn", detail=detail)


def _brief(names: list[str]) -> str:
    return ", ".join(names[:12]) + (", ..." if len(names) > 12 else "")
