"""A cache of parsed SQL."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "tether_parsed",
        sa.Column("installation_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("value", sa.LargeBinary(), nullable=False),
        sa.Column("used_at", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("installation_id", "key", name=op.f("pk_tether_parsed")),
    )
    op.create_index(op.f("ix_tether_parsed_used_at"), "tether_parsed", ["used_at"])


def downgrade() -> None:
    op.drop_table("tether_parsed")
