"""What an incomplete name means at a line: USE and SET search_path change it for the rest of a script."""

from __future__ import annotations

import bisect
import dataclasses
from collections.abc import Callable

from app.change.cursor import Cursor
from app.change.tokens import find_chunks
from app.reads import Unreadable
from app.words import CatalogNaming


def find_namings(sql: str, *, dialect: str, naming: CatalogNaming) -> Callable[[int], CatalogNaming]:
    """Line of the text (1-based) -> the naming that holds there."""
    starts: list[int] = []
    namings: list[CatalogNaming] = []
    current = naming
    for line, changed in _find_uses(sql, dialect):
        current = dataclasses.replace(
            current, database=changed.get("database", current.database), schema=changed.get("schema", current.schema)
        )
        starts.append(line)
        namings.append(current)

    def at(line: int) -> CatalogNaming:
        index = bisect.bisect_right(starts, line)
        return namings[index - 1] if index else naming

    return at


def _find_uses(sql: str, dialect: str) -> list[tuple[int, dict[str, str]]]:
    upper = sql.upper()
    if "USE" not in upper and "SEARCH_PATH" not in upper:
        return []
    found: list[tuple[int, dict[str, str]]] = []
    try:
        for chunk in find_chunks(sql, dialect=dialect):
            changed = _read_use(Cursor(chunk, dialect))
            if changed:
                found.append((chunk.line(chunk.words[0]), changed))
    except Unreadable:  # the same text is already an unknown of this file
        return []
    return found


def _read_use(cursor: Cursor) -> dict[str, str]:
    if cursor.take("SET", "SEARCH_PATH"):
        cursor.take_any("TO", "=")
        word = cursor.word()
        return {"schema": word.text.lower()} if word is not None and word.text else {}
    if not cursor.take("USE") or cursor.peek() in {"ROLE", "WAREHOUSE", "SECONDARY"}:
        return {}
    schema = cursor.take("SCHEMA")
    database = not schema and (cursor.take("DATABASE") or cursor.take("CATALOG"))
    name = cursor.relation()
    if name is None:
        return {}
    first, dot, last = name.rpartition(".")
    if dot:
        return {"database": first, "schema": last}
    two_levels = cursor.dialect in {"mysql", "clickhouse", "hive", "spark", "databricks", "trino", "presto"}
    return {"schema": name} if schema or (two_levels and not database) else {"database": name}
