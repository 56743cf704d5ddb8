"""What SQL the repositories of an installation hold."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "tether_index",
        sa.Column("installation_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("repo_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("commit_sha", sa.Text(), nullable=False),
        sa.Column("truncated", sa.Boolean(), nullable=False),
        sa.Column("listing", sa.LargeBinary(), nullable=False),
        sa.Column("indexed_at", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("installation_id", "repo_id", name=op.f("pk_tether_index")),
    )
    op.create_table(
        "tether_index_text",
        sa.Column("installation_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("repo_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("sha", sa.Text(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.Column("used_at", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("installation_id", "repo_id", "sha", name=op.f("pk_tether_index_text")),
    )
    op.create_index(op.f("ix_tether_index_text_used_at"), "tether_index_text", ["used_at"])


def downgrade() -> None:
    op.drop_table("tether_index_text")
    op.drop_table("tether_index")
