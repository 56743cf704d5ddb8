"""Which statements of migrations go on working after they ran: the views that still stand, and whatever the engine itself runs
again. The rest ran once; what it wrote stays as it is when a column that it read goes.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import TypeAlias

from app.change.deferral import defer_early
from app.change.order import order_migrations
from app.change.removal import ParsedFile
from app.change.schema import find_worlds
from app.change.world import World
from app.reads import Statement

#: (path, place among the file's statements)
Which: TypeAlias = tuple[str, int]
#: words between CREATE and TABLE of a table that is a query which its engine keeps running
_KEPT_FRESH = frozenset({"DYNAMIC", "STREAMING", "LIVE", "MATERIALIZED"})
_HEAD = 12  # words; the modifiers of a CREATE stand in front of the name


def find_lasting(files: Sequence[ParsedFile]) -> dict[Which, str]:
    """Each statement that lasts -> the name that its relation has at the end of the replay.

    A view that a later migration replaced or dropped is not there; a renamed one has its new name.
    """
    lasting: dict[Which, str] = {}
    last: dict[str, Which] = {}
    for file in defer_early(order_migrations(file for file in files if file.kind == "migration")):
        repeated = PurePosixPath(file.path).name.upper().startswith("R__")  # Flyway runs these again and again
        for place, statement in enumerate(file.statements):
            target = statement.target
            if target is None or statement.temporary:
                continue
            if repeated or _is_kept_fresh(file, statement):
                last[target] = (file.path, place)
            elif statement.kind == "create_model" or _feeds_a_table(file, place):
                lasting[file.path, place] = target
    world = find_worlds(files, {}).migrations
    for target, which in last.items():
        if (name := _find_name_now(target, world)) is not None:
            lasting[which] = name
    return lasting


def _is_kept_fresh(file: ParsedFile, statement: Statement) -> bool:
    if statement.kind != "create_table_as":
        return statement.kind == "create_view"
    text = " ".join(file.source[statement.line - 1 : statement.end_line])
    return not _KEPT_FRESH.isdisjoint(text.upper().split()[:_HEAD])


def _feeds_a_table(file: ParsedFile, place: int) -> bool:
    """ClickHouse: `CREATE MATERIALIZED VIEW v TO t AS ...` is a view and, right behind it, the insert into t that it does."""
    if place == 0 or file.dialect != "clickhouse" or file.statements[place].kind != "insert":
        return False
    view, insert = file.statements[place - 1 : place + 1]
    return view.kind == "create_view" and (view.line, view.end_line) == (insert.line, insert.end_line)


def _find_name_now(name: str, world: World) -> str | None:
    """Through renames; None when the relation was dropped."""
    for _ in range(len(world.gone) + 1):
        if name not in world.relations or world.relations[name] is not None:
            return name
        gone = world.gone.get((name, None))
        if gone is None or gone.new_name is None:
            return None
        name = gone.new_name
    return None
