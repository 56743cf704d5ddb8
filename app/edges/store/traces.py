"""What a review leaves behind besides its check run: the comment, incidents, and the record of the review."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from app.edges.store.engine import take_turns, upsert
from app.edges.store.tables import COMMENT, INCIDENT, INCIDENT_PULL, PULL_HEAD, REVIEW


@dataclass(frozen=True, slots=True)
class PullKey:
    installation_id: int
    repo_id: int
    pull: int


@dataclass(frozen=True, slots=True)
class IncidentRow:
    """`content` is the incident as JSON; `pulls` are the links of all that keep it alive, `own_url` that of the asked one."""

    urn: str
    content: Mapping[str, Any]
    pulls: tuple[str, ...]
    own_url: str = ""


# --- the comment ---------------------------------------------------------------------------------------------------


def load_comment_row(connection: sa.Connection, key: PullKey) -> tuple[bool, int | None]:
    """(whether we ever set out to comment here, the comment's id once it is known)."""
    row = connection.execute(
        sa.select(COMMENT).where(COMMENT.c.repo_id == key.repo_id, COMMENT.c.pull == key.pull)
    ).one_or_none()
    return (False, None) if row is None else (True, row.comment_id)


def set_comment(connection: sa.Connection, key: PullKey, comment_id: int | None) -> None:
    """`comment_id` None: about to create one, so that a job that dies in between looks for it on GitHub."""
    keys = {"repo_id": key.repo_id, "pull": key.pull}
    upsert(connection, COMMENT, keys, {"installation_id": key.installation_id, "comment_id": comment_id})


# --- incidents -----------------------------------------------------------------------------------------------------


def set_incident(
    connection: sa.Connection, key: PullKey, urn: str, *, content: Mapping[str, Any], url: str
) -> tuple[str, ...]:
    """Records that this pull request keeps the incident alive; answers the links of all that do, this one first."""
    take_turns(connection, "incident", urn)
    upsert(connection, INCIDENT, {"urn": urn}, {"state": "active", "content": dict(content)})
    keys = {"urn": urn, "repo_id": key.repo_id, "pull": key.pull}
    values = {"installation_id": key.installation_id, "url": url, "merged": False}
    upsert(connection, INCIDENT_PULL, keys, values)
    return tuple(dict.fromkeys((url, *_links(connection, urn))))


def load_incidents(connection: sa.Connection, key: PullKey) -> tuple[IncidentRow, ...]:
    """The incidents that this pull request keeps alive."""
    rows = connection.execute(
        sa.select(INCIDENT, INCIDENT_PULL.c.url)
        .join(INCIDENT_PULL, INCIDENT_PULL.c.urn == INCIDENT.c.urn)
        .where(INCIDENT_PULL.c.repo_id == key.repo_id, INCIDENT_PULL.c.pull == key.pull)
        .order_by(INCIDENT.c.urn)
    ).all()
    return tuple(IncidentRow(row.urn, row.content, _links(connection, row.urn), row.url) for row in rows)


def drop_incident_pull(connection: sa.Connection, key: PullKey, urn: str) -> None:
    """This pull request no longer keeps the incident alive; without any other it is resolved."""
    take_turns(connection, "incident", urn)
    connection.execute(
        sa.delete(INCIDENT_PULL).where(
            INCIDENT_PULL.c.urn == urn,
            INCIDENT_PULL.c.repo_id == key.repo_id,
            INCIDENT_PULL.c.pull == key.pull,
        )
    )
    if not _links(connection, urn):
        connection.execute(sa.update(INCIDENT).where(INCIDENT.c.urn == urn).values(state="resolved"))


def mark_incident_merged(connection: sa.Connection, key: PullKey, urn: str) -> None:
    connection.execute(
        sa.update(INCIDENT_PULL)
        .where(
            INCIDENT_PULL.c.urn == urn,
            INCIDENT_PULL.c.repo_id == key.repo_id,
            INCIDENT_PULL.c.pull == key.pull,
        )
        .values(merged=True)
    )


def load_incident_pulls(connection: sa.Connection, installation_id: int) -> tuple[tuple[int, int], ...]:
    """(repository id, number) of the pull requests that keep incidents alive and are not known to be merged."""
    rows = connection.execute(
        sa.select(INCIDENT_PULL.c.repo_id, INCIDENT_PULL.c.pull)
        .where(INCIDENT_PULL.c.installation_id == installation_id, INCIDENT_PULL.c.merged.is_(False))
        .distinct()
        .order_by(INCIDENT_PULL.c.repo_id, INCIDENT_PULL.c.pull)
    )
    return tuple((int(repo_id), int(pull)) for repo_id, pull in rows)


def _links(connection: sa.Connection, urn: str) -> tuple[str, ...]:
    found = connection.execute(
        sa.select(INCIDENT_PULL.c.url).where(INCIDENT_PULL.c.urn == urn).order_by(INCIDENT_PULL.c.url)
    )
    return tuple(found.scalars())


# --- reviews -------------------------------------------------------------------------------------------------------


def set_review(
    connection: sa.Connection, key: PullKey, *, head_sha: str, word: str, removals: int, duration_s: float
) -> None:
    """`pull` 0 is a merge group's."""
    values = {
        "installation_id": key.installation_id,
        "head_sha": head_sha,
        "word": word,
        "removals": removals,
        "concluded_at": time.time(),
        "duration_s": duration_s,
    }
    upsert(connection, REVIEW, {"repo_id": key.repo_id, "pull": key.pull}, values)


def load_last_review(connection: sa.Connection) -> Mapping[str, Any] | None:
    """The review that was concluded last, of any pull request."""
    row = connection.execute(sa.select(REVIEW).order_by(REVIEW.c.concluded_at.desc()).limit(1)).one_or_none()
    return None if row is None else dict(row._mapping)  # noqa: SLF001 - SQLAlchemy's public name for it


def load_is_older_than(connection: sa.Connection, installation_id: int, moment: float) -> bool:
    """Whether our rows of the installation reach back before this moment (epoch seconds): then they hold all that we did
    since, and nobody has to look for it outside."""
    first = connection.execute(
        sa.select(sa.func.min(REVIEW.c.concluded_at)).where(REVIEW.c.installation_id == installation_id)
    ).scalar_one()
    return first is not None and bool(first < moment)


def load_pulls_with_removals(connection: sa.Connection, installation_id: int) -> tuple[tuple[int, int], ...]:
    """(repository id, pull) of open pull requests whose last review found something taken away, or could not tell."""
    rows = connection.execute(
        sa.select(REVIEW.c.repo_id, REVIEW.c.pull)
        .join(PULL_HEAD, sa.and_(PULL_HEAD.c.repo_id == REVIEW.c.repo_id, PULL_HEAD.c.pull == REVIEW.c.pull))
        .where(
            REVIEW.c.installation_id == installation_id,
            sa.or_(REVIEW.c.removals > 0, REVIEW.c.word == "unassessable"),
            PULL_HEAD.c.closed.is_(False),
        )
        .order_by(REVIEW.c.repo_id, REVIEW.c.pull)
    ).all()
    return tuple((row.repo_id, row.pull) for row in rows)
