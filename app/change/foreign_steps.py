"""A migration that is not SQL -> its operations.

Alembic, Django and Liquibase say most of theirs in constants; those become steps, everything else in such a file is opaque.
A migration in any other language is an unknown as a whole.
"""

from __future__ import annotations

from app.change.alembic_steps import read_alembic
from app.change.django_steps import read_django
from app.change.foreign import Foreign
from app.change.liquibase_steps import read_liquibase
from app.change.operations import Operations
from app.reads import Unreadable


def read_foreign(path: str, text: str, dialect: str, foreign: Foreign) -> Operations:
    """What the migration does, in order. Raises Unreadable where nothing of it can be read."""
    match foreign.tool:
        case "alembic":
            return read_alembic(text, dialect)
        case "django":
            return read_django(path, text, dialect)
        case "liquibase":
            return read_liquibase(text, dialect, foreign.language)
        case _:
            raise Unreadable(f"it is a migration in {foreign.language}, not SQL: its operations are not read", line=1)
