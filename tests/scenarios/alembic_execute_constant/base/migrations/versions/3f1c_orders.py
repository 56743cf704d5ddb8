"""orders"""

import sqlalchemy as sa
from alembic import op

revision = "3f1c"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "orders",
        sa.Column("order_id", sa.Integer(), primary_key=True),
        sa.Column("customer_id", sa.Integer()),
        sa.Column("discount_pct", sa.Numeric(5, 4)),
        sa.Column("quantity", sa.Integer()),
        schema="raw",
    )


def downgrade() -> None:
    op.drop_table("orders", schema="raw")
