"""The first tables: heads, check runs, comments, reviews; incidents and edges; executors."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    _create_head_tables()
    _create_check_tables()
    _create_catalog_tables()


def downgrade() -> None:
    for name in (
        "tether_check_result",
        "tether_check_run",
        "tether_comment",
        "tether_edge",
        "tether_executor",
        "tether_incident",
        "tether_incident_pull",
        "tether_pull_head",
        "tether_review",
    ):
        op.drop_table(name)


def _create_head_tables() -> None:
    op.create_table(
        "tether_pull_head",
        sa.Column("repo_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("pull", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("installation_id", sa.BigInteger(), nullable=False),
        sa.Column("head_sha", sa.Text(), nullable=False),
        sa.Column("updated_at", sa.Text(), nullable=False),
        sa.Column("sequence", sa.BigInteger(), nullable=False),
        sa.Column("delivery", sa.Text(), nullable=False),
        sa.Column("closed", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("repo_id", "pull", name=op.f("pk_tether_pull_head")),
    )
    op.create_index(op.f("ix_tether_pull_head_installation_id"), "tether_pull_head", ["installation_id"])
    op.create_table(
        "tether_comment",
        sa.Column("repo_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("pull", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("installation_id", sa.BigInteger(), nullable=False),
        sa.Column("comment_id", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("repo_id", "pull", name=op.f("pk_tether_comment")),
    )
    op.create_index(op.f("ix_tether_comment_installation_id"), "tether_comment", ["installation_id"])
    op.create_table(
        "tether_review",
        sa.Column("repo_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("pull", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("installation_id", sa.BigInteger(), nullable=False),
        sa.Column("head_sha", sa.Text(), nullable=False),
        sa.Column("word", sa.Text(), nullable=False),
        sa.Column("removals", sa.Integer(), nullable=False),
        sa.Column("concluded_at", sa.Float(), nullable=False),
        sa.Column("duration_s", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("repo_id", "pull", name=op.f("pk_tether_review")),
    )
    op.create_index(op.f("ix_tether_review_installation_id"), "tether_review", ["installation_id"])
    op.create_table(
        "tether_executor",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("host", sa.Text(), nullable=False),
        sa.Column("pid", sa.Integer(), nullable=False),
        sa.Column("beat", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_tether_executor")),
    )


def _create_check_tables() -> None:
    op.create_table(
        "tether_check_run",
        sa.Column("repo_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("head_sha", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("installation_id", sa.BigInteger(), nullable=False),
        sa.Column("check_run_id", sa.BigInteger(), nullable=True),
        sa.Column("claim_owner", sa.Text(), nullable=True),
        sa.Column("claim_until", sa.Float(), nullable=True),
        sa.Column("concluded_at", sa.Float(), nullable=True),
        sa.Column("conclusion", sa.Text(), nullable=True),
        sa.Column("digest", sa.Text(), nullable=True),
        sa.Column("annotated", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("repo_id", "head_sha", "name", name=op.f("pk_tether_check_run")),
    )
    op.create_index(op.f("ix_tether_check_run_installation_id"), "tether_check_run", ["installation_id"])
    op.create_table(
        "tether_check_result",
        sa.Column("repo_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("head_sha", sa.Text(), nullable=False),
        sa.Column("pull", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("installation_id", sa.BigInteger(), nullable=False),
        sa.Column("rank", sa.Integer(), nullable=False),
        sa.Column("output", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("repo_id", "head_sha", "pull", name=op.f("pk_tether_check_result")),
    )
    op.create_index(op.f("ix_tether_check_result_installation_id"), "tether_check_result", ["installation_id"])


def _create_catalog_tables() -> None:
    op.create_table(
        "tether_incident",
        sa.Column("urn", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("content", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("urn", name=op.f("pk_tether_incident")),
    )
    op.create_table(
        "tether_incident_pull",
        sa.Column("urn", sa.Text(), nullable=False),
        sa.Column("repo_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("pull", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("installation_id", sa.BigInteger(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("merged", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("urn", "repo_id", "pull", name=op.f("pk_tether_incident_pull")),
    )
    op.create_index(op.f("ix_tether_incident_pull_installation_id"), "tether_incident_pull", ["installation_id"])
    op.create_table(
        "tether_edge",
        sa.Column("upstream", sa.Text(), nullable=False),
        sa.Column("downstream", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("installation_id", sa.BigInteger(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("evidence", sa.JSON(), nullable=False),
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("upstream", "downstream", "kind", name=op.f("pk_tether_edge")),
    )
    op.create_index(op.f("ix_tether_edge_installation_id"), "tether_edge", ["installation_id"])
    op.create_index(op.f("ix_tether_edge_run_id"), "tether_edge", ["run_id"])
