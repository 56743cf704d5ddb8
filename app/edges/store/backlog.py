"""The queue's own table, read for what its library does not tell in one query: owners, depths, jobs that killed their process.

Nothing here writes; the table's name and columns are pinned by a test.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

LIVE = ("ENQUEUED", "DELAYED", "PENDING")
LOST = "MAX_RECOVERY_ATTEMPTS_EXCEEDED"
DEAD = ("ERROR", LOST)
#: the names of our workflows; others in the table are the library's
NAMES = ("review", "chore", "excuse")
COLUMNS = ("workflow_uuid", "status", "name", "executor_id", "created_at", "updated_at", "queue_partition_key")


@dataclass(frozen=True, slots=True)
class Backlog:
    """`schema` None: SQLite has none."""

    schema: str | None

    @property
    def table(self) -> Any:
        return sa.table("workflow_status", *(sa.column(name) for name in COLUMNS), schema=self.schema)

    def load_owners(self, connection: sa.Connection) -> frozenset[str]:
        """The executors that have running jobs."""
        table = self.table
        owners = connection.execute(sa.select(table.c.executor_id).where(table.c.status == "PENDING").distinct())
        return frozenset(owner for owner in owners.scalars() if owner)

    def load_lost(self, connection: sa.Connection) -> tuple[tuple[str, str], ...]:
        """(id, a key that changes when it is lost again) of reviews that were given up because they killed their process."""
        table = self.table
        lost = connection.execute(sa.select(table).where(table.c.status == LOST, table.c.name == "review"))
        return tuple((row.workflow_uuid, f"lost:{row.workflow_uuid}:{row.updated_at}") for row in lost)

    def load_is_live(self, connection: sa.Connection, owner: str) -> bool:
        """Whether the job of this id, or one that it was deferred to (`owner~1`, ...), waits or runs."""
        table = self.table
        mine = sa.or_(table.c.workflow_uuid == owner, table.c.workflow_uuid.startswith(f"{owner}~", autoescape=True))
        return connection.execute(sa.select(table.c.status).where(mine, table.c.status.in_(LIVE))).first() is not None

    def load_finished(self, connection: sa.Connection, partition: str) -> tuple[str, ...]:
        """The ids of a partition's jobs that will not run any more."""
        table = self.table
        found = connection.execute(
            sa.select(table.c.workflow_uuid).where(
                table.c.queue_partition_key == partition, table.c.status.not_in(LIVE), table.c.name.in_(NAMES)
            )
        )
        return tuple(found.scalars())

    def load_counts(self, connection: sa.Connection) -> dict[str, Any]:
        """depth: not finished; oldest_s: age of the oldest of them in seconds (None without any); dead: dead letters."""
        table = self.table
        rows = connection.execute(
            sa.select(table.c.status, sa.func.count().label("n"), sa.func.min(table.c.created_at).label("first"))
            .where(table.c.name.in_(NAMES), table.c.status.in_((*LIVE, *DEAD)))
            .group_by(table.c.status)
        ).all()
        live = {row.status: row for row in rows if row.status in LIVE}
        oldest = min((row.first for row in live.values()), default=None)
        return {
            "depth": sum(row.n for row in live.values()),
            "running": live["PENDING"].n if "PENDING" in live else 0,
            "delayed": live["DELAYED"].n if "DELAYED" in live else 0,
            "oldest_s": None if oldest is None else round(time.time() - oldest / 1000, 1),
            "dead": sum(row.n for row in rows if row.status in DEAD),
        }
