"""change"""

import sqlalchemy as sa
from alembic import op

revision = "0a77"
down_revision = "3f1c"


def upgrade() -> None:
    op.execute(
        """
        ALTER TABLE raw.orders
        DROP COLUMN discount_pct
        """
    )


def downgrade() -> None:
    pass
