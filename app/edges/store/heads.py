"""Which head of a pull request is the newest: every effect of a review asks that first, and stops where it is not its own."""

from __future__ import annotations

from dataclasses import dataclass

import sqlalchemy as sa

from app.edges.store.engine import take_turns, upsert
from app.edges.store.tables import PULL_HEAD


@dataclass(frozen=True, slots=True)
class HeadEvent:
    """One event of a pull request. `updated_at` is the pull's own time, ISO in UTC, as GitHub writes it."""

    repo_id: int
    pull: int
    installation_id: int
    head_sha: str
    updated_at: str
    delivery: str
    closed: bool = False


@dataclass(frozen=True, slots=True)
class Head:
    head_sha: str
    sequence: int
    closed: bool
    delivery: str = ""


def move_head(connection: sa.Connection, event: HeadEvent) -> int:
    """The event's sequence number; 0 when it is older than what is known (events arrive in any order).

    Of two events of one second the later arrival wins: the job asks GitHub for the head before it works, and whichever was
    really newer comes back as an event of its own.
    """
    take_turns(connection, "head", event.repo_id, event.pull)
    row = _row(connection, event.repo_id, event.pull)
    if row is not None and event.updated_at < row.updated_at:
        return 0
    sequence = 1 if row is None else row.sequence + 1
    upsert(
        connection,
        PULL_HEAD,
        {"repo_id": event.repo_id, "pull": event.pull},
        {
            "installation_id": event.installation_id,
            "head_sha": event.head_sha,
            "updated_at": event.updated_at,
            "sequence": sequence,
            "delivery": event.delivery,
            "closed": event.closed,
        },
    )
    return sequence


def load_head(connection: sa.Connection, repo_id: int, pull: int) -> Head | None:
    """The newest known head of the pull request."""
    row = _row(connection, repo_id, pull)
    return None if row is None else Head(row.head_sha, row.sequence, row.closed, row.delivery)


def load_is_newest(connection: sa.Connection, repo_id: int, pull: int, sequence: int) -> bool:
    """Whether no later event of this pull request has been accepted."""
    row = _row(connection, repo_id, pull)
    return row is not None and bool(row.sequence == sequence)


def load_is_head_elsewhere(connection: sa.Connection, repo_id: int, pull: int, head_sha: str) -> bool:
    """Whether another open pull request of the repository has this head (and so this check run)."""
    found = connection.execute(
        sa.select(PULL_HEAD.c.pull).where(
            PULL_HEAD.c.repo_id == repo_id,
            PULL_HEAD.c.pull != pull,
            PULL_HEAD.c.head_sha == head_sha,
            PULL_HEAD.c.closed.is_(False),
        )
    )
    return found.first() is not None


def _row(connection: sa.Connection, repo_id: int, pull: int) -> sa.Row[tuple[object, ...]] | None:
    return connection.execute(
        sa.select(PULL_HEAD).where(PULL_HEAD.c.repo_id == repo_id, PULL_HEAD.c.pull == pull)
    ).one_or_none()
