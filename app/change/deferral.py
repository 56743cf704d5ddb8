"""Migrations of different folders have no common numbers: one that alters a table cannot have run before the one that made it.

Within one numbered sequence the numbers decide, whatever they lead to. Elsewhere a file that needs a relation which only a
later file creates goes behind that file; otherwise its DROP would be undone by a CREATE that is in truth older.
"""

from __future__ import annotations

from collections.abc import Sequence

from app.change import steps as ddl
from app.change.files import find_sequence
from app.change.removal import ParsedFile

_MAKES = (ddl.CreateTable, ddl.CreateView)


def defer_early(files: Sequence[ParsedFile]) -> list[ParsedFile]:
    """The same files, each behind those that create what it needs; stable, and a circle keeps the order it had."""
    waiting, ordered = list(files), []
    made: set[str] = set()
    while waiting:
        ready = next((file for file in waiting if not _is_early(file, waiting, made)), waiting[0])
        waiting.remove(ready)
        ordered.append(ready)
        made |= _find_made(ready)
    return ordered


def _is_early(file: ParsedFile, waiting: Sequence[ParsedFile], made: set[str]) -> bool:
    needs = _find_needs(file) - made
    return bool(needs) and any(
        other is not file and not needs.isdisjoint(_find_made(other)) and not _is_one_sequence(file, other)
        for other in waiting
    )


def _is_one_sequence(one: ParsedFile, other: ParsedFile) -> bool:
    first, second = find_sequence(one.path), find_sequence(other.path)
    return first is not None and second is not None and first[0] == second[0]


def _find_made(file: ParsedFile) -> frozenset[str]:
    made = {step.relation for step in file.steps if isinstance(step, _MAKES)}
    renamed = {step.new for step in file.steps if isinstance(step, ddl.RenameTable)}
    return frozenset(made | renamed)


def _find_needs(file: ParsedFile) -> frozenset[str]:
    """Relations that the file takes for granted: altered or dropped, and not made by an earlier statement of its own."""
    needs: set[str] = set()
    own: set[str] = set()
    for step in file.steps:
        if isinstance(step, _MAKES):
            own.add(step.relation)
            continue
        name = step.old if isinstance(step, ddl.RenameTable) else getattr(step, "relation", None)
        is_sure = not (isinstance(step, ddl.DropTable | ddl.DropView) and step.if_exists)
        if isinstance(name, str) and is_sure and name not in own:
            needs.add(name)
    return frozenset(needs)
