"""change"""

import sqlalchemy as sa
from alembic import op

revision = "0a77"
down_revision = "3f1c"


def upgrade() -> None:
    op.alter_column("orders", "discount_pct", type_=sa.Numeric(9, 4), existing_type=sa.Numeric(5, 4), schema="raw")


def downgrade() -> None:
    pass
