"""Tether's own rows: which head is newest, which check run, comment, incident and edge are ours. SQLite or Postgres.

Nothing here talks to GitHub or DataHub, and nothing here decides: an effect looks its key up here, then outside.
"""

from app.edges.store.audit import AuditRow, add_audit, load_audit, load_shown, purge_audit, set_shown
from app.edges.store.backlog import DEAD, Backlog
from app.edges.store.checks import (
    CheckKey,
    CheckRow,
    claim_check,
    load_check,
    load_result,
    release_check,
    set_check_run_id,
    set_concluded,
    set_output_unknown,
    set_result,
)
from app.edges.store.engine import Store, is_sqlite, make_engine, prove_database
from app.edges.store.executors import Executor, beat_and_reap, leave, load_beats
from app.edges.store.forget import forget_installation, forget_repository
from app.edges.store.heads import Head, HeadEvent, load_head, load_is_head_elsewhere, load_is_newest, move_head
from app.edges.store.indexed import StoredIndex, forget_unlisted, load_indexed, purge_texts
from app.edges.store.ledger import (
    EdgeRow,
    drop_edges,
    load_edges_of,
    load_ledger_installations,
    load_state_counts,
    set_edges,
)
from app.edges.store.llm import Claim, LlmKey, claim_llm_call, set_llm_answer
from app.edges.store.migrate import load_is_current, upgrade
from app.edges.store.parses import StoredParses, forget_parsed, purge_parsed
from app.edges.store.traces import (
    IncidentRow,
    PullKey,
    drop_incident_pull,
    load_comment_row,
    load_incident_pulls,
    load_incidents,
    load_is_older_than,
    load_last_review,
    load_pulls_with_removals,
    mark_incident_merged,
    set_comment,
    set_incident,
    set_review,
)

__all__ = [
    "DEAD",
    "AuditRow",
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
    "add_audit",
    "beat_and_reap",
    "claim_check",
    "claim_llm_call",
    "drop_edges",
    "drop_incident_pull",
    "forget_installation",
    "forget_parsed",
    "forget_repository",
    "forget_unlisted",
    "is_sqlite",
    "leave",
    "load_audit",
    "load_beats",
    "load_check",
    "load_comment_row",
    "load_edges_of",
    "load_head",
    "load_incident_pulls",
    "load_incidents",
    "load_indexed",
    "load_is_current",
    "load_is_head_elsewhere",
    "load_is_newest",
    "load_is_older_than",
    "load_last_review",
    "load_ledger_installations",
    "load_pulls_with_removals",
    "load_result",
    "load_shown",
    "load_state_counts",
    "make_engine",
    "mark_incident_merged",
    "move_head",
    "prove_database",
    "purge_audit",
    "purge_parsed",
    "purge_texts",
    "release_check",
    "set_check_run_id",
    "set_comment",
    "set_concluded",
    "set_edges",
    "set_incident",
    "set_llm_answer",
    "set_output_unknown",
    "set_result",
    "set_review",
    "set_shown",
    "upgrade",
]
