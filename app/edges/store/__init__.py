"""Tether's own rows: which head is newest, which check run, comment, incident and edge are ours. SQLite or Postgres.

Nothing here talks to GitHub or DataHub, and nothing here decides: an effect looks its key up here, then outside.
"""

from app.edges.store.backlog import DEAD, Backlog
from app.edges.store.checks import (
    CheckKey,
    CheckRow,
    claim_check,
    find_check,
    find_result,
    release_check,
    set_check_run_id,
    set_concluded,
    set_result,
    set_telling,
)
from app.edges.store.engine import Store, is_sqlite, make_engine, prove_database
from app.edges.store.executors import Executor, beat_and_reap, find_beats, leave
from app.edges.store.forget import forget_installation, forget_repository
from app.edges.store.heads import Head, HeadEvent, find_head, is_head_elsewhere, is_newest, move_head
from app.edges.store.indexed import StoredIndex, find_indexed, forget_unlisted, purge_texts
from app.edges.store.ledger import (
    EdgeRow,
    count_states,
    drop_edges,
    find_edges_of,
    find_ledger_installations,
    set_edges,
)
from app.edges.store.llm import Claim, LlmKey, claim_llm_call, set_llm_answer
from app.edges.store.migrate import is_current, upgrade
from app.edges.store.parses import StoredParses, forget_parsed, purge_parsed
from app.edges.store.traces import (
    IncidentRow,
    PullKey,
    drop_incident_pull,
    find_comment_row,
    find_incidents,
    find_last_review,
    find_pulls_with_removals,
    is_older_than,
    mark_incident_merged,
    set_comment,
    set_incident,
    set_review,
)

__all__ = [
    "DEAD",
    "Backlog",
    "CheckKey",
    "CheckRow",
    "Claim",
    "EdgeRow",
    "Executor",
    "Head",
    "HeadEvent",
    "IncidentRow",
    "LlmKey",
    "PullKey",
    "Store",
    "StoredIndex",
    "StoredParses",
    "beat_and_reap",
    "claim_check",
    "claim_llm_call",
    "count_states",
    "drop_edges",
    "drop_incident_pull",
    "find_beats",
    "find_check",
    "find_comment_row",
    "find_edges_of",
    "find_head",
    "find_incidents",
    "find_indexed",
    "find_last_review",
    "find_ledger_installations",
    "find_pulls_with_removals",
    "find_result",
    "forget_installation",
    "forget_parsed",
    "forget_repository",
    "forget_unlisted",
    "is_current",
    "is_head_elsewhere",
    "is_newest",
    "is_older_than",
    "is_sqlite",
    "leave",
    "make_engine",
    "mark_incident_merged",
    "move_head",
    "prove_database",
    "purge_parsed",
    "purge_texts",
    "release_check",
    "set_check_run_id",
    "set_comment",
    "set_concluded",
    "set_edges",
    "set_incident",
    "set_llm_answer",
    "set_result",
    "set_review",
    "set_telling",
    "upgrade",
]
