"""Our check run of each head, and what each pull request says about it.

Jobs that share a head (two pull requests of one commit, a re-run beside a push) take turns through a claim: whoever holds
it looks up, creates or concludes; the others wait. A claim runs out by itself, so that a killed process blocks nobody for
long, and the same job gets its own claim back at once when it is resumed.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from app.edges.store.engine import take_turns, upsert
from app.edges.store.tables import CHECK_RESULT, CHECK_RUN, PULL_HEAD

CLAIM_S = 60.0
OUTPUT_UNKNOWN = "telling"


@dataclass(frozen=True, slots=True)
class CheckKey:
    installation_id: int
    repo_id: int
    head_sha: str
    name: str


@dataclass(frozen=True, slots=True)
class CheckRow:
    """`check_run_id` is None until it is created; `concluded` is True once it has a conclusion. `digest` is of what GitHub was
    told last, None: nothing yet, `OUTPUT_UNKNOWN`: something, and nobody knows what."""

    check_run_id: int | None
    concluded: bool
    conclusion: str | None
    digest: str | None
    annotated: frozenset[str]
    is_new: bool = False  # made by this very claim: no job of ours has set out to create a run here


def claim_check(connection: sa.Connection, key: CheckKey, owner: str) -> CheckRow | None:
    """The row, now claimed by `owner`, made if there was none; None while somebody else holds it."""
    take_turns(connection, "check", key.repo_id, key.head_sha)
    now = time.time()
    row = connection.execute(sa.select(CHECK_RUN).where(*_is(key))).one_or_none()
    if row is not None and row.claim_owner not in (None, owner) and row.claim_until > now:
        return None
    keys = {"repo_id": key.repo_id, "head_sha": key.head_sha, "name": key.name}
    claim = {"claim_owner": owner, "claim_until": now + CLAIM_S}
    if row is None:
        upsert(connection, CHECK_RUN, keys, {**claim, "installation_id": key.installation_id, "annotated": []})
        return CheckRow(None, concluded=False, conclusion=None, digest=None, annotated=frozenset(), is_new=True)
    connection.execute(sa.update(CHECK_RUN).where(*_is(key)).values(**claim))
    return _check_row(row)


def release_check(connection: sa.Connection, key: CheckKey, owner: str) -> None:
    """Lets the next one in; nothing happens when the claim is no longer the owner's."""
    connection.execute(
        sa.update(CHECK_RUN)
        .where(*_is(key), CHECK_RUN.c.claim_owner == owner)
        .values(claim_owner=None, claim_until=None)
    )


def load_check(connection: sa.Connection, key: CheckKey) -> CheckRow | None:
    row = connection.execute(sa.select(CHECK_RUN).where(*_is(key))).one_or_none()
    return None if row is None else _check_row(row)


def set_check_run_id(connection: sa.Connection, key: CheckKey, check_run_id: int) -> None:
    connection.execute(sa.update(CHECK_RUN).where(*_is(key)).values(check_run_id=check_run_id))


def set_output_unknown(connection: sa.Connection, key: CheckKey) -> None:
    """From now on GitHub may know more than we do: a job that dies before `set_concluded` has told it something."""
    connection.execute(sa.update(CHECK_RUN).where(*_is(key)).values(digest=OUTPUT_UNKNOWN))


def set_concluded(
    connection: sa.Connection, key: CheckKey, *, conclusion: str, digest: str, annotated: frozenset[str]
) -> None:
    """Records what GitHub has been told: `digest` of the whole output, `annotated` of every annotation sent so far."""
    connection.execute(
        sa.update(CHECK_RUN)
        .where(*_is(key))
        .values(concluded_at=time.time(), conclusion=conclusion, digest=digest, annotated=sorted(annotated))
    )


def set_result(
    connection: sa.Connection, key: CheckKey, pull: int, *, rank: int, output: Mapping[str, Any]
) -> Mapping[str, Any]:
    """Stores what this pull request says about the head and answers the worst of all that still stand at it.

    `rank` orders outputs, higher is worse; `pull` 0 is a merge group. Closed pulls and pulls that moved on do not count.
    """
    take_turns(connection, "check", key.repo_id, key.head_sha)
    keys = {"repo_id": key.repo_id, "head_sha": key.head_sha, "pull": pull}
    values = {"installation_id": key.installation_id, "rank": rank, "output": dict(output)}
    upsert(connection, CHECK_RESULT, keys, values)
    others = connection.execute(
        sa.select(CHECK_RESULT.c.rank, CHECK_RESULT.c.output)
        .join(
            PULL_HEAD,
            sa.and_(PULL_HEAD.c.repo_id == CHECK_RESULT.c.repo_id, PULL_HEAD.c.pull == CHECK_RESULT.c.pull),
        )
        .where(
            CHECK_RESULT.c.repo_id == key.repo_id,
            CHECK_RESULT.c.head_sha == key.head_sha,
            CHECK_RESULT.c.pull != pull,
            PULL_HEAD.c.head_sha == key.head_sha,
            PULL_HEAD.c.closed.is_(False),
            CHECK_RESULT.c.rank > rank,
        )
        .order_by(CHECK_RESULT.c.rank.desc(), CHECK_RESULT.c.pull)
    ).first()
    return output if others is None else dict(others.output)


@dataclass(frozen=True, slots=True)
class CheckResult:
    rank: int
    output: Mapping[str, Any]


def load_result(connection: sa.Connection, key: CheckKey, pull: int) -> CheckResult | None:
    """What this pull request said last about the head."""
    row = connection.execute(
        sa.select(CHECK_RESULT.c.rank, CHECK_RESULT.c.output).where(
            CHECK_RESULT.c.repo_id == key.repo_id,
            CHECK_RESULT.c.head_sha == key.head_sha,
            CHECK_RESULT.c.pull == pull,
        )
    ).one_or_none()
    return None if row is None else CheckResult(row.rank, row.output)


def _is(key: CheckKey) -> tuple[sa.ColumnElement[bool], ...]:
    return (
        CHECK_RUN.c.repo_id == key.repo_id,
        CHECK_RUN.c.head_sha == key.head_sha,
        CHECK_RUN.c.name == key.name,
    )


def _check_row(row: Any) -> CheckRow:
    return CheckRow(
        check_run_id=row.check_run_id,
        concluded=row.concluded_at is not None,
        conclusion=row.conclusion,
        digest=row.digest,
        annotated=frozenset(row.annotated),
    )
