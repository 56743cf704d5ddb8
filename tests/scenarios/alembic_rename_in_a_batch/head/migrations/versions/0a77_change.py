"""change"""

import sqlalchemy as sa
from alembic import op

revision = "0a77"
down_revision = "3f1c"


def upgrade() -> None:
    with op.batch_alter_table("orders", schema="raw") as batch_op:
        batch_op.alter_column("discount_pct", new_column_name="discount_rate")


def downgrade() -> None:
    pass
