"""The ledger holds whole edges, so that each can be written again and taken back, and knows five states."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

STATES = {"writing": "proposed", "failed": "proposed", "retracted": "stale"}
FIELD = "urn:li:schemaField:("


def upgrade() -> None:
    for column in (
        sa.Column("entity", sa.Text(), nullable=False, server_default=sa.text("''")),
        sa.Column("repo_id", sa.BigInteger()),
        sa.Column("pull", sa.BigInteger()),
        sa.Column("columns", sa.JSON(), nullable=False, server_default="[]"),
        sa.Column("direct", sa.Boolean(), nullable=False, server_default=sa.true()),
        sa.Column("operation", sa.Text(), nullable=False, server_default=sa.text("''")),
        sa.Column("changed_at", sa.Float(), nullable=False, server_default="0"),
    ):
        op.add_column("tether_edge", column)
    op.create_index(op.f("ix_tether_edge_entity"), "tether_edge", ["entity"])
    edge = sa.table("tether_edge", *(sa.column(name) for name in ("downstream", "kind", "entity", "state")))
    connection = op.get_bind()
    for old, new in STATES.items():
        connection.execute(sa.update(edge).where(edge.c.state == old).values(state=new))
    for downstream, kind in connection.execute(sa.select(edge.c.downstream, edge.c.kind).distinct()).all():
        entity = find_dataset(downstream) if kind == "column" else downstream
        same = (edge.c.downstream == downstream) & (edge.c.kind == kind)
        connection.execute(sa.update(edge).where(same).values(entity=entity))


def find_dataset(field: str) -> str:
    """The dataset of a schemaField urn: up to the first comma outside of its brackets."""
    depth = 0
    for place in range(len(FIELD), len(field)):
        depth += (field[place] == "(") - (field[place] == ")")
        if field[place] == "," and depth == 0:
            return field[len(FIELD) : place]
    return field


def downgrade() -> None:
    op.drop_index(op.f("ix_tether_edge_entity"), "tether_edge")
    for name in ("changed_at", "operation", "direct", "columns", "pull", "repo_id", "entity"):
        op.drop_column("tether_edge", name)
