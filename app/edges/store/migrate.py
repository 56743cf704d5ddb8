"""Brings the tables up to date when a process starts; safe when several start at once.

Alembic runs in this process, on our own engine, with the scripts that ship beside this file: there is no ini file and no
command to remember.
"""

from __future__ import annotations

from pathlib import Path

import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory

SCRIPTS = Path(__file__).parent / "migrations"
VERSION_TABLE = "tether_alembic_version"
#: Any number will do, as long as nobody else uses it: the key of Postgres' advisory lock around a migration.
LOCK_KEY = 74_386_411


def alembic_config(connection: sa.Connection) -> Config:
    config = Config()
    config.set_main_option("script_location", str(SCRIPTS).replace("%", "%%"))
    config.attributes["connection"] = connection
    return config


def upgrade(engine: sa.Engine) -> None:
    """Migrates to the newest revision. One transaction holds the database's write lock, so that of several processes
    one migrates and the others find it done."""
    with engine.begin() as connection:
        if connection.dialect.name == "postgresql":
            connection.execute(sa.select(sa.func.pg_advisory_xact_lock(LOCK_KEY)))
        command.upgrade(alembic_config(connection), "head")


def load_is_current(engine: sa.Engine) -> bool:
    """Whether the database is at the newest revision."""
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE})
        return context.get_current_revision() == ScriptDirectory(str(SCRIPTS)).get_current_head()
