"""change"""

import sqlalchemy as sa
from alembic import op

revision = "0a77"
down_revision = "3f1c"


def upgrade() -> None:
    op.add_column("orders", sa.Column("region", sa.Text()), schema="raw")
    op.create_index("orders_region", "orders", ["region"], schema="raw")


def downgrade() -> None:
    op.drop_column("orders", "discount_pct", schema="raw")
