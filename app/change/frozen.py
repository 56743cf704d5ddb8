"""Views that keep the list of columns which their `SELECT *` stood for when they were created.

Snowflake: when a column beneath the view goes, declared and produced columns no longer agree, and every query of the view fails
until it is created again (docs.snowflake.com, CREATE VIEW, usage notes). Trino, Presto and Athena compare the two at every
query: a column more makes the view stale as well. dbt creates its views anew at each run: those are not concerned.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from app.change.removal import ParsedFile, Removal

_TAKES_A_NAME = frozenset({"column_dropped", "column_renamed", "output_removed", "output_renamed"})
#: dialect -> what invalidates such a view
INVALIDATED_BY: Final[Mapping[str, frozenset[str]]] = {
    "snowflake": _TAKES_A_NAME,
    "trino": _TAKES_A_NAME | {"column_added"},
    "presto": _TAKES_A_NAME | {"column_added"},
    "athena": _TAKES_A_NAME | {"column_added"},
}


def find_invalidated(
    removals: Iterable[Removal], head: Sequence[ParsedFile], readers: Sequence[ParsedFile], changed: frozenset[str]
) -> list[Removal]:
    """Views that the removals invalidate; a view whose file changes is taken to be created again.

    `removals` with the columns that are added, `readers` is the SQL of everybody else.
    """
    lost: dict[str, list[Removal]] = {}
    for removal in removals:
        if removal.column is not None:
            lost.setdefault(removal.relation, []).append(removal)
    recreated = {view for file in head if file.path in changed for view, _ in _star_views(file)}
    found = []
    for file in (*head, *readers):
        kinds = INVALIDATED_BY.get(file.dialect, frozenset())
        for view, relations in _star_views(file):
            near = (removal for relation in sorted(relations) for removal in lost.get(relation, ()))
            below = [removal for removal in near if removal.kind in kinds]
            if below and view not in recreated:
                found.append(_invalidated(view, below[0]))
    return found


def _star_views(file: ParsedFile) -> Iterator[tuple[str, set[str]]]:
    if file.dialect not in INVALIDATED_BY or file.templated:
        return
    for statement in file.statements:
        if statement.kind == "create_view" and statement.target is not None and statement.wide:
            yield statement.target, set(statement.wide)


def _invalidated(view: str, removal: Removal) -> Removal:
    has = "does not have" if removal.kind == "column_added" else "still has"
    detail = f"its stored column list {has} {removal.column} of {removal.relation}"
    return Removal("view_invalidated", view, None, removal.evidence, certain=removal.certain, detail=detail)
