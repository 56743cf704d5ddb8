"""Who may ask the language model, and what it said: one question a block, so many a day, answers kept.

The row stands before the question goes out, so that a job that dies in between has asked: it is not asked again that day.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import sqlalchemy as sa

from app.edges.store.engine import take_turns, upsert
from app.edges.store.tables import LLM_CALL


@dataclass(frozen=True, slots=True)
class LlmKey:
    """`digest` is of everything that the model is shown."""

    installation_id: int
    repo_id: int
    digest: str


@dataclass(frozen=True, slots=True)
class Claim:
    """mine: ask, and store what comes of it. answered: `text` is the answer of an earlier time. failed, asked, spent: do not ask
    now; `text` says why an earlier question failed."""

    state: Literal["mine", "answered", "failed", "asked", "spent"]
    text: str = ""


def claim_llm_call(connection: sa.Connection, key: LlmKey, *, day: str, most: int) -> Claim:
    """`day` is today (ISO, UTC), `most` the questions of one day over all installations."""
    take_turns(connection, "llm", day)
    row = connection.execute(sa.select(LLM_CALL).where(*_is(key))).first()
    if row is not None and (row.state == "answered" or row.day == day):
        return Claim(row.state, row.answer)
    counted = sa.select(sa.func.count()).select_from(LLM_CALL).where(LLM_CALL.c.day == day)
    if connection.execute(counted).scalar_one() >= most:
        return Claim("spent")
    _set(connection, key, day=day, state="asked", answer="")
    return Claim("mine")


def set_llm_answer(connection: sa.Connection, key: LlmKey, text: str, *, state: Literal["answered", "failed"]) -> None:
    """What came of the question of this key."""
    connection.execute(sa.update(LLM_CALL).where(*_is(key)).values(state=state, answer=text))


def _set(connection: sa.Connection, key: LlmKey, **values: str) -> None:
    keys = {"installation_id": key.installation_id, "repo_id": key.repo_id, "digest": key.digest}
    upsert(connection, LLM_CALL, keys, values)


def _is(key: LlmKey) -> tuple[sa.ColumnElement[bool], ...]:
    return (
        LLM_CALL.c.installation_id == key.installation_id,
        LLM_CALL.c.repo_id == key.repo_id,
        LLM_CALL.c.digest == key.digest,
    )
