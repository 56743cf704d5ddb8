"""What people did with Tether's buttons, and to which edges a pull request's buttons belong."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import sqlalchemy as sa

from app.edges.store.engine import upsert, upsert_all
from app.edges.store.tables import AUDIT, EDGE_SHOWN

What: TypeAlias = Literal["confirm", "reject", "re-run"]


@dataclass(frozen=True, slots=True)
class AuditRow:
    """`who` is a login, `at` in epoch seconds; `outcome` a sentence without its end. `pull` None: a merge group or a branch."""

    delivery: str
    number: int
    installation_id: int
    repo_id: int
    repo: str
    pull: int | None
    who: str
    what: What
    outcome: str
    at: float = 0.0


def add_audit(connection: sa.Connection, row: AuditRow) -> None:
    """Said again, it is the same row; it keeps the time at which it was said first."""
    keys = {"delivery": row.delivery, "number": row.number}
    values = {
        name: getattr(row, name) for name in ("installation_id", "repo_id", "repo", "pull", "who", "what", "outcome")
    }
    known = connection.execute(sa.select(AUDIT.c.at).where(*(AUDIT.c[name] == keys[name] for name in keys))).scalar()
    upsert(connection, AUDIT, keys, {**values, "at": time.time() if known is None else known})


def load_audit(
    connection: sa.Connection,
    *,
    pull: tuple[int, int] | None = None,
    installation_id: int | None = None,
    since: float = 0,
    limit: int = 1000,
) -> tuple[AuditRow, ...]:
    """The newest last, at most `limit` of them. `pull`: (repository id, number)."""
    conditions = [AUDIT.c.at >= since]
    if pull is not None:
        conditions += [AUDIT.c.repo_id == pull[0], AUDIT.c.pull == pull[1]]
    if installation_id is not None:
        conditions.append(AUDIT.c.installation_id == installation_id)
    rows = connection.execute(sa.select(AUDIT).where(*conditions).order_by(AUDIT.c.at.desc()).limit(limit)).all()
    return tuple(AuditRow(**dict(row._mapping)) for row in reversed(rows))  # noqa: SLF001 - SQLAlchemy's public name


def set_shown(
    connection: sa.Connection, installation_id: int, pull: tuple[int, int], edges: Sequence[tuple[str, str]]
) -> None:
    """The check of the pull request (repository id, number) tells of these edges (upstream, downstream) too."""
    own = {"installation_id": installation_id, "repo_id": pull[0], "pull": pull[1]}
    rows = [{**own, "upstream": upstream, "downstream": downstream} for upstream, downstream in dict.fromkeys(edges)]
    if rows:
        upsert_all(connection, EDGE_SHOWN, ("repo_id", "pull", "upstream", "downstream"), rows)


def load_shown(connection: sa.Connection, pull: tuple[int, int]) -> frozenset[tuple[str, str]]:
    """(upstream, downstream) of the edges that the pull request's check told of."""
    columns = sa.select(EDGE_SHOWN.c.upstream, EDGE_SHOWN.c.downstream)
    rows = connection.execute(columns.where(EDGE_SHOWN.c.repo_id == pull[0], EDGE_SHOWN.c.pull == pull[1])).all()
    return frozenset((str(upstream), str(downstream)) for upstream, downstream in rows)


def purge_audit(connection: sa.Connection, *, before: float) -> int:
    """How many rows went."""
    return connection.execute(sa.delete(AUDIT).where(AUDIT.c.at < before)).rowcount
