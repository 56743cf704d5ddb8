"""Snowflake stores the column list of a `SELECT *` view when the view is created.

When a column beneath it goes, declared and produced columns no longer agree, and every query of the view fails until it is
created again (docs.snowflake.com, CREATE VIEW, usage notes). dbt creates its views anew at each run: those are not concerned.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from app.change.removal import ParsedFile, Removal
from app.reads import Statement

_TAKES_A_NAME = frozenset({"column_dropped", "column_renamed", "output_removed", "output_renamed"})


def find_invalidated(removals: Iterable[Removal], head: Sequence[ParsedFile], changed: frozenset[str]) -> list[Removal]:
    """Views that the removals invalidate; a view whose file changes is taken to be created again."""
    lost: dict[str, list[Removal]] = {}
    for removal in removals:
        if removal.kind in _TAKES_A_NAME and removal.column is not None:
            lost.setdefault(removal.relation, []).append(removal)
    recreated = {view for file in head if file.path in changed for view, _ in _star_views(file)}
    found = []
    for file in head:
        for view, relations in _star_views(file):
            below = [removal for relation in sorted(relations) for removal in lost.get(relation, ())]
            if below and view not in recreated:
                found.append(_invalidated(view, below[0]))
    return found


def _star_views(file: ParsedFile) -> Iterator[tuple[str, set[str]]]:
    if file.dialect != "snowflake" or file.templated:
        return
    for statement in file.statements:
        if statement.kind == "create_view" and statement.target is not None:
            relations = _star_relations(statement)
            if relations:
                yield statement.target, relations


def _star_relations(statement: Statement) -> set[str]:
    starred = [output for output in statement.outputs if output.via_star or output.name == "*"]
    return {source.relation for output in starred for source in output.sources}


def _invalidated(view: str, removal: Removal) -> Removal:
    detail = f"its stored column list still has {removal.column} of {removal.relation}"
    return Removal("view_invalidated", view, None, removal.evidence, certain=removal.certain, detail=detail)
