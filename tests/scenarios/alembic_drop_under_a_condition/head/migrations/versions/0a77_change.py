"""change"""

import sqlalchemy as sa
from alembic import op

revision = "0a77"
down_revision = "3f1c"


def upgrade() -> None:
    if op.get_context().as_sql:
        op.drop_column("orders", "discount_pct", schema="raw")


def downgrade() -> None:
    pass
