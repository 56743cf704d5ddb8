"""Which statements of migrations go on working after they ran: the views that still stand, and whatever the engine itself runs
again. The rest ran once; what it wrote stays as it is when a column that it read goes.
"""

from __future__ import annotations

from collections.abc import Sequence

from app.change.order import order_migrations
from app.change.removal import ParsedFile
from app.change.schema import find_worlds
from app.reads import Statement

#: words between CREATE and TABLE of a table that is a query which its engine keeps running
_KEPT_FRESH = frozenset({"DYNAMIC", "STREAMING", "LIVE", "MATERIALIZED"})
_HEAD = 12  # words; the modifiers of a CREATE stand in front of the name


def find_lasting(files: Sequence[ParsedFile]) -> dict[tuple[str, int], str]:
    """(path, line) of each statement that lasts -> the name that its relation has at the end of the replay.

    A view that a later migration replaced or dropped is not there; a renamed one has its new name.
    """
    world = find_worlds(files, {}).migrations
    lasting: dict[tuple[str, int], str] = {}
    last: dict[str, tuple[str, int]] = {}
    for file in order_migrations(file for file in files if file.kind == "migration"):
        views = {s.line for s in file.statements if s.kind == "create_view"}
        for statement in file.statements:
            target = statement.target
            if target is None or statement.temporary:
                continue
            if statement.kind == "create_view":
                last[target] = (file.path, statement.line)
            elif statement.kind == "create_model" or (statement.kind == "insert" and statement.line in views):
                lasting[file.path, statement.line] = target  # ClickHouse: a materialized view TO a table
            elif statement.kind == "create_table_as" and _is_kept_fresh(file, statement):
                last[target] = (file.path, statement.line)
    for target, where in last.items():
        name = target
        while world.relations.get(name, world) is None and (gone := world.gone.get((name, None))) and gone.new_name:
            name = gone.new_name
            if name == target:
                break
        if world.relations.get(name, world) is not None:
            lasting[where] = name
    return lasting


def _is_kept_fresh(file: ParsedFile, statement: Statement) -> bool:
    text = "\n".join(file.source[statement.line - 1 : statement.end_line])
    words = text.upper().replace("\n", " ").split(" ")
    return not _KEPT_FRESH.isdisjoint(words[:_HEAD])
