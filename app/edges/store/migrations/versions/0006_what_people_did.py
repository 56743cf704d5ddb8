"""Which checks tell of which edges, and what people did."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "tether_edge_shown",
        sa.Column("repo_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("pull", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("upstream", sa.Text(), nullable=False),
        sa.Column("downstream", sa.Text(), nullable=False),
        sa.Column("installation_id", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("repo_id", "pull", "upstream", "downstream", name=op.f("pk_tether_edge_shown")),
    )
    op.create_index(op.f("ix_tether_edge_shown_installation_id"), "tether_edge_shown", ["installation_id"])
    op.create_table(
        "tether_audit",
        sa.Column("delivery", sa.Text(), nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("at", sa.Float(), nullable=False),
        sa.Column("installation_id", sa.BigInteger(), nullable=False),
        sa.Column("repo_id", sa.BigInteger(), nullable=False),
        sa.Column("repo", sa.Text(), nullable=False),
        sa.Column("pull", sa.BigInteger(), nullable=True),
        sa.Column("who", sa.Text(), nullable=False),
        sa.Column("what", sa.Text(), nullable=False),
        sa.Column("outcome", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("delivery", "number", name=op.f("pk_tether_audit")),
    )
    for column in ("at", "installation_id", "repo_id"):
        op.create_index(op.f(f"ix_tether_audit_{column}"), "tether_audit", [column])


def downgrade() -> None:
    op.drop_table("tether_audit")
    op.drop_table("tether_edge_shown")
