"""Questions to a language model."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "tether_llm_call",
        sa.Column("installation_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("repo_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("day", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("answer", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("installation_id", "repo_id", "digest", name=op.f("pk_tether_llm_call")),
    )
    op.create_index(op.f("ix_tether_llm_call_day"), "tether_llm_call", ["day"])


def downgrade() -> None:
    op.drop_table("tether_llm_call")
