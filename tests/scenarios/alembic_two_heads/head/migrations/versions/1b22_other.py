"""change"""

import sqlalchemy as sa
from alembic import op

revision = "1b22"
down_revision = "3f1c"


def upgrade() -> None:
    op.add_column("orders", sa.Column("channel", sa.Text()), schema="raw")


def downgrade() -> None:
    pass
