"""Every table that is ours, as SQLAlchemy Core. Numeric GitHub ids are the keys: names change.

All names start with `tether_`: on SQLite the queue keeps its own tables in the same file.
A change here needs a migration in `migrations/versions`; a test compares the two.
"""

from __future__ import annotations

import sqlalchemy as sa

PREFIX = "tether_"
METADATA = sa.MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    }
)

#: The newest event of each pull request. `sequence` grows with every event that is not older than the row: a job whose
#: number is smaller has been superseded. `updated_at` is the pull's own time (ISO, UTC), the only order GitHub gives.
PULL_HEAD = sa.Table(
    "tether_pull_head",
    METADATA,
    sa.Column("repo_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("pull", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("installation_id", sa.BigInteger, nullable=False, index=True),
    sa.Column("head_sha", sa.Text, nullable=False),
    sa.Column("updated_at", sa.Text, nullable=False),
    sa.Column("sequence", sa.BigInteger, nullable=False),
    sa.Column("delivery", sa.Text, nullable=False),
    sa.Column("closed", sa.Boolean, nullable=False),
)

#: One check run per head. `check_run_id` is NULL while it is being created. The claim makes look-up-then-create and
#: compare-then-conclude exclusive among jobs that share a head. `annotated` are digests of annotations already sent
#: (GitHub appends them with every update).
CHECK_RUN = sa.Table(
    "tether_check_run",
    METADATA,
    sa.Column("repo_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("head_sha", sa.Text, primary_key=True),
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("installation_id", sa.BigInteger, nullable=False, index=True),
    sa.Column("check_run_id", sa.BigInteger),
    sa.Column("claim_owner", sa.Text),
    sa.Column("claim_until", sa.Float),
    sa.Column("concluded_at", sa.Float),
    sa.Column("conclusion", sa.Text),
    sa.Column("digest", sa.Text),
    sa.Column("annotated", sa.JSON, nullable=False),
)

#: What each pull request says about a head; two pulls with one head share its check run, and the worst one shows.
CHECK_RESULT = sa.Table(
    "tether_check_result",
    METADATA,
    sa.Column("repo_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("head_sha", sa.Text, primary_key=True),
    sa.Column("pull", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("installation_id", sa.BigInteger, nullable=False, index=True),
    sa.Column("rank", sa.Integer, nullable=False),
    sa.Column("output", sa.JSON, nullable=False),
)

#: Our comment on a pull request. `comment_id` is NULL from just before the comment is created until its id is known.
COMMENT = sa.Table(
    "tether_comment",
    METADATA,
    sa.Column("repo_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("pull", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("installation_id", sa.BigInteger, nullable=False, index=True),
    sa.Column("comment_id", sa.BigInteger),
)

#: One incident per (dataset, column, model), raised in the catalog under `urn`; `content` is the incident as JSON.
INCIDENT = sa.Table(
    "tether_incident",
    METADATA,
    sa.Column("urn", sa.Text, primary_key=True),
    sa.Column("state", sa.Text, nullable=False),  # active | resolved
    sa.Column("content", sa.JSON, nullable=False),
)

#: Which pull requests keep an incident alive.
INCIDENT_PULL = sa.Table(
    "tether_incident_pull",
    METADATA,
    sa.Column("urn", sa.Text, primary_key=True),
    sa.Column("repo_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("pull", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("installation_id", sa.BigInteger, nullable=False, index=True),
    sa.Column("url", sa.Text, nullable=False),
    sa.Column("merged", sa.Boolean, nullable=False),
)

#: The ledger of edges that we wrote to the catalog, with the lines that prove them: enough to write each again after an
#: ingestion dropped it, and to take back exactly ours. `entity` is the one that holds the edge. `repo_id` and `pull` name the
#: pull request whose review wrote it, NULL where a repair did. `evidence` are lines, `columns` spelled as in the catalog.
EDGE = sa.Table(
    "tether_edge",
    METADATA,
    sa.Column("upstream", sa.Text, primary_key=True),
    sa.Column("downstream", sa.Text, primary_key=True),
    sa.Column("kind", sa.Text, primary_key=True),  # column | source | model
    sa.Column("installation_id", sa.BigInteger, nullable=False, index=True),
    sa.Column("entity", sa.Text, nullable=False, server_default=sa.text("''"), index=True),
    sa.Column("repo_id", sa.BigInteger),
    sa.Column("pull", sa.BigInteger),
    sa.Column("state", sa.Text, nullable=False),  # proposed | written | confirmed | rejected | stale
    sa.Column("evidence", sa.JSON, nullable=False),
    sa.Column("columns", sa.JSON, nullable=False, server_default="[]"),
    sa.Column("direct", sa.Boolean, nullable=False, server_default=sa.true()),
    sa.Column("operation", sa.Text, nullable=False, server_default=sa.text("''")),
    sa.Column("run_id", sa.Text, nullable=False, index=True),
    sa.Column("detail", sa.Text, nullable=False),
    sa.Column("changed_at", sa.Float, nullable=False, server_default="0"),
)

#: Which pull requests' checks tell of an edge: several may, whoever wrote it first.
EDGE_SHOWN = sa.Table(
    "tether_edge_shown",
    METADATA,
    sa.Column("repo_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("pull", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("upstream", sa.Text, primary_key=True),
    sa.Column("downstream", sa.Text, primary_key=True),
    sa.Column("installation_id", sa.BigInteger, nullable=False, index=True),
)

#: What people did, by the delivery that told of it: a job that runs again says it once.
AUDIT = sa.Table(
    "tether_audit",
    METADATA,
    sa.Column("delivery", sa.Text, primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("at", sa.Float, nullable=False, index=True),
    sa.Column("installation_id", sa.BigInteger, nullable=False, index=True),
    sa.Column("repo_id", sa.BigInteger, nullable=False, index=True),
    sa.Column("repo", sa.Text, nullable=False),
    sa.Column("pull", sa.BigInteger),
    sa.Column("who", sa.Text, nullable=False),
    sa.Column("what", sa.Text, nullable=False),  # confirm | reject | re-run
    sa.Column("outcome", sa.Text, nullable=False),
)

#: The last concluded review of each pull request. `removals` > 0: a push elsewhere may change what it breaks.
REVIEW = sa.Table(
    "tether_review",
    METADATA,
    sa.Column("repo_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("pull", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("installation_id", sa.BigInteger, nullable=False, index=True),
    sa.Column("head_sha", sa.Text, nullable=False),
    sa.Column("word", sa.Text, nullable=False),
    sa.Column("removals", sa.Integer, nullable=False),
    sa.Column("concluded_at", sa.Float, nullable=False),
    sa.Column("duration_s", sa.Float, nullable=False),
)

#: Processes that run jobs, with their last sign of life; jobs of one that is gone are taken over.
EXECUTOR = sa.Table(
    "tether_executor",
    METADATA,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("host", sa.Text, nullable=False),
    sa.Column("pid", sa.Integer, nullable=False),
    sa.Column("beat", sa.Float, nullable=False),
)

#: SQL that was parsed before, by the digest of everything that its reading depends on. A cache: any row may go at any time.
PARSED = sa.Table(
    "tether_parsed",
    METADATA,
    sa.Column("installation_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("key", sa.Text, primary_key=True),
    sa.Column("value", sa.LargeBinary, nullable=False),
    sa.Column("used_at", sa.Float, nullable=False, index=True),
)

#: The files of each repository's default branch as last listed: `listing` is packed, `commit_sha` says of which commit.
INDEX = sa.Table(
    "tether_index",
    METADATA,
    sa.Column("installation_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("repo_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("commit_sha", sa.Text, nullable=False),
    sa.Column("truncated", sa.Boolean, nullable=False),
    sa.Column("listing", sa.LargeBinary, nullable=False),
    sa.Column("indexed_at", sa.Float, nullable=False),
)

#: Texts of those files under git's name for their content (`sha`). Any row may go at any time: it is fetched again.
INDEX_TEXT = sa.Table(
    "tether_index_text",
    METADATA,
    sa.Column("installation_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("repo_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("sha", sa.Text, primary_key=True),
    sa.Column("content", sa.LargeBinary, nullable=False),
    sa.Column("used_at", sa.Float, nullable=False, index=True),
)

#: Questions to a language model, by the digest of what was asked: at most one a block, at most so many a day.
LLM_CALL = sa.Table(
    "tether_llm_call",
    METADATA,
    sa.Column("installation_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("repo_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("digest", sa.Text, primary_key=True),
    sa.Column("day", sa.Text, nullable=False, index=True),
    sa.Column("state", sa.Text, nullable=False),  # asked, answered, failed
    sa.Column("answer", sa.Text, nullable=False),
)
