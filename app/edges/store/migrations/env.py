"""Alembic's entry: runs the revisions on the connection (and in the transaction) that `app.edges.store.migrate` opened."""

from alembic import context

from app.edges.store.migrate import VERSION_TABLE
from app.edges.store.tables import METADATA, PREFIX


def _is_ours(name: str | None, kind: str, _parents: object) -> bool:
    """The queue's tables live in the same SQLite file and have migrations of their own."""
    return kind != "table" or (name is not None and name.startswith(PREFIX) and name != VERSION_TABLE)


context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=METADATA,
    version_table=VERSION_TABLE,
    include_name=_is_ours,
    render_as_batch=True,
)
context.run_migrations()
