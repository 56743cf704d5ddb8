"""Which processes run jobs: each beats, and whoever stopped beating is gone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import sqlalchemy as sa

from app.edges.store.engine import upsert
from app.edges.store.tables import EXECUTOR


@dataclass(frozen=True, slots=True)
class Executor:
    """`beat` is the last sign of life, seconds since the epoch."""

    id: str
    host: str
    pid: int
    beat: float


def beat_and_reap(
    connection: sa.Connection, me: Executor, *, lease_s: float, is_alive: Callable[[int], bool]
) -> frozenset[str]:
    """Records my beat, deletes executors that are gone, answers the ids that still live (mine included).

    Gone is who has not beaten for `lease_s`, and at once whose process does not exist on this host any more; `is_alive`
    tells for a process id of this host. A row with my own process id is from an earlier life of it.
    """
    upsert(connection, EXECUTOR, {"id": me.id}, {"host": me.host, "pid": me.pid, "beat": me.beat})
    rows = connection.execute(sa.select(EXECUTOR)).all()
    gone = {
        row.id
        for row in rows
        if row.id != me.id
        and (row.beat < me.beat - lease_s or (row.host == me.host and (row.pid == me.pid or not is_alive(row.pid))))
    }
    if gone:
        connection.execute(sa.delete(EXECUTOR).where(EXECUTOR.c.id.in_(gone)))
    return frozenset(row.id for row in rows) - gone


def leave(connection: sa.Connection, executor_id: str) -> None:
    """Peers may take over at once."""
    connection.execute(sa.delete(EXECUTOR).where(EXECUTOR.c.id == executor_id))


def load_beats(connection: sa.Connection) -> dict[str, float]:
    """Executor id -> last beat, seconds since the epoch."""
    return {row.id: row.beat for row in connection.execute(sa.select(EXECUTOR.c.id, EXECUTOR.c.beat))}
