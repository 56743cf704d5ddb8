"""Removes what is stored about an installation or a repository that left."""

from __future__ import annotations

import sqlalchemy as sa

from app.edges.store.parses import forget_parsed
from app.edges.store.tables import (
    AUDIT,
    CHECK_RESULT,
    CHECK_RUN,
    COMMENT,
    EDGE,
    EDGE_SHOWN,
    INCIDENT,
    INCIDENT_PULL,
    INDEX,
    INDEX_TEXT,
    LLM_CALL,
    PULL_HEAD,
    REVIEW,
)

OF_REPOSITORY = (
    PULL_HEAD,
    CHECK_RUN,
    CHECK_RESULT,
    COMMENT,
    INCIDENT_PULL,
    REVIEW,
    INDEX,
    INDEX_TEXT,
    LLM_CALL,
    EDGE_SHOWN,
    AUDIT,
)


def forget_installation(connection: sa.Connection, installation_id: int) -> int:
    """Deletes every row of the installation, its edge ledger and its parsed SQL too; how many rows went."""
    gone = forget_parsed(connection, installation_id)
    for table in (*OF_REPOSITORY, EDGE):
        gone += connection.execute(sa.delete(table).where(table.c.installation_id == installation_id)).rowcount
    return gone + _drop_lonely_incidents(connection)


def forget_repository(connection: sa.Connection, repo_id: int) -> int:
    """Deletes every row of the repository; how many rows went. Edges are the installation's: their lines may be elsewhere."""
    gone = 0
    for table in OF_REPOSITORY:
        gone += connection.execute(sa.delete(table).where(table.c.repo_id == repo_id)).rowcount
    return gone + _drop_lonely_incidents(connection)


def _drop_lonely_incidents(connection: sa.Connection) -> int:
    kept = sa.select(INCIDENT_PULL.c.urn)
    return connection.execute(sa.delete(INCIDENT).where(INCIDENT.c.urn.not_in(kept))).rowcount
