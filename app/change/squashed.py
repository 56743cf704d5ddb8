"""Migrations that were squashed: what a change takes away after them, though the number of drops is the same as before.

The database has run the old files, not the ones that replace them. So the head's files up to the base's last number stand for
what is there already; what comes behind them really runs, and a column that it drops and adds again loses its values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from app.change.files import find_home, order_key
from app.change.removal import ParsedFile, Removal
from app.change.schema import replay_migrations
from app.change.sources import Sources
from app.change.values import find_loss
from app.change.world import World
from app.words import Schema


def find_lost_since(
    base: Sequence[ParsedFile],
    head: Sequence[ParsedFile],
    before: World,
    after: World,
    sources: Sources,
    catalog: Schema,
) -> list[Removal]:
    """Columns of both sides that lose their values behind the squashed files; () where no old migration was touched."""
    old = {file.path: file for file in base if file.kind == "migration"}
    new = [file for file in head if file.kind == "migration"]
    if {path: file.source for path, file in old.items()}.items() <= {file.path: file.source for file in new}.items():
        return []
    last = {home: max(_number(path) for path in old if find_home(path) == home) for home in map(find_home, old)}
    settled = replay_migrations([file for file in new if _is_settled(file, old, last)], catalog, views_of=head)
    found: list[Removal] = []
    for name in sorted(settled.relations):
        was, now, first = settled.relations[name], after.find(name), before.find(name)
        if was is None or now is None or first is None:
            continue
        for column in was.columns.values():
            kept = now.columns.get(column.name)
            if kept is None or column.name not in first.columns or (loss := find_loss(was, column, now, kept)) is None:
                continue
            gone = after.gone.get((name, column.name))
            evidence = sources.at(loss.place if gone is None else gone.place, "head")
            found.append(
                Removal(
                    loss.kind, name, column.name, evidence, loss.effect, loss.level, loss.certain, detail=loss.detail
                )
            )
    return found


def _is_settled(file: ParsedFile, old: dict[str, ParsedFile], last: Mapping[str, tuple[object, ...]]) -> bool:
    """The database has run the file, or something that it stands for."""
    if file.path in old:
        return True
    if file.revision:
        return not file.follows
    limit = last.get(find_home(file.path))
    return limit is not None and _number(file.path) <= limit


def _number(path: str) -> tuple[object, ...]:
    """Where the file stands in its sequence; what replaces the last file may have the same number and another name."""
    return order_key(path)[:-1]
